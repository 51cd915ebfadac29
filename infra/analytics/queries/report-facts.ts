import { isVoidedSql, VOIDED } from './corrections.ts'
import { type CountedCells, countedFactsSql } from './report-counts.ts'
import { type CountedFact, eventMeasures } from './report-measures.ts'

/**
 * The facts that reports count, as SQL. The columns that facts may have: shopId, occurredAt, currency, campaignId, accountId, adId,
 * isDisplay, adUnitId, algorithm, country. Records that came twice are one fact. `report.ts` provides the shared parameters.
 */

/** Ad requests. */
const requestsSql = (scope: string): string => `
  SELECT shopId, occurredAt, CAST(country AS Nullable(String)) AS country, toInt64(1) AS facts
  FROM emissions WHERE ${scope}
  ORDER BY shopId, occurredAt, requestId LIMIT 1 BY shopId, occurredAt, requestId`

/** Slots that requests asked for. Of the nested columns, only the parts that are used are read. */
const slotsOfRequestsSql = (scope: string): string => `
  SELECT shopId, occurredAt, country, isDisplay, slot.1 AS adUnitId, slot.2 AS algorithm, slot.3 AS campaignIds, slot.4 AS adIds
  FROM (
    SELECT shopId, occurredAt, CAST(country AS Nullable(String)) AS country, kind = 'DISPLAY' AS isDisplay,
      slots.adUnitId AS units, slots.algorithm AS algorithms, slots.ads.campaignId AS campaigns, slots.ads.adId AS products
    FROM emissions WHERE ${scope}
    ORDER BY shopId, occurredAt, requestId LIMIT 1 BY shopId, occurredAt, requestId
  )
  ARRAY JOIN arrayZip(units, algorithms, campaigns, products) AS slot`

const slotsSql = (scope: string): string => `
  SELECT shopId, occurredAt, country, adUnitId, algorithm, toInt64(1) AS facts FROM (${slotsOfRequestsSql(scope)})`

/** Ads that slots were filled with. */
const adsSql = (scope: string): string => `
  SELECT shopId, occurredAt, country, adUnitId, algorithm, ad.1 AS campaignId, isDisplay, ad.2 AS adId, toInt64(1) AS facts
  FROM (${slotsOfRequestsSql(scope)})
  ARRAY JOIN arrayZip(campaignIds, adIds) AS ad`

/** Views and clicks with their verdict. Of the records that share an event id, the valid one is the fact. */
const eventsSql = (scope: string): string => `
  SELECT shopId, occurredAt, country, adUnitId, algorithm, campaignId, isDisplay, accountId, currency, adId,
    toInt64(1) AS facts,
    ${Object.entries(eventMeasures)
      .map(([measure, sql]) => `${sql} AS ${measure}`)
      .join(', ')}
  FROM (
    SELECT shopId, occurredAt, toString(currency) AS currency, campaignId, accountId, adId, kind = 'DISPLAY' AS isDisplay,
      adUnitId, toString(algorithm) AS algorithm, CAST(country AS Nullable(String)) AS country, type, invalidReason, marks,
      ${isVoidedSql} AS isVoided, if(isVoided, '${VOIDED}', judged_events.verdict) AS verdict,
      if(isVoided, 0, judged_events.billedMicros) AS billedMicros,
      if(isVoided, judged_events.billedMicros, 0) AS creditedBackMicros
    FROM judged_events WHERE ${scope}
    ORDER BY shopId, occurredAt, eventId, judged_events.verdict != 'VALID' LIMIT 1 BY shopId, occurredAt, eventId
  )`

/**
 * Facts from stored rows, one in each row: shopId, occurredAt, the columns by which they are counted, `facts`, and, for events, what
 * each adds to every measure.
 */
export const storedFactsSql: Record<CountedFact, (scope: string) => string> = {
  request: requestsSql,
  slot: slotsSql,
  ad: adsSql,
  event: eventsSql,
}

/** The currency of requests, slots and ads is that of the shop, because their rows have none. */
const shopCurrency = "transform(shopId, {shopIds:Array(String)}, {shopCurrencies:Array(String)}, '')"
const inShopCurrency = (facts: string): string => `SELECT *, ${shopCurrency} AS currency FROM (${facts})`

/** The account of an ad is that of its campaign. It is looked up only when a report needs it. */
const withAccountsSql = (ads: string): string => `
  SELECT served.*, owners.accountId AS accountId
  FROM (${ads}
  ) AS served
  LEFT JOIN (
    SELECT campaignId, any(accountId) AS accountId FROM campaign_versions
    WHERE shopId IN {shopIds:Array(String)} GROUP BY campaignId
  ) AS owners ON owners.campaignId = served.campaignId`

const creditColumns = `shopId, occurredAt, toString(currency) AS currency, campaignId, accountId, adId,
    startsWith(algorithm, 'DISPLAY') AS isDisplay, adUnitId, toString(algorithm) AS algorithm,
    CAST(country AS Nullable(String)) AS country, toString(kind) AS kind, eventId, toString(match) AS match`

/** Credits of lines of purchases, carts and wishlists, as stored. */
const storedCreditsSql = (scope: string): string => `
  SELECT ${creditColumns}, priceMicros AS creditedMicros, returnedMicros
  FROM attributed_lines FINAL WHERE ${scope} AND outcome = 'CREDITED'`

/**
 * Credits with weights (`attributionQuery`). Shares are rounded cumulatively over the touches of a line, from the
 * earliest, so that they add up to its price exactly.
 */
const weighedCreditsSql = (credits: string): string => `
  SELECT ${creditColumns}, ${shareSql('priceMicros')} AS creditedMicros, ${shareSql('attributed.returnedMicros')} AS returnedMicros
  FROM (
    SELECT *, row_number() OVER line_touches AS place, count() OVER (PARTITION BY shopId, kind, eventId, line) AS touches,
      sum(weight) OVER line_touches AS until,
      sum(weight) OVER (PARTITION BY shopId, kind, eventId, line ORDER BY touchAt, touchEventId
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (${credits})
    WINDOW line_touches AS (PARTITION BY shopId, kind, eventId, line ORDER BY touchAt, touchEventId
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
  ) AS attributed`

const shareSql = (micros: string): string =>
  `toInt64(if(place = touches, ${micros}, round(${micros} * until)) - round(${micros} * before))`

export interface FactOptions {
  /** Condition on shopId and occurredAt for the stored rows to read; null to read none. */
  stored: string | null
  counted: readonly CountedCells[]
  /** Whether accountId is used. */
  withAccounts: boolean
  /** Condition on the other columns, for facts that can apply it early; the caller applies it to all facts in the end. */
  filter: string
}

/** Facts, in rows of one or in sums: `facts` says for how many a row stands. */
export function factsSql(fact: CountedFact, { stored, counted, withAccounts, filter }: FactOptions): string {
  const scope = fact === 'event' ? `${stored ?? 0} AND ${filter}` : (stored ?? '0')
  const parts = [
    ...(counted.length === 0 ? [] : [countedFactsSql(fact, counted)]),
    ...(counted.length > 0 && stored === null ? [] : [storedFactsSql[fact](scope)]),
  ]
  const facts = parts.join('\n  UNION ALL')
  if (fact === 'event') return facts
  const priced = inShopCurrency(facts)
  return fact === 'ad' && withAccounts ? withAccountsSql(priced) : priced
}

/** @param credits SQL of `attributionQuery`; null for the stored credits. */
export function creditsSql(scope: string, credits: string | null): string {
  return credits === null ? storedCreditsSql(scope) : weighedCreditsSql(credits)
}
