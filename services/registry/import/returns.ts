import type { Appender } from '../../../infra/event-log/port.ts'
import { ImportReturn } from '../../../schemas/http/panel/shops/import.ts'
import { ReturnCreate, ReturnParams, ReturnView } from '../../../schemas/http/panel/shops/returns.ts'
import type { TransactionReturn } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { checkOf } from '../../http/lazy-schemas.ts'
import type { HttpServer } from '../../http/server.ts'
import { listFieldErrors } from '../../http/violations.ts'
import { toEpochMs, toIso } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownShop } from '../resources/own-shop.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, principalOf } from '../rights/auth.ts'
import { cellsOf, numberOf, type RowFolding } from './entries.ts'
import { type ImportRules, placeOf, type Read, refused } from './rules.ts'

const isImportReturn = checkOf(ImportReturn)

export interface ReturnsDeps {
  log: Appender
  access: Access
  authorize: Authorize
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * POST /v1/panel/transactions/{eventId}/returns: products of a purchase that were returned. A return is accepted even when its
 * purchase is not known yet, and then waits for the purchase.
 */
export function returnsApp({ log, access, authorize, now }: ReturnsDeps) {
  return async (server: HttpServer): Promise<void> => {
    server.setSerializerCompiler(() => JSON.stringify)
    server.post(
      '/v1/panel/transactions/:eventId/returns',
      {
        onRequest: authorize('panel', 'events'),
        schema: {
          operationId: 'createReturn',
          summary: 'Report that products of a purchase, or all of them, were returned',
          description:
            'Net revenue and ROAS follow within seconds. Units beyond those bought are ignored. To cancel a purchase that should ' +
            'not have been counted, return all of it.',
          params: ReturnParams,
          body: ReturnCreate,
          response: { 202: ReturnView },
        },
      },
      async (request, reply) => {
        const principal = principalOf(request)
        const { returnId, shopId, lines = [], occurredAt, reason } = request.body
        const fieldErrors = new FieldErrors()
        ownShop({ access, principal, shopId, fieldErrors })
        const receivedAt = now()
        const at = occurredAt === undefined ? receivedAt : toEpochMs(occurredAt, '/occurredAt', fieldErrors)
        fieldErrors.check(!(at > receivedAt), '/occurredAt', 'is in the future')
        fieldErrors.throwIfAny()
        const value: TransactionReturn = {
          ...{ returnId, shopId, eventId: request.params.eventId, reason: reason || null },
          ...{ returnedBy: principal.actorId, occurredAt: at, receivedAt, lines },
        }
        await log.append([returnRecord(value)])
        return reply.code(202).send(returnView(value))
      },
    )
  }
}

/** Keyed by the purchase, so that its returns keep their order. */
function returnRecord(value: TransactionReturn) {
  const key = `${value.shopId}/${value.eventId}`
  return { topic: 'transaction-returns', key, value: encode('TransactionReturn', value) } as const
}

function returnView({ returnedBy: _, occurredAt, receivedAt, ...told }: TransactionReturn) {
  return { ...told, occurredAt: toIso(occurredAt), receivedAt: toIso(receivedAt) }
}

/** Reads a return of a past order into a record of the topic `transaction-returns`. */
export function readReturn(value: unknown, rules: ImportRules): Read {
  if (!isImportReturn(value)) return refused(listFieldErrors(ImportReturn, value))
  const place = placeOf(value, rules)
  if ('errors' in place) return refused(place.errors)
  const { returnId, eventId, reason, lines } = value
  const record = returnRecord({
    ...{ returnId, eventId, shopId: place.shopId, reason: reason || null, returnedBy: rules.by },
    ...{ occurredAt: place.occurredAt, receivedAt: rules.now, lines: lines ?? [] },
  })
  return { tag: 'TAKEN', record }
}

/** One row for each product. A return whose rows have no product is of the whole order. */
export const returnRows: RowFolding = {
  keyColumns: ['shopId', 'returnId'],
  fold(rows) {
    const lines = rows.flatMap(({ shopProductId, quantity }) =>
      shopProductId || quantity ? [{ shopProductId, quantity: numberOf(quantity) }] : [],
    )
    return {
      ...cellsOf(rows[0]!, ['returnId', 'eventId', 'shopId', 'occurredAt', 'reason']),
      ...(lines.length > 0 ? { lines } : {}),
    }
  },
}
