import { isVoidedSql, VOIDED } from './corrections.ts'

/**
 * What reports count, each as SQL that selects one row per fact with the same columns: shopId, occurredAt, currency,
 * campaignId, accountId, adId, isDisplay, adUnitId, algorithm, country. Records that came twice are one fact.
 * Shared parameters are made by `report.ts`; `scope` is the condition on shopId and occurredAt.
 */
export type Fact = 'request' | 'slot' | 'ad' | 'event' | 'credit'

const shopCurrency = "transform(shopId, {shopIds:Array(String)}, {shopCurrencies:Array(String)}, '')"

/** Ad requests. */
const requestsSql = (scope: string): string => `
  SELECT shopId, occurredAt, ${shopCurrency} AS currency, CAST(country AS Nullable(String)) AS country
  FROM emissions WHERE ${scope}
  ORDER BY shopId, occurredAt, requestId LIMIT 1 BY shopId, occurredAt, requestId`

/** Slots that requests asked for. Only the parts of the nested columns that are used are read. */
const slotsSql = (scope: string): string => `
  SELECT shopId, occurredAt, currency, country, isDisplay, slot.1 AS adUnitId, slot.2 AS algorithm,
    slot.3 AS campaignIds, slot.4 AS adIds
  FROM (
    SELECT shopId, occurredAt, ${shopCurrency} AS currency, CAST(country AS Nullable(String)) AS country,
      kind = 'DISPLAY' AS isDisplay, slots.adUnitId AS units, slots.algorithm AS algorithms,
      slots.ads.campaignId AS campaigns, slots.ads.adId AS products
    FROM emissions WHERE ${scope}
    ORDER BY shopId, occurredAt, requestId LIMIT 1 BY shopId, occurredAt, requestId
  )
  ARRAY JOIN arrayZip(units, algorithms, campaigns, products) AS slot`

/** Ads that slots were filled with. Whose they are is known from the campaigns, and looked up only when it matters. */
const adsSql = (scope: string, withAccounts: boolean): string => {
  const served = `
    SELECT shopId, occurredAt, currency, country, isDisplay, adUnitId, algorithm, ad.1 AS campaignId, ad.2 AS adId
    FROM (${slotsSql(scope)})
    ARRAY JOIN arrayZip(campaignIds, adIds) AS ad`
  if (!withAccounts) return served
  return `
  SELECT served.*, owners.accountId AS accountId
  FROM (${served}
  ) AS served
  LEFT JOIN (
    SELECT campaignId, any(accountId) AS accountId FROM campaign_versions
    WHERE shopId IN {shopIds:Array(String)} GROUP BY campaignId
  ) AS owners ON owners.campaignId = served.campaignId`
}

/** Views and clicks with their verdict. Of records that share an event id the valid one is the fact. */
const eventsSql = (scope: string): string => `
  SELECT shopId, occurredAt, toString(currency) AS currency, campaignId, accountId, adId, kind = 'DISPLAY' AS isDisplay,
    adUnitId, toString(algorithm) AS algorithm, CAST(country AS Nullable(String)) AS country, type, invalidReason, marks, ${isVoidedSql} AS isVoided,
    if(isVoided, '${VOIDED}', judged_events.verdict) AS verdict, if(isVoided, 0, judged_events.billedMicros) AS billedMicros,
    if(isVoided, judged_events.billedMicros, 0) AS creditedBackMicros
  FROM judged_events WHERE ${scope}
  ORDER BY shopId, occurredAt, eventId, judged_events.verdict != 'VALID' LIMIT 1 BY shopId, occurredAt, eventId`

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
  /** Condition on shopId and occurredAt. */
  scope: string
  /** Condition on the other columns, for facts that can use it early; the caller applies it to all of them. */
  filter: string
  /** SQL of `attributionQuery`; null: the credits as stored. */
  credits: string | null
  /** Whether accountId is used. */
  withAccounts: boolean
}

export function factSql(fact: Fact, { scope, filter, credits, withAccounts }: FactOptions): string {
  switch (fact) {
    case 'request':
      return requestsSql(scope)
    case 'slot':
      return slotsSql(scope)
    case 'ad':
      return adsSql(scope, withAccounts)
    case 'event':
      return eventsSql(`${scope} AND ${filter}`)
    case 'credit':
      return credits === null ? storedCreditsSql(scope) : weighedCreditsSql(credits)
  }
}
