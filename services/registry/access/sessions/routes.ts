import { type Static, Type } from 'typebox'
import { Reauthentication, SessionView, SignOutQuery } from '../../../../schemas/http/panel/accounts/session.ts'
import type { User } from '../../../../schemas/records/accounts.ts'
import type { EntityIndex } from '../../../domain/entity-index.ts'
import { type FieldError, Problem } from '../../../domain/errors.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import type { HttpServer } from '../../../http/server.ts'
import { invalid } from '../../../http/violations.ts'
import { changed, type EntityChange, removed } from '../../resources/store.ts'
import { keeperOf, loginIdOf, usersOf, withoutSessions } from '../users/logins.ts'
import { recordOfLogin } from '../users/users.ts'
import { viewOfSession } from './session-view.ts'
import type { Session } from './sessions.ts'
import { type SignInDeps, signInRoute } from './sign-in.ts'
import { sourceOf } from './source.ts'

export type SessionRoutesDeps = SignInDeps

const PATH = '/v1/panel/session'
/** Signed-out sessions remembered of one user. One more ends all sessions of the user, which is safe. */
const ENDED_SESSIONS_MAX = 100

/** Signing in and out, and who is signed in. */
export function sessionRoutes(server: HttpServer, deps: SessionRoutesDeps): void {
  signInRoute(server, deps)
  whoRoute(server, deps)
  reauthenticationRoute(server, deps)
  signOutRoute(server, deps)
}

function whoRoute(server: HttpServer, deps: SessionRoutesDeps): void {
  const { sessions } = deps
  server.get(
    PATH,
    { schema: { operationId: 'getSession', summary: 'Read who is signed in', response: { 200: SessionView } } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const session = sessions.read(request)
      if (!session) throw new Problem('UNAUTHENTICATED', 'Nobody is signed in')
      if (session.renewal !== null) reply.header('set-cookie', session.renewal)
      return viewOfSession(deps, request, session)
    },
  )
}

function reauthenticationRoute(server: HttpServer, deps: SessionRoutesDeps): void {
  const { sessions, passwords, attempts, secondFactors } = deps
  server.post(
    `${PATH}/reauthentication`,
    {
      schema: {
        operationId: 'reauthenticate',
        summary: 'Authenticate again',
        description:
          'With a code of the second factor if the user has one, otherwise with the password. For ten minutes afterwards, ' +
          'requests are no longer answered with REAUTHENTICATION_REQUIRED.',
        body: Reauthentication,
        response: { 200: SessionView },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const session = sessions.read(request)
      if (!session) throw new Problem('UNAUTHENTICATED', 'Nobody is signed in')
      const { loginId, keeper } = session
      const guess = { source: sourceOf(request), person: loginId, device: `session ${session.id}` }
      const wrong = await attempts.guess(
        guess,
        () => findWrong(keeper, request.body),
        (found) => found === null,
      )
      const kind = wrong === null ? 'REAUTHENTICATED' : 'REAUTHENTICATION_FAILED'
      await recordOfLogin(deps, request, loginId, { kind, isByPerson: true })
      if (wrong) throw invalid([wrong])
      const { setCookie, expiresAt } = sessions.reopen(session, keeper)
      reply.header('set-cookie', setCookie)
      return viewOfSession(deps, request, { ...session, expiresAt })
    },
  )

  /** What is wrong with a proof; null when nothing is. */
  async function findWrong(
    keeper: Entity<'User'>,
    { password, code }: Static<typeof Reauthentication>,
  ): Promise<FieldError | null> {
    const { body } = keeper
    if (body.secondFactor) {
      if (code === undefined) return { path: '/code', message: 'is required' }
      const used = await secondFactors.use(loginIdOf(keeper), code)
      return used === null ? { path: '/code', message: 'is wrong or was already used' } : null
    }
    if (password === undefined) return { path: '/password', message: 'is required' }
    const matches = await passwords.matches(password, body.passwordHash, { isKnown: true })
    return matches ? null : { path: '/password', message: 'is not your password' }
  }
}

function signOutRoute(server: HttpServer, deps: SessionRoutesDeps): void {
  const { registry, sessions, now } = deps
  server.delete(
    PATH,
    {
      schema: {
        operationId: 'signOut',
        summary: 'Sign out',
        description: 'The session also ends on the server: a copy of its cookie is refused.',
        querystring: SignOutQuery,
        response: { 204: Type.Null({ description: 'The session has ended' }) },
      },
    },
    async (request, reply) => {
      const session = sessions.read(request)
      // Set before the write, so that the browser forgets the session even when the registry cannot be changed now.
      reply.header('set-cookie', sessions.ending)
      if (session) {
        const { loginId } = session
        const { everywhere = false, tokens = false } = request.query
        const given = { everywhere, tokens, now: now() }
        await registry.write(() => signOutChanges(registry.snapshot, session, given), { by: loginId })
        const kind = everywhere ? 'SIGNED_OUT_EVERYWHERE' : 'SIGNED_OUT'
        const detail = tokens ? 'tokens revoked' : ''
        await recordOfLogin(deps, request, loginId, { kind, detail, isByPerson: true })
      }
      return reply.code(204).send(null)
    },
  )
}

/** The keeper of a login with one session ended. Ended sessions that would have expired by now are forgotten. */
function withoutSession(keeper: User, { id, endsAt }: Session, now: number): User {
  const ended = keeper.endedSessions.filter(({ expiresAt }) => expiresAt > now)
  if (ended.length >= ENDED_SESSIONS_MAX) return withoutSessions(keeper)
  return { ...keeper, endedSessions: [...ended, { id, expiresAt: endsAt }] }
}

/** Signs a person out of one session or of all. On request, also revokes the tokens that the person has made in any account. */
function signOutChanges(
  snapshot: Snapshot,
  session: Session,
  given: { everywhere: boolean; tokens: boolean; now: number },
): EntityChange[] {
  const keeper = keeperOf(snapshot, session.loginId)
  if (!keeper) return []
  const body = given.everywhere ? withoutSessions(keeper.body) : withoutSession(keeper.body, session, given.now)
  const users = given.tokens ? usersOf(snapshot, session.loginId) : []
  return [changed(keeper, body), ...users.flatMap((user) => revokedTokens(snapshot, user, given.now))]
}

const byMaker: EntityIndex<'Token'> = {
  kind: 'Token',
  keysOf: ({ createdBy }) => (createdBy === null ? [] : [createdBy]),
}

function revokedTokens(snapshot: Snapshot, user: Entity<'User'>, now: number): EntityChange[] {
  const own = [...snapshot.under(byMaker, user.id)]
  return own.map((token) => removed(token, { ...token.body, revokedAt: now }))
}
