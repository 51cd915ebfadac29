import {
  DISQUALIFICATIONS,
  type Disqualification,
  type Match,
  TOUCH_PRECEDENCE,
  type TouchResult,
} from '../../../../services/domain/attribution/credit.ts'
import { membersSql, nearLinksSql } from '../attribution/person-links.ts'
import {
  creditableSql,
  firstThatHoldsSql,
  linesSql,
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

/** A cid of the person who sent a transaction. */
export interface MemberRow {
  /** The sender's. */
  personCid: string
  memberCid: string
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

/** Who the senders of the transactions of an id are. @returns a SELECT whose rows are `MemberRow`, and its parameters. */
export function membersQuery({ shopId, eventId }: TransactionId) {
  const members = membersSql(SENDERS, { links: `(${nearLinksSql(SENDERS)})`, mayBeCrowded: true })
  return { sql: `SELECT personCid, memberCid FROM (${members})`, params: { shopId, eventId } }
}

/**
 * The touches of the person of a transaction, line by line, and why each of them got the credit or not: the strongest of every line,
 * then the second of every line, and so on, up to `EXPLAINED_TOUCHES_MAX`. The same id may belong to several kinds.
 * @param members the rows of `membersQuery`. As part of this statement, that query would triple the time to plan it, which is most of
 * what an explanation takes.
 * @returns a SELECT whose rows are `ExplainedTouch`, and its parameters.
 */
export function explainQuery({ shopId, eventId }: TransactionId, members: readonly MemberRow[]) {
  const lines = linesSql({
    transactions: `transactions WHERE ${OF_EVENT}`,
    product_groups: `shopId = {shopId:String} AND id IN (
      SELECT arrayJoin(lines.shopProductId) FROM transactions WHERE ${OF_EVENT})`,
    transaction_returns: null,
  })
  const reach = `(
    SELECT {shopId:String} AS personShopId, pair.1 AS personCid, pair.2 AS memberCid
    FROM (SELECT arrayJoin(arrayZip({personCids:Array(String)}, {memberCids:Array(String)})) AS pair))`
  const touched = touchedLines(
    { lines: creditableSql(`(${lines})`), reach },
    {
      touches: storedTouchesSql(
        `judged_events WHERE shopId = {shopId:String} AND cid IN {memberCids:Array(String)}`,
        `if(${isVoidedInSql('shopId = {shopId:String}')}, '${VOIDED}', judged_events.verdict)`,
      ),
      campaign_versions: 'shopId = {shopId:String}',
    },
    'ALL',
  )
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
  const personCids = members.map((each) => each.personCid)
  const memberCids = members.map((each) => each.memberCid)
  return { sql, params: { shopId, eventId, personCids, memberCids, clickWindowHours: null, viewWindowHours: null } }
}
