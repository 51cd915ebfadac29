import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Appender } from '../../infra/event-log/port.ts'
import type { Metrics } from '../../infra/metrics.ts'
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
import { createSlices } from '../process/slices.ts'
import { accept, storeInLog } from './accept.ts'
import { clientOf } from './client/client.ts'
import type { ClientHasher } from './client/client-hasher.ts'
import { createDuplicateFilter } from './duplicate-filter.ts'
import { adEvent } from './events/ad-event.ts'
import { batchElement, elementsOf } from './events/batch.ts'
import { createBodyReader } from './events/body-reader.ts'
import { pageView } from './events/page-view.ts'
import { eventIdInstead, type TransactionReport, transaction } from './events/transaction.ts'
import {
  type AcceptedEvent,
  acceptedOrThrow,
  type RequestContext,
  rejected,
  type ValidationDeps,
  type ValidationResult,
  withWarnings,
} from './events/validation.ts'
import { createBotDetector, requestContextOf } from './request-context.ts'
import { readSenders, senderOf } from './sender.ts'

/** 1,000 page views of the longest values in any script fit twice, and 1,000 purchases of 1,000 lines. */
const BATCH_BYTES_MAX = 64 * 1024 * 1024

export interface IntakeDeps extends ValidationDeps {
  log: Appender
  limits: RequestLimits
  metrics: Pick<Metrics, 'eventsTaken' | 'repeatsLeftOut'>
  /** The operator's, which vouches for every shop; none without it. */
  bootstrapToken?: string | null
  clientHasher: Pick<ClientHasher, 'hash'>
  /** UTC epoch milliseconds. */
  now: () => number
}

const adEndpoints: { path: string; type: AdEvent['type']; kind: AdKind }[] = [
  { path: '/v1/dsa/view-event', type: 'VIEW', kind: 'SPONSORED' },
  { path: '/v1/dsa/click-event', type: 'CLICK', kind: 'SPONSORED' },
  { path: '/v1/banner/dsa/view-event', type: 'VIEW', kind: 'DISPLAY' },
  { path: '/v1/banner/dsa/click-event', type: 'CLICK', kind: 'DISPLAY' },
]
const deprecatedEndpoints: { path: string; kind: Transaction['kind'] }[] = [
  { path: '/v1/events/purchase', kind: 'PURCHASE' },
  { path: '/v1/events/cart', kind: 'CART' },
  { path: '/v1/events/wishlist', kind: 'WISHLIST' },
]

/** The event endpoints, as a Fastify plugin. */
export function intakeApp(deps: IntakeDeps) {
  const store = storeInLog(deps)
  const { metrics } = deps
  const repeats = createDuplicateFilter()
  const isBot = createBotDetector()
  const { bootstrapToken = null } = deps
  const readBearer = createBearerReader({ ...deps, bootstrapToken })
  const receive = (request: FastifyRequest) => {
    const receivedAt = deps.now()
    const sender = senderOf(request)
    const client = clientOf(request, sender)
    const hashes = deps.clientHasher.hash(client, receivedAt)
    return requestContextOf(request.headers, { receivedAt, bot: isBot(client.userAgent), client: hashes, sender })
  }

  const admitting =
    (request: FastifyRequest, { sender }: RequestContext, told: number) =>
    (stored: readonly AcceptedEvent[]) => {
      const loads = stored.map(({ shopId, record }) => ({ shopId, bytes: record.value?.length ?? 0 }))
      deps.limits.admitEvents(request, { told, stored: loads, vouched: sender.proof !== 'ANONYMOUS' })
    }

  /** A route with one event, judged by `judge`, rejected as a whole or stored. */
  function single<S extends TSchema>(schema: S, judge: (body: Static<S>, context: RequestContext) => ValidationResult) {
    const read = createBodyReader(schema, { substitutes: { eventId: eventIdInstead } })
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const context = receive(request)
      const body = acceptedOrThrow(read(request.body))
      const event = acceptedOrThrow(withWarnings(judge(body.value, context), body.warnings))
      reply.code(202)
      return accept([event], {
        ...{ store, repeats, metrics, isBatch: false, warnings: context.warnings },
        admit: admitting(request, context, 1),
        clientId: () => event.cid,
      })
    }
  }

  const buy = (report: TransactionReport, { cid, ...context }: RequestContext) =>
    cid === null ? rejected('header/cid', 'is required') : transaction(report, { ...context, cid }, deps)

  const batch = async (request: FastifyRequest, reply: FastifyReply) => {
    const slices = createSlices()
    const elements = await elementsOf(request.body as Buffer | undefined, slices)
    const context = receive(request)
    let assigned: string | null = null
    const assign = () => (assigned ??= deps.uuid())
    const events: ValidationResult[] = []
    for (const element of elements) {
      events.push(batchElement(element, context, deps, assign))
      if (slices.isOver()) await slices.next()
    }
    reply.code(202)
    return accept(events, {
      ...{ store, repeats, metrics, isBatch: true, warnings: context.warnings },
      admit: admitting(request, context, events.length),
      clientId: (taken) => context.cid ?? assigned ?? taken[0]?.cid ?? assign(),
    })
  }

  return async function intake(server: HttpServer): Promise<void> {
    deps.limits.guard(server, 'EVENTS')
    readSenders(server, { ...deps, readBearer })
    // A page that is left can only send text to another origin: browsers ask before anything else, and beacons cannot wait.
    server.addContentTypeParser('text/plain', jsonParser(server.bodies))
    for (const { path, type, kind } of adEndpoints) {
      const judge = ({ showId }: ShowIdBody, context: RequestContext) =>
        adEvent({ type, kind, showId, occurredAt: context.receivedAt }, context, deps)
      const options = route(`A ${kind.toLowerCase()} ad: ${type.toLowerCase()}`, ShowIdBody)
      server.post(path, options, single(ShowIdBody, judge))
    }
    const options = route('A purchase, cart or wishlist', TransactionBody, BuyerHeaders)
    server.post('/v1/ev/transaction', options, single(TransactionBody, buy))
    for (const { path, kind } of deprecatedEndpoints) {
      const judge = (body: DeprecatedTransactionBody, context: RequestContext) => buy({ ...body, kind }, context)
      const options = route(`Use /v1/ev/transaction with kind ${kind}`, DeprecatedTransactionBody, BuyerHeaders)
      server.post(
        path,
        { ...options, schema: { ...options.schema, deprecated: true } },
        single(DeprecatedTransactionBody, judge),
      )
    }
    server.post(
      '/v1/ev/page-view',
      route('A page view', PageViewBody),
      single(PageViewBody, (body, { cid, uid, receivedAt, sender }) => {
        const told = body.cid || cid
        const person = { cid: told || deps.uuid(), assigned: !told, uid: body.uid || uid }
        const visit = { ...person, occurredAt: receivedAt, receivedAt, sender }
        return pageView(body, visit, deps)
      }),
    )
    server.register(async (scope: FastifyInstance) => {
      // Its elements are parsed one by one.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser(['application/json', 'text/plain'], (request: FastifyRequest, payload: Readable) =>
        scope.bodies.read(request, payload),
      )
      scope.post('/v1/ev/batch', { ...route('Up to 1,000 events', BatchBody), bodyLimit: BATCH_BYTES_MAX }, batch)
    })
  }
}

function route(summary: string, body: TSchema, headers: TSchema = EventHeaders) {
  return {
    schema: {
      summary,
      tags: ['Events'],
      headers,
      body,
      response: { 202: EventAnswer },
    },
    // For the documentation: headers are read by `requestContextOf`, and bodies by `createBodyReader`.
    validatorCompiler: () => () => true,
  }
}
