import type { FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE_MS } from '../../../../schemas/durations.ts'
import { SessionView, SignIn } from '../../../../schemas/http/panel/accounts/session.ts'
import { PASSWORD_CHARS_MIN } from '../../../../schemas/http/panel/limits.ts'
import { Problem } from '../../../domain/errors.ts'
import type { Entity } from '../../../domain/snapshot.ts'
import type { HttpServer } from '../../../http/server.ts'
import type { Registry } from '../../resources/store.ts'
import type { LoggedRequest, NewSecurityEvent, SecurityLog } from '../../security-log/security-log.ts'
import type { SecondFactors } from '../second-factor/second-factors.ts'
import { isEnabled, keeperWithEmail, loginIdOf, normalEmail, usersOf } from '../users/logins.ts'
import type { Passwords } from '../users/passwords.ts'
import { recordOfLogin } from '../users/users.ts'
import type { Attempts, Guess } from './attempts.ts'
import type { KnownDevices } from './known-device.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { requestSite } from './same-origin.ts'
import { viewOfSession } from './session-view.ts'
import type { Sessions } from './sessions.ts'
import { sourceOf } from './source.ts'

export interface SignInDeps {
  registry: Registry
  sessions: Sessions
  passwords: Passwords
  attempts: Attempts
  devices: KnownDevices
  secondFactors: SecondFactors
  securityLog: SecurityLog
  publicUrl: string
  now: () => number
}

/** What a sign-in has proved, or what is wrong with it. NO_CODE: the password is right, and a code is needed as well. */
type Proof = 'PASSWORD' | 'APP' | 'RECOVERY' | 'NO_CODE' | 'WRONG_PASSWORD' | 'WRONG_CODE'

/** How often refusals of one sender are recorded, so that thousands of them do not fill the security log. */
const TELL_LIMITED = { burst: 1, windowMs: 5 * MINUTE_MS, keysMax: 10_000 }

/** POST /v1/panel/session. */
export function signInRoute(server: HttpServer, deps: SignInDeps): void {
  const { registry, sessions, passwords, attempts, devices, secondFactors, securityLog, publicUrl, now } = deps
  const limitedTold = createRateLimiter({ ...TELL_LIMITED, now })
  server.post(
    '/v1/panel/session',
    {
      schema: {
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          'The answer sets the cookie of the session, and a cookie by which the browser is recognized later. After too many ' +
          'attempts, the answer is 429 with Retry-After.',
        body: SignIn,
        response: { 201: SessionView },
      },
    },
    async (request, reply) => {
      if (requestSite(request.headers, publicUrl) === 'OTHER') {
        throw new Problem('FORBIDDEN', 'A sign-in must come from a page of this server')
      }
      const { email, password, code } = request.body
      const keeper = keeperWithEmail(registry.snapshot, email)
      const device = devices.of(request, keeper && loginIdOf(keeper))
      const guess = { source: sourceOf(request), person: normalEmail(email), device }
      const proof = await attempts
        .guess(
          guess,
          () => prove(keeper, { password, code, isKnown: guess.device !== null }),
          (found) => found !== 'WRONG_PASSWORD' && found !== 'WRONG_CODE',
        )
        .catch(async (error) => {
          if (error instanceof Problem && error.code === 'RATE_LIMITED') await tellLimited(request, guess, keeper)
          throw error
        })
      switch (proof) {
        case 'NO_CODE':
          throw new Problem('SECOND_FACTOR_REQUIRED', 'Enter the code of your authenticator app')
        case 'WRONG_CODE':
          await tellFailed(request, keeper, 'second factor')
          throw new Problem('UNAUTHENTICATED', 'The code is wrong or was already used')
        case 'WRONG_PASSWORD':
          await tellFailed(request, keeper, '')
          throw new Problem('UNAUTHENTICATED', 'The e-mail address or the password is wrong')
        case 'RECOVERY':
          await recordOfLogin(deps, request, loginIdOf(keeper!), { kind: 'RECOVERY_CODE_USED', isByPerson: true })
          return signedIn(request, reply, keeper!)
        case 'APP':
        case 'PASSWORD':
          return signedIn(request, reply, keeper!)
      }
    },
  )

  /** Which proof was given, or what is wrong with it. */
  async function prove(
    keeper: Entity<'User'> | undefined,
    { password, code, isKnown }: { password: string; code: string | undefined; isKnown: boolean },
  ): Promise<Proof> {
    // No password is this short, so there is nothing to hash.
    if (password.length < PASSWORD_CHARS_MIN) return 'WRONG_PASSWORD'
    const matches = await passwords.matches(password, keeper?.body.passwordHash ?? null, { isKnown })
    if (!keeper || !matches || enabledUsersOf(keeper).length === 0) return 'WRONG_PASSWORD'
    if (!keeper.body.secondFactor) return 'PASSWORD'
    return code === undefined ? 'NO_CODE' : ((await secondFactors.use(loginIdOf(keeper), code)) ?? 'WRONG_CODE')
  }

  function enabledUsersOf(keeper: Entity<'User'>): Entity<'User'>[] {
    return usersOf(registry.snapshot, loginIdOf(keeper)).filter(isEnabled)
  }

  async function signedIn(request: FastifyRequest, reply: FastifyReply, keeper: Entity<'User'>) {
    const { setCookie, expiresAt } = sessions.open(keeper)
    const loginId = loginIdOf(keeper)
    await recordOfLogin(deps, request, loginId, { kind: 'SIGNED_IN', isByPerson: true })
    reply
      .code(201)
      .header('set-cookie', [setCookie, devices.remember(loginId)])
      .header('cache-control', 'no-store')
    return viewOfSession(deps, request, { keeper, users: enabledUsersOf(keeper), expiresAt })
  }

  async function tellFailed(request: LoggedRequest, keeper: Entity<'User'> | undefined, detail: string): Promise<void> {
    await tell(request, keeper, { kind: 'SIGN_IN_FAILED', detail })
  }

  async function tellLimited(request: LoggedRequest, guess: Guess, keeper: Entity<'User'> | undefined): Promise<void> {
    const told = limitedTold.key(guess.device ?? guess.source)
    if (told.waitMs() > 0) return
    told.take()
    await tell(request, keeper, { kind: 'SIGN_IN_LIMITED' })
  }

  async function tell(
    request: LoggedRequest,
    keeper: Entity<'User'> | undefined,
    event: Pick<NewSecurityEvent, 'kind' | 'detail'>,
  ): Promise<void> {
    if (keeper) await recordOfLogin(deps, request, loginIdOf(keeper), { ...event, isByPerson: false })
    else await securityLog.record(request, event)
  }
}
