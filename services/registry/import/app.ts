import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { Content } from '../../../schemas/http/content.ts'
import { ImportAnswer, ImportQuery } from '../../../schemas/http/panel/shops/import.ts'
import { Problem } from '../../domain/errors.ts'
import { memoized } from '../../domain/memoized.ts'
import { startOfDay } from '../../domain/time/time-zone.ts'
import type { HttpServer } from '../../http/server.ts'
import { invalid } from '../../http/violations.ts'
import { createShares } from '../resources/shares.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, type Principal, principalOf } from '../rights/auth.ts'
import { csvEntries, ndjsonEntries } from './entries.ts'
import { IMPORT_LIMITS, type ImportLimits, importEntries } from './import.ts'
import { orderRows, readOrder } from './order.ts'
import { readReturn, returnRows } from './returns.ts'
import type { ImportRules } from './rules.ts'

/** At a time, because imports share a thread with other requests. A body may take hours. */
const SHARES = { what: 'imports', max: 8, ofAccountMax: 2, retryAfterSeconds: 10 }
const NDJSON_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']
const CSV_TYPE = 'text/csv'

export interface ImportDeps {
  log: Pick<EventLog, 'append'>
  access: Access
  authorize: Authorize
  now: () => number
  importLimits?: ImportLimits
}

const imports = [
  {
    path: '/v1/panel/import/transactions',
    read: readOrder,
    rows: orderRows,
    operationId: 'importTransactions',
    summary: 'Import past orders',
    description:
      'NDJSON: { eventId, shopId, kind, currency, occurredAt, cid, customer, products: [{ shopProductId, price, quantity }] ' +
      '} on each line. CSV: columns with the same names and one row per product; the rows of an order follow each other. ' +
      'Imported orders are never attributed.',
  },
  {
    path: '/v1/panel/import/returns',
    read: readReturn,
    rows: returnRows,
    operationId: 'importReturns',
    summary: 'Import returns',
    description:
      'NDJSON: { returnId, eventId, shopId, occurredAt, reason, lines: [{ shopProductId, quantity }] } on each line. Without ' +
      '`lines`, the whole order is returned. CSV: columns with the same names and one row per product; the rows of a return ' +
      'follow each other.',
  },
]

/** Imports past orders and returns from NDJSON or CSV: for a head start of bestsellers and recommendations, and for net revenue. */
export function importApp({ log, access, authorize, now, importLimits: limits = IMPORT_LIMITS }: ImportDeps) {
  const shares = createShares(SHARES)

  return async (server: HttpServer): Promise<void> => {
    server.setSerializerCompiler(() => JSON.stringify)
    // The body stays a stream. Any other media type is refused.
    server.removeAllContentTypeParsers()
    server.addContentTypeParser([...NDJSON_TYPES, CSV_TYPE], (request: FastifyRequest, payload: Readable, done) =>
      done(null, server.bodies.stream(request, payload)),
    )
    for (const { path, read, rows, ...schema } of imports) {
      server.post(
        path,
        {
          bodyLimit: limits.bytesMax,
          onRequest: [authorize('import'), admit],
          schema: {
            ...schema,
            description:
              `${schema.description} Valid entries are accepted, invalid ones are listed in the answer. At most ${limits.linesMax} ` +
              'lines.',
            stream: Content('NDJSON with one entry per line, or CSV', ...NDJSON_TYPES, CSV_TYPE),
            querystring: ImportQuery,
            response: { 200: ImportAnswer },
          },
        },
        async (request) => {
          const rules = rulesFor(principalOf(request), request.query.shopId)
          const body = request.body as Readable | undefined
          if (!body) throw empty()
          const isCsv = request.headers['content-type']?.toLowerCase().startsWith(CSV_TYPE)
          const entries = isCsv ? csvEntries(rows) : ndjsonEntries
          try {
            const answer = await importEntries(log, body, { entries, read, rules, limits })
            if (answer.accepted + answer.rejected === 0) throw empty()
            return answer
          } finally {
            body.destroy()
          }
        },
      )
    }
  }

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { role, accountId } = principalOf(request)
    if (role === 'ADVERTISER') throw new Problem('FORBIDDEN', 'Only the publisher of a shop can import its orders')
    reply.raw.once('close', shares.begin(accountId))
  }

  function rulesFor(principal: Principal, shopId: string | undefined): ImportRules {
    if (shopId !== undefined) access.need(principal, 'Shop', shopId)
    const timeZones = new Map([...access.list(principal, 'Shop')].map(({ id, body }) => [id, body.timeZone]))
    const [only = null] = timeZones.keys()
    const startsIn = memoized((timeZone: string) => memoized((day: string) => startOfDay(day, timeZone)))
    return {
      timeZoneOf: (id) => timeZones.get(id),
      startOfDay: (day, timeZone) => startsIn(timeZone)(day),
      defaultShopId: shopId ?? (timeZones.size === 1 ? only : null),
      by: principal.actorId,
      now: now(),
    }
  }
}

function empty(): Problem {
  return invalid([{ path: '/', message: 'has no lines' }])
}
