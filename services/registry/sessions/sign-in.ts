import type { FastifyRequest } from 'fastify'
import { SessionView, SignIn } from '../../../schemas/http/panel/session.ts'
import { PASSWORD_CHARS_MIN } from '../../../schemas/http/panel/users.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http.ts'
import type { SecurityLog } from '../security-log/security-log.ts'
import type { Registry } from '../store.ts'
import type { Passwords } from '../users/passwords.ts'
import { about, findUser, normalEmail } from '../users/users.ts'
import type { Attempts, Guess } from './attempts.ts'
import type { KnownDevices } from './known-device.ts'
import { createPacer } from './pacer.ts'
import { senderOf } from './same-origin.ts'
import { viewOfSession } from './session-view.ts'
import type { Sessions } from './sessions.ts'
import { sourceOf } from './source.ts'

export interface SignInDeps {
  registry: Registry
  sessions: Sessions
  passwords: Passwords
  attempts: Attempts
  devices: KnownDevices
  securityLog: SecurityLog
  publicUrl: string
  now: () => number
}

/** Refusals of one sender are told once in so long: who sends thousands must not fill the log. */
const TELL_LIMITED = { burst: 1, windowMs: 5 * 60_000, keysMax: 10_000 }

/** POST /v1/panel/session. */
export function signInRoute(server: HttpServer, deps: SignInDeps): void {
  const { registry, sessions, passwords, attempts, devices, securityLog, publicUrl, now } = deps
  const limitedTold = createPacer({ ...TELL_LIMITED, now })
  server.post(
    '/v1/panel/session',
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
      const isRight = await attempts
        .guess(guess, async () => {
          // Nobody's password is as short, so there is nothing to hash.
          if (password.length < PASSWORD_CHARS_MIN) return false
          const matches = await passwords.matches(password, user?.body.passwordHash || null)
          return matches && user?.body.disabledAt === null
        })
        .catch(async (error) => {
          if (error instanceof Problem && error.code === 'RATE_LIMITED') await tellLimited(request, guess, user)
          throw error
        })
      if (!user || !isRight) {
        await securityLog.record(request, { ...(user && about(user)), kind: 'SIGN_IN_FAILED' })
        throw new Problem('UNAUTHENTICATED', 'The e-mail address or the password is wrong')
      }
      const { setCookie, expiresAt } = sessions.open(user)
      await securityLog.record(request, { ...about(user), kind: 'SIGNED_IN', userId: user.id })
      reply.header('set-cookie', [setCookie, devices.remember(user.id)]).header('cache-control', 'no-store')
      return reply.code(201).send(viewOfSession(registry.snapshot, { user, expiresAt }))
    },
  )

  async function tellLimited(request: FastifyRequest, guess: Guess, user: Entity<'User'> | undefined): Promise<void> {
    const told = limitedTold.key(guess.device ?? guess.source)
    if (told.waitMs() > 0) return
    told.take()
    await securityLog.record(request, { ...(user && about(user)), kind: 'SIGN_IN_LIMITED' })
  }
}
