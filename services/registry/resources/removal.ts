import type { RouteShorthandOptions } from 'fastify'
import { type Static, Type } from 'typebox'
import { ChangeHeaders, DeletionView, IdParams } from '../../../schemas/http/panel/common.ts'
import type { EntityBodies, EntityKind } from '../../../schemas/records/entities.ts'
import type { EntityIndex } from '../../domain/entity-index.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { type Access, nouns } from '../rights/access.ts'
import { accountOf } from '../rights/account-of.ts'
import { type Authorize, type Principal, principalOf } from '../rights/auth.ts'
import type { SecurityLog } from '../security-log/security-log.ts'
import { checkIfMatch } from '../writes/if-match.ts'
import { type EntityChange, type Registry, removed } from './store.ts'

export interface RemovalDeps {
  registry: Registry
  access: Access
  authorize: Authorize
  securityLog: SecurityLog
}

/** How many entities of a kind must be removed first. */
export type Blocker = Static<typeof DeletionView>['blockers'][number]

/** A kind of entity that can be removed. */
export interface Removable<K extends EntityKind> {
  kind: K
  /** Under /v1/panel. */
  path: string
  /** What keeps the entity from being removed now: the number of blocking entities, for each kind that can block. */
  blockedBy(entity: Entity<K>): Blocker[]
  /** The changes that remove the entity. By default, only the entity itself is removed. */
  removal?(entity: Entity<K>): EntityChange[]
  /** Why a caller who may change the entity may not remove it; null when the caller may. By default, all such callers may. */
  refusalFor?(principal: Principal, entity: Entity<K>): Omit<Refusal, 'blockers'> | null
}

/** Why a removal is refused. */
export interface Refusal {
  code: 'FORBIDDEN' | 'CONFLICT'
  detail: string
  blockers: Blocker[]
}

/** DELETE of an entity, and GET of the reasons for which DELETE would be refused. */
export function removalRoutes<K extends EntityKind>(
  server: HttpServer,
  { registry, access, authorize, securityLog }: RemovalDeps,
  resource: Removable<K>,
): void {
  const { kind, path } = resource
  const onRequest = authorize('panel')
  deletionRoute(server, {
    kind,
    path,
    onRequest,
    refusalOf: (principal, id) => refusalOf(resource, access.needToChange(principal, kind, id), principal),
  })
  server.delete(
    `/v1/panel/${path}/:id`,
    {
      onRequest,
      schema: {
        operationId: `delete${kind}`,
        summary: `Delete ${withArticle(nouns[kind])}`,
        description:
          'If other entities still belong to it, the answer is 409: delete them first. Reports and histories continue to show its name.',
        params: IdParams,
        headers: ChangeHeaders,
        response: { 204: Type.Null({ description: 'It is deleted' }) },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { id } = request.params
      const entries = await registry.write(
        () => {
          const entity = access.needToChange(principal, kind, id)
          checkIfMatch(request, entity, registry.snapshot)
          throwIfRefused(refusalOf(resource, entity, principal))
          return resource.removal?.(entity) ?? [removed(entity)]
        },
        { by: principal.actorId },
      )
      const told = entries.map((entry) =>
        securityLog.record(request, {
          kind: entry.kind === 'Token' ? 'TOKEN_REVOKED' : 'DELETED',
          accountId: accountOf(registry.snapshot, entry),
          subject: { kind: entry.kind, id: entry.id },
        }),
      )
      await Promise.all(told)
      return reply.code(204).send(null)
    },
  )
}

/**
 * GET of whether DELETE would remove an entity. `refusalOf` is the rule of DELETE, so that the two agree; it throws what
 * DELETE answers to callers who may not change the entity.
 */
export function deletionRoute(
  server: HttpServer,
  options: {
    kind: EntityKind
    path: string
    onRequest: NonNullable<RouteShorthandOptions['onRequest']>
    refusalOf: (principal: Principal, id: string) => Refusal | null
  },
): void {
  const { kind, path, onRequest, refusalOf } = options
  server.get(
    `/v1/panel/${path}/:id/deletion`,
    {
      onRequest,
      schema: {
        operationId: `check${kind}Deletion`,
        summary: `Read whether ${withArticle(nouns[kind])} can be deleted now`,
        description: 'Only for those who may change it. Checks the same conditions as DELETE, and deletes nothing.',
        params: IdParams,
        response: { 200: DeletionView },
      },
    },
    async (request) => {
      const refusal = refusalOf(principalOf(request), request.params.id)
      return { allowed: refusal === null, blockedBy: refusal?.detail ?? null, blockers: refusal?.blockers ?? [] }
    },
  )
}

/** @throws Problem FORBIDDEN, CONFLICT. */
export function throwIfRefused(refusal: Refusal | null): void {
  if (refusal) throw new Problem(refusal.code, refusal.detail)
}

/** Counts the entities under a key of an index that keep another entity from being removed. */
export function countOf<K extends Blocker['kind']>(
  snapshot: Snapshot,
  [index, key]: [index: EntityIndex<K>, key: string],
  holds: (body: EntityBodies[K]) => boolean = () => true,
): Blocker {
  let count = 0
  const found = snapshot.under(index, key) as Iterable<{ body: EntityBodies[K] }>
  for (const { body } of found) if (holds(body)) count++
  return { kind: index.kind, count }
}

function refusalOf<K extends EntityKind>(
  resource: Removable<K>,
  entity: Entity<K>,
  principal: Principal,
): Refusal | null {
  const noun = nouns[resource.kind]
  const refusal = resource.refusalFor?.(principal, entity)
  if (refusal) return { ...refusal, blockers: [] }
  const blockers = resource.blockedBy(entity).filter(({ count }) => count > 0)
  if (blockers.length === 0) return null
  const counted = blockers.map(({ kind, count }) => `${count} ${nouns[kind]}${count === 1 ? '' : 's'}`)
  return { code: 'CONFLICT', detail: `The ${noun} still has ${sentence.format(counted)}`, blockers }
}

const sentence = new Intl.ListFormat('en-GB')

export function withArticle(noun: string): string {
  return `${/^(?!user)[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}
