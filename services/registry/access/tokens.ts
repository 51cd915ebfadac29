import type { Static } from 'typebox'
import { TokenCreate, TokenPatch, TokenQuery, TokenView } from '../../../schemas/http/panel/accounts/accounts.ts'
import type { Account, Token } from '../../../schemas/records/accounts.ts'
import { ALL_SCOPES, hashToken, newToken } from '../../domain/identity/tokens.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { entityFields, toEpochMs, toIso } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownAccount } from '../resources/own-account.ts'
import { type ChangeableResource, changeRoutes, type ResourceDeps, readRoutes } from '../resources/resource.ts'
import { created, removed } from '../resources/store.ts'
import { type Principal, principalOf } from '../rights/auth.ts'
import { recentlyAuthenticated } from './sessions/reauthentication.ts'

export interface TokenDeps extends ResourceDeps {
  now: () => number
  randomBytes: (size: number) => Buffer
}

/** Scopes that tokens of an account may have. Advertisers have neither slots nor feeds. */
function allowedScopes(account: Account): readonly Token['scopes'][number][] {
  return account.kind === 'ADVERTISER' ? ['panel'] : ALL_SCOPES
}

/** Tokens. Only the answer that creates a token contains its secret. DELETE revokes it. */
export function tokenRoutes(server: HttpServer, deps: TokenDeps): void {
  const { registry, access, authorize, uuid, now, randomBytes, securityLog } = deps
  const resource = tokens(registry.snapshot, now)
  const view = viewOfToken(registry.snapshot)
  server.post(
    '/v1/panel/tokens',
    {
      onRequest: [authorize('panel'), recentlyAuthenticated(now)],
      schema: {
        operationId: 'createToken',
        summary: 'Create a token',
        description:
          'A session must have been authenticated recently (REAUTHENTICATION_REQUIRED). A token can only create tokens that have ' +
          'no scopes beyond its own and expire no later than itself.',
        body: TokenCreate,
        response: { 201: TokenView },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const token = newToken(randomBytes)
      const [entry] = await registry.write(() => [created('Token', uuid(), issue(request.body, token, principal))], {
        by: principal.actorId,
      })
      const { id, body } = entry as Entity<'Token'>
      const detail = body.scopes.join(', ')
      const { accountId } = body
      await securityLog.record(request, { kind: 'TOKEN_CREATED', accountId, subject: { kind: 'Token', id }, detail })
      reply.header('location', `/v1/panel/tokens/${entry!.id}`).header('cache-control', 'no-store')
      return reply.code(201).send({ ...view(entry as Entity<'Token'>), token })
    },
  )
  readRoutes(server, deps, resource)
  changeRoutes(server, deps, resource)

  function issue(input: Static<typeof TokenCreate>, token: string, principal: Principal): Token {
    access.needInForce(principal)
    const fieldErrors = new FieldErrors()
    const account = ownAccount({ access, principal, accountId: input.accountId, fieldErrors })
    if (account) {
      input.scopes.forEach((scope, i) => {
        const allowed = allowedScopes(account.body).includes(scope)
        fieldErrors.check(allowed, `/scopes/${i}`, 'cannot be given to a token of an advertiser')
      })
    }
    const expiresAt = input.expiresAt == null ? null : toEpochMs(input.expiresAt, '/expiresAt', fieldErrors)
    fieldErrors.check(!(expiresAt !== null && expiresAt <= now()), '/expiresAt', 'must lie in the future')
    const { credential } = principal
    if (credential.kind === 'TOKEN') checkNoMore(credential.token.body, { ...input, expiresAt }, fieldErrors)
    fieldErrors.throwIfAny()
    return {
      accountId: account!.id,
      name: input.name,
      scopes: input.scopes,
      secretHash: hashToken(token),
      expiresAt,
      revokedAt: null,
      createdBy: credential.kind === 'TOKEN' ? credential.token.body.createdBy : principal.userId,
      createdAt: now(),
      lastUsedAt: null,
    }
  }
}

/** A token must not make one with more scopes or a later expiry: what leaks with it must end when it ends. */
function checkNoMore(maker: Token, made: Pick<Token, 'scopes' | 'expiresAt'>, fieldErrors: FieldErrors): void {
  made.scopes.forEach((scope, i) => {
    fieldErrors.check(maker.scopes.includes(scope), `/scopes/${i}`, 'is not a scope of the token that requests it')
  })
  const outlives = maker.expiresAt !== null && (made.expiresAt === null || made.expiresAt > maker.expiresAt)
  fieldErrors.check(!outlives, '/expiresAt', 'must not be later than that of the token that requests it')
}

function tokens(snapshot: Snapshot, now: () => number): ChangeableResource<'Token', typeof TokenPatch> {
  return {
    kind: 'Token',
    path: 'tokens',
    schemas: { patch: TokenPatch, view: TokenView, query: TokenQuery },
    change: ({ body }, input) => ({ ...body, ...input }),
    blockedBy: () => [],
    removal: (token) => [removed(token, { ...token.body, revokedAt: now() })],
    views: (entities) => entities.map(viewOfToken(snapshot)),
  }
}

function viewOfToken(snapshot: Snapshot) {
  return (entity: Entity<'Token'>) => {
    const { accountId, name, scopes, expiresAt, createdBy, createdAt, lastUsedAt } = entity.body
    const maker = createdBy === null ? undefined : snapshot.getEver('User', createdBy)
    return {
      ...entityFields(entity),
      ...{ accountId, name, scopes, expiresAt: toIso(expiresAt) },
      createdBy: maker ? { id: maker.id, name: maker.body.name } : null,
      createdAt: toIso(createdAt),
      lastUsedAt: toIso(lastUsedAt),
    }
  }
}
