import type { NewRows } from '../attribution/lookups.ts'
import { countsSql } from '../corrections.ts'

/** What was seen and clicked after which words, counted by shop and UTC day (days since the epoch) in `phrase_days`. */

const DAY_MS = 86_400_000

const dayOf = `toInt32(intDiv(occurredAt, ${DAY_MS}))`
const clickSql = `kind = 'SPONSORED' AND type = 'CLICK'`

/** Row: a day of a shop with clicks that are not counted. */
export interface DueDay {
  shopId: string
  day: number
  clicks: number
}
/** Parameter since (UTC epoch milliseconds). Days that have other clicks than when they were counted last. */
export const uncountedDaysSql = `
  SELECT shopId, day, clicks FROM (
    SELECT shopId, ${dayOf} AS day, toInt64(uniqExact(eventId)) AS clicks FROM judged_events
    WHERE ${clickSql} AND ${countsSql} AND occurredAt >= {since:Int64} GROUP BY shopId, day)
  WHERE (shopId, day, clicks) NOT IN (
    SELECT shopId, day, argMax(phrase_days.clicks, countedOn) FROM phrase_days WHERE phrase = 0 GROUP BY shopId, day)`

/**
 * The days whose clicks new rows change, and how many clicks are new. Parameter since. Null: none.
 * @param newRows SQL that holds for the new rows of a topic; null when there are none.
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

const ofDay = 'shopId = {shopId:String} AND occurredAt >= {fromMs:Int64} AND occurredAt < {toMs:Int64}'
/** Ads that were given on the day before may be seen on this one. */
const givenSql = `shopId = {shopId:String} AND occurredAt >= {fromMs:Int64} - ${DAY_MS} AND occurredAt < {toMs:Int64}`
const eventsSql = `
  SELECT any(tuple(requestId, slotHash, adId, least(position, {positionsMax:Int32}), type, cid)) AS event, eventId FROM judged_events
  WHERE ${ofDay} AND kind = 'SPONSORED' AND ${countsSql} AND emittedAt >= {fromMs:Int64} - ${DAY_MS}
  GROUP BY eventId`

/**
 * Counts a day of a shop. Of a person's clicks on a product after some words one counts. Of phrases that nobody clicked after on
 * that day there are no rows. Parameters shopId, day, fromMs, toMs (the time of the day), countedOn, positionsMax.
 */
export const countPhraseDaySql = `
  INSERT INTO phrase_days (shopId, day, phrase, id, position, views, clicks, purchases, countedOn)
  SELECT {shopId:String}, {day:Int32}, phrase, event.3 AS id, event.4 AS position, countIf(event.5 = 'VIEW'),
    uniqExactIf(event.6, event.5 = 'CLICK'), uniqExactIf(event.6, event.5 = 'CLICK' AND eventId IN (
      SELECT touchEventId FROM attributed_lines FINAL
      WHERE shopId = {shopId:String} AND kind = 'PURCHASE' AND outcome = 'CREDITED' AND touchType = 'CLICK'
        AND touchAt >= {fromMs:Int64} AND touchAt < {toMs:Int64})), {countedOn:Int32}
  FROM (${eventsSql}) AS events
  INNER JOIN (
    SELECT requestId, slot.1 AS slotHash, any(slot.2) AS phrase
    FROM emissions ARRAY JOIN arrayZip(slots.slotHash, phrases) AS slot
    WHERE ${givenSql} AND notEmpty(phrases) AND slot.2 != 0 AND slot.2 IN (
      SELECT arrayJoin(phrases) FROM emissions
      WHERE ${givenSql} AND requestId IN (
        SELECT requestId FROM judged_events WHERE ${ofDay} AND ${clickSql} AND verdict = 'VALID'))
    GROUP BY requestId, slotHash
  ) AS searched ON searched.requestId = events.event.1 AND searched.slotHash = events.event.2
  GROUP BY phrase, id, position`

/** Notes that the count of a day is whole. Parameters shopId, day, fromMs, toMs, countedOn. */
export const dayCountedSql = `
  INSERT INTO phrase_days (shopId, day, phrase, id, position, views, clicks, purchases, countedOn)
  SELECT {shopId:String}, {day:Int32}, 0, '', 0, 0, uniqExact(eventId), 0, {countedOn:Int32} FROM judged_events
  WHERE ${ofDay} AND ${clickSql} AND ${countsSql}`

/** Rows of the days whose counts are whole, each as it was counted last, with `weight` by age in days. */
const daysSql = `
  SELECT phrase, id, position, clicks, views * weight AS seen, (clicks + {purchaseResponses:Float64} * purchases) * weight AS answered,
    exp2(-({today:Int32} - day) / {halfLifeDays:Float64}) AS weight
  FROM phrase_days FINAL
  WHERE shopId = {shopId:String} AND day >= {sinceDay:Int32} AND phrase != 0 AND (day, phrase_days.countedOn) IN (
      SELECT day, max(countedOn) FROM phrase_days WHERE shopId = {shopId:String} AND phrase = 0 GROUP BY day)`

/** Row: what happened at a place, after all phrases. */
export interface PlaceRow {
  position: number
  views: number
  responses: number
  /** Not weighted. */
  clicks: number
}
/** Parameters shopId, sinceDay, today, halfLifeDays, purchaseResponses. */
export const placesSql = `
  SELECT position, sum(seen) AS views, sum(answered) AS responses, toInt64(sum(daily.clicks)) AS clicks
  FROM (${daysSql}) AS daily GROUP BY position`

const productsOf = (by: string) => `
  SELECT ${by}, sum(answered) AS responses, sum(seen * {rates:Array(Float64)}[position]) AS expected, sum(daily.clicks) AS clicked,
    sum(seen) AS views
  FROM (${daysSql}) AS daily GROUP BY ${by}`

/** Row: a product after all phrases. */
export interface ProductRow {
  id: string
  responses: number
  expected: number
}
/** Parameters as of `placesSql`, and rates (by place). */
export const productResponsesSql = `SELECT id, responses, expected FROM (${productsOf('id')})`

/** Row: the products of a phrase. */
export interface PhraseRow {
  phrase: number
  ids: string[]
  responses: number[]
  expected: number[]
}
/** Parameters as of `productResponsesSql`, and phraseClicksMin, phrasesMax, productsMax. */
export const phraseResponsesSql = `
  SELECT phrase, groupArray(product.id) AS ids, groupArray(product.responses) AS responses, groupArray(product.expected) AS expected
  FROM (
    SELECT *, sum(clicked) OVER (PARTITION BY phrase) AS phraseClicks FROM (${productsOf('phrase, id')})
    ORDER BY phrase, views DESC, id LIMIT {productsMax:UInt32} BY phrase
  ) AS product
  GROUP BY phrase HAVING any(phraseClicks) >= {phraseClicksMin:Int64}
  ORDER BY any(phraseClicks) DESC, phrase LIMIT {phrasesMax:UInt32}`
