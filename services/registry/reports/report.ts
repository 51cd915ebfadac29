import type { Analytics } from '../../../infra/analytics/port.ts'
import { type ShopHas, shopHasSql } from '../../../infra/analytics/queries/attribution/attribution-query.ts'
import { REPORT_MAX_SECONDS, type ReportRow, reportQuery } from '../../../infra/analytics/queries/report.ts'
import type { Measure } from '../../../infra/analytics/queries/report-measures.ts'
import { factOf, isInRows, type ReportSpec } from '../../../infra/analytics/queries/report-spec.ts'
import { readClosedUntil } from '../../../infra/analytics/retention/closed-months.ts'
import { readEndedUntil, settledUntilOf } from '../../../infra/analytics/retention/ended-identifiers.ts'
import type { ReportDimension, ReportDisclosure } from '../../../schemas/http/panel/reports/reports.ts'
import { Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { invalid } from '../../http/violations.ts'
import { toIso } from '../resources/conversions.ts'
import type { Principal } from '../rights/auth.ts'
import { disclosureOf } from './disclosure.ts'
import {
  type Figure,
  type Figures,
  figuresOf,
  figuresOverCurrencies,
  type IsCounted,
  type MeasuredRow,
} from './figures.ts'
import { isNamed, type NameOf, readNames, type TitleIndex } from './names.ts'
import { planReads, readsRequests, readsRowsBefore } from './read-plan.ts'
import type { ReportRequest } from './request.ts'
import { type ReportScope, scopeOf } from './scope.ts'
import { specOf } from './spec.ts'

export interface Report {
  /** Properties in the order of `columnsOf`. */
  rows: Record<string, string | Figure>[]
  /** Over all rows, including those that are cut off. `currency` is null when there are several; then there are no sums of money. */
  totals: { currency: string | null } & Figures
  totalsByCurrency: ({ currency: string } & Figures)[]
  truncated: boolean
  disclosure?: ReportDisclosure
}

/** Names of the properties of a row, in their order. */
export function columnsOf({ dimensions, metrics }: ReportRequest): string[] {
  return [...dimensions.flatMap((each) => (isNamed(each) ? [each, `${each}Name`] : [each])), 'currency', ...metrics]
}

export interface ReportCall {
  principal: Principal
  request: ReportRequest
  rowsMax: number
  /** What happens to a report with more rows. */
  beyond: 'CUT' | 'REFUSE'
}

/**
 * @throws Problem NOT_FOUND for ids that the caller may not see, INVALID when one shop must be chosen, or rows of ad requests
 *   are forgotten, or credit under another model needs identifiers that have ended, TOO_LARGE when there are more than `rowsMax` rows and `beyond` is REFUSE.
 */
export async function runReport(
  deps: { analytics: Analytics; snapshot: Snapshot; index: TitleIndex; now: () => number },
  { principal, request, rowsMax, beyond }: ReportCall,
): Promise<Report> {
  const { analytics, snapshot, now } = deps
  const scope = scopeOf(snapshot, principal, request.filters)
  const spec = specOf(snapshot, request, scope, rowsMax + 1, await readShopHas(analytics, request, scope))
  const isEmpty = spec.zones.length === 0 || spec.measures.length === 0
  if (spec.credits) await refuseEnded(analytics, spec)
  const measured = isEmpty ? [] : await measure(analytics, spec, now())
  // Identifiers may have ended before they were read.
  if (spec.credits) await refuseEnded(analytics, spec)
  const [ofRows, ofTotals] = [0, 1].map((isTotal) => measured.filter((row) => row.isTotal === isTotal)) as [
    Row[],
    Row[],
  ]
  const { dimensions } = request
  const all = dimensions.length === 0 ? ofTotals : ofRows
  if (all.length > rowsMax && beyond === 'REFUSE') {
    throw new Problem('TOO_LARGE', `The report has over ${rowsMax} rows: choose a shorter period or fewer dimensions`)
  }
  const shown = all.slice(0, Math.min(rowsMax, request.limit ?? rowsMax))
  const onlyShopId = scope.shops.length === 1 ? scope.shops[0]!.id : null
  const nameOf = await readNames(deps, shown, { dimensions, onlyShopId })
  const inTotals = (measure: Measure) => factOf(spec, measure) !== null
  const inRows = (measure: Measure) => inTotals(measure) && isInRows(factOf(spec, measure)!, dimensions)
  return {
    rows: shown.map((row) => ({
      ...dimensionsOf(dimensions, row, nameOf),
      currency: row.currency,
      ...figuresOf(request.metrics, row, inRows),
    })),
    totals: totalsOf(ofTotals, {
      metrics: request.metrics,
      currencies: spec.currencies.values(),
      isCounted: inTotals,
    }),
    totalsByCurrency: ofTotals.map((row) => ({ currency: row.currency, ...figuresOf(request.metrics, row, inTotals) })),
    truncated: all.length > shown.length,
    ...(request.isDisclosing && { disclosure: disclosureOf(request, scope.shops, principal) }),
  }
}

/** What the shop of a report under other settings has; null for other reports. */
async function readShopHas(
  analytics: Analytics,
  { whatIf }: ReportRequest,
  { shops }: ReportScope,
): Promise<ShopHas | null> {
  const [shop, ...others] = shops
  if (!whatIf || !shop || others.length > 0) return null
  const sql = `${shopHasSql} SETTINGS max_execution_time = ${REPORT_MAX_SECONDS}`
  return (await analytics.query<ShopHas>(sql, { shopId: shop.id }))[0]!
}

type Row = MeasuredRow & Omit<ReportRow, 'sums'>

/** @throws Problem INVALID when the report needs rows of ad requests that are forgotten. */
async function measure(analytics: Analytics, spec: ReportSpec, now: number): Promise<Row[]> {
  const readsClosed = () => (readsRequests(spec) ? readClosedUntil(analytics) : Number.NEGATIVE_INFINITY)
  for (let closedUntil = await readsClosed(); ; ) {
    const plans = await planReads(analytics, spec, { closedUntil, now })
    if (readsRowsBefore(plans, closedUntil)) throw forgotten(closedUntil)
    const { sql, params } = reportQuery({ ...spec, plans })
    const rows = await analytics.query<ReportRow>(sql, params)
    const closedSince = await readsClosed()
    // Rows of the plan may have been dropped before they were read.
    if (!readsRowsBefore(plans, closedSince)) return rows.map((row) => measuredRow(spec, row))
    closedUntil = closedSince
  }
}

const measuredRow = ({ measures }: ReportSpec, { sums, ...row }: ReportRow): Row => ({
  ...row,
  ...Object.fromEntries(measures.map((measure, i) => [measure, sums[i]])),
})

function forgotten(closedUntil: number): Problem {
  const path = 'querystring/from'
  const message = `must be ${toIso(closedUntil)} or later for requests and emissions by these dimensions and filters, or of parts of a day or hour: ad requests of earlier months are kept only as counts of whole hours and days`
  return invalid([{ path, message }])
}

/** @throws Problem INVALID when purchases of the period can no longer be credited anew. */
async function refuseEnded(analytics: Analytics, { zones }: ReportSpec): Promise<void> {
  const settledUntil = settledUntilOf(await readEndedUntil(analytics))
  if (zones.every(({ from }) => from >= settledUntil)) return
  const path = 'querystring/from'
  const message = `must be ${toIso(settledUntil)} or later with model, clickWindowHours or viewWindowHours: identifiers of people have ended, so purchases from before keep the credit that they have`
  throw invalid([{ path, message }])
}

function totalsOf(
  rows: readonly Row[],
  {
    metrics,
    isCounted,
    ...options
  }: { metrics: ReportRequest['metrics']; currencies: Iterable<string>; isCounted: IsCounted },
): Report['totals'] {
  const currencies = new Set(rows.length > 0 ? rows.map(({ currency }) => currency) : options.currencies)
  const [only = null] = currencies
  return only !== null && currencies.size === 1
    ? { currency: only, ...figuresOf(metrics, rows[0] ?? {}, isCounted) }
    : { currency: null, ...figuresOverCurrencies(metrics, rows, isCounted) }
}

function dimensionsOf(dimensions: readonly ReportDimension[], row: Row, nameOf: NameOf) {
  return Object.fromEntries(
    dimensions.flatMap((each): [string, string | null][] => {
      // An unknown value is the empty string in a grouping key.
      const value = row[each] || null
      return isNamed(each)
        ? [
            [each, value],
            [`${each}Name`, nameOf(each, row)],
          ]
        : [[each, value]]
    }),
  )
}
