import { Type } from 'typebox'
import { Reauthentication, SessionView, SignOutQuery } from '../../../schemas/http/panel/session.ts'
import { Problem } from '../../domain/errors.ts'
import type { HttpServer } from '../../http.ts'
import { Findings } from '../findings.ts'
import { about } from '../users/users.ts'
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

function whoRoute(server: HttpServer, { registry, sessions }: SessionRoutesDeps): void {
  server.get(
    PATH,
    { schema: { summary: 'Who is signed in', response: { 200: SessionView } } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const session = sessions.read(request)
      if (!session) throw new Problem('UNAUTHENTICATED', 'Nobody is signed in')
      if (session.renewal !== null) reply.header('set-cookie', session.renewal)
      return viewOfSession(registry.snapshot, session)
    },
  )
}

function reauthenticationRoute(server: HttpServer, deps: SessionRoutesDeps): void {
  const { registry, sessions, passwords, attempts, securityLog } = deps
  server.post(
    `${PATH}/reauthentication`,
    {
      schema: {
        summary: 'Prove again who is signed in',
        description: 'What answers REAUTHENTICATION_REQUIRED works for ten minutes afterwards.',
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
      const isRight = await attempts.guess(guess, () =>
        passwords.matches(request.body.password, user.body.passwordHash),
      )
      const kind = isRight ? 'REAUTHENTICATED' : 'REAUTHENTICATION_FAILED'
      await securityLog.record(request, { ...about(user), kind, userId: user.id })
      const findings = new Findings()
      findings.check(isRight, '/password', 'is not your password')
      findings.raise()
      const { setCookie, expiresAt } = sessions.reopen(session, user)
      reply.header('set-cookie', setCookie)
      return viewOfSession(registry.snapshot, { user, expiresAt })
    },
  )
}

function signOutRoute(server: HttpServer, deps: SessionRoutesDeps): void {
  const { registry, sessions, securityLog, now } = deps
  server.delete(
    PATH,
    {
      schema: {
        summary: 'Sign out',
        description: 'The session is over at the server, too: a copy of its cookie is refused.',
        querystring: SignOutQuery,
        response: { 204: Type.Null({ description: 'Nobody is signed in any more' }) },
      },
    },
    async (request, reply) => {
      const session = sessions.read(request)
      if (session) {
        const { user } = session
        const { everywhere = false, tokens = false } = request.query
        const given = { everywhere, tokens, now: now() }
        await registry.write(() => signOutChanges(registry.snapshot, session, given), { by: user.id })
        const kind = everywhere ? 'SIGNED_OUT_EVERYWHERE' : 'SIGNED_OUT'
        const detail = tokens ? 'tokens revoked' : ''
        await securityLog.record(request, { ...about(user), kind, userId: user.id, detail })
      }
      return reply.header('set-cookie', sessions.ending).code(204).send(null)
    },
  )
}
