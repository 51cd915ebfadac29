import { isVoidedInSql, VOIDED } from './corrections.ts'
import { countedFactsSql, type FactParts } from './report-counts.ts'
import { type CountedFact, eventMeasures } from './report-measures.ts'

/**
 * The facts that reports count, as SQL: shopId, occurredAt, and the parts that are asked for. What is not asked for is left out,
 * because ClickHouse works on each name that a statement has. Records that came twice are one fact. `report.ts` provides the shared
 * parameters.
 */

/** Columns that facts have in another type, or under another name, than the stored rows. */
const converted: Readonly<Record<string, string>> = {
  country: 'CAST(country AS Nullable(String)) AS country',
  algorithm: 'toString(algorithm) AS algorithm',
  currency: 'toString(currency) AS currency',
  isDisplay: "kind = 'DISPLAY' AS isDisplay",
}
const selected = (columns: readonly string[], of: Readonly<Record<string, string>>): string =>
  columns.map((column) => of[column] ?? column).join(', ')

/** One fact for each row. */
const ONE = 'toInt64(1) AS facts'
/** Holds for all shops of a report. */
const IN_SHOPS = 'shopId IN {shopIds:Array(String)}'
const ONE_A_REQUEST = 'ORDER BY shopId, occurredAt, requestId LIMIT 1 BY shopId, occurredAt, requestId'

/** Ad requests. */
const requestsSql = (scope: string, { columns }: FactParts): string => `
  SELECT ${selected(['shopId', 'occurredAt', ...columns], converted)}, ${ONE}
  FROM emissions WHERE ${scope}
  ${ONE_A_REQUEST}`

/** Slots that requests asked for. Of the nested columns, only the parts that are used are read. */
const slotsOfRequestsSql = (scope: string): string => `
  SELECT shopId, occurredAt, country, isDisplay, slot.1 AS adUnitId, slot.2 AS algorithm, slot.3 AS campaignIds, slot.4 AS adIds
  FROM (
    SELECT shopId, occurredAt, ${selected(['country', 'isDisplay'], converted)},
      slots.adUnitId AS units, slots.algorithm AS algorithms, slots.ads.campaignId AS campaigns, slots.ads.adId AS products
    FROM emissions WHERE ${scope}
    ${ONE_A_REQUEST}
  )
  ARRAY JOIN arrayZip(units, algorithms, campaigns, products) AS slot`

const slotsSql = (scope: string, { columns }: FactParts): string => `
  SELECT ${['shopId', 'occurredAt', ...columns, ONE].join(', ')} FROM (${slotsOfRequestsSql(scope)})`

/** Ads that slots were filled with. */
const adsSql = (scope: string, { columns }: FactParts): string => `
  SELECT ${selected(['shopId', 'occurredAt', ...columns], { campaignId: 'ad.1 AS campaignId', adId: 'ad.2 AS adId' })}, ${ONE}
  FROM (${slotsOfRequestsSql(scope)})
  ARRAY JOIN arrayZip(campaignIds, adIds) AS ad`

/** Views and clicks with their verdict. Of the records that share an event id, the valid one is the fact. */
const eventsSql = (scope: string, { columns, sums }: FactParts, ofShops: string): string => `
  SELECT ${['shopId', 'occurredAt', ...columns, ...sums.map(addedSql)].join(', ')}
  FROM (
    SELECT ${selected(['shopId', 'occurredAt', ...columns], converted)}, type, invalidReason, marks,
      ${isVoidedInSql(ofShops)} AS isVoided, if(isVoided, '${VOIDED}', judged_events.verdict) AS verdict,
      if(isVoided, 0, judged_events.billedMicros) AS billedMicros,
      if(isVoided, judged_events.billedMicros, 0) AS creditedBackMicros
    FROM judged_events WHERE ${scope}
    ORDER BY shopId, occurredAt, eventId, judged_events.verdict != 'VALID' LIMIT 1 BY shopId, occurredAt, eventId
  )`

/** What an event adds to a sum. */
const addedSql = (sum: string): string =>
  sum === 'facts' ? ONE : `${eventMeasures[sum as keyof typeof eventMeasures]} AS ${sum}`

/** Facts from stored rows, one in each row. `scope` is a condition on the rows. */
export const storedFactsSql: Record<CountedFact, (scope: string, parts: FactParts, ofShops: string) => string> = {
  request: requestsSql,
  slot: slotsSql,
  ad: adsSql,
  event: eventsSql,
}

/** The account of an ad is that of its campaign. It is looked up only when a report needs it. */
const withAccountsSql = (ads: string): string => `
  SELECT served.*, owners.accountId AS accountId
  FROM (${ads}
  ) AS served
  LEFT JOIN (
    SELECT campaignId, any(accountId) AS accountId FROM campaign_versions
    WHERE ${IN_SHOPS} GROUP BY campaignId
  ) AS owners ON owners.campaignId = served.campaignId`

const CREDIT_COLUMNS = ['shopId', 'occurredAt', 'currency', 'kind', 'eventId', 'match', 'line', 'quantity']
const convertedCredit: Readonly<Record<string, string>> = {
  ...converted,
  isDisplay: "startsWith(algorithm, 'DISPLAY') AS isDisplay",
  kind: 'toString(kind) AS kind',
  match: 'toString(match) AS match',
}

/** Credits of lines of purchases, carts and wishlists, as stored. */
const storedCreditsSql = (scope: string, columns: string): string => `
  SELECT ${columns}, priceMicros AS creditedMicros, returnedMicros
  FROM credited_lines FINAL WHERE ${scope}`

/**
 * Credits with weights (`attributionQuery`). Shares are rounded cumulatively over the touches of a line, from the
 * earliest, so that they add up to its price exactly.
 */
const weighedCreditsSql = (credits: string, columns: string): string => `
  SELECT ${columns}, ${shareSql('priceMicros')} AS creditedMicros, ${shareSql('attributed.returnedMicros')} AS returnedMicros
  FROM (
    SELECT *, row_number() OVER line_touches AS place, count() OVER (PARTITION BY shopId, kind, eventId, line) AS touches,
      sum(weight) OVER line_touches AS until,
      sum(weight) OVER (PARTITION BY shopId, kind, eventId, line ORDER BY touchAt, touchEventId
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (${credits})
    WINDOW line_touches AS (PARTITION BY shopId, kind, eventId, line ORDER BY touchAt, touchEventId
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
  ) AS attributed`

/** All branches are integers: a mixture would be nullable, and its sum over no rows would be NULL instead of 0. */
const shareSql = (micros: string): string =>
  `if(place = touches, ${micros}, toInt64(round(${micros} * until))) - toInt64(round(${micros} * before))`

export interface FactOptions extends FactParts {
  /** Condition on shopId and occurredAt for the stored rows to read; null to read none. */
  stored: string | null
  /** Condition on shopId, cut, startAt and endAt for the counts to read; null to read none. */
  counted: string | null
  /** Condition on the other columns, for facts that can apply it early; the caller applies it to all facts in the end. */
  filter: string
}

/** Facts, in rows of one or in sums: `facts` says for how many a row stands. Ads have the column accountId, too. */
export function factsSql(fact: CountedFact, { stored, counted, filter, columns, sums }: FactOptions): string {
  if (fact === 'ad' && columns.includes('accountId')) {
    const own = [...new Set(['campaignId', ...columns])].filter((column) => column !== 'accountId')
    return withAccountsSql(factsSql(fact, { stored, counted, filter, columns: own, sums }))
  }
  const scope = fact === 'event' ? `${stored ?? 0} AND ${filter}` : (stored ?? '0')
  const parts = [
    ...(counted === null ? [] : [countedFactsSql(fact, counted, { columns, sums })]),
    ...(counted !== null && stored === null ? [] : [storedFactsSql[fact](scope, { columns, sums }, IN_SHOPS)]),
  ]
  return parts.join('\n  UNION ALL')
}

/**
 * Credits of lines, with kind, eventId, line, quantity, match, currency, creditedMicros, returnedMicros, and some more columns.
 * @param credits SQL of `attributionQuery`; null for the stored credits.
 */
export function creditsSql(scope: string, credits: string | null, more: readonly string[]): string {
  const columns = selected([...new Set([...CREDIT_COLUMNS, ...more])], convertedCredit)
  return credits === null ? storedCreditsSql(scope, columns) : weighedCreditsSql(credits, columns)
}
