import { created, type Registry } from '../store.ts'
import type { Passwords } from './passwords.ts'
import { findUser, freshUser, normalEmail } from './users.ts'

/** Makes the operator of the settings where there is none yet, so that a new installation can be signed in to. @throws Error */
export async function makeFirstOperator(
  deps: { registry: Registry; passwords: Passwords; uuid: () => string },
  operator: { email: string; password: string },
): Promise<void> {
  const { registry, passwords, uuid } = deps
  if (registry.snapshot.all('User').some(({ body }) => body.role === 'OPERATOR')) return
  if (findUser(registry.snapshot, operator.email)) throw new Error('OPERATOR_EMAIL is of a user who is no operator')
  const passwordHash = await passwords.hash(operator.password)
  const email = normalEmail(operator.email)
  const who = { email, name: 'Operator', role: 'OPERATOR', accountId: null } as const
  await registry.write([created('User', uuid(), freshUser({ ...who, passwordHash }))], { by: 'settings' })
}
