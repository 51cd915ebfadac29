import { Compile } from 'typebox/compile'
import type { NewRecord } from '../../../infra/event-log/port.ts'
import { encode } from '../../../schemas/codec.ts'
import { ImportLine } from '../../../schemas/http/panel/import.ts'
import type { FieldError } from '../../domain/errors.ts'
import { toMicros } from '../../domain/money.ts'
import { canonicalId } from '../../domain/uuid.ts'
import { listFieldErrors } from '../../violations.ts'

const shape = Compile(ImportLine)
const DATE = /^\d{4}-\d\d-\d\d$/
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

export interface ImportRules {
  /** Whether a shop is one that the caller may import for. */
  isShop: (shopId: string) => boolean
  /** Of lines that name none. */
  defaultShopId: string | null
  /** UTC epoch milliseconds. */
  now: number
}

export type ReadOrder = { tag: 'TAKEN'; record: NewRecord } | { tag: 'REFUSED'; errors: FieldError[] }

/** A past order from one line of NDJSON, as a record of the topic `transactions`. */
export function readOrder(text: string, rules: ImportRules): ReadOrder {
  const line = parse(text)
  if (line === undefined) return refused([{ path: '/', message: 'is not JSON' }])
  if (!shape.Check(line)) return refused(listFieldErrors(ImportLine, line))
  const shopId = line.shopId ? canonicalId(line.shopId) : rules.defaultShopId
  const occurredAt = timeOf(line.occurredAt)
  const errors: FieldError[] = []
  if (shopId === null) errors.push({ path: '/shopId', message: 'is required, because you have not exactly one shop' })
  else if (!rules.isShop(shopId)) errors.push({ path: '/shopId', message: 'there is no such shop' })
  if (occurredAt === null) errors.push({ path: '/occurredAt', message: 'is not a time with an offset, nor a date' })
  else if (occurredAt > rules.now) errors.push({ path: '/occurredAt', message: 'is in the future' })
  else if (occurredAt < 0) errors.push({ path: '/occurredAt', message: 'is before 1970' })
  return errors.length > 0 ? refused(errors) : { tag: 'TAKEN', record: recordOf(line, shopId!, occurredAt!, rules.now) }
}

function recordOf(line: ImportLine, shopId: string, occurredAt: number, receivedAt: number): NewRecord {
  const customer = line.customer || null
  // An order without a buyer is of a buyer of its own.
  const cid = line.cid || (customer === null ? `order:${line.eventId}` : `customer:${customer}`)
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

function timeOf(text: string): number | null {
  const day = text.slice(0, 10)
  if (!DATE.test(text) && !DATE_TIME.test(text)) return null
  const midnight = new Date(`${day}T00:00:00Z`)
  // Not the 30th of February, which Date would take for the 2nd of March.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return null
  const epochMs = Date.parse(text)
  return Number.isNaN(epochMs) ? null : epochMs
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refused(errors: FieldError[]): ReadOrder {
  return { tag: 'REFUSED', errors }
}
