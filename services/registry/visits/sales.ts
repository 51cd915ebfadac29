import type { Analytics } from '../../../infra/analytics/port.ts'
import { type SalePlace, type SaleRow, salesQuery } from '../../../infra/analytics/queries/visits.ts'
import { AttributedSale, SALES_LIMIT_DEFAULT, type SalesQuery } from '../../../schemas/http/panel/reports/visits.ts'
import { fromMicros } from '../../domain/money/money.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { toIso } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import type { Principal } from '../rights/auth.ts'
import { rangeOf, refuseForgotten } from './range.ts'

/** Names of the properties of a line, in their order. */
export const saleColumns = Object.keys(AttributedSale.properties)

/**
 * Attributed lines of purchases with how their buyers came, the earliest first.
 * @throws Problem INVALID, also for a time whose page views have been forgotten, or NOT_FOUND for a shop that the caller may not see.
 */
export async function readSalesPage(
  { analytics, snapshot, now }: { analytics: Analytics; snapshot: Snapshot; now: () => number },
  { principal, query }: { principal: Principal; query: SalesQuery },
) {
  const { limit = SALES_LIMIT_DEFAULT, cursor } = query
  const fieldErrors = new FieldErrors()
  const after = cursor === undefined ? null : placeOf(cursor)
  fieldErrors.check(cursor === undefined || after !== null, 'querystring/cursor', 'is not the cursor of a page')
  const { range } = rangeOf(snapshot, principal, query, fieldErrors)
  await refuseForgotten({ analytics, now }, range.from)
  // One row more tells whether there is another page.
  const { sql, params } = salesQuery(range, { after, limit: limit + 1 })
  const rows = await analytics.query<SaleRow>(sql, params)
  const last = rows.length > limit ? rows[limit - 1]! : null
  return {
    sales: rows.slice(0, limit).map((row) => saleOf(snapshot, row)),
    nextCursor: last && writeCursor([last.occurredAt, last.eventId, last.line]),
  }
}

function saleOf(snapshot: Snapshot, { priceMicros, cameAt, landingPage, touchAt, occurredAt, ...row }: SaleRow) {
  const sale = {
    ...row,
    occurredAt: toIso(occurredAt),
    price: fromMicros(priceMicros),
    campaignName: snapshot.getEver('Campaign', row.campaignId)?.body.name ?? null,
    touchAt: toIso(touchAt),
    cameAt: cameAt === 0 ? null : toIso(cameAt),
    landingPage: landingPage || null,
  }
  return Object.fromEntries(saleColumns.map((name) => [name, sale[name as keyof typeof sale]]))
}

const writeCursor = (place: SalePlace): string => Buffer.from(JSON.stringify(place)).toString('base64url')

/** Null when `writeCursor` did not make the cursor. */
function placeOf(cursor: string): SalePlace | null {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(place) || place.length !== 3) return null
    const [at, eventId, line] = place
    const isLine = Number.isInteger(line) && line >= 0 && line < 2 ** 32
    return Number.isSafeInteger(at) && typeof eventId === 'string' && isLine ? [at, eventId, line] : null
  } catch {
    return null
  }
}
