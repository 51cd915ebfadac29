import { isVoidedSql, VOIDED } from './corrections.ts'
import { type CountedCells, countedFactsSql } from './report-counts.ts'
import { type CountedFact, eventMeasures } from './report-measures.ts'

/**
 * What reports count, each as SQL with the same columns: shopId, occurredAt, currency, campaignId, accountId, adId, isDisplay,
 * adUnitId, algorithm, country. Records that came twice are one fact. Shared parameters are made by `report.ts`.
 */

/** Ad requests. */
const requestsSql = (scope: string): string => `
  SELECT shopId, occurredAt, CAST(country AS Nullable(String)) AS country, toInt64(1) AS facts
  FROM emissions WHERE ${scope}
  ORDER BY shopId, occurredAt, requestId LIMIT 1 BY shopId, occurredAt, requestId`

/** Slots that requests asked for. Only the parts of the nested columns that are used are read. */
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

/** Views and clicks with their verdict. Of records that share an event id the valid one is the fact. */
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
 * Facts as they are stored, in rows of one each: shopId, occurredAt, what they are counted by, `facts`, and what events add to each
 * measure.
 */
export const storedFactsSql: Record<CountedFact, (scope: string) => string> = {
  request: requestsSql,
  slot: slotsSql,
  ad: adsSql,
  event: eventsSql,
}

/** Without a currency: what was asked for and shown has that of the shop. */
const shopCurrency = "transform(shopId, {shopIds:Array(String)}, {shopCurrencies:Array(String)}, '')"
const inShopCurrency = (facts: string): string => `SELECT *, ${shopCurrency} AS currency FROM (${facts})`

/** Whose ads they are is known from the campaigns, and looked up only when it matters. */
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
  /** Condition on shopId and occurredAt of what is read as it is stored; null: nothing. */
  stored: string | null
  counted: readonly CountedCells[]
  /** Whether accountId is used. */
  withAccounts: boolean
  /** Condition on the other columns, for facts that can use it early; the caller applies it to all of them. */
  filter: string
}

/** Facts, each or in sums: what a row stands for is in `facts`. */
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

/** @param credits SQL of `attributionQuery`; null: the credits as stored. */
export function creditsSql(scope: string, credits: string | null): string {
  return credits === null ? storedCreditsSql(scope) : weighedCreditsSql(credits)
}
