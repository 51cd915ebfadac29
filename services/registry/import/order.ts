import type { NewRecord } from '../../../infra/event-log/port.ts'
import { ImportLine } from '../../../schemas/http/panel/shops/import.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { cidOfCustomer } from '../../domain/identity/imported-cid.ts'
import { toMicros } from '../../domain/money/money.ts'
import { checkOf } from '../../http/lazy-schemas.ts'
import { listFieldErrors } from '../../http/violations.ts'
import { cellsOf, numberOf, type RowFolding } from './entries.ts'
import { type ImportRules, placeOf, type Read, refused } from './rules.ts'

const isImportLine = checkOf(ImportLine)

/** Reads a past order into a record of the topic `transactions`. */
export function readOrder(value: unknown, rules: ImportRules): Read {
  if (!isImportLine(value)) return refused(listFieldErrors(ImportLine, value))
  const place = placeOf(value, rules)
  if ('errors' in place) return refused(place.errors)
  return { tag: 'TAKEN', record: recordOf(value, place.shopId, place.occurredAt, rules.now) }
}

/** One row for each product. The fields of the order are taken from its first row. */
export const orderRows: RowFolding = {
  keyColumns: ['shopId', 'kind', 'eventId'],
  fold: (rows) => ({
    ...cellsOf(rows[0]!, ['eventId', 'shopId', 'kind', 'currency', 'occurredAt', 'cid', 'customer', 'locale']),
    products: rows.map((row) => ({
      ...cellsOf(row, ['shopProductId', 'productTitle', 'brand', 'sellerId']),
      price: numberOf(row.price),
      quantity: numberOf(row.quantity),
    })),
  }),
}

function recordOf(line: ImportLine, shopId: string, occurredAt: number, receivedAt: number): NewRecord {
  const customer = line.customer || null
  // An order without a buyer gets a buyer of its own.
  const cid = line.cid || (customer === null ? `order:${line.eventId}` : cidOfCustomer(customer))
  const value = encode('Transaction', {
    eventId: line.eventId,
    kind: line.kind ?? 'PURCHASE',
    shopId,
    cid,
    uid: customer,
    currency: line.currency.toUpperCase(),
    locale: line.locale || null,
    occurredAt,
    receivedAt,
    imported: true,
    lines: line.products.map((product) => ({
      shopProductId: product.shopProductId,
      priceMicros: toMicros(product.price),
      quantity: product.quantity,
      productTitle: product.productTitle || null,
      brand: product.brand || null,
      sellerId: product.sellerId || null,
    })),
    proof: 'TOKEN',
  })
  return { topic: 'transactions', key: cid, value }
}
