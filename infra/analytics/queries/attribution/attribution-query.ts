import { HOUR_MS } from '../../../../schemas/durations.ts'
import { type AttributionModel, END_SHARE, HALF_LIFE_MS } from '../../../../services/domain/attribution/credit.ts'
import { isVoidedSql } from '../corrections.ts'
import { crowdingSql, membersSql } from './person-links.ts'
import {
  type Has,
  hasColumnsSql,
  inWindowSql,
  keyedLinesSql,
  keyedTouchesSql,
  touchDetailsSql,
  touchedLines,
  touchSql,
  windowMaxMsSql,
} from './touches.ts'

export interface AttributionSettings {
  model: AttributionModel
  /** Null for the windows that the shop has set. */
  clickWindowHours: number | null
  viewWindowHours: number | null
}

export interface AttributionScope {
  shopId: string
  /** Time of the transactions, [from, to) in UTC epoch milliseconds. */
  from: number
  to: number
}

const OF_SHOP = 'shopId = {shopId:String}'
const LINKS_OF_SHOP = `(SELECT * FROM links_by_cid WHERE ${OF_SHOP})`

/** What a shop has. */
export interface ShopHas extends Has {
  /** Whether one of its people has more links than places; null when nobody has links. */
  isCrowded: boolean | null
}

/** Selects one row, the `ShopHas` of parameter shopId. */
export const shopHasSql = `SELECT (${crowdingSql(LINKS_OF_SHOP)}) AS isCrowded,
  ${hasColumnsSql(['returns', 'itemGroups', 'lists'], OF_SHOP)}`

/**
 * Credited lines under another model or other windows, computed from the events. Columns: those of `attributed_lines`
 * about the line and its touch, and `weight`. The weights of a line sum to 1; lines without credit have no row.
 * LAST_TOUCH with the shop's windows gives what `attributed_lines` holds as CREDITED.
 * @param has of the shop. To plan the statement takes up to twice as long when it asks for everything.
 * @returns a SELECT without FORMAT, for use as it is or as a subquery, and the parameters it needs.
 */
export function attributionQuery(settings: AttributionSettings, scope: AttributionScope, has: ShopHas) {
  const { model, clickWindowHours, viewWindowHours } = settings
  const params = {
    shopId: scope.shopId,
    scopeFrom: scope.from,
    scopeTo: scope.to,
    clickWindowHours,
    viewWindowHours,
  }
  const inTime = 'occurredAt >= {scopeFrom:Int64} AND occurredAt < {scopeTo:Int64}'
  const lines = keyedLinesSql(
    {
      transactions: `transactions WHERE (shopId, kind, eventId) IN (
      SELECT shopId, kind, eventId FROM transactions WHERE ${OF_SHOP} AND ${inTime})`,
      product_groups: has.itemGroups ? OF_SHOP : null,
      transaction_returns: has.returns ? OF_SHOP : null,
      campaign_versions: has.lists ? OF_SHOP : null,
    },
    'MATCHING',
    inTime,
  )
  const people = `SELECT DISTINCT shopId, cid FROM transactions WHERE ${OF_SHOP} AND ${inTime}`
  const reach =
    has.isCrowded === null ? null : `(${membersSql(people, { links: LINKS_OF_SHOP, mayBeCrowded: has.isCrowded })})`
  const touches = keyedTouchesSql(
    `judged_events WHERE ${OF_SHOP} AND judged_events.verdict = 'VALID' AND NOT ${isVoidedSql}
      AND occurredAt < {scopeTo:Int64}
      AND occurredAt >= {scopeFrom:Int64} - greatest(${windowMaxMsSql}, ${HOUR_MS} *
        greatest(ifNull({clickWindowHours:Nullable(Int32)}, 0), ifNull({viewWindowHours:Nullable(Int32)}, 0)))`,
    'MATCHING',
    has.lists,
  )
  const { from, match, recent } = touchedLines({ lines: `(${lines})`, reach, touches: `(${touches})` })
  const sql = `
SELECT shopId, kind, eventId, line, about.1 AS occurredAt, about.2 AS cid, about.3 AS uid, about.4 AS shopProductId,
  about.5 AS quantity, about.6 AS priceMicros, about.7 AS currency, about.8 AS returnedMicros, credit.2 AS weight, ${touchDetailsSql('credit.1')}
FROM (
  -- Touches from the earliest to the latest.
  SELECT shopId, kind, eventId, line, any(aboutLine) AS about, max(strongest) AS preferred,
    arraySort(each -> (each.3, each.4), groupArray(strongest)) AS touches
  FROM (
    -- An event id counts once.
    WITH ${match} AS match
    SELECT shopId, kind, eventId, line, max(${touchSql}) AS strongest,
      any((occurredAt, cid, uid, shopProductId, quantity, priceMicros, currency, returnedMicros)) AS aboutLine
    FROM ${from}
    WHERE ${inWindowSql(recent)} AND match != ''
    GROUP BY shopId, kind, eventId, line, touchEventId
  )
  GROUP BY shopId, kind, eventId, line
)
ARRAY JOIN arrayZip(${creditsOf[model]}) AS credit`
  return { sql, params }
}

const decay = `arrayMap(each -> pow(2, (each.3 - touches[-1].3) / ${HALF_LIFE_MS}), touches)`
const position = `arrayMap(place -> multiIf(
    length(touches) = 1, 1.,
    length(touches) = 2, 0.5,
    place = 1 OR place = length(touches), ${END_SHARE},
    ${1 - 2 * END_SHARE} / (length(touches) - 2)), arrayEnumerate(touches))`

/** The touches that get a share, and their shares. */
const creditsOf: Record<AttributionModel, string> = {
  LAST_TOUCH: '[preferred], [1.]',
  FIRST_TOUCH: '[touches[1]], [1.]',
  LINEAR: 'touches, arrayMap(each -> 1 / length(touches), touches)',
  TIME_DECAY: `touches, arrayMap(share -> share / arraySum(${decay}), ${decay})`,
  POSITION: `touches, ${position}`,
}
