import { type Static, Type } from 'typebox'
import { Reauthentication, SessionView, SignIn, SignOutQuery } from '../../../schemas/http/panel/session.ts'
import { PASSWORD_CHARS_MIN } from '../../../schemas/http/panel/users.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http.ts'
import { answered } from '../edge.ts'
import { Findings } from '../findings.ts'
import type { Registry } from '../store.ts'
import type { Passwords } from '../users/passwords.ts'
import { findUser, normalEmail, viewOfUser } from '../users/users.ts'
import type { Attempts } from './attempts.ts'
import { signOutChanges } from './ending.ts'
import type { KnownDevices } from './known-device.ts'
import { senderOf } from './same-origin.ts'
import type { Sessions } from './sessions.ts'
import { sourceOf } from './source.ts'

export interface SessionRoutesDeps {
  registry: Registry
  sessions: Sessions
  passwords: Passwords
  attempts: Attempts
  devices: KnownDevices
  publicUrl: string
  now: () => number
}

const PATH = '/v1/panel/session'

/** Signing in and out, and who is signed in. */
export function sessionRoutes(server: HttpServer, deps: SessionRoutesDeps): void {
  signInRoute(server, deps)
  whoRoute(server, deps)
  reauthenticationRoute(server, deps)
  signOutRoute(server, deps)
}

function signInRoute(server: HttpServer, deps: SessionRoutesDeps): void {
  const { registry, sessions, passwords, attempts, devices, publicUrl } = deps
  server.post(
    PATH,
    {
      schema: {
        summary: 'Sign in',
        description:
          'The answer sets the cookie of the session, and one by which the browser is known. Tries are counted: 429 with Retry-After.',
        body: SignIn,
        response: { 201: SessionView },
      },
    },
    async (request, reply) => {
      if (senderOf(request.headers, publicUrl) === 'OTHER') {
        throw new Problem('FORBIDDEN', 'Only pages of this server may sign people in')
      }
      const { email, password } = request.body
      const user = findUser(registry.snapshot, email)
      const guess = { source: sourceOf(request), person: normalEmail(email), device: devices.of(request, user?.id) }
      const isRight = await attempts.guess(guess, async () => {
        // Nobody's password is as short, so there is nothing to hash.
        if (password.length < PASSWORD_CHARS_MIN) return false
        const matches = await passwords.matches(password, user?.body.passwordHash ?? null)
        return matches && user?.body.disabledAt === null
      })
      if (!user || !isRight) throw new Problem('UNAUTHENTICATED', 'The e-mail address or the password is wrong')
      const { setCookie, expiresAt } = sessions.open(user)
      reply.header('set-cookie', [setCookie, devices.remember(user.id)]).header('cache-control', 'no-store')
      return reply.code(201).send(view(registry.snapshot, { user, expiresAt }))
    },
  )
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
      return view(registry.snapshot, session)
    },
  )
}

function reauthenticationRoute(server: HttpServer, deps: SessionRoutesDeps): void {
  const { registry, sessions, passwords, attempts } = deps
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
      const findings = new Findings()
      findings.check(isRight, '/password', 'is not your password')
      findings.raise()
      const { setCookie, expiresAt } = sessions.reopen(session, user)
      reply.header('set-cookie', setCookie)
      return view(registry.snapshot, { user, expiresAt })
    },
  )
}

function signOutRoute(server: HttpServer, deps: SessionRoutesDeps): void {
  const { registry, sessions, now } = deps
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
        const { everywhere = false, tokens = false } = request.query
        const given = { everywhere, tokens, now: now() }
        await registry.write(() => signOutChanges(registry.snapshot, session, given), { by: session.user.id })
      }
      return reply.header('set-cookie', sessions.ending).code(204).send(null)
    },
  )
}

function view(
  snapshot: Snapshot,
  { user, expiresAt }: { user: Entity<'User'>; expiresAt: number },
): Static<typeof SessionView> {
  const { accountId } = user.body
  const account = accountId === null ? undefined : snapshot.get('Account', accountId)
  return {
    user: viewOfUser(user),
    account: account ? { ...answered(account), ...account.body } : null,
    expiresAt: new Date(expiresAt).toISOString(),
  }
}
