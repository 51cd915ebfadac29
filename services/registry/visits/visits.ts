import type { Analytics } from '../../../infra/analytics/port.ts'
import { type VisitRow, visitQuery } from '../../../infra/analytics/queries/visits.ts'
import { type VisitDimension, type VisitQuery, visitDimensions } from '../../../schemas/http/panel/reports/visits.ts'
import { Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { offsetSpans } from '../../domain/time/time-zone.ts'
import { readNames } from '../reports/request.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import type { Principal } from '../rights/auth.ts'
import { rangeOf, refuseForgotten } from './range.ts'

const DIMENSIONS_DEFAULT: readonly VisitDimension[] = ['utmSource', 'utmMedium', 'utmCampaign']

export interface VisitsCall {
  principal: Principal
  query: VisitQuery
  rowsMax: number
  /** What happens to a report with more rows. */
  beyond: 'CUT' | 'REFUSE'
}

/** Names of the properties of a row, in their order. */
export function visitColumns(query: VisitQuery): string[] {
  return [...dimensionsOf(query, new FieldErrors()), 'currency', 'pageViews', 'visitors', 'purchases', 'revenue']
}

/**
 * Page views and attributed purchases of a shop by how the visitors came. Money is a bigint of micro-units.
 * @throws Problem INVALID, also for a time whose page views have been forgotten; NOT_FOUND for a shop that the caller may not
 *   see; TOO_LARGE when there are more than `rowsMax` rows and `beyond` is REFUSE.
 */
export async function readVisits(
  { analytics, snapshot, now }: { analytics: Analytics; snapshot: Snapshot; now: () => number },
  { principal, query, rowsMax, beyond }: VisitsCall,
) {
  const fieldErrors = new FieldErrors()
  const dimensions = dimensionsOf(query, fieldErrors)
  const { shop, range } = rangeOf(snapshot, principal, query, fieldErrors)
  await refuseForgotten({ analytics, now }, range.from)
  const spans = offsetSpans(shop.body.timeZone, range.from, range.to)
  const asked = visitQuery({ ...range, dimensions, currency: shop.body.currency, spans, limit: rowsMax + 1 })
  const found = await analytics.query<VisitRow>(asked.sql, asked.params)
  const rows = found.filter((row) => row.isTotal === 0)
  if (rows.length > rowsMax && beyond === 'REFUSE') {
    throw new Problem('TOO_LARGE', `The report has over ${rowsMax} rows: choose a shorter period or fewer dimensions`)
  }
  return {
    rows: rows.slice(0, rowsMax).map((row) => ({ ...valuesOf(dimensions, row), ...figuresOf(row) })),
    totals: found.filter((row) => row.isTotal === 1).map(figuresOf),
    truncated: rows.length > rowsMax,
  }
}

function dimensionsOf({ groupBy }: VisitQuery, fieldErrors: FieldErrors): readonly VisitDimension[] {
  return readNames(groupBy, visitDimensions, 'groupBy', fieldErrors) ?? DIMENSIONS_DEFAULT
}

function valuesOf(dimensions: readonly VisitDimension[], row: VisitRow) {
  return Object.fromEntries(dimensions.map((each) => [each, each === 'gclid' ? row.gclid === 1 : row[each] || null]))
}

function figuresOf({ currency, pageViews, visitors, purchases, revenueMicros }: VisitRow) {
  return { currency, pageViews, visitors, purchases, revenue: BigInt(revenueMicros) }
}
