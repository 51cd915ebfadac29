import { DAY_MS } from '../../../schemas/durations.ts'
import type { VisitDimension } from '../../../schemas/http/panel/reports/visits.ts'
import type { QueryParams } from '../port.ts'

/** A query that takes longer is aborted, because others wait behind it. */
const EXECUTION_MAX_SECONDS = 30
/** How old, at the time of a purchase, the page view may be that says how the buyer came. */
export const VISIT_LOOKBACK_MS = 30 * DAY_MS

/** The shop and time that every query here is about, [from, to) in UTC epoch milliseconds. */
export interface VisitRange {
  shopId: string
  from: number
  to: number
}

/** How long after a page view it may be sent again under the same id, with a later time of its own. */
export const SENT_AGAIN_MS = DAY_MS

/**
 * Page views in the range and up to `beforeMs` before it, each id once, at its first time.
 * @param condition SQL that holds for the first of some page views with one id when it holds for another.
 */
const pageViews = (beforeMs: number, condition = '1'): string => `
  SELECT * FROM (
    SELECT * FROM page_views
    WHERE shopId = {shopId:String} AND occurredAt >= {from:Int64} - ${beforeMs + SENT_AGAIN_MS} AND occurredAt < {to:Int64}
      AND ${condition}
    ORDER BY shopId, occurredAt, id LIMIT 1 BY shopId, id
  )
  WHERE occurredAt >= {from:Int64} - ${beforeMs}`

const MARKS = ['gclid', 'utmSource', 'utmMedium', 'utmCampaign'] as const

/**
 * Credited lines of purchases, each with the last page view of its browser that has one of `MARKS`, if that was no more than
 * `VISIT_LOOKBACK_MS` before the purchase; otherwise `cameAt` is 0.
 * @param lines SQL that selects from credited_lines.
 * @param until SQL for a time that none of the lines is after, if that may be long before the end of the range.
 */
const salesWithVisits = (lines: string, until = '{to:Int64}'): string => `
  SELECT sold.*, came.occurredAt >= sold.occurredAt - ${VISIT_LOOKBACK_MS} AS isRecent,
    if(isRecent, came.occurredAt, 0) AS cameAt, if(isRecent, came.referer, '') AS landingPage,
    ${MARKS.map((name) => `if(isRecent, came.${name}, NULL) AS ${name}`).join(', ')}
  FROM (${lines}) AS sold
  ASOF LEFT JOIN (
    SELECT cid, occurredAt, referer, ${MARKS.join(', ')}
    FROM (${pageViews(
      VISIT_LOOKBACK_MS,
      `coalesce(${MARKS.join(', ')}, '') != '' AND cid IN (SELECT cid FROM (${lines})) AND occurredAt <= ${until}`,
    )})
  ) AS came ON came.cid = sold.cid AND came.occurredAt <= sold.occurredAt`

const CREDITED = `FROM credited_lines FINAL WHERE shopId = {shopId:String} AND kind = 'PURCHASE'
      AND occurredAt >= {from:Int64} AND occurredAt < {to:Int64}`

export interface SaleRow {
  eventId: string
  line: number
  occurredAt: number
  cid: string
  uid: string | null
  shopProductId: string
  quantity: number
  priceMicros: number
  currency: string
  campaignId: string
  match: 'DIRECT' | 'HALO'
  touchType: 'VIEW' | 'CLICK'
  touchAt: number
  /** UTC epoch milliseconds; 0 when it is not known how the buyer came. */
  cameAt: number
  landingPage: string
  gclid: string | null
  utmSource: string | null
  utmMedium: string | null
  utmCampaign: string | null
}

/** Where a page ends: its last line, in the order of the list. */
export type SalePlace = readonly [occurredAt: number, eventId: string, line: number]

/** Credited lines of purchases with how their buyers came, the earliest first. Rows are `SaleRow`. */
export function salesQuery(
  range: VisitRange,
  { after, limit }: { after: SalePlace | null; limit: number },
): { sql: string; params: QueryParams } {
  const [afterAt, afterEventId, afterLine] = after ?? [range.from - 1, '', 0]
  const lines = `
    SELECT eventId, line, occurredAt, cid, uid, shopProductId, quantity, priceMicros, toString(currency) AS currency, campaignId,
      toString(match) AS match, toString(touchType) AS touchType, touchAt
    ${CREDITED} AND (occurredAt, eventId, line) > ({afterAt:Int64}, {afterEventId:String}, {afterLine:UInt32})
    ORDER BY occurredAt, eventId, line LIMIT ${Math.trunc(limit)}`
  const sql = `
SELECT eventId, toInt64(line) AS line, sold.occurredAt AS occurredAt, cid, uid, shopProductId, quantity, priceMicros, currency,
  campaignId, match, touchType, touchAt, cameAt, landingPage, gclid, utmSource, utmMedium, utmCampaign
FROM (${salesWithVisits(lines, `(SELECT max(occurredAt) FROM (${lines}))`)}) AS sold
WHERE 1
ORDER BY occurredAt, eventId, line
SETTINGS max_execution_time = ${EXECUTION_MAX_SECONDS}`
  return { sql, params: { ...range, from: Math.max(range.from, afterAt), afterAt, afterEventId, afterLine } }
}

export interface VisitSpec extends VisitRange {
  dimensions: readonly VisitDimension[]
  /** Currency of the shop, in whose rows page views are shown. */
  currency: string
  /** Where the local clock's distance from UTC changes; the first span starts at `from` or before. */
  spans: readonly { start: number; offsetMs: number }[]
  limit: number
}

export type VisitRow = Partial<Record<Exclude<VisitDimension, 'gclid'>, string>> & {
  isTotal: number
  gclid?: number
  currency: string
  pageViews: number
  visitors: number
  purchases: number
  /** Micro-units as text: a sum may be over a safe integer. */
  revenueMicros: string
}

const localMs =
  'occurredAt + transform(roundDown(occurredAt, {starts:Array(Int64)}), {starts:Array(Int64)}, {offsets:Array(Int64)}, toInt64(0))'
/** All SQL of a report comes from here; what callers send goes into parameters. */
const keys: Record<VisitDimension, string> = {
  day: `formatDateTime(fromUnixTimestamp64Milli(intDiv(${localMs}, ${DAY_MS}) * ${DAY_MS}, 'UTC'), '%Y-%m-%d')`,
  utmSource: "coalesce(utmSource, '')",
  utmMedium: "coalesce(utmMedium, '')",
  utmCampaign: "coalesce(utmCampaign, '')",
  gclid: "toUInt8(coalesce(gclid, '') != '')",
}

/**
 * Page views, each id once at its first time, and purchases by how their buyers came. Rows are `VisitRow`: those with `isTotal` 0 are
 * grouped by the dimensions, the most page views first; those with 1 are the sums over all.
 */
export function visitQuery({ dimensions, currency, spans, limit, ...range }: VisitSpec): {
  sql: string
  params: QueryParams
} {
  const named = dimensions.map((each) => `key_${each}`)
  const columns = dimensions.map((each) => `${keys[each]} AS key_${each}`).join(', ')
  const isTotal = `toUInt8(grouping(${named[0]})) AS isTotal`
  const all = ['isTotal', ...named, 'currency'].join(', ')
  const sql = `
SELECT isTotal, ${dimensions.map((each) => `key_${each} AS ${each}`).join(', ')}, currency,
  toInt64(sum(seen)) AS pageViews, toInt64(sum(people)) AS visitors, toInt64(sum(sold)) AS purchases,
  toString(sum(earned)) AS revenueMicros
FROM (
  SELECT ${isTotal}, ${named.join(', ')}, {currency:String} AS currency,
    toInt64(count()) AS seen, toInt64(uniqExact(cid)) AS people, toInt64(0) AS sold, toInt128(0) AS earned
  FROM (
    SELECT cid, ${columns} FROM (${pageViews(0)})
  )
  GROUP BY GROUPING SETS ((${named.join(', ')}), ())
  UNION ALL
  SELECT ${isTotal}, ${named.join(', ')}, currency,
    toInt64(0) AS seen, toInt64(0) AS people, toInt64(uniqExact(eventId)) AS sold, sum(toInt128(priceMicros)) AS earned
  FROM (
    SELECT eventId, currency, priceMicros, ${columns} FROM (${salesWithVisits(`
      SELECT eventId, occurredAt, cid, priceMicros, toString(currency) AS currency ${CREDITED}`)}
    )
  )
  GROUP BY GROUPING SETS ((${[...named, 'currency'].join(', ')}), (currency))
)
GROUP BY ${all}
HAVING pageViews + purchases > 0
ORDER BY isTotal, pageViews DESC, purchases DESC, ${[...named, 'currency'].join(', ')}
LIMIT ${Math.trunc(limit)} BY isTotal
SETTINGS max_execution_time = ${EXECUTION_MAX_SECONDS}`
  const starts = spans.map(({ start }) => start)
  const offsets = spans.map(({ offsetMs }) => offsetMs)
  return { sql, params: { ...range, currency, starts, offsets } }
}
