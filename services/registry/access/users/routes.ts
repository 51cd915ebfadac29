import { Type } from 'typebox'
import { UserCreated } from '../../../../schemas/http/panel/accounts/password-links.ts'
import { UserCreate, UserPatch, UserView } from '../../../../schemas/http/panel/accounts/users.ts'
import { ChangeHeaders, entityAnswer, IdParams } from '../../../../schemas/http/panel/common.ts'
import type { User } from '../../../../schemas/records/accounts.ts'
import type { SecurityEventKind } from '../../../../schemas/records/security-event.ts'
import { Problem } from '../../../domain/errors.ts'
import type { Entity } from '../../../domain/snapshot.ts'
import type { HttpServer } from '../../../http/server.ts'
import { deletionRoute, type Refusal, throwIfRefused } from '../../resources/removal.ts'
import { type ResourceDeps, readRoutes } from '../../resources/resource.ts'
import { created } from '../../resources/store.ts'
import { type Principal, principalOf } from '../../rights/auth.ts'
import { checkIfMatch, tagged } from '../../writes/if-match.ts'
import { peopleOnly, recentlyAuthenticated } from '../sessions/reauthentication.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { newLink, viewOfLink } from './links.ts'
import { changedUser, checkOnlyLogin, keeperOf, loginIdOf, removedUser } from './logins.ts'
import { checkStrength } from './new-password.ts'
import type { PasswordMail } from './password-mail.ts'
import type { PasswordStrength } from './password-strength.ts'
import type { Passwords } from './passwords.ts'
import { checkMaySetPassword, newUser, recordOfLogin, userSubject, users, viewOfUser } from './users.ts'

export interface UserRoutesDeps extends ResourceDeps {
  sessions: Sessions
  passwords: Passwords
  strength: Pick<PasswordStrength, 'weakness'>
  passwordMail: PasswordMail
  publicUrl: string
  randomBytes: (size: number) => Buffer
  now: () => number
}

const PATH = '/v1/panel/users'

/** Users of the caller's account or, for operators, of all. Passwords are hashed before a write is queued in the registry. */
export function userRoutes(server: HttpServer, deps: UserRoutesDeps): void {
  readRoutes(server, deps, users(deps.registry.snapshot))
  createRoute(server, deps)
  changeRoute(server, deps)
  removeRoute(server, deps)
}

function createRoute(server: HttpServer, deps: UserRoutesDeps): void {
  const { registry, access, authorize, passwords, uuid, now, securityLog, passwordMail } = deps
  server.post(
    PATH,
    {
      onRequest: [authorize('panel'), peopleOnly, recentlyAuthenticated(now)],
      schema: {
        operationId: 'createUser',
        summary: 'Create a user',
        description:
          'Without a password, the user is invited: the answer has a link with which the user sets a password, or accepts with the one ' +
          'that the address has already. Only operators set a password.',
        body: UserCreate,
        response: { 201: UserCreated },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const input = { ...request.body, principal }
      const made = (passwordHash: string) =>
        newUser({ snapshot: registry.snapshot, access }, { ...input, passwordHash })
      // Checked before the hash is computed, so that refusals cost nothing. The write checks it again.
      const invited = made('')
      registry.checkRoom('User', invited.accountId)
      const { password } = request.body
      if (password !== undefined) await checkStrength(deps, password, invited)
      const passwordHash = password === undefined ? '' : await passwords.hash(password)
      const id = uuid()
      const link = password === undefined ? newLink(deps, { id, body: invited }) : null
      const [entry] = await registry.write(
        () => [created('User', id, { ...made(passwordHash), passwordLink: link?.link ?? null })],
        { by: principal.actorId },
      )
      const user = entry as Entity<'User'>
      await securityLog.record(request, { ...userSubject(user), kind: 'USER_CREATED', detail: user.body.role })
      reply.code(201).header('location', `${PATH}/${user.id}`).header('cache-control', 'no-store')
      const view = viewOfUser(registry.snapshot, user)
      if (!link) return reply.send(view)
      return reply.send({ ...view, passwordLink: viewOfLink(link, passwordMail.send(user, link), principal) })
    },
  )
}

function changeRoute(server: HttpServer, deps: UserRoutesDeps): void {
  const { registry, access, authorize, passwords, sessions, now, securityLog } = deps
  const { snapshot } = registry
  server.patch(
    `${PATH}/:id`,
    {
      onRequest: [authorize('panel'), peopleOnly, recentlyAuthenticated(now)],
      schema: {
        operationId: 'updateUser',
        summary: 'Change a user',
        description: 'Properties that are not given do not change.',
        params: IdParams,
        headers: ChangeHeaders,
        body: UserPatch,
        response: { 200: entityAnswer(UserView) },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { id } = request.params
      const { name, password, disabled } = request.body
      const isOneself = id === principal.userId
      const session = sessions.read(request)
      const known = access.needToChange(principal, 'User', id)
      if (isOneself && disabled) throw new Problem('CONFLICT', 'Users cannot disable themselves')
      if (password !== undefined) checkMaySetPassword(principal, id)
      if (password !== undefined) await checkStrength(deps, password, { ...known.body, ...(name && { name }) })
      const passwordHash = password === undefined ? undefined : await passwords.hash(password)
      let before = known.body
      const [entry] = await registry.write(
        () => {
          // It may have been ended while the password was hashed.
          if (session && !sessions.read(request)) throw new Problem('UNAUTHENTICATED', 'The session has ended')
          const user = access.needToChange(principal, 'User', id)
          checkIfMatch(request, user, snapshot)
          if (passwordHash !== undefined) checkOnlyLogin(snapshot, user)
          before = user.body
          return changedUser(snapshot, user, { name, passwordHash, disabled, now: now() })
        },
        { by: principal.actorId },
      )
      const user = entry as Entity<'User'>
      for (const kind of changesOf(before, user.body)) {
        await securityLog.record(request, { ...userSubject(user), kind })
      }
      if (passwordHash !== undefined) {
        await recordOfLogin(deps, request, loginIdOf(user), { kind: 'PASSWORD_CHANGED', isByPerson: isOneself })
      }
      // Users who change their own password stay signed in here, and are signed out everywhere else.
      if (session && isOneself && passwordHash !== undefined) {
        reply.header('set-cookie', sessions.reopen(session, keeperOf(snapshot, session.loginId)!).setCookie)
      }
      tagged(reply, user)
      return viewOfUser(snapshot, user)
    },
  )
}

function changesOf(before: User, after: User): SecurityEventKind[] {
  const kinds: SecurityEventKind[] = []
  if (after.name !== before.name) kinds.push('USER_RENAMED')
  const isDisabled = after.disabledAt !== null
  if (isDisabled !== (before.disabledAt !== null)) kinds.push(isDisabled ? 'USER_DISABLED' : 'USER_ENABLED')
  return kinds
}

function removeRoute(server: HttpServer, { registry, access, authorize, now, securityLog }: UserRoutesDeps): void {
  deletionRoute(server, {
    kind: 'User',
    path: 'users',
    onRequest: [authorize('panel'), peopleOnly],
    refusalOf(principal, id) {
      access.needToChange(principal, 'User', id)
      return refusalOf(principal, id)
    },
  })
  server.delete(
    `${PATH}/:id`,
    {
      onRequest: [authorize('panel'), peopleOnly, recentlyAuthenticated(now)],
      schema: {
        operationId: 'deleteUser',
        summary: 'Delete a user',
        description: 'The user no longer belongs to the account, at once. Histories keep the name.',
        params: IdParams,
        headers: ChangeHeaders,
        response: { 204: Type.Null({ description: 'The user is deleted' }) },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { id } = request.params
      const [entry] = await registry.write(
        () => {
          const user = access.needToChange(principal, 'User', id)
          checkIfMatch(request, user, registry.snapshot)
          throwIfRefused(refusalOf(principal, id))
          return removedUser(registry.snapshot, user)
        },
        { by: principal.actorId },
      )
      await securityLog.record(request, { ...userSubject(entry as Entity<'User'>), kind: 'DELETED' })
      return reply.code(204).send(null)
    },
  )
}

/** Users cannot delete themselves, so there is always one left who can create others. */
function refusalOf({ userId }: Principal, id: string): Refusal | null {
  return id === userId ? { code: 'CONFLICT', detail: 'Users cannot delete themselves', blockers: [] } : null
}
