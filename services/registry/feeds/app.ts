import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { Content } from '../../../schemas/http/content.ts'
import { IdParams, PAGE_LIMIT_DEFAULT, Page } from '../../../schemas/http/panel/common.ts'
import { FeedRunParams, FeedRunQuery, FeedRunView } from '../../../schemas/http/panel/shops/feed-runs.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { invalid } from '../../http/violations.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, principalOf } from '../rights/auth.ts'
import { issuesRoute } from './issues.ts'
import { needRun, runsPage } from './run-queries.ts'
import type { FeedRuns } from './runs/feed-runs.ts'
import { type IndexedUpTo, runViews } from './runs/run-outcome.ts'

export interface FeedsAppDeps {
  snapshot: Snapshot
  access: Access
  authorize: Authorize
  analytics: Analytics
  runs: FeedRuns
  indexedUpTo: IndexedUpTo
}

const PATH = '/v1/panel/feeds/:id'

/** The runs of feeds: POST content and run, GET runs, one run and its issues, POST confirm. */
export function feedsApp(server: HttpServer, deps: FeedsAppDeps): void {
  // The upload has its own scope, in which a body of any type is read as a stream.
  server.register(async (scope) => uploadRoute(scope as unknown as HttpServer, deps))
  runRoutes(server, deps)
  issuesRoute(server, deps)
}

function uploadRoute(server: HttpServer, deps: FeedsAppDeps): void {
  const { access, authorize, runs } = deps
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (request: FastifyRequest, payload: Readable, done: (e: null, b: Readable) => void) =>
    done(null, server.bodies.stream(request, payload)),
  )
  server.post(
    `${PATH}/content`,
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: 'uploadFeedContent',
        summary: 'Upload the content of a feed',
        stream: Content(
          'The feed as XML, plain or gzipped',
          'application/xml',
          'text/xml',
          'application/gzip',
          'application/octet-stream',
        ),
        description: 'The body is the XML, plain or gzipped. It replaces all products of the feed.',
        params: IdParams,
        response: { 202: FeedRunView },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const feed = access.needToChange(principal, 'Feed', request.params.id)
      const type = request.headers['content-type'] ?? ''
      if (/^(multipart\/|application\/json)/i.test(type)) {
        throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send the XML, plain or gzipped, as the request body')
      }
      if (!request.body) throw invalid([{ path: '/', message: 'is empty' }])
      const run = await runs.upload(feed.id, request.body as Readable, principal.actorId)
      return reply.code(202).send(await viewOf(deps, run))
    },
  )
}

const viewOf = async (deps: FeedsAppDeps, run: Entity<'FeedRun'>) => (await runViews(deps, [run]))[0]!

function runRoutes(server: HttpServer, deps: FeedsAppDeps): void {
  const { snapshot, access, authorize, runs } = deps
  const onRequest = authorize('panel')
  server.post(
    `${PATH}/run`,
    {
      onRequest,
      schema: {
        operationId: 'runFeed',
        summary: 'Fetch a feed now, or read its uploaded file again',
        params: IdParams,
        response: { 202: FeedRunView },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const feed = access.needToChange(principal, 'Feed', request.params.id)
      return reply.code(202).send(await viewOf(deps, await runs.request(feed.id, principal.actorId)))
    },
  )
  server.get(
    `${PATH}/runs`,
    {
      onRequest,
      schema: {
        operationId: 'listFeedRuns',
        summary: 'List the runs of a feed, latest first',
        params: IdParams,
        querystring: FeedRunQuery,
        response: { 200: Page(FeedRunView) },
      },
    },
    async (request) => {
      const feed = access.need(principalOf(request), 'Feed', request.params.id)
      const { limit = PAGE_LIMIT_DEFAULT, cursor } = request.query
      const { items, nextCursor } = runsPage(snapshot, feed.id, { limit, cursor })
      return { items: await runViews(deps, items), nextCursor }
    },
  )
  server.get(
    `${PATH}/runs/:run`,
    {
      onRequest,
      schema: {
        operationId: 'getFeedRun',
        summary: 'Read a run of a feed',
        params: FeedRunParams,
        response: { 200: FeedRunView },
      },
    },
    (request) => viewOf(deps, needRun(access, principalOf(request), request.params)),
  )
  server.post(
    `${PATH}/runs/:run/confirm`,
    {
      onRequest,
      schema: {
        operationId: 'confirmFeedRun',
        summary: 'Confirm that a held run may remove products',
        params: FeedRunParams,
        response: { 202: FeedRunView },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const run = needRun(access, principal, request.params)
      return reply.code(202).send(await viewOf(deps, await runs.confirm(run.id, principal.actorId)))
    },
  )
}
