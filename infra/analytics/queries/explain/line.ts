import {
  DISQUALIFICATIONS,
  type Disqualification,
  type Match,
  TOUCH_PRECEDENCE,
  type TouchResult,
} from '../../../../services/domain/attribution/credit.ts'
import { nearLinksSql } from '../attribution/person-links.ts'
import {
  firstThatHoldsSql,
  linesSql,
  reachSql,
  storedTouchesSql,
  touchedLines,
  touchesSql,
  touchOrderSql,
} from '../attribution/touches.ts'
import { isVoidedSql, VOIDED } from '../corrections.ts'

/** Touches listed in one explanation: more than an id can have lines, so that the touch that won a line is always among them. */
export const EXPLAINED_TOUCHES_MAX = 5_000

/** An explanation that takes longer is aborted, because other queries wait behind it. */
export const EXPLAINING_MAX_SECONDS = 10

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
  match: Match | ''
  inWindow: boolean
  result: TouchResult
}

const conditionOf: Record<Disqualification, string> = {
  NOT_VALID: "verdict != 'VALID'",
  AFTER_THE_TRANSACTION: 'touchAt > occurredAt',
  OUT_OF_WINDOW: 'NOT recent',
  OTHER_PRODUCT: "match = ''",
}

/** How many columns of `rank` come before those of `touchOrderSql`. */
const BEFORE_ORDER = 1

const resultSql = firstThatHoldsSql([
  ...DISQUALIFICATIONS.map((reason) => [conditionOf[reason], reason] as const),
  ['rank = best', 'WON'],
  ...TOUCH_PRECEDENCE.map(({ loserTold }, index) => {
    const place = index + 1 + BEFORE_ORDER
    return [`rank.${place} < best.${place}`, loserTold] as const
  }),
])

/**
 * The touches of the person of a transaction, line by line, and why each of them got the credit or not: the strongest of every line,
 * then the second of every line, and so on, up to `EXPLAINED_TOUCHES_MAX`. The same id may belong to several kinds, and to several
 * shops when `shopId` is null.
 * @returns a SELECT whose rows are `ExplainedTouch`, and its parameters.
 */
export function explainQuery({ shopId, eventId }: { shopId: string | null; eventId: string }) {
  const ofEvent = `FROM transactions
    WHERE eventId = {eventId:String} AND ({shopId:Nullable(String)} IS NULL OR shopId = {shopId:Nullable(String)})`
  const ofShop = `shopId IN (SELECT shopId ${ofEvent})`
  const people = `SELECT shopId, cid ${ofEvent}`
  const links = `(${nearLinksSql(people)})`
  const lines = linesSql({
    transactions: `transactions WHERE (shopId, kind, eventId) IN (SELECT shopId, kind, eventId ${ofEvent})`,
    product_groups: `(shopId, id) IN (SELECT shopId, arrayJoin(lines.shopProductId) ${ofEvent})`,
    transaction_returns: null,
  })
  const touched = touchedLines(`(${reachSql(`(${lines})`, { links, mayBeCrowded: true })})`, {
    touches: storedTouchesSql(
      `judged_events WHERE (shopId, cid) IN (${people}) OR (shopId, cid) IN (SELECT shopId, cid FROM ${links})`,
      `if(${isVoidedSql}, '${VOIDED}', judged_events.verdict)`,
    ),
    campaign_versions: ofShop,
  })
  const sql = `
WITH ranked AS (
  SELECT *, touchAt <= occurredAt AND recent AS inWindow,
    (verdict = 'VALID' AND inWindow AND match != '',
      ${touchOrderSql}, campaignId, adId) AS rank,
    max(rank) OVER (PARTITION BY shopId, kind, line) AS best,
    row_number() OVER (PARTITION BY shopId, kind, line ORDER BY rank DESC) AS place
  FROM (${touchesSql(touched)})
)
SELECT shopId, kind, line, shopProductId, touchEventId, touchType, touchAt, touchCid, verdict, campaignId, adId, match,
  toBool(inWindow) AS inWindow, ${resultSql} AS result
FROM ranked
ORDER BY place, shopId, kind, line
LIMIT ${EXPLAINED_TOUCHES_MAX}
SETTINGS max_execution_time = ${EXPLAINING_MAX_SECONDS}`
  return { sql, params: { shopId, eventId, clickWindowHours: null, viewWindowHours: null } }
}
