import { createHash } from 'node:crypto'
import type { Analytics } from './port.ts'
import { returnedMicrosSql, returnedQuantitySql, returnedSql } from './queries/attribution/returned-lines.ts'
import { TRANSACTION_ORDER } from './queries/attribution/transaction-versions.ts'
import { VOIDED, voidedEventIdsSql } from './queries/corrections.ts'

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

const returnedUnits = returnedQuantitySql({ lines: 'lines', number: 'number' })
const returnedMicros = returnedMicrosSql('lines[number].priceMicros', 'returned', 'lines[number].quantity')

/** Purchases as they came. Ids are compared by a hash, which takes less memory; ids that share one do no harm. */
const sentPurchasesSql = `(SELECT *, cityHash64(eventId) AS idHash FROM transactions WHERE kind = 'PURCHASE')`

/** Holds for the versions `sent` whose id came more than once, or shares its hash with one that did. */
const sentAgainSql = `
  (SELECT shopId, idHash FROM ${sentPurchasesSql} GROUP BY shopId, idHash HAVING count() > 1) AS again
  ON again.shopId = sent.shopId AND again.idHash = sent.idHash`

const TOLD = ['occurredAt', 'cid', 'uid', 'currency', 'lines', 'imported', 'proof']

/**
 * One row per purchase: its version that counts. Most ids came once. Only the others are grouped: a filter on the time does not get through
 * a GROUP BY, which would read and keep in memory all that the shop ever sold.
 */
const countedPurchasesSql = `
SELECT ${['shopId', 'eventId', ...TOLD].map((column) => `sent.${column} AS ${column}`).join(', ')}
FROM ${sentPurchasesSql} AS sent
LEFT ANTI JOIN ${sentAgainSql}
UNION ALL
SELECT shopId, eventId, ${TOLD.map((column, i) => `told.${i + 1} AS ${column}`).join(', ')}
FROM (
  SELECT sent.shopId AS shopId, eventId, argMin(tuple(${TOLD.join(', ')}), tuple(${TRANSACTION_ORDER})) AS told
  FROM ${sentPurchasesSql} AS sent
  INNER JOIN ${sentAgainSql}
  GROUP BY shopId, eventId)`

/** Every purchase that shops reported or imported, whether an ad had a part in it or not. */
const ordersSql = withShopDaySql(`
SELECT shopId, occurredAt, eventId AS orderId, cid, uid, toString(currency) AS currency, lines, imported AS isImported,
  toString(proof) AS proof,
  toInt64(arraySum(lines.quantity)) AS units, toInt64(arraySum(lines.priceMicros)) AS revenueMicros,
  arrayMap(number -> ${returnedUnits}, arrayEnumerate(lines)) AS returnedUnitsOfLines,
  toInt64(arraySum(returnedUnitsOfLines)) AS returnedUnits,
  toInt64(arraySum((number, returned) -> ${returnedMicros}, arrayEnumerate(lines), returnedUnitsOfLines)) AS returnedMicros,
  revenueMicros - returnedMicros AS netRevenueMicros
FROM (${countedPurchasesSql}) AS purchases
LEFT JOIN (${returnedSql('1')}) AS r ON r.shopId = purchases.shopId AND r.eventId = purchases.eventId`)

/** Each line of a purchase that is credited to a campaign. */
const attributedSalesSql = withShopDaySql(`
SELECT shopId, occurredAt, eventId AS orderId, line, shopProductId AS productId, quantity AS units,
  priceMicros AS revenueMicros, returnedQuantity AS returnedUnits, returnedMicros,
  priceMicros - returnedMicros AS netRevenueMicros, toString(currency) AS currency, toString(match) AS match,
  toString(touchType) AS touchType, touchEventId, fromUnixTimestamp64Milli(touchAt, 'UTC') AS touchAt,
  campaignId, accountId,${adColumnsSql("startsWith(algorithm, 'DISPLAY')")}, cid, uid
FROM credited_lines FINAL WHERE kind = 'PURCHASE'`)

/** What a row of each view adds to the day of a campaign; sums that it does not name get 0. */
const counted = {
  v_impressions: { impressions: '1', spendMicros: 'billedMicros' },
  v_clicks: { clicks: '1', spendMicros: 'billedMicros' },
  v_attributed_sales: { orderId: 'orderId', revenueMicros: 'revenueMicros', returnedMicros: 'returnedMicros' },
}

/** Sums beyond it are given as this number: 9,224 sales of the highest price on one day have no room in an Int64. */
const INT64_MAX = '9223372036854775807'
const SUMS = ['impressions', 'clicks', 'spendMicros', 'revenueMicros', 'returnedMicros'] as const

const rowsOf = (view: string, adds: Readonly<Record<string, string>>) => `
  SELECT shopId, shopDay, campaignId, accountId, currency,
    ${SUMS.map((name) => `toInt128(${adds[name] ?? '0'}) AS ${name}`).join(', ')},
    ${adds.orderId ?? 'NULL'} AS orderId
  FROM ${view}`

/** One row for each campaign, day of its shop and currency on which something counted. */
const campaignDaysSql = `
SELECT shopId, shopDay, campaignId, any(accountId) AS accountId, currency,
  ${SUMS.map((name) => `toInt64(least(sum(day.${name}), ${INT64_MAX})) AS ${name}`).join(', ')},
  revenueMicros - returnedMicros AS netRevenueMicros, uniqExact(orderId) AS orders
FROM (${Object.entries(counted)
  .map(([view, adds]) => rowsOf(view, adds))
  .join('\n  UNION ALL')}
) AS day
GROUP BY shopId, shopDay, campaignId, currency`

/**
 * The views for people who query the tables themselves; each comes after the views that it reads. A view has one row per fact:
 * duplicates, voided events and displaced versions are already resolved. `docs/data.md` lists the columns, which are stable.
 */
export const views = {
  v_shops: shopsSql,
  v_events: eventsSql,
  v_impressions: impressionsSql,
  v_clicks: clicksSql,
  v_orders: ordersSql,
  v_attributed_sales: attributedSalesSql,
  v_campaign_days: campaignDaysSql,
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
