import {
  DISQUALIFICATIONS,
  type Disqualification,
  type Match,
  TOUCH_PRECEDENCE,
  type TouchResult,
} from '../../../../services/domain/attribution/credit.ts'
import { linkedSql, nearLinksSql } from '../attribution/person-links.ts'
import {
  firstThatHoldsSql,
  linesSql,
  reachOfKnownSql,
  storedTouchesSql,
  touchedLines,
  touchesSql,
  touchOrderSql,
} from '../attribution/touches.ts'
import { TRANSACTION_ORDER } from '../attribution/transaction-versions.ts'
import { isVoidedInSql, VOIDED } from '../corrections.ts'

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

/** A cid that is the same person as the sender of a transaction. */
export interface SamePersonRow {
  /** The sender's. */
  cid: string
  otherCid: string
}

interface TransactionId {
  shopId: string
  eventId: string
}

const OF_EVENT = 'shopId = {shopId:String} AND eventId = {eventId:String}'
/**
 * The senders of the versions that count, one for each kind. Strangers may send any number of other versions. Senders whose identifiers
 * have ended are left out: all of them have the same blank cid.
 */
const SENDERS = `SELECT shopId, sender AS cid FROM (
    SELECT shopId, argMin(cid, tuple(${TRANSACTION_ORDER})) AS sender FROM transactions WHERE ${OF_EVENT}
    GROUP BY shopId, kind HAVING sender != '')`

/** Who the senders of the transactions of an id are. @returns a SELECT whose rows are `SamePersonRow`, and its parameters. */
export function linkedQuery({ shopId, eventId }: TransactionId) {
  const linked = linkedSql({ links: `(${nearLinksSql(SENDERS)})`, mayBeCrowded: true })
  const sql = `SELECT personCid AS cid, arrayJoin(others) AS otherCid FROM (${linked})
WHERE personCid IN (SELECT cid FROM (${SENDERS}))`
  return { sql, params: { shopId, eventId } }
}

/**
 * The touches of the person of a transaction, line by line, and why each of them got the credit or not: the strongest of every line,
 * then the second of every line, and so on, up to `EXPLAINED_TOUCHES_MAX`. The same id may belong to several kinds.
 * @param linked the rows of `linkedQuery`. As part of this statement, that query would triple the time to plan it, which is most of
 * what an explanation takes.
 * @returns a SELECT whose rows are `ExplainedTouch`, and its parameters.
 */
export function explainQuery({ shopId, eventId }: TransactionId, linked: readonly SamePersonRow[]) {
  const lines = linesSql({
    transactions: `transactions WHERE ${OF_EVENT}`,
    product_groups: `shopId = {shopId:String} AND id IN (
      SELECT arrayJoin(lines.shopProductId) FROM transactions WHERE ${OF_EVENT})`,
    transaction_returns: null,
  })
  const others = 'arrayFilter((other, cid) -> cid = l.cid, {otherCids:Array(String)}, {senderCids:Array(String)})'
  const cids = `SELECT cid FROM (${SENDERS}) UNION ALL SELECT arrayJoin({otherCids:Array(String)})`
  const touched = touchedLines(`(${reachOfKnownSql(`(${lines}) AS l`, others)})`, {
    touches: storedTouchesSql(
      `judged_events WHERE shopId = {shopId:String} AND cid IN (${cids})`,
      `if(${isVoidedInSql('shopId = {shopId:String}')}, '${VOIDED}', judged_events.verdict)`,
    ),
    campaign_versions: 'shopId = {shopId:String}',
  })
  const sql = `
WITH ranked AS (
  SELECT *, touchAt <= occurredAt AND recent AS inWindow,
    (verdict = 'VALID' AND inWindow AND match != '',
      ${touchOrderSql}, campaignId, adId) AS rank,
    max(rank) OVER (PARTITION BY kind, line) AS best,
    row_number() OVER (PARTITION BY kind, line ORDER BY rank DESC) AS place
  FROM (${touchesSql(touched)})
)
SELECT shopId, kind, line, shopProductId, touchEventId, touchType, touchAt, touchCid, verdict, campaignId, adId, match,
  toBool(inWindow) AS inWindow, ${resultSql} AS result
FROM ranked
ORDER BY place, kind, line
LIMIT ${EXPLAINED_TOUCHES_MAX}
SETTINGS max_execution_time = ${EXPLAINING_MAX_SECONDS}`
  const otherCids = linked.map((each) => each.otherCid)
  const senderCids = linked.map((each) => each.cid)
  return { sql, params: { shopId, eventId, otherCids, senderCids, clickWindowHours: null, viewWindowHours: null } }
}
