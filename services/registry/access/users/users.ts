import type { Static } from 'typebox'
import { type UserCreate, UserQuery, UserView } from '../../../../schemas/http/panel/accounts/users.ts'
import type { User } from '../../../../schemas/records/accounts.ts'
import { BOOTSTRAP_ACCOUNT_ID } from '../../../callers/bearer-tokens.ts'
import type { EntityIndex } from '../../../domain/entity-index.ts'
import { Problem } from '../../../domain/errors.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { entityFields, toIso } from '../../resources/conversions.ts'
import { FieldErrors } from '../../resources/field-errors.ts'
import { ownAccount } from '../../resources/own-account.ts'
import type { ReadableResource } from '../../resources/resource.ts'
import { created, type EntityChange, type Registry, removed } from '../../resources/store.ts'
import type { Access } from '../../rights/access.ts'
import type { Principal } from '../../rights/auth.ts'
import type { NewSecurityEvent } from '../../security-log/security-log.ts'
import { withoutSessions } from '../sessions/ending.ts'
import type { PasswordStrength } from './password-strength.ts'
import type { Passwords } from './passwords.ts'

/** The form of an e-mail address by which users are stored and found. */
export const normalEmail = (email: string) => email.trim().toLowerCase()

const byEmail: EntityIndex<'User'> = { kind: 'User', keysOf: ({ email }) => [email] }

export function findUser(snapshot: Snapshot, email: string): Entity<'User'> | undefined {
  return snapshot.under(byEmail, normalEmail(email)).next().value ?? undefined
}

export const users: ReadableResource<'User'> = {
  kind: 'User',
  path: 'users',
  schemas: { view: UserView, query: UserQuery },
  views: (entities) => entities.map(viewOfUser),
}

export function viewOfUser(user: Entity<'User'>): Static<typeof UserView> {
  const { email, name, role, accountId, disabledAt, passwordHash, secondFactor } = user.body
  const has = { hasPassword: passwordHash !== '', hasSecondFactor: secondFactor !== null }
  return { ...entityFields(user), email, name, role, accountId, ...has, disabledAt: toIso(disabledAt) }
}

/** The new user, if the caller may create it. @throws Problem INVALID, FORBIDDEN, CONFLICT, UNAUTHENTICATED */
export function newUser(
  deps: { snapshot: Snapshot; access: Access },
  input: Static<typeof UserCreate> & { passwordHash: string; principal: Principal },
): User {
  const { snapshot, access } = deps
  const { principal, role, name, passwordHash } = input
  access.needInForce(principal)
  if (role === 'OPERATOR' && principal.role !== 'OPERATOR') {
    throw new Problem('FORBIDDEN', 'Only operators can create operators')
  }
  const fieldErrors = new FieldErrors()
  const accountId = accountOf(access, input, fieldErrors)
  fieldErrors.throwIfAny()
  if (findUser(snapshot, input.email)) {
    const errors = [{ path: '/email', message: 'already in use' }]
    throw new Problem('CONFLICT', 'A user with this e-mail address already exists', { errors })
  }
  return freshUser({ email: normalEmail(input.email), passwordHash, role, accountId, name })
}

/** A user in the initial state: enabled, without sessions, second factor or link. */
export function freshUser(given: Pick<User, 'email' | 'passwordHash' | 'role' | 'accountId' | 'name'>): User {
  return {
    ...given,
    disabledAt: null,
    sessionEpoch: 0,
    endedSessions: [],
    secondFactor: null,
    passwordLink: null,
  }
}

/** The id of the new user's account; null for an operator without one. */
function accountOf(
  access: Access,
  { principal, role, accountId }: { principal: Principal; role: User['role']; accountId?: string | null },
  fieldErrors: FieldErrors,
): string | null {
  if (role === 'OPERATOR' && (accountId ?? principal.accountId) === BOOTSTRAP_ACCOUNT_ID) return null
  const account = ownAccount({ access, principal, accountId: accountId ?? undefined, fieldErrors })
  fieldErrors.check(!account || account.body.kind === role, '/role', 'must be the kind of the account')
  return account?.id ?? null
}

/** What the security log records of a user. */
export function userSubject({ id, body }: Entity<'User'>): Pick<NewSecurityEvent, 'accountId' | 'subject'> {
  return { accountId: body.accountId, subject: { kind: 'User', id } }
}

/** Undefined fields stay as they are. */
interface UserChange {
  name: string | undefined
  passwordHash: string | undefined
  disabled: boolean | undefined
  now: number
}

/** The user after a change. A new password, or being disabled, ends all sessions and the password link. */
export function changedUser(user: User, { name = user.name, passwordHash, disabled, now }: UserChange): User {
  const isDisabled = disabled ?? user.disabledAt !== null
  const changed = {
    ...user,
    name,
    passwordHash: passwordHash ?? user.passwordHash,
    disabledAt: isDisabled ? (user.disabledAt ?? now) : null,
  }
  return passwordHash !== undefined || disabled ? { ...withoutSessions(changed), passwordLink: null } : changed
}

/** The user marked as deleted. History still names the user, but the secrets are dropped, so no password can be tried. */
export function removedUser(user: Entity<'User'>): EntityChange {
  return removed(user, { ...user.body, passwordHash: '', endedSessions: [], secondFactor: null, passwordLink: null })
}

/** Creates the operator of the settings if there is no operator yet, so that somebody can sign in to a new installation. @throws Error */
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
  if (findUser(registry.snapshot, operator.email))
    throw new Error('OPERATOR_EMAIL belongs to a user who is not an operator')
  const email = normalEmail(operator.email)
  const who = { email, name: 'Operator', role: 'OPERATOR', accountId: null } as const
  const weakness = await strength.weakness(operator.password, email.split(/[@.]/))
  if (weakness !== null) throw new Error(`OPERATOR_PASSWORD is ${weakness}`)
  const passwordHash = await passwords.hash(operator.password)
  const user = created('User', uuid(), freshUser({ ...who, passwordHash }))
  // Checked again, because an earlier attempt may have been stored although it failed.
  await registry.write(() => (hasOperator() ? [] : [user]), { by: 'settings' })
}
