import type { User } from '../../../../schemas/records/accounts.ts'
import type { EntityIndex } from '../../../domain/entity-index.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { changed, type EntityChange, removed } from '../../resources/store.ts'
import type { Session } from './sessions.ts'

/** Signed-out sessions remembered of one user. One more ends all sessions of the user, which is safe. */
const ENDED_SESSIONS_MAX = 100

/** The user with one session ended. Ended sessions that would have expired by now are forgotten. */
function withoutSession(user: User, { id, endsAt }: Session, now: number): User {
  const ended = user.endedSessions.filter(({ expiresAt }) => expiresAt > now)
  if (ended.length >= ENDED_SESSIONS_MAX) return withoutSessions(user)
  return { ...user, endedSessions: [...ended, { id, expiresAt: endsAt }] }
}

/** The user with all sessions ended. */
export function withoutSessions(user: User): User {
  return { ...user, sessionEpoch: user.sessionEpoch + 1, endedSessions: [] }
}

/** Signs a user out of one session or of all. On request, also revokes the tokens that the user has made. */
export function signOutChanges(
  snapshot: Snapshot,
  session: Session,
  given: { everywhere: boolean; tokens: boolean; now: number },
): EntityChange[] {
  const user = snapshot.get('User', session.user.id)
  if (!user) return []
  const body = given.everywhere ? withoutSessions(user.body) : withoutSession(user.body, session, given.now)
  return [changed(user, body), ...(given.tokens ? revokedTokens(snapshot, user, given.now) : [])]
}

const byMaker: EntityIndex<'Token'> = {
  kind: 'Token',
  keysOf: ({ createdBy }) => (createdBy === null ? [] : [createdBy]),
}

function revokedTokens(snapshot: Snapshot, user: Entity<'User'>, now: number): EntityChange[] {
  const own = [...snapshot.under(byMaker, user.id)]
  return own.map((token) => removed(token, { ...token.body, revokedAt: now }))
}
