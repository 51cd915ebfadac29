import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Appender } from '../../infra/event-log/port.ts'
import type { RequestMetrics } from '../../infra/metrics/requests.ts'
import { createSlices } from '../../infra/threads/slices.ts'
import {
  BatchBody,
  BuyerHeaders,
  DeprecatedTransactionBody,
  EventAnswer,
  EventHeaders,
  PageViewBody,
  ShowIdBody,
  TransactionBody,
} from '../../schemas/http/events.ts'
import type { AdEvent, AdKind, Transaction } from '../../schemas/records/events.ts'
import { createBearerReader } from '../callers/bearer-tokens.ts'
import type { RequestLimits } from '../callers/request-limits.ts'
import { jsonParser } from '../http/json.ts'
import type { HttpServer } from '../http/server.ts'
import { createAccept } from './accept.ts'
import type { ClientHasher } from './client/client-hasher.ts'
import { validateAdEvent } from './events/ad-event.ts'
import { splitBatch, validateBatch } from './events/batch.ts'
import { createBodyReader } from './events/body-reader.ts'
import { readOccurredAt } from './events/occurred-at.ts'
import { validatePageView } from './events/page-view.ts'
import { substituteEventId, type TransactionReport, validateTransaction } from './events/transaction.ts'
import { orThrow, rejected, type ValidationDeps, type ValidationResult, withWarnings } from './events/validation.ts'
import { createContextReader, type RequestContext } from './request-context.ts'
import { readSenders } from './sender.ts'

/** Twice the size of 1,000 page views or purchases whose fields have the longest values of any script. */
const BATCH_BYTES_MAX = 64 * 1024 * 1024

export interface IntakeDeps extends ValidationDeps {
  log: Appender
  limits: RequestLimits
  metrics: Pick<RequestMetrics, 'eventsTaken' | 'repeatsLeftOut'>
  /** The operator's token, which may report for every shop. */
  bootstrapToken?: string | null
  clientHasher: Pick<ClientHasher, 'hash'>
  /** UTC epoch milliseconds. */
  now: () => number
}

type Validate<S extends TSchema> = (body: Static<S>, context: RequestContext) => ValidationResult

const adEndpoints: { path: string; operationId: string; type: AdEvent['type']; kind: AdKind }[] = [
  { path: '/v1/dsa/view-event', operationId: 'reportSponsoredView', type: 'VIEW', kind: 'SPONSORED' },
  { path: '/v1/dsa/click-event', operationId: 'reportSponsoredClick', type: 'CLICK', kind: 'SPONSORED' },
  { path: '/v1/banner/dsa/view-event', operationId: 'reportDisplayView', type: 'VIEW', kind: 'DISPLAY' },
  { path: '/v1/banner/dsa/click-event', operationId: 'reportDisplayClick', type: 'CLICK', kind: 'DISPLAY' },
]
const deprecatedEndpoints: { path: string; operationId: string; kind: Transaction['kind'] }[] = [
  { path: '/v1/events/purchase', operationId: 'reportPurchase', kind: 'PURCHASE' },
  { path: '/v1/events/cart', operationId: 'reportCart', kind: 'CART' },
  { path: '/v1/events/wishlist', operationId: 'reportWishlist', kind: 'WISHLIST' },
]

/**
 * The event endpoints, as a Fastify plugin. A request is read (who sent it, for whom, when), its events are validated, and
 * `accept` does the rest.
 */
export function intakeApp(deps: IntakeDeps) {
  const { limits, snapshot, now, bootstrapToken = null } = deps
  const readBearer = createBearerReader({ snapshot, bootstrapToken, now })
  const readContext = createContextReader(deps)
  const accept = createAccept(deps)

  /** A route that takes one event, and answers 4xx when it is rejected. */
  function single<S extends TSchema>(schema: S, validate: Validate<S>) {
    const readBody = createBodyReader(schema, { substitutes: { eventId: substituteEventId } })
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const context = readContext(request)
      const body = readBody(request.body)
      const result = body.status === 'REJECTED' ? body : withWarnings(validate(body.value, context), body.warnings)
      if (result.status === 'REJECTED') limits.admitEvents(request, { sent: 1, stored: [], isProven: false })
      const event = orThrow(result)
      reply.code(202)
      return accept({ request, context, results: [event], isBatch: false, clientId: event.cid })
    }
  }

  /** A route that takes many events, and answers 202 whatever becomes of each. */
  async function batch(request: FastifyRequest, reply: FastifyReply) {
    const slices = createSlices()
    const elements = await splitBatch(request.body as Buffer | undefined, slices)
    const context = readContext(request)
    const { results, clientId } = await validateBatch(elements, context, deps, slices)
    reply.code(202)
    return accept({ request, context, results, isBatch: true, clientId })
  }

  const validateBuy = (report: TransactionReport, { cid, uid, receivedAt, sender }: RequestContext) => {
    if (cid === null) return rejected('header/cid', 'is required')
    const happened = readOccurredAt(report.occurredAt, receivedAt)
    if ('status' in happened) return happened
    const result = validateTransaction(report, { cid, uid, occurredAt: happened.at, receivedAt, sender }, deps)
    return withWarnings(result, happened.warnings)
  }

  const validateVisit = (body: PageViewBody, { cid, uid, receivedAt, sender }: RequestContext) => {
    const givenCid = body.cid || cid
    const person = { cid: givenCid || deps.uuid(), assigned: !givenCid, uid: body.uid || uid }
    return validatePageView(body, { ...person, occurredAt: receivedAt, receivedAt, sender }, deps)
  }

  return async function intake(server: HttpServer): Promise<void> {
    limits.guard(server, 'EVENTS')
    readSenders(server, { snapshot, readBearer, now })
    // A page that is being left sends text/plain: a beacon with JSON to another origin would need a preflight request.
    server.addContentTypeParser('text/plain', jsonParser(server.bodies))

    for (const { path, operationId, type, kind } of adEndpoints) {
      const validate: Validate<typeof ShowIdBody> = ({ showId }, context) =>
        validateAdEvent({ type, kind, showId, occurredAt: context.receivedAt }, context, deps)
      const summary = `Report a ${type.toLowerCase()} of a ${kind.toLowerCase()} ad`
      server.post(path, route({ operationId, summary }, ShowIdBody), single(ShowIdBody, validate))
    }
    server.post(
      '/v1/ev/transaction',
      route(
        { operationId: 'reportTransaction', summary: 'Report a purchase, or an addition to a cart or wishlist' },
        TransactionBody,
        BuyerHeaders,
      ),
      single(TransactionBody, validateBuy),
    )
    for (const { path, operationId, kind } of deprecatedEndpoints) {
      const validate: Validate<typeof DeprecatedTransactionBody> = (body, context) =>
        validateBuy({ ...body, kind }, context)
      const summary = `Deprecated: use /v1/ev/transaction with kind ${kind}`
      const options = route({ operationId, summary, deprecated: true }, DeprecatedTransactionBody, BuyerHeaders)
      server.post(path, options, single(DeprecatedTransactionBody, validate))
    }
    server.post(
      '/v1/ev/page-view',
      route({ operationId: 'reportPageView', summary: 'Report a page view' }, PageViewBody),
      single(PageViewBody, validateVisit),
    )

    server.register(async (scope: FastifyInstance) => {
      // The body is not parsed here: `validateBatch` parses its elements one by one.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser(['application/json', 'text/plain'], (request: FastifyRequest, payload: Readable) =>
        scope.bodies.read(request, payload),
      )
      scope.post(
        '/v1/ev/batch',
        {
          ...route({ operationId: 'reportEvents', summary: 'Report up to 1,000 events' }, BatchBody),
          bodyLimit: BATCH_BYTES_MAX,
        },
        batch,
      )
    })
  }
}

interface Operation {
  operationId: string
  summary: string
  deprecated?: boolean
}

function route(operation: Operation, body: TSchema, headers: TSchema = EventHeaders) {
  return {
    schema: {
      ...operation,
      headers,
      body,
      response: { 202: EventAnswer },
    },
    // The schemas only document: `createContextReader` reads headers and `createBodyReader` bodies.
    validatorCompiler: () => () => true,
  }
}
