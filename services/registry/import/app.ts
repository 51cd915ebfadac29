import type { Readable } from 'node:stream'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { Content } from '../../../schemas/http/content.ts'
import { ImportAnswer, ImportQuery } from '../../../schemas/http/panel/import.ts'
import { Problem } from '../../domain/errors.ts'
import type { HttpServer } from '../../http.ts'
import type { Access } from '../access.ts'
import { type Authorize, type Principal, principalOf } from '../auth.ts'
import { IMPORT_LIMITS, type ImportLimits, importOrders } from './import.ts'
import type { ImportRules } from './order.ts'

/** Imports at a time: they share a thread with other requests. */
const IN_FLIGHT_MAX = 2
const RETRY_AFTER_SECONDS = 10
const MEDIA_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

export interface ImportDeps {
  log: Pick<EventLog, 'append'>
  access: Access
  authorize: Authorize
  now: () => number
  limits?: ImportLimits
}

/** POST /v1/panel/import/transactions: past orders as NDJSON, for a head start of bestsellers and recommendations. */
export function importApp({ log, access, authorize, now, limits = IMPORT_LIMITS }: ImportDeps) {
  let inFlight = 0

  return async (server: HttpServer): Promise<void> => {
    server.setSerializerCompiler(() => JSON.stringify)
    // The body stays a stream. Any other media type is refused.
    server.removeAllContentTypeParsers()
    server.addContentTypeParser(MEDIA_TYPES, (_request, payload, done) => done(null, payload))
    server.post(
      '/v1/panel/import/transactions',
      {
        bodyLimit: limits.bytesMax,
        onRequest: [
          authorize('import'),
          async (request, reply) => {
            if (principalOf(request).role === 'ADVERTISER')
              throw new Problem('FORBIDDEN', 'Orders are imported by their shop')
            if (inFlight >= IN_FLIGHT_MAX) throw busy()
            inFlight++
            reply.raw.once('close', () => inFlight--)
          },
        ],
        schema: {
          summary: 'Import past orders',
          description: `One JSON object a line: { eventId, shopId, kind, currency, occurredAt, cid, customer, products: [{ shopProductId, price, quantity }] }. Good lines are taken, bad ones are listed. At most ${limits.linesMax} lines; imported orders are never attributed.`,
          stream: Content('One order a line', ...MEDIA_TYPES),
          querystring: ImportQuery,
          response: { 200: ImportAnswer },
        },
      },
      async (request) => {
        const rules = rulesFor(principalOf(request), request.query.shopId)
        const body = request.body as Readable | undefined
        if (!body) throw empty()
        try {
          const answer = await importOrders(log, body.iterator({ destroyOnReturn: false }), { rules, limits })
          if (answer.accepted + answer.rejected === 0) throw empty()
          return answer
        } finally {
          // The rest of a body that is refused is read and dropped: cutting it off would hide the answer.
          body.resume()
        }
      },
    )
  }

  function rulesFor(principal: Principal, shopId: string | undefined): ImportRules {
    if (shopId !== undefined) access.need(principal, 'Shop', shopId)
    const shopIds = new Set([...access.list(principal, 'Shop')].map(({ id }) => id))
    const [only = null] = shopIds
    return {
      isShop: (id) => shopIds.has(id),
      defaultShopId: shopId ?? (shopIds.size === 1 ? only : null),
      now: now(),
    }
  }
}

function empty(): Problem {
  return new Problem('INVALID', '/: has no lines', { errors: [{ path: '/', message: 'has no lines' }] })
}

function busy(): Problem {
  return new Problem('RATE_LIMITED', `${IN_FLIGHT_MAX} imports are under way`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
