import { type Static, Type } from 'typebox'
import { Reauthentication, SessionView, SignOutQuery } from '../../../../schemas/http/panel/accounts/session.ts'
import { type FieldError, Problem } from '../../../domain/errors.ts'
import type { Entity } from '../../../domain/snapshot.ts'
import type { HttpServer } from '../../../http/server.ts'
import { invalid } from '../../../http/violations.ts'
import { userSubject } from '../users/users.ts'
import { signOutChanges } from './ending.ts'
import { viewOfSession } from './session-view.ts'
import { type SignInDeps, signInRoute } from './sign-in.ts'
import { sourceOf } from './source.ts'

export type SessionRoutesDeps = SignInDeps

const PATH = '/v1/panel/session'

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
      return viewOfSession(deps, session)
    },
  )
}

function reauthenticationRoute(server: HttpServer, deps: SessionRoutesDeps): void {
  const { sessions, passwords, attempts, secondFactors, securityLog } = deps
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
      const { user } = session
      const guess = { source: sourceOf(request), person: user.id, device: `session ${session.id}` }
      const wrong = await attempts.guess(
        guess,
        () => findWrong(user, request.body),
        (found) => found === null,
      )
      const kind = wrong === null ? 'REAUTHENTICATED' : 'REAUTHENTICATION_FAILED'
      await securityLog.record(request, { ...userSubject(user), kind, userId: user.id })
      if (wrong) throw invalid([wrong])
      const { setCookie, expiresAt } = sessions.reopen(session, user)
      reply.header('set-cookie', setCookie)
      return viewOfSession(deps, { user, expiresAt })
    },
  )

  /** What is wrong with a proof; null when nothing is. */
  async function findWrong(
    { id, body }: Entity<'User'>,
    { password, code }: Static<typeof Reauthentication>,
  ): Promise<FieldError | null> {
    if (body.secondFactor) {
      if (code === undefined) return { path: '/code', message: 'is required' }
      const used = await secondFactors.use(id, code)
      return used === null ? { path: '/code', message: 'is wrong or was already used' } : null
    }
    if (password === undefined) return { path: '/password', message: 'is required' }
    const matches = await passwords.matches(password, body.passwordHash, { isKnown: true })
    return matches ? null : { path: '/password', message: 'is not your password' }
  }
}

function signOutRoute(server: HttpServer, deps: SessionRoutesDeps): void {
  const { registry, sessions, securityLog, now } = deps
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
        const { user } = session
        const { everywhere = false, tokens = false } = request.query
        const given = { everywhere, tokens, now: now() }
        await registry.write(() => signOutChanges(registry.snapshot, session, given), { by: user.id })
        const kind = everywhere ? 'SIGNED_OUT_EVERYWHERE' : 'SIGNED_OUT'
        const detail = tokens ? 'tokens revoked' : ''
        await securityLog.record(request, { ...userSubject(user), kind, userId: user.id, detail })
      }
      return reply.code(204).send(null)
    },
  )
}
