import { createHash } from 'node:crypto'
import type { Analytics } from './port.ts'
import { VOIDED, voidedEventIdsSql } from './queries/corrections.ts'
import { campaignDaysSql } from './queries/views/campaign-days.ts'
import { ordersSql } from './queries/views/orders.ts'

/** One row per shop, including deleted ones. */
const shopsSql = `
SELECT shopId, argMax(timeZone, version) AS timeZone
FROM shop_versions GROUP BY shopId`

/** UTC epoch milliseconds as a DateTime64. ClickHouse knows of this sum, unlike of fromUnixTimestamp64Milli, that it grows with them. */
const momentSql = (ms: string): string => `toDateTime64(0, 3, 'UTC') + toIntervalMillisecond(${ms})`

/** The rows of a query, with `shopDay`, the local day of the shop on which each happened, and `occurredAt` as a DateTime64. */
function withShopDaySql(rows: string): string {
  // formatDateTime is the only function that takes a different time zone for each row.
  const local =
    "formatDateTime(toDateTime(intDiv(rows.occurredAt, 1000), 'UTC'), '%F', if(shops.timeZone = '', 'UTC', shops.timeZone))"
  return `
SELECT toDate(${local}) AS shopDay, rows.* REPLACE (${momentSql('rows.occurredAt')} AS occurredAt)
FROM (${rows}) AS rows
LEFT JOIN v_shops AS shops ON shops.shopId = rows.shopId`
}

/** Columns of the ad that an event or a sale belongs to. */
const adColumnsSql = (isDisplay: string) => `
  if(${isDisplay}, 'DISPLAY', 'SPONSORED') AS adKind, if(${isDisplay}, NULL, adId) AS advertisedProductId,
  if(${isDisplay}, adId, NULL) AS bannerId, adUnitId, slotHash, toString(algorithm) AS algorithm,
  CAST(country AS Nullable(String)) AS country`

/** GLOBAL, because people query with settings of their own: without it a cluster refuses to look into a second sharded table. */
const isVoidedSql = `eventId GLOBAL IN (${voidedEventIdsSql})`

/** Every view and click that was reported, with its verdict. Of the records that share an event id, the valid one counts. */
const eventsSql = withShopDaySql(`
SELECT shopId, occurredAt, eventId, toString(type) AS type,
  if(${isVoidedSql} AND judged.verdict = 'VALID', '${VOIDED}', toString(judged.verdict)) AS verdict,
  CAST(invalidReason AS Nullable(String)) AS invalidReason, marks, campaignId, accountId,${adColumnsSql("kind = 'DISPLAY'")},
  itemGroupId, position, autoPromo AS isSelfPromotion, requestId, fromUnixTimestamp64Milli(emittedAt, 'UTC') AS servedAt,
  cid, uid, priceMicros, if(verdict = 'VALID', judged.billedMicros, 0) AS billedMicros,
  if(verdict = '${VOIDED}', judged.billedMicros, 0) AS creditedBackMicros, toString(currency) AS currency
FROM judged_events AS judged
ORDER BY shopId, judged.occurredAt, eventId, judged.verdict != 'VALID' LIMIT 1 BY shopId, judged.occurredAt, eventId`)

const validSql = (type: 'VIEW' | 'CLICK') => `
SELECT * EXCEPT (type, verdict, invalidReason, creditedBackMicros) FROM v_events WHERE type = '${type}' AND verdict = 'VALID'`

/** Views that are valid and were not voided. */
const impressionsSql = validSql('VIEW')

/** Clicks that are valid and were not voided. */
const clicksSql = validSql('CLICK')

/** Each line of a purchase that is credited to a campaign. */
const attributedSalesSql = withShopDaySql(`
SELECT shopId, occurredAt, eventId AS orderId, line, shopProductId AS productId, quantity AS units,
  priceMicros AS revenueMicros, returnedQuantity AS returnedUnits, returnedMicros,
  priceMicros - returnedMicros AS netRevenueMicros, toString(currency) AS currency, toString(match) AS match,
  toString(touchType) AS touchType, touchEventId, fromUnixTimestamp64Milli(touchAt, 'UTC') AS touchAt,
  campaignId, accountId,${adColumnsSql("startsWith(algorithm, 'DISPLAY')")}, cid, uid
FROM credited_lines FINAL WHERE kind = 'PURCHASE'`)

/**
 * The views for people who query the tables themselves; each comes after the views that it reads. A view has one row per fact:
 * duplicates, voided events and displaced versions are already resolved. `docs/data.md` lists the columns, which are stable.
 */
export const views = {
  v_shops: shopsSql,
  v_events: eventsSql,
  v_impressions: impressionsSql,
  v_clicks: clicksSql,
  v_orders: withShopDaySql(ordersSql),
  v_attributed_sales: attributedSalesSql,
  v_campaign_days: campaignDaysSql(),
} as const

/** Changes whenever the definition of a view changes. */
export const viewsVersion = `views ${createHash('sha256').update(JSON.stringify(views)).digest('hex').slice(0, 16)}`

/** Creates or replaces the views. May be called repeatedly, and by several processes at once. */
export async function defineViews(analytics: Pick<Analytics, 'command'>): Promise<void> {
  for (const [name, sql] of Object.entries(views)) {
    // Whoever may read a view need not be allowed to read the tables behind it.
    await analytics.command(`CREATE OR REPLACE VIEW ${name} DEFINER = CURRENT_USER SQL SECURITY DEFINER AS ${sql}`)
  }
}
