/** What a row of each view adds to the day of a campaign; sums that it does not name get 0. */
const counted = {
  v_impressions: { impressions: '1', spendMicros: 'billedMicros' },
  v_clicks: { clicks: '1', spendMicros: 'billedMicros' },
  v_attributed_sales: { orderId: 'orderId', revenueMicros: 'revenueMicros', returnedMicros: 'returnedMicros' },
}

/** Sums beyond it are given as this number: 9,224 sales of the highest price on one day have no room in an Int64. */
const INT64_MAX = '9223372036854775807'
const SUMS = ['impressions', 'clicks', 'spendMicros', 'revenueMicros', 'returnedMicros'] as const

const rowsOf = (view: string, adds: Readonly<Record<string, string>>, condition: string) => `
  SELECT shopId, shopDay, campaignId, accountId, currency,
    ${SUMS.map((name) => `toInt128(${adds[name] ?? '0'}) AS ${name}`).join(', ')},
    ${adds.orderId ?? 'NULL'} AS orderId
  FROM ${view} WHERE ${condition}`

/**
 * One row for each campaign, day of its shop and currency on which something counted.
 * @param condition on shopId and `occurredAt`, which holds for all of the days that are asked for. ClickHouse cannot tell it from a
 * filter on `shopDay`, which alone reads all of the shop.
 */
export const campaignDaysSql = (condition = '1'): string => `
SELECT shopId, shopDay, campaignId, any(accountId) AS accountId, currency,
  ${SUMS.map((name) => `toInt64(least(sum(day.${name}), ${INT64_MAX})) AS ${name}`).join(', ')},
  revenueMicros - returnedMicros AS netRevenueMicros, uniqExact(orderId) AS orders
FROM (${Object.entries(counted)
  .map(([view, adds]) => rowsOf(view, adds, condition))
  .join('\n  UNION ALL')}
) AS day
GROUP BY shopId, shopDay, campaignId, currency`
