import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Enrolment, EnrolmentProof, RecoveryCodes } from '../../../../schemas/http/panel/accounts/second-factor.ts'
import { IdParams } from '../../../../schemas/http/panel/common.ts'
import type { SecondFactor, User } from '../../../../schemas/records/accounts.ts'
import type { SecurityEventKind } from '../../../../schemas/records/security-event.ts'
import { Problem } from '../../../domain/errors.ts'
import type { Entity } from '../../../domain/snapshot.ts'
import type { HttpServer } from '../../../http/server.ts'
import { invalid } from '../../../http/violations.ts'
import type { ResourceDeps } from '../../resources/resource.ts'
import { changed } from '../../resources/store.ts'
import { principalOf } from '../../rights/auth.ts'
import { operatorOnly } from '../../rights/roles.ts'
import { freshSession, peopleOnly, recentlyAuthenticated } from '../sessions/reauthentication.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import { keeperOf, loginIdOf, withoutSessions } from '../users/logins.ts'
import { recordOfLogin } from '../users/users.ts'
import { enrolmentUri, newRecoveryCodes, newSecret, recoveryHash, stepOf } from './codes.ts'
import type { Sealing } from './sealing.ts'
import type { SecondFactors } from './second-factors.ts'

export interface SecondFactorRoutesDeps extends ResourceDeps {
  sessions: Sessions
  secondFactors: SecondFactors
  sealing: Sealing
  now: () => number
  randomBytes: (size: number) => Buffer
}

const PATH = '/v1/panel/session/second-factor'
const GONE = { 204: Type.Null({ description: 'The second factor is turned off' }) }

/**
 * Routes of authenticator apps. Those for the caller's own app must work while a required second factor is missing. As
 * `authorize` refuses such callers, these routes read the session themselves.
 */
export function secondFactorRoutes(server: HttpServer, deps: SecondFactorRoutesDeps): void {
  enrolRoutes(server, deps)
  recoveryRoute(server, deps)
  removeRoutes(server, deps)
}

function enrolRoutes(server: HttpServer, deps: SecondFactorRoutesDeps): void {
  const { sealing, now, randomBytes, sessions } = deps
  server.post(
    PATH,
    {
      schema: {
        operationId: 'startSecondFactor',
        summary: 'Start to set up an authenticator app',
        response: { 200: Enrolment },
      },
    },
    async (request, reply) => {
      const { keeper, loginId } = freshSession(deps, request)
      if (keeper.body.secondFactor)
        throw new Problem('CONFLICT', 'The user already has an authenticator app: turn it off first')
      const secret = newSecret(randomBytes)
      const enrolment = sealing.seal(secret, enrolmentOf(loginId))
      reply.header('cache-control', 'no-store')
      return { secret, uri: enrolmentUri(secret, keeper.body.email), enrolment }
    },
  )
  server.put(
    PATH,
    {
      schema: {
        operationId: 'finishSecondFactor',
        summary: 'Finish setting up the authenticator app',
        description: 'Ends all other sessions of the user. The answer contains the recovery codes.',
        body: EnrolmentProof,
        response: { 200: RecoveryCodes },
      },
    },
    async (request, reply) => {
      const session = freshSession(deps, request)
      const { enrolment, code } = request.body
      const { loginId } = session
      const secret = sealing.open(enrolment, enrolmentOf(loginId))
      if (secret === null) throw invalid([{ path: '/enrolment', message: 'is not of this user: start again' }])
      const lastStep = stepOf(code, secret, now())
      if (lastStep === null) throw invalid([{ path: '/code', message: 'is not the code that the app shows now' }])
      const recoveryCodes = newRecoveryCodes(randomBytes)
      const sealedSecret = sealing.seal(secret, loginId)
      const secondFactor = { sealedSecret, lastStep, recoveryHashes: recoveryCodes.map(recoveryHash), enabledAt: now() }
      const keeper = await change(deps, request, session, 'SECOND_FACTOR_ENABLED', (body) => {
        if (body.secondFactor)
          throw new Problem('CONFLICT', 'The user already has an authenticator app: turn it off first')
        return withoutSessions({ ...body, secondFactor })
      })
      reply.header('set-cookie', sessions.reopen(session, keeper).setCookie).header('cache-control', 'no-store')
      return { recoveryCodes }
    },
  )
}

/** The owner for whom a secret is sealed during setup, so that it cannot be opened as the user's secret. */
const enrolmentOf = (loginId: string) => `enrolment of ${loginId}`

function recoveryRoute(server: HttpServer, deps: SecondFactorRoutesDeps): void {
  server.post(
    `${PATH}/recovery-codes`,
    {
      schema: {
        operationId: 'createRecoveryCodes',
        summary: 'Create new recovery codes',
        description: 'The previous recovery codes stop working.',
        response: { 201: RecoveryCodes },
      },
    },
    async (request, reply) => {
      const session = freshSession(deps, request)
      const recoveryCodes = newRecoveryCodes(deps.randomBytes)
      await change(deps, request, session, 'RECOVERY_CODES_CREATED', (body) => {
        const factor = needFactor(body)
        return { ...body, secondFactor: { ...factor, recoveryHashes: recoveryCodes.map(recoveryHash) } }
      })
      return reply.code(201).header('cache-control', 'no-store').send({ recoveryCodes })
    },
  )
}

function removeRoutes(server: HttpServer, deps: SecondFactorRoutesDeps): void {
  const { registry, access, authorize, secondFactors, now } = deps
  server.delete(
    PATH,
    {
      schema: { operationId: 'removeOwnSecondFactor', summary: 'Turn off your own authenticator app', response: GONE },
    },
    async (request, reply) => {
      const session = freshSession(deps, request)
      if (session.users.some(({ body }) => secondFactors.isRequired(body))) {
        throw new Problem('CONFLICT', 'This installation requires a second factor for your role')
      }
      await change(deps, request, session, 'SECOND_FACTOR_REMOVED', (body) => ({ ...body, secondFactor: null }))
      return reply.code(204).send(null)
    },
  )
  server.delete(
    '/v1/panel/users/:id/second-factor',
    {
      onRequest: [authorize('panel'), operatorOnly, peopleOnly, recentlyAuthenticated(now)],
      schema: {
        operationId: 'removeSecondFactor',
        summary: 'Turn off the authenticator app of a user who has lost it',
        description: 'Only for operators. Ends all sessions of the user.',
        params: IdParams,
        response: GONE,
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const [entry] = await registry.write(
        () => {
          const user = access.needToChange(principal, 'User', request.params.id)
          const keeper = keeperOf(registry.snapshot, loginIdOf(user)) ?? user
          return [changed(keeper, withoutSessions({ ...keeper.body, secondFactor: null }))]
        },
        { by: principal.actorId },
      )
      const loginId = loginIdOf(entry as Entity<'User'>)
      await recordOfLogin(deps, request, loginId, { kind: 'SECOND_FACTOR_REMOVED', isByPerson: false })
      return reply.code(204).send(null)
    },
  )
}

function needFactor({ secondFactor }: User): SecondFactor {
  if (!secondFactor) throw new Problem('CONFLICT', 'The user has no authenticator app: set one up first')
  return secondFactor
}

async function change(
  deps: SecondFactorRoutesDeps,
  request: unknown,
  { loginId }: Session,
  kind: SecurityEventKind,
  changedBody: (body: User) => User,
): Promise<Entity<'User'>> {
  const [entry] = await deps.registry.write(
    () => {
      const keeper = deps.sessions.read(request as FastifyRequest)?.keeper
      if (!keeper) throw new Problem('UNAUTHENTICATED', 'Nobody is signed in')
      return [changed(keeper, changedBody(keeper.body))]
    },
    { by: loginId },
  )
  await recordOfLogin(deps, request as FastifyRequest, loginId, { kind, isByPerson: true })
  return entry as Entity<'User'>
}
