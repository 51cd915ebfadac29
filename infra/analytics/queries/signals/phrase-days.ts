import { DAY_MS } from '../../../../schemas/durations.ts'
import type { NewRows } from '../attribution/lookups.ts'
import { countsSql, isVoidedSql } from '../corrections.ts'

/** Which products were seen and clicked after which words, counted by shop and UTC day (days since the epoch) in `phrase_days`. */

const dayOf = `toInt32(intDiv(occurredAt, ${DAY_MS}))`
const clickSql = `kind = 'SPONSORED' AND type = 'CLICK'`

/** A day of a shop with clicks that are not counted yet. */
export interface DueDay {
  shopId: string
  day: number
  clicks: number
}
/**
 * Selects the days that have another number of clicks than when they were last counted: 0 if all were voided. Parameter since (UTC
 * epoch milliseconds).
 */
export const uncountedDaysSql = `
  SELECT shopId, day, clicks FROM (
    SELECT shopId, ${dayOf} AS day, toInt64(uniqExactIf(eventId, NOT ${isVoidedSql})) AS clicks FROM judged_events
    WHERE ${clickSql} AND verdict = 'VALID' AND occurredAt >= {since:Int64} GROUP BY shopId, day)
  WHERE (shopId, day, clicks) NOT IN (
    SELECT shopId, day, argMax(phrase_days.clicks, countedOn) FROM phrase_days FINAL WHERE phrase = 0 GROUP BY shopId, day)`

/**
 * Selects the days whose clicks new rows change, and how many clicks are new. Parameter since. Null when there are no new rows.
 */
export function newClicksSql(newRows: NewRows): string | null {
  const events = newRows('judged-events')
  const corrections = newRows('corrections')
  const branches = [
    events &&
      `SELECT shopId, ${dayOf} AS day, 1 AS click FROM judged_events WHERE ${clickSql} AND verdict = 'VALID' AND (${events})`,
    corrections && `SELECT shopId, ${dayOf} AS day, 0 AS click FROM event_corrections WHERE ${corrections}`,
  ].filter((branch) => branch !== null)
  if (branches.length === 0) return null
  return `
  SELECT shopId, day, toInt64(sum(click)) AS clicks FROM (${branches.join('\n  UNION ALL ')})
  WHERE day >= intDiv({since:Int64}, ${DAY_MS}) GROUP BY shopId, day`
}

const ofShops = 'shopId IN {shopIds:Array(String)}'
const ofDay = `${ofShops} AND occurredAt >= {fromMs:Int64} AND occurredAt < {toMs:Int64}`
/** Ads that were served on the day before may be seen on this one. */
const givenSql = `${ofShops} AND occurredAt >= {fromMs:Int64} - ${DAY_MS} AND occurredAt < {toMs:Int64}`
const eventsSql = `
  SELECT shopId, any(tuple(requestId, slotHash, adId, least(position, {positionsMax:Int32}), type, cid)) AS event, eventId FROM judged_events
  WHERE ${ofDay} AND kind = 'SPONSORED' AND ${countsSql} AND emittedAt >= {fromMs:Int64} - ${DAY_MS}
  GROUP BY shopId, eventId`

/** What happened on a day after phrases with a click on that day, as shopId, phrase, id, position, seen, clicked and bought. */
const dayAfterPhrasesSql = `
  SELECT shopId, phrase, event.3 AS id, event.4 AS position, toInt64(countIf(event.5 = 'VIEW')) AS seen,
    toInt64(uniqExactIf(event.6, event.5 = 'CLICK')) AS clicked,
    toInt64(uniqExactIf(event.6, event.5 = 'CLICK' AND (shopId, eventId) IN (
      SELECT shopId, touchEventId FROM credited_lines FINAL
      WHERE ${ofShops} AND occurredAt >= {fromMs:Int64} AND kind = 'PURCHASE' AND touchType = 'CLICK'
        AND touchAt >= {fromMs:Int64} AND touchAt < {toMs:Int64}))) AS bought
  FROM (${eventsSql}) AS events
  INNER JOIN (
    SELECT shopId, requestId, slot.1 AS slotHash, any(slot.2) AS phrase
    FROM emissions ARRAY JOIN arrayZip(slots.slotHash, phrases) AS slot
    WHERE ${givenSql} AND notEmpty(phrases) AND slot.2 != 0 AND (shopId, slot.2) IN (
      SELECT shopId, arrayJoin(phrases) FROM emissions
      WHERE ${givenSql} AND (shopId, requestId) IN (
        SELECT shopId, requestId FROM judged_events WHERE ${ofDay} AND ${clickSql} AND verdict = 'VALID'))
    GROUP BY shopId, requestId, slotHash
  ) AS searched ON searched.shopId = events.shopId AND searched.requestId = events.event.1 AND searched.slotHash = events.event.2
  GROUP BY shopId, phrase, id, position`

/**
 * Counts a day of shops. Several clicks of a cid on a product at a position after a phrase count once. Phrases after which nobody
 * clicked on that day get no rows. Rows of an earlier count of the same `countedOn` that this one lacks get zeros. Parameters shopIds,
 * day, fromMs, toMs (the time of the day), countedOn, positionsMax.
 */
export const countPhraseDaySql = `
  INSERT INTO phrase_days (shopId, day, phrase, id, position, views, clicks, purchases, countedOn)
  SELECT shopId, {day:Int32}, phrase, id, position, sum(seen), sum(clicked), sum(bought), {countedOn:Int32}
  FROM (${dayAfterPhrasesSql}
    UNION ALL
    SELECT shopId, phrase, id, position, 0, 0, 0 FROM phrase_days
    WHERE ${ofShops} AND day = {day:Int32} AND phrase_days.countedOn = {countedOn:Int32} AND phrase != 0
  )
  GROUP BY shopId, phrase, id, position`

/** Records for each of the shops that the counts of a day are complete. Parameters shopIds, day, fromMs, toMs, countedOn. */
export const dayCountedSql = `
  INSERT INTO phrase_days (shopId, day, phrase, id, position, views, clicks, purchases, countedOn)
  SELECT asked.shopId, {day:Int32}, 0, '', 0, 0, found.dayClicks, 0, {countedOn:Int32}
  FROM (SELECT arrayJoin({shopIds:Array(String)}) AS shopId) AS asked
  LEFT JOIN (
    SELECT shopId, toInt64(uniqExact(eventId)) AS dayClicks FROM judged_events
    WHERE ${ofDay} AND ${clickSql} AND ${countsSql} GROUP BY shopId
  ) AS found ON found.shopId = asked.shopId`

/** The rows of days whose counts are complete, each by its last count, with a `weight` by age in days. */
const daysSql = `
  SELECT shopId, phrase, id, position, clicks, views * weight AS seen,
    (clicks + {purchaseResponses:Float64} * purchases) * weight AS answered,
    exp2(-({today:Int32} - day) / {halfLifeDays:Float64}) AS weight
  FROM phrase_days FINAL
  WHERE ${ofShops} AND day >= {sinceDay:Int32} AND phrase != 0 AND (shopId, day, phrase_days.countedOn) IN (
      SELECT shopId, day, max(countedOn) FROM phrase_days WHERE ${ofShops} AND phrase = 0 GROUP BY shopId, day)`

/** What happened at a position in a shop, after all phrases together. */
export interface PlaceRow {
  shopId: string
  position: number
  views: number
  responses: number
  /** Not weighted. */
  clicks: number
}
/** Selects rows of `PlaceRow`. Parameters shopIds, sinceDay, today, halfLifeDays, purchaseResponses. */
export const placesSql = `
  SELECT shopId, position, sum(seen) AS views, sum(answered) AS responses, toInt64(sum(daily.clicks)) AS clicks
  FROM (${daysSql}) AS daily GROUP BY shopId, position`

const productsOf = (by: string) => `
  SELECT ${by}, sum(answered) AS responses, sum(seen * {rates:Array(Float64)}[position]) AS expected, sum(daily.clicks) AS clicked,
    sum(seen) AS views
  FROM (${daysSql}) AS daily GROUP BY ${by}`

/** A product, after all phrases together. */
export interface ProductRow {
  id: string
  responses: number
  expected: number
}
/** Selects rows of `ProductRow`. Parameters as for `placesSql`, with one shop, and rates (by position). */
export const productResponsesSql = `SELECT id, responses, expected FROM (${productsOf('id')})`

/** The products of a phrase; the three lists have an entry for each. */
export interface PhraseRow {
  phrase: number
  ids: string[]
  responses: number[]
  expected: number[]
}
/** Selects rows of `PhraseRow`. Parameters as for `productResponsesSql`, and phraseClicksMin, phrasesMax, productsMax. */
export const phraseResponsesSql = `
  SELECT phrase, groupArray(product.id) AS ids, groupArray(product.responses) AS responses, groupArray(product.expected) AS expected
  FROM (
    SELECT *, sum(clicked) OVER (PARTITION BY phrase) AS phraseClicks FROM (${productsOf('phrase, id')})
    ORDER BY phrase, views DESC, id LIMIT {productsMax:UInt32} BY phrase
  ) AS product
  GROUP BY phrase HAVING any(phraseClicks) >= {phraseClicksMin:Int64}
  ORDER BY any(phraseClicks) DESC, phrase LIMIT {phrasesMax:UInt32}`
