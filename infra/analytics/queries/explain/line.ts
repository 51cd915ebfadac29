import { linesSql, reachSql, touchesSql } from '../attribution/credit-rule.ts'
import { linksOf } from '../attribution/person-links.ts'

/** Touches listed for one transaction, the strongest first. */
export const EXPLAINED_TOUCHES_MAX = 1_000

export interface ExplainedTouch {
  shopId: string
  /** PURCHASE, CART or WISHLIST. */
  kind: string
  /** Counts from 0. */
  line: number
  shopProductId: string
  touchEventId: string
  touchType: 'VIEW' | 'CLICK'
  touchAt: number
  touchCid: string
  verdict: string
  campaignId: string
  adId: string
  match: 'DIRECT' | 'HALO' | ''
  inWindow: boolean
  /** WON, or the first reason why not. */
  result:
    | 'WON'
    | 'NOT_VALID'
    | 'AFTER_THE_TRANSACTION'
    | 'OUT_OF_WINDOW'
    | 'OTHER_PRODUCT'
    | 'CLICK_GOES_BEFORE_VIEW'
    | 'DIRECT_GOES_BEFORE_HALO'
    | 'LATER_TOUCH_GOES_BEFORE'
    | 'GREATER_EVENT_ID_GOES_BEFORE'
}

/**
 * Every touch of the person of a transaction, line by line, and why each of them got the credit or not. The same id may
 * belong to several kinds, and to several shops when `shopId` is null.
 * @returns a SELECT whose rows are `ExplainedTouch`, and its parameters.
 */
export function explainQuery({ shopId, eventId }: { shopId: string | null; eventId: string }) {
  const ofEvent = `FROM transactions
    WHERE eventId = {eventId:String} AND ({shopId:Nullable(String)} IS NULL OR shopId = {shopId:Nullable(String)})`
  const ofShop = `shopId IN (SELECT shopId ${ofEvent})`
  const links = linksOf(`SELECT shopId, cid ${ofEvent}`)
  const lines = linesSql({
    scope: `SELECT shopId, kind, eventId ${ofEvent}`,
    product_groups: `(shopId, id) IN (SELECT shopId, arrayJoin(lines.shopProductId) ${ofEvent})`,
    transaction_returns: 'false',
  })
  const touches = touchesSql(reachSql(lines, links), {
    judged_events: `(${links.people}) OR (shopId, cid) IN (SELECT shopId, cid FROM person_links WHERE ${links.others})`,
    campaign_versions: ofShop,
    pair: 'true',
  })
  const sql = `
WITH ranked AS (
  SELECT *, touchAt <= occurredAt AND recent AS inWindow,
    (verdict = 'VALID' AND inWindow AND match != '',
      touchType = 'CLICK', match = 'DIRECT', touchAt, touchEventId, campaignId, adId) AS rank,
    max(rank) OVER (PARTITION BY shopId, kind, line) AS best
  FROM (${touches})
)
SELECT shopId, kind, line, shopProductId, touchEventId, touchType, touchAt, touchCid, verdict, campaignId, adId, match,
  toBool(inWindow) AS inWindow, multiIf(
    verdict != 'VALID', 'NOT_VALID',
    touchAt > occurredAt, 'AFTER_THE_TRANSACTION',
    NOT recent, 'OUT_OF_WINDOW',
    match = '', 'OTHER_PRODUCT',
    rank = best, 'WON',
    rank.2 < best.2, 'CLICK_GOES_BEFORE_VIEW',
    rank.3 < best.3, 'DIRECT_GOES_BEFORE_HALO',
    rank.4 < best.4, 'LATER_TOUCH_GOES_BEFORE',
    'GREATER_EVENT_ID_GOES_BEFORE') AS result
FROM ranked
ORDER BY shopId, kind, line, rank DESC
LIMIT ${EXPLAINED_TOUCHES_MAX}`
  return { sql, params: { shopId, eventId, clickWindowHours: null, viewWindowHours: null } }
}
