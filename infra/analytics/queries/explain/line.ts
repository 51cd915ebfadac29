import {
  DISQUALIFICATIONS,
  type Disqualification,
  type Match,
  TOUCH_PRECEDENCE,
  type TouchResult,
} from '../../../../services/domain/attribution/credit.ts'
import { crowdingSql, membersSql, nearLinksSql } from '../attribution/person-links.ts'
import {
  creditableSql,
  firstThatHoldsSql,
  linesSql,
  storedTouchesSql,
  touchedLines,
  touchOrderSql,
} from '../attribution/touches.ts'
import { TRANSACTION_ORDER } from '../attribution/transaction-versions.ts'
import { isVoidedInSql, VOIDED } from '../corrections.ts'

/** Touches listed in one explanation: more than an id can have lines, so that the touch that won a line is always among them. */
export const EXPLAINED_TOUCHES_MAX = 5_000

/** An explanation that takes longer is aborted, because other queries wait behind it. */
export const EXPLAINING_MAX_SECONDS = 10
/** ClickHouse's analysis would take a third longer, to compare columns with constants that are compared with other columns. */
const WITHOUT_PASS = 'optimize_and_compare_chain = 0'

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

/** Some senders of transactions of a shop. */
interface Senders {
  shopId: string
  cids: readonly string[]
}

const OF_EVENT = 'shopId = {shopId:String} AND eventId = {eventId:String}'
const OF_SENDERS = 'SELECT {shopId:String} AS shopId, arrayJoin({cids:Array(String)}) AS cid'
const LINKS_OF_SENDERS = `(${nearLinksSql(OF_SENDERS)})`

/**
 * The senders of the versions that count, one for each kind: rows are `{ cid }`. Strangers may send any number of other versions. Senders
 * whose identifiers have ended are left out: all of them have the same blank cid.
 */
export function sendersQuery({ shopId, eventId }: TransactionId) {
  const sql = `
SELECT DISTINCT sender AS cid FROM (
  SELECT argMin(cid, tuple(${TRANSACTION_ORDER})) AS sender FROM transactions WHERE ${OF_EVENT}
  GROUP BY kind HAVING sender != '')`
  return { sql, params: { shopId, eventId } }
}

/** Selects one row, `{ isCrowded }`: see `crowdingSql`. */
export const crowdingQuery = ({ shopId, cids }: Senders) => ({
  sql: crowdingSql(LINKS_OF_SENDERS),
  params: { shopId, cids },
})

/** The cids of the senders' persons: rows are `MemberRow`. */
export function membersQuery({ shopId, cids }: Senders, mayBeCrowded: boolean) {
  const members = membersSql(OF_SENDERS, { links: LINKS_OF_SENDERS, mayBeCrowded })
  return { sql: `SELECT personCid, memberCid FROM (${members})`, params: { shopId, cids } }
}

/**
 * No line is told of more touches than this. Each line of a transaction is told of as many as the others, so the limit is reached by then,
 * even in the transaction with the fewest lines.
 */
const TOLD_OF_LINE = `(
    SELECT intDiv(${EXPLAINED_TOUCHES_MAX}, greatest(1, min(lineCount))) + 1
    FROM (
      SELECT length(argMin(lines, tuple(${TRANSACTION_ORDER}))) AS lineCount FROM transactions
      WHERE ${OF_EVENT} GROUP BY kind))`

/**
 * The touches of the person of a transaction, line by line, and why each of them got the credit or not: the strongest of every line,
 * then the second of every line, and so on, up to `EXPLAINED_TOUCHES_MAX`. The same id may belong to several kinds.
 *
 * A line is compared with the touches that may match it, and of the others with the strongest only. To match makes a touch stronger, never
 * weaker, so the others would come after these.
 * @param members the cids of the senders' persons. To plan a statement is most of what an explanation takes, and would take far longer if
 * one statement found the senders, their persons and the touches.
 * @returns a SELECT whose rows are `ExplainedTouch`, and its parameters.
 */
export function explainQuery({ shopId, eventId }: TransactionId, members: readonly MemberRow[]) {
  const lines = linesSql({
    transactions: `transactions WHERE ${OF_EVENT}`,
    product_groups: `shopId = {shopId:String} AND id IN (
      SELECT arrayJoin(lines.shopProductId) FROM transactions WHERE ${OF_EVENT})`,
    transaction_returns: null,
  })
  const stored = storedTouchesSql(
    `judged_events WHERE shopId = {shopId:String} AND cid IN {memberCids:Array(String)}`,
    `if(${isVoidedInSql('shopId = {shopId:String}')}, '${VOIDED}', judged_events.verdict)`,
  )
  // From here on the actor is the sender of a transaction, whichever cid of that person a touch is of.
  const touches = `
    WITH '' AS match
    SELECT t.* REPLACE (p.pair.1 AS actorCid), t.actorCid AS touchCid,
      row_number() OVER (PARTITION BY p.pair.1 ORDER BY (${touchOrderSql}, campaignId, adId) DESC) AS strength,
      strength <= ${TOLD_OF_LINE} AS isStrongest
    FROM (${stored}) AS t
    INNER JOIN (
      SELECT arrayJoin(arrayZip({personCids:Array(String)}, {memberCids:Array(String)})) AS pair
    ) AS p ON p.pair.2 = t.actorCid`
  // Lines of the same product have the same touches.
  const products = `(
    SELECT shopId, kind, cid, occurredAt, shopProductId, itemGroups, clickWindowHours, viewWindowHours, groupArray(line) AS numbers
    FROM ${creditableSql(`(${lines})`)} GROUP BY ALL)`
  const { from, match, recent } = touchedLines(
    { lines: products, reach: null },
    { touches, campaign_versions: 'shopId = {shopId:String}' },
    'MATCHING_AND_STRONGEST',
  )
  const sql = `
WITH ranked AS (
  SELECT *, touchAt <= occurredAt AND recent AS inWindow,
    (verdict = 'VALID' AND inWindow AND match != '',
      ${touchOrderSql}, campaignId, adId) AS rank,
    max(rank) OVER (PARTITION BY kind, shopProductId) AS best,
    row_number() OVER (PARTITION BY kind, shopProductId ORDER BY rank DESC) AS place
  FROM (
    SELECT r.shopId AS shopId, r.kind AS kind, r.numbers AS numbers, r.shopProductId AS shopProductId, r.occurredAt AS occurredAt,
      t.touchCid AS touchCid, t.touchEventId AS touchEventId, t.touchType AS touchType, t.touchAt AS touchAt, t.verdict AS verdict,
      t.campaignId AS campaignId, t.adId AS adId, ${match} AS match, ${recent} AS recent
    FROM ${from}
    LIMIT 1 BY r.kind, r.shopProductId, t.strength
  )
)
SELECT shopId, kind, line, shopProductId, touchEventId, touchType, touchAt, touchCid, verdict, campaignId, adId, match,
  toBool(inWindow) AS inWindow, ${resultSql} AS result
FROM ranked ARRAY JOIN numbers AS line
WHERE place <= ${TOLD_OF_LINE}
ORDER BY place, kind, line
LIMIT ${EXPLAINED_TOUCHES_MAX}
SETTINGS max_execution_time = ${EXPLAINING_MAX_SECONDS}, ${WITHOUT_PASS}`
  const personCids = members.map((each) => each.personCid)
  const memberCids = members.map((each) => each.memberCid)
  return { sql, params: { shopId, eventId, personCids, memberCids, clickWindowHours: null, viewWindowHours: null } }
}
