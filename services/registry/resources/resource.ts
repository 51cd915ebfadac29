import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { ChangeHeaders, entityAnswer, IdParams, PAGE_LIMIT_DEFAULT, Page } from '../../../schemas/http/panel/common.ts'
import type { EntityBodies, EntityKind } from '../../../schemas/records/entities.ts'
import { canonicalId } from '../../domain/identity/uuid.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { nouns } from '../rights/access.ts'
import { type Principal, principalOf } from '../rights/auth.ts'
import { checkIfMatch, tagged } from '../writes/if-match.ts'
import { pageOf } from './paging.ts'
import { type Removable, type RemovalDeps, removalRoutes, withArticle } from './removal.ts'
import { changed, created } from './store.ts'

/** The dependencies of a resource's routes. */
export interface ResourceDeps extends RemovalDeps {
  uuid: () => string
}

/** A kind of entity as the management API shows it. */
export interface ReadableResource<K extends EntityKind> {
  kind: K
  /** Under /v1/panel. */
  path: string
  schemas: { view: TSchema; query: TSchema }
  /** Filters of a list by query parameters that are not properties of the body. They are called even without the parameter. */
  filters?: Readonly<Record<string, (body: EntityBodies[K], asked: unknown) => boolean>>
  /** The answers for entities of one page, in order. */
  views(entities: Entity<K>[], principal: Principal): object[] | Promise<object[]>
}

/**
 * A resource that can be changed and removed. Its checks run after all earlier writes are in force, so they still hold when
 * the change is stored. They throw a Problem that lists everything that is wrong.
 */
export interface ChangeableResource<K extends EntityKind, P extends TSchema, F = undefined>
  extends ReadableResource<K>,
    Removable<K> {
  schemas: { patch: P; view: TSchema; query: TSchema }
  /** Reads what `change` needs from outside the registry. It is awaited before the write, so that no other write waits for it. */
  factsOf?(ids: readonly string[]): Promise<F>
  change(entity: Entity<K>, input: Static<P>, principal: Principal, facts: F): EntityBodies[K]
}

export interface Resource<K extends EntityKind, C extends TSchema, P extends TSchema, F = undefined>
  extends ChangeableResource<K, P, F> {
  schemas: { create: C; patch: P; view: TSchema; query: TSchema }
  /** An `onRequest` hook that refuses callers who may not create one. By default, all may. */
  mayMake?: (request: FastifyRequest) => Promise<void>
  create(input: Static<C>, principal: Principal): EntityBodies[K]
}

/** GET list, POST, GET one, PATCH, DELETE, and GET of whether DELETE would be refused. */
export function resourceRoutes<K extends EntityKind, C extends TSchema, P extends TSchema, F>(
  server: HttpServer,
  deps: ResourceDeps,
  resource: Resource<K, C, P, F>,
): void {
  createRoute(server, deps, resource)
  readRoutes(server, deps, resource)
  changeRoutes(server, deps, resource)
}

function createRoute<K extends EntityKind, C extends TSchema, P extends TSchema, F>(
  server: HttpServer,
  { registry, access, authorize, uuid }: ResourceDeps,
  resource: Resource<K, C, P, F>,
): void {
  const { kind, schemas } = resource
  server.post(
    `/v1/panel/${resource.path}`,
    {
      onRequest: resource.mayMake ? [authorize('panel'), resource.mayMake] : authorize('panel'),
      schema: {
        operationId: `create${kind}`,
        summary: `Create ${withArticle(nouns[kind])}`,
        body: schemas.create as TSchema,
        response: { 201: entityAnswer(schemas.view) },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const input = request.body as Static<C>
      const [entry] = await registry.write(
        () => {
          access.needInForce(principal)
          return [created(kind, uuid(), resource.create(input, principal))]
        },
        { by: principal.actorId },
      )
      const [view] = await resource.views([entry as Entity<K>], principal)
      tagged(reply, entry!)
      return reply.code(201).header('location', `/v1/panel/${resource.path}/${entry!.id}`).send(view)
    },
  )
}

export function readRoutes<K extends EntityKind>(
  server: HttpServer,
  { access, authorize }: ResourceDeps,
  resource: ReadableResource<K>,
): void {
  const { kind, schemas } = resource
  server.get(
    `/v1/panel/${resource.path}`,
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: `list${kind}s`,
        summary: `List ${nouns[kind]}s`,
        querystring: schemas.query as TSchema,
        response: { 200: Page(schemas.view) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { limit = PAGE_LIMIT_DEFAULT, cursor, ...wanted } = request.query as ListQuery
      const { shopId, accountId } = wanted as { shopId?: string; accountId?: string }
      const rowsAfter = (after: string) =>
        matching(access.list(principal, kind, { shopId, accountId, after }), wanted, resource.filters ?? {})
      const { items, nextCursor } = pageOf(rowsAfter, { limit, cursor })
      return { items: await resource.views(items, principal), nextCursor }
    },
  )
  server.get(
    `/v1/panel/${resource.path}/:id`,
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: `get${kind}`,
        summary: `Read ${withArticle(nouns[kind])}`,
        params: IdParams,
        response: { 200: entityAnswer(schemas.view) },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const entity = access.need(principal, kind, request.params.id)
      tagged(reply, entity)
      return (await resource.views([entity], principal))[0]
    },
  )
}

export function changeRoutes<K extends EntityKind, P extends TSchema, F>(
  server: HttpServer,
  deps: ResourceDeps,
  resource: ChangeableResource<K, P, F>,
): void {
  const { registry, access, authorize } = deps
  const { kind, schemas } = resource
  const mayChange = async (request: FastifyRequest) => {
    const { id } = request.params as Static<typeof IdParams>
    access.needToChange(principalOf(request), kind, canonicalId(id))
  }
  server.patch(
    `/v1/panel/${resource.path}/:id`,
    {
      onRequest: [authorize('panel'), mayChange],
      schema: {
        operationId: `update${kind}`,
        summary: `Change ${withArticle(nouns[kind])}`,
        description: 'Properties that are not given do not change.',
        params: IdParams,
        headers: ChangeHeaders,
        body: schemas.patch as TSchema,
        response: { 200: entityAnswer(schemas.view) },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { id } = request.params
      const input = request.body as Static<P>
      // Without `factsOf` there are none, and F is undefined.
      const facts = (await resource.factsOf?.([id])) as F
      const [entry] = await registry.write(
        () => {
          const entity = access.needToChange(principal, kind, id)
          checkIfMatch(request, entity, registry.snapshot)
          return [changed(entity, resource.change(entity, input, principal, facts))]
        },
        { by: principal.actorId },
      )
      tagged(reply, entry!)
      return (await resource.views([entry as Entity<K>], principal))[0]
    },
  )
  removalRoutes(server, deps, resource)
}

type ListQuery = { limit?: number; cursor?: string } & Record<string, unknown>

/** Rows whose body has every wanted value, and passes the filters. */
function* matching<K extends EntityKind>(
  rows: Iterable<Entity<K>>,
  wanted: Record<string, unknown>,
  filters: NonNullable<ReadableResource<K>['filters']>,
) {
  const values = Object.entries(wanted).filter(([name]) => !(name in filters))
  const tests = Object.entries(filters)
  for (const row of rows) {
    const body = row.body as unknown as Record<string, unknown>
    if (!values.every(([name, value]) => body[name] === value)) continue
    if (tests.every(([name, test]) => test(row.body as EntityBodies[K], wanted[name]))) yield row
  }
}
