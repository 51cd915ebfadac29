import type { Static } from 'typebox'
import { type UserCreate, UserQuery, UserView } from '../../../../schemas/http/panel/accounts/users.ts'
import type { User } from '../../../../schemas/records/accounts.ts'
import { BOOTSTRAP_ACCOUNT_ID } from '../../../callers/bearer-tokens.ts'
import { Problem } from '../../../domain/errors.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { entityFields, toIso } from '../../resources/conversions.ts'
import { FieldErrors } from '../../resources/field-errors.ts'
import { ownAccount } from '../../resources/own-account.ts'
import type { ReadableResource } from '../../resources/resource.ts'
import { created, type Registry } from '../../resources/store.ts'
import type { Access } from '../../rights/access.ts'
import type { Principal } from '../../rights/auth.ts'
import type { LoggedRequest, NewSecurityEvent, SecurityLog } from '../../security-log/security-log.ts'
import { keeperOf, loginIdOf, normalEmail, usersOf, usersWithEmail } from './logins.ts'
import type { PasswordStrength } from './password-strength.ts'
import type { Passwords } from './passwords.ts'

export const users = (snapshot: Snapshot): ReadableResource<'User'> => ({
  kind: 'User',
  path: 'users',
  schemas: { view: UserView, query: UserQuery },
  views: (entities) => entities.map((user) => viewOfUser(snapshot, user)),
})

/** A user as the API shows it. It tells nothing of other accounts that share the login. */
export function viewOfUser(snapshot: Snapshot, user: Entity<'User'>): Static<typeof UserView> {
  const { email, name, role, accountId, disabledAt } = user.body
  const keeper = keeperOf(snapshot, loginIdOf(user))
  const has = { hasPassword: keeper !== undefined, hasSecondFactor: (keeper?.body.secondFactor ?? null) !== null }
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
  if (input.password !== undefined) checkMaySetPassword(principal, null)
  // Nobody but operators learns of users in other accounts: an invitation is made whether or not the address has a login.
  const inUse = usersWithEmail(snapshot, input.email).some(
    ({ body }) => body.accountId === accountId || (input.password !== undefined && body.passwordHash !== ''),
  )
  if (inUse) {
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
    loginId: null,
  }
}

/**
 * A login opens all accounts that its person works for, so no account may take it over: only the user and operators set its password.
 * @param userId null for a new user. @throws Problem FORBIDDEN
 */
export function checkMaySetPassword(principal: Principal, userId: string | null): void {
  if (principal.role === 'OPERATOR' || (userId !== null && userId === principal.userId)) return
  throw new Problem('FORBIDDEN', 'Only the user and operators can set a password: invite the user instead')
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

/** What the security log records of a user, in the user's account. */
export function userSubject({ id, body }: Entity<'User'>): Pick<NewSecurityEvent, 'accountId' | 'subject'> {
  return { accountId: body.accountId, subject: { kind: 'User', id } }
}

/**
 * Records what happened to a login in each account into which it lets, as done by the user of that account. All at once: how long a
 * failed sign-in takes must not tell for how many accounts somebody works.
 */
export async function recordOfLogin(
  { registry, securityLog }: { registry: Pick<Registry, 'snapshot'>; securityLog: SecurityLog },
  request: LoggedRequest,
  loginId: string,
  happened: Pick<NewSecurityEvent, 'kind' | 'detail'> & { isByPerson: boolean },
): Promise<void> {
  const { isByPerson, ...event } = happened
  const users = usersOf(registry.snapshot, loginId)
  await Promise.all(
    users.map((user) =>
      securityLog.record(request, { ...userSubject(user), ...event, ...(isByPerson && { userId: user.id }) }),
    ),
  )
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
  if (usersWithEmail(registry.snapshot, operator.email).length > 0)
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
