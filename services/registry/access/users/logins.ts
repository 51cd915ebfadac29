import type { User } from '../../../../schemas/records/accounts.ts'
import type { EntityIndex } from '../../../domain/entity-index.ts'
import { Problem } from '../../../domain/errors.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { changed, type EntityChange, removed } from '../../resources/store.ts'

/**
 * A login is what a person signs in with: an e-mail address with a password, a second factor and sessions. It belongs to the person,
 * and lets into each account in which a user shares it. One of these users keeps it, and when that user is deleted, another does.
 * A user who was invited has none before accepting.
 */

/** The form of an e-mail address by which users are stored and found. */
export const normalEmail = (email: string) => email.trim().toLowerCase()

const byEmail: EntityIndex<'User'> = { kind: 'User', keysOf: ({ email }) => [email] }
const byLogin: EntityIndex<'User'> = { kind: 'User', keysOf: ({ loginId }) => (loginId === null ? [] : [loginId]) }

/** The users of an address: one in each account at most. */
export const usersWithEmail = (snapshot: Snapshot, email: string): Entity<'User'>[] => [
  ...snapshot.under(byEmail, normalEmail(email)),
]

/** The user who keeps the login of an address. There is one such login at most. */
export const keeperWithEmail = (snapshot: Snapshot, email: string): Entity<'User'> | undefined =>
  usersWithEmail(snapshot, email).find(isKeeper)

/** The id of a user's login. It stays the same when another user keeps the login. */
export const loginIdOf = ({ id, body }: { id: string; body: Pick<User, 'loginId'> }): string => body.loginId ?? id

/** All users of a login, of whom some may be disabled. */
export function usersOf(snapshot: Snapshot, loginId: string): Entity<'User'>[] {
  const first = snapshot.get('User', loginId)
  return [...(first ? [first] : []), ...snapshot.under(byLogin, loginId)]
}

/** The user who keeps a login; undefined while the login has no password. */
export const keeperOf = (snapshot: Snapshot, loginId: string): Entity<'User'> | undefined =>
  usersOf(snapshot, loginId).find(isKeeper)

const isKeeper = ({ body }: Entity<'User'>) => body.passwordHash !== ''

export const isEnabled = ({ body }: Entity<'User'>) => body.disabledAt === null

/** The keeper of a login with all its sessions ended. */
export function withoutSessions(keeper: User): User {
  return { ...keeper, sessionEpoch: keeper.sessionEpoch + 1, endedSessions: [] }
}

/**
 * Throws when a user without a password may not be given one, because the address has a login already: the user accepts the
 * invitation with that. @throws Problem CONFLICT
 */
export function checkOnlyLogin(snapshot: Snapshot, user: Entity<'User'>): void {
  const keeper = keeperWithEmail(snapshot, user.body.email)
  if (keeper && loginIdOf(keeper) !== loginIdOf(user)) {
    throw new Problem(
      'CONFLICT',
      'This e-mail address has a password already: sign in with it to accept the invitation',
    )
  }
}

/** Accounts into which one login lets. */
const LOGIN_ACCOUNTS_MAX = 100

/** Lets a login into the account of an invited user. @throws Problem CONFLICT for another address or too many accounts. */
export function acceptedBy(snapshot: Snapshot, invited: Entity<'User'>, keeper: Entity<'User'>): EntityChange {
  if (invited.body.email !== keeper.body.email) {
    throw new Problem('CONFLICT', 'The invitation is for another e-mail address: sign in with that')
  }
  if (invited.body.passwordLink?.purpose !== 'INVITATION') {
    throw new Problem('CONFLICT', 'The link is no invitation: it sets a password')
  }
  if (usersOf(snapshot, loginIdOf(keeper)).length >= LOGIN_ACCOUNTS_MAX) {
    throw new Problem('CONFLICT', `A login can be used for at most ${LOGIN_ACCOUNTS_MAX} accounts`)
  }
  return changed(invited, { ...invited.body, loginId: loginIdOf(keeper), passwordLink: null })
}

const NO_LOGIN = { passwordHash: '', endedSessions: [], secondFactor: null, passwordLink: null } satisfies Partial<User>

/**
 * Deletes a user. History still names the user, but the secrets are dropped, so no password can be tried. A login that other
 * users share is kept by one of these from then on.
 */
export function removedUser(snapshot: Snapshot, user: Entity<'User'>): EntityChange[] {
  const gone = removed(user, { ...user.body, ...NO_LOGIN })
  const heir = usersOf(snapshot, loginIdOf(user)).find(({ id }) => id !== user.id)
  if (!heir || !isKeeper(user)) return [gone]
  const { passwordHash, sessionEpoch, endedSessions, secondFactor, passwordLink } = user.body
  return [gone, changed(heir, { ...heir.body, passwordHash, sessionEpoch, endedSessions, secondFactor, passwordLink })]
}

/** Undefined fields stay as they are. */
interface UserChange {
  name: string | undefined
  passwordHash: string | undefined
  disabled: boolean | undefined
  now: number
}

/**
 * Changes a user. A new password ends all sessions of the login, and its password link. So does disabling its last user; the others
 * stay signed in.
 */
export function changedUser(snapshot: Snapshot, user: Entity<'User'>, change: UserChange): EntityChange[] {
  const { name = user.body.name, passwordHash, disabled, now } = change
  const { disabledAt: before } = user.body
  const disabledAt = (disabled ?? before !== null) ? (before ?? now) : null
  const passwordLink = disabled ? null : user.body.passwordLink
  const users = usersOf(snapshot, loginIdOf(user))
  const keeper = users.find(isKeeper) ?? user
  const isLast = users.every((each) => each.id === user.id || !isEnabled(each))
  const ends = passwordHash !== undefined || (disabled && isLast)
  const own = { ...user.body, name, disabledAt, passwordLink }
  if (!ends) return [changed(user, own)]
  const kept = keeper.id === user.id ? own : keeper.body
  const login = withoutSessions({ ...kept, passwordHash: passwordHash ?? kept.passwordHash, passwordLink: null })
  return keeper.id === user.id ? [changed(user, login)] : [changed(user, own), changed(keeper, login)]
}
