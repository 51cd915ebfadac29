import { Type } from 'typebox'
import { IdParams } from '../../../schemas/http/panel/common.ts'
import {
  ReportViewCreate,
  ReportViewPatch,
  ReportViewQuery,
  ReportViewView,
} from '../../../schemas/http/panel/reports/report-views.ts'
import type { ReportView } from '../../../schemas/records/accounts.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { entityFields } from '../resources/conversions.ts'
import { deletionRoute } from '../resources/removal.ts'
import { type ResourceDeps, readRoutes } from '../resources/resource.ts'
import { changed, created, type EntityChange, removed } from '../resources/store.ts'
import { userActingFor } from '../rights/access.ts'
import { type Principal, principalOf } from '../rights/auth.ts'
import { ofUser } from '../rights/indexes.ts'

/** Saved views of one user. */
const VIEWS_MAX = 50
const GONE = Type.Null({ description: 'It is deleted' })
const PATH = '/v1/panel/report-views'

const viewOf = (entity: Entity<'ReportView'>) => {
  const { name, address, isDefault } = entity.body
  return { ...entityFields(entity), name, address, isDefault }
}

/** The views of the report that a user has saved by name. They follow the user to any browser, and nobody else sees them. */
export function reportViewRoutes(server: HttpServer, deps: ResourceDeps): void {
  const { registry, access, authorize, uuid } = deps
  const { snapshot } = registry
  readRoutes(server, deps, {
    kind: 'ReportView',
    path: 'report-views',
    schemas: { view: ReportViewView, query: ReportViewQuery },
    views: (entities) => entities.map(viewOf),
  })

  server.post(
    PATH,
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: 'createReportView',
        summary: 'Save a view of the report',
        description: `Saved for the user who is signed in, or who created the token. A user can save at most ${VIEWS_MAX} views.`,
        body: ReportViewCreate,
        response: { 201: ReportViewView },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { isDefault = false, ...given } = request.body
      const [entry] = await registry.write(
        () => {
          const userId = ownerOf(snapshot, principal)
          const others = viewsOf(snapshot, userId)
          if (others.length >= VIEWS_MAX) {
            throw new Problem('CONFLICT', `There are ${VIEWS_MAX} saved views already: delete one first`)
          }
          const body: ReportView = { userId, ...given, isDefault }
          return [created('ReportView', uuid(), body), ...settled(body, others)]
        },
        { by: principal.actorId },
      )
      reply.header('location', `${PATH}/${entry!.id}`)
      return reply.code(201).send(viewOf(entry as Entity<'ReportView'>))
    },
  )

  server.patch(
    `${PATH}/:id`,
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: 'updateReportView',
        summary: 'Change a saved view',
        description: 'Properties that are not given do not change.',
        params: IdParams,
        body: ReportViewPatch,
        response: { 200: ReportViewView },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const [entry] = await registry.write(
        () => {
          const view = access.needToChange(principal, 'ReportView', request.params.id)
          const body = { ...view.body, ...request.body }
          const others = viewsOf(snapshot, body.userId).filter(({ id }) => id !== view.id)
          return [changed(view, body), ...settled(body, others)]
        },
        { by: principal.actorId },
      )
      return viewOf(entry as Entity<'ReportView'>)
    },
  )

  deletionRoute(server, {
    kind: 'ReportView',
    path: 'report-views',
    onRequest: authorize('panel'),
    refusalOf(principal, id) {
      access.needToChange(principal, 'ReportView', id)
      return null
    },
  })
  server.delete(
    `${PATH}/:id`,
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: 'deleteReportView',
        summary: 'Delete a saved view',
        params: IdParams,
        response: { 204: GONE },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      await registry.write(
        () => {
          const view = access.needToChange(principal, 'ReportView', request.params.id)
          return [removed(view, { ...view.body, name: '', address: '', isDefault: false })]
        },
        { by: principal.actorId },
      )
      return reply.code(204).send(null)
    },
  )
}

/** @throws Problem FORBIDDEN for a token that acts for no user. */
function ownerOf(snapshot: Snapshot, principal: Principal): string {
  const userId = userActingFor(snapshot, principal)
  if (userId === null) throw new Problem('FORBIDDEN', 'Saved views belong to users: use a token that a user has made')
  return userId
}

function viewsOf(snapshot: Snapshot, userId: string): Entity<'ReportView'>[] {
  return [...snapshot.under(ofUser.ReportView, userId)]
}

/** The changes of the other views after one is created or changed: only one is the default. @throws Problem CONFLICT for a used name. */
function settled({ name, isDefault }: ReportView, others: readonly Entity<'ReportView'>[]): EntityChange[] {
  const same = (a: string, b: string) => a.localeCompare(b, undefined, { sensitivity: 'accent' }) === 0
  if (others.some(({ body }) => same(body.name, name))) {
    const errors = [{ path: '/name', message: 'already in use' }]
    throw new Problem('CONFLICT', 'The name is already in use', { errors })
  }
  if (!isDefault) return []
  return others.filter(({ body }) => body.isDefault).map((view) => changed(view, { ...view.body, isDefault: false }))
}
