import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { HOUR_MS } from '../../../../schemas/durations.ts'
import {
  AcceptedInvitation,
  ForgottenPassword,
  PasswordByLink,
  PasswordLinkToken,
  PasswordLinkUser,
  PasswordLinkView,
  SignInOptions,
} from '../../../../schemas/http/panel/accounts/password-links.ts'
import { IdParams } from '../../../../schemas/http/panel/common.ts'
import { Problem } from '../../../domain/errors.ts'
import type { Entity } from '../../../domain/snapshot.ts'
import type { HttpServer } from '../../../http/server.ts'
import { invalid } from '../../../http/violations.ts'
import type { ResourceDeps } from '../../resources/resource.ts'
import { changed } from '../../resources/store.ts'
import { accountIdOf } from '../../rights/acting-user.ts'
import { principalOf } from '../../rights/auth.ts'
import type { Attempts } from '../sessions/attempts.ts'
import type { KnownDevices } from '../sessions/known-device.ts'
import { createRateLimiter } from '../sessions/rate-limiter.ts'
import { freshSession, peopleOnly, recentlyAuthenticated } from '../sessions/reauthentication.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { sourceOf } from '../sessions/source.ts'
import { FORGOTTEN_LIFE_MS, type NewLink, newLink, userOfLink, viewOfLink, withPasswordOfLink } from './links.ts'
import {
  acceptedBy,
  checkOnlyLogin,
  isEnabled,
  keeperOf,
  keeperWithEmail,
  loginIdOf,
  usersOf,
  usersWithEmail,
  withoutSessions,
} from './logins.ts'
import { checkStrength } from './new-password.ts'
import type { PasswordMail } from './password-mail.ts'
import type { PasswordStrength } from './password-strength.ts'
import type { Passwords } from './passwords.ts'
import { checkMaySetPassword, recordOfLogin, userSubject } from './users.ts'

export interface LinkRoutesDeps extends ResourceDeps {
  passwords: Passwords
  strength: Pick<PasswordStrength, 'weakness'>
  passwordMail: PasswordMail
  attempts: Attempts
  devices: KnownDevices
  sessions: Sessions
  publicUrl: string
  randomBytes: (size: number) => Buffer
  now: () => number
}

const KEYS_MAX = 10_000
/** How many links for forgotten passwords one source may ask for, and how many one person gets by mail. */
const ASKED_BY_SOURCE = { burst: 20, windowMs: HOUR_MS, keysMax: KEYS_MAX }
const MAILED_TO_PERSON = { burst: 3, windowMs: HOUR_MS, keysMax: KEYS_MAX }

/** Links with which a user sets a password. They are made by a colleague or asked for by mail, and can be used once. */
export function linkRoutes(server: HttpServer, deps: LinkRoutesDeps): void {
  makeRoute(server, deps)
  redeemRoutes(server, deps)
  forgottenRoute(server, deps)
  server.get(
    '/v1/panel/session/options',
    {
      schema: {
        operationId: 'getSignInOptions',
        summary: 'Read what the sign-in page offers',
        response: { 200: SignInOptions },
      },
    },
    async () => ({ forgottenPassword: deps.passwordMail.isSet }),
  )
}

function makeRoute(server: HttpServer, deps: LinkRoutesDeps): void {
  const { registry, access, authorize, passwordMail, securityLog, now } = deps
  server.post(
    '/v1/panel/users/:id/password-link',
    {
      onRequest: [authorize('panel'), peopleOnly, recentlyAuthenticated(now)],
      schema: {
        operationId: 'createPasswordLink',
        summary: 'Create a link with which a user sets a password',
        description:
          'If the user has not accepted an invitation yet, it is one. Only the user and operators can make a link for a user who ' +
          'has. An earlier link of the user stops working.',
        params: IdParams,
        response: { 201: PasswordLinkView },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { id } = request.params
      let made: NewLink | undefined
      const [entry] = await registry.write(
        () => {
          const user = access.needToChange(principal, 'User', id)
          if (user.body.disabledAt !== null)
            throw new Problem('CONFLICT', 'The user is disabled: enable the user first')
          const keeper = keeperOf(registry.snapshot, loginIdOf(user))
          if (keeper) checkMaySetPassword(principal, id)
          made = newLink(deps, keeper ?? user)
          return [changed(keeper ?? user, { ...(keeper ?? user).body, passwordLink: made.link })]
        },
        { by: principal.actorId },
      )
      const user = registry.snapshot.getEver('User', id)!
      await securityLog.record(request, {
        ...userSubject(user),
        kind: 'PASSWORD_LINK_CREATED',
        detail: made!.link.purpose,
      })
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(viewOfLink(made!, passwordMail.send(entry as Entity<'User'>, made!), principal))
    },
  )
}

/** Checks and uses links. A wrong token counts as a try of its source. */
function redeemRoutes(server: HttpServer, deps: LinkRoutesDeps): void {
  const { registry, passwords, attempts, devices, securityLog, now } = deps
  const userOf = (token: string) => userOfLink(registry.snapshot, token, now())
  const needUser = async (request: FastifyRequest, token: string) => {
    const person = `link ${token.split('.', 1)[0]}`
    const guess = { source: sourceOf(request), person, device: null }
    const known = await attempts.guess(
      guess,
      async () => userOf(token),
      (found) => found !== null,
    )
    if (!known) throw noLink()
    return known
  }
  server.post(
    '/v1/panel/session/password-link',
    {
      schema: {
        operationId: 'checkPasswordLink',
        summary: 'Check a link that sets a password',
        description: 'Tells before a password is chosen whether the link can be used. It does not use the link up.',
        body: PasswordLinkToken,
        response: { 200: { description: 'The link can be used', ...PasswordLinkUser } },
      },
    },
    async (request, reply) => {
      const { body } = await needUser(request, request.body.token)
      const { email, accountId } = body
      const accountName = (accountId && registry.snapshot.body('Account', accountId)?.name) ?? null
      return reply.header('cache-control', 'no-store').send({ email, purpose: body.passwordLink!.purpose, accountName })
    },
  )
  server.post(
    '/v1/panel/session/password',
    {
      schema: {
        operationId: 'setPassword',
        summary: 'Set a password with a link',
        description: 'Ends all sessions of the user. The user then signs in with the new password.',
        body: PasswordByLink,
        response: { 204: Type.Null({ description: 'The password is set, and the link cannot be used again' }) },
      },
    },
    async (request, reply) => {
      const { token, password } = request.body
      const known = await needUser(request, token)
      checkOnlyLogin(registry.snapshot, known)
      await checkStrength(deps, password, known.body)
      const passwordHash = await passwords.hash(password)
      const [entry] = await registry.write(
        () => {
          const user = userOf(token)
          if (!user) throw noLink()
          checkOnlyLogin(registry.snapshot, user)
          return [changed(user, withoutSessions(withPasswordOfLink(user.body, passwordHash)))]
        },
        { by: known.id },
      )
      const loginId = loginIdOf(entry as Entity<'User'>)
      await recordOfLogin(deps, request, loginId, { kind: 'PASSWORD_LINK_USED', isByPerson: true })
      return reply.header('set-cookie', devices.remember(loginId)).code(204).send(null)
    },
  )
  server.post(
    '/v1/panel/session/invitation',
    {
      schema: {
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation with the login that the address has',
        description:
          'For somebody who is signed in with the invited address. From then on, the login lets into the account as well. The ' +
          'person must have authenticated recently (REAUTHENTICATION_REQUIRED).',
        body: PasswordLinkToken,
        response: { 200: AcceptedInvitation },
      },
    },
    async (request) => {
      const { token } = request.body
      freshSession(deps, request)
      await needUser(request, token)
      const { loginId } = freshSession(deps, request)
      const [entry] = await registry.write(
        () => {
          const invited = userOf(token)
          if (!invited) throw noLink()
          return [acceptedBy(registry.snapshot, invited, freshSession(deps, request).keeper)]
        },
        { by: loginId },
      )
      const user = entry as Entity<'User'>
      await securityLog.record(request, { ...userSubject(user), kind: 'PASSWORD_LINK_USED', userId: user.id })
      return { accountId: accountIdOf(user) }
    },
  )
}

const noLink = () =>
  invalid([{ path: '/token', message: 'was used, has expired or was replaced: ask for another link' }])

function forgottenRoute(server: HttpServer, deps: LinkRoutesDeps): void {
  const { registry, passwordMail, securityLog, now } = deps
  const bySource = createRateLimiter({ ...ASKED_BY_SOURCE, now })
  const toPerson = createRateLimiter({ ...MAILED_TO_PERSON, now })
  server.post(
    '/v1/panel/session/forgotten-password',
    {
      schema: {
        operationId: 'requestPasswordLink',
        summary: 'Request a link for a forgotten password',
        description:
          'If there is such a user, the link is sent by e-mail, unless another link of the user works for longer. The answer ' +
          'does not tell whether there is. 409 if no mail server is configured.',
        body: ForgottenPassword,
        response: { 202: Type.Null({ description: 'If there is such a user, a mail is being sent' }) },
      },
    },
    async (request, reply) => {
      if (!passwordMail.isSet)
        throw new Problem('CONFLICT', 'No mail server is configured: ask the operator for a link')
      const source = bySource.key(sourceOf(request))
      const waitMs = source.waitMs()
      if (waitMs > 0) {
        const retryAfterSeconds = Math.ceil(waitMs / 1000)
        throw new Problem('RATE_LIMITED', 'Too many links were requested: try again later', { retryAfterSeconds })
      }
      source.take()
      const { email } = request.body
      const user = keeperWithEmail(registry.snapshot, email) ?? usersWithEmail(registry.snapshot, email)[0]
      // Not awaited: the answer must take as long when there is no such user.
      if (user) void mailLink(user.id)
      return reply.code(202).send(null)

      async function mailLink(id: string): Promise<void> {
        const person = toPerson.key(id)
        if (person.waitMs() > 0) return
        person.take()
        let made: NewLink | undefined
        const [entry] = await registry
          .write(
            () => {
              const known = registry.snapshot.get('User', id)
              if (!known || !usersOf(registry.snapshot, loginIdOf(known)).some(isEnabled)) return []
              made = newLink(deps, known, FORGOTTEN_LIFE_MS)
              // Anybody can ask for this link: it must not end an invitation, or another link that was made for the user.
              if (known.body.passwordLink !== null && known.body.passwordLink.expiresAt > made.link.expiresAt) return []
              return [changed(known, { ...known.body, passwordLink: made.link })]
            },
            { by: id },
          )
          .catch(() => {
            person.refund()
            return []
          })
        if (!entry || !made) return
        passwordMail.send(entry as Entity<'User'>, made)
        await securityLog.record(request, { ...userSubject(entry as Entity<'User'>), kind: 'PASSWORD_LINK_CREATED' })
      }
    },
  )
}
