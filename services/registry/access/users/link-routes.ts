import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { HOUR_MS } from '../../../../schemas/durations.ts'
import {
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
import { principalOf } from '../../rights/auth.ts'
import type { Attempts } from '../sessions/attempts.ts'
import { withoutSessions } from '../sessions/ending.ts'
import type { KnownDevices } from '../sessions/known-device.ts'
import { createRateLimiter } from '../sessions/rate-limiter.ts'
import { peopleOnly, recentlyAuthenticated } from '../sessions/reauthentication.ts'
import { sourceOf } from '../sessions/source.ts'
import { FORGOTTEN_LIFE_MS, type NewLink, newLink, userOfLink, viewOfLink, withPasswordOfLink } from './links.ts'
import { checkStrength } from './new-password.ts'
import type { PasswordMail } from './password-mail.ts'
import type { PasswordStrength } from './password-strength.ts'
import type { Passwords } from './passwords.ts'
import { findUser, userSubject } from './users.ts'

export interface LinkRoutesDeps extends ResourceDeps {
  passwords: Passwords
  strength: Pick<PasswordStrength, 'weakness'>
  passwordMail: PasswordMail
  attempts: Attempts
  devices: KnownDevices
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
        description: 'If the user has no password yet, it is an invitation. An earlier link of the user stops working.',
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
          made = newLink(deps, user)
          return [changed(user, { ...user.body, passwordLink: made.link })]
        },
        { by: principal.actorId },
      )
      const user = entry as Entity<'User'>
      await securityLog.record(request, {
        ...userSubject(user),
        kind: 'PASSWORD_LINK_CREATED',
        detail: made!.link.purpose,
      })
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(viewOfLink(made!, passwordMail.send(user, made!)))
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
      return reply.header('cache-control', 'no-store').send({ email: body.email })
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
      await checkStrength(deps, password, known.body)
      const passwordHash = await passwords.hash(password)
      const [entry] = await registry.write(
        () => {
          const user = userOf(token)
          if (!user) throw noLink()
          return [changed(user, withoutSessions(withPasswordOfLink(user.body, passwordHash)))]
        },
        { by: known.id },
      )
      const user = entry as Entity<'User'>
      await securityLog.record(request, { ...userSubject(user), kind: 'PASSWORD_LINK_USED', userId: user.id })
      return reply.header('set-cookie', devices.remember(user.id)).code(204).send(null)
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
      const user = findUser(registry.snapshot, request.body.email)
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
              if (!known || known.body.disabledAt !== null) return []
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
