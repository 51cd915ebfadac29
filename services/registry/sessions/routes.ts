import { Type } from 'typebox'
import { Reauthentication, SessionView, SignOutQuery } from '../../../schemas/http/panel/session.ts'
import { Problem } from '../../domain/errors.ts'
import type { HttpServer } from '../../http.ts'
import { invalid } from '../../violations.ts'
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

function whoRoute(server: HttpServer, deps: SessionRoutesDeps): void {
  const { sessions } = deps
  server.get(
    PATH,
    { schema: { summary: 'Who is signed in', response: { 200: SessionView } } },
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
        summary: 'Prove again who is signed in',
        description:
          'By the code of the second factor, where there is one, else by the password. What answers REAUTHENTICATION_REQUIRED works for ten minutes afterwards.',
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
      const [path, check] = user.body.secondFactor
        ? ([
            '/code',
            async () => (await secondFactors.use(user.id, needed(request.body.code, '/code'))) !== null,
          ] as const)
        : ([
            '/password',
            () => passwords.matches(needed(request.body.password, '/password'), user.body.passwordHash),
          ] as const)
      const isRight = await attempts.guess(guess, check, Boolean)
      const kind = isRight ? 'REAUTHENTICATED' : 'REAUTHENTICATION_FAILED'
      await securityLog.record(request, { ...about(user), kind, userId: user.id })
      if (!isRight) throw invalid([{ path, message: 'is not yours, or was used already' }])
      const { setCookie, expiresAt } = sessions.reopen(session, user)
      reply.header('set-cookie', setCookie)
      return viewOfSession(deps, { user, expiresAt })
    },
  )
}

function needed(value: string | undefined, path: string): string {
  if (value === undefined) throw invalid([{ path, message: 'is required' }])
  return value
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
