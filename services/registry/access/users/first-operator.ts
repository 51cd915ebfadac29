import { created, type Registry } from '../../resources/store.ts'
import type { PasswordStrength } from './password-strength.ts'
import type { Passwords } from './passwords.ts'
import { findUser, freshUser, normalEmail } from './users.ts'

/** Makes the operator of the settings where there is none yet, so that a new installation can be signed in to. @throws Error */
export async function makeFirstOperator(
  deps: {
    registry: Registry
    passwords: Passwords
    strength: Pick<PasswordStrength, 'weakness'>
    uuid: () => string
  },
  operator: { email: string; password: string },
): Promise<void> {
  const { registry, passwords, strength, uuid } = deps
  const hasOperator = () => registry.snapshot.all('User').some(({ body }) => body.role === 'OPERATOR')
  if (hasOperator()) return
  if (findUser(registry.snapshot, operator.email)) throw new Error('OPERATOR_EMAIL is of a user who is no operator')
  const email = normalEmail(operator.email)
  const who = { email, name: 'Operator', role: 'OPERATOR', accountId: null } as const
  const weakness = await strength.weakness(operator.password, email.split(/[@.]/))
  if (weakness !== null) throw new Error(`OPERATOR_PASSWORD is ${weakness}`)
  const passwordHash = await passwords.hash(operator.password)
  const user = created('User', uuid(), freshUser({ ...who, passwordHash }))
  // An earlier attempt may have been stored although it failed.
  await registry.write(() => (hasOperator() ? [] : [user]), { by: 'settings' })
}
