import { Compile } from 'typebox/compile'
import { ImportReturn } from '../../../schemas/http/panel/shops/import.ts'
import { listFieldErrors } from '../../http/violations.ts'
import { cellsOf, numberOf, type RowFolding } from './entries.ts'
import { returnRecord } from './returns.ts'
import { type ImportRules, placeOf, type Read, refused } from './rules.ts'

const shape = Compile(ImportReturn)

/** What came back of a past order, as a record of the topic `transaction-returns`. */
export function readReturn(value: unknown, rules: ImportRules): Read {
  if (!shape.Check(value)) return refused(listFieldErrors(ImportReturn, value))
  const place = placeOf(value, rules)
  if ('errors' in place) return refused(place.errors)
  const { returnId, eventId, reason, lines } = value
  const record = returnRecord({
    ...{ returnId, eventId, shopId: place.shopId, reason: reason || null, returnedBy: rules.by },
    ...{ occurredAt: place.occurredAt, receivedAt: rules.now, lines: lines ?? [] },
  })
  return { tag: 'TAKEN', record }
}

/** A row a product; one without a product is a return of the whole order. */
export const returnRows: RowFolding = {
  keyOf: ({ shopId = '', returnId = '' }) => JSON.stringify([shopId, returnId]),
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
