import {
  DISQUALIFICATIONS,
  type Disqualification,
  type Match,
  TOUCH_PRECEDENCE,
  type TouchResult,
} from '../../../../services/domain/attribution/credit.ts'
import { touchKeysSql } from '../attribution/pair-keys.ts'
import { crowdingSql, membersSql, nearLinksSql } from '../attribution/person-links.ts'
import {
  firstThatHoldsSql,
  type Has,
  hasColumnsSql,
  keyedLinesSql,
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

const PAIRS = 'MATCHING_AND_STRONGEST'

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
export interface Senders {
  shopId: string
  cids: readonly string[]
}

const OF_SHOP = 'shopId = {shopId:String}'
const OF_EVENT = 'shopId = {shopId:String} AND eventId = {eventId:String}'
const OF_SENDERS = 'SELECT {shopId:String} AS shopId, arrayJoin({cids:Array(String)}) AS cid'
const LINKS_OF_SENDERS = `(${nearLinksSql(OF_SENDERS)})`

/** The sender of a transaction, and how many lines it has. */
export interface SenderRow {
  cid: string
  lineCount: number
}

/**
 * The senders of the versions that count, one for each kind: rows are `SenderRow`. Strangers may send any number of other versions. Senders
 * whose identifiers have ended are left out: all of them have the same blank cid.
 */
export function sendersQuery({ shopId, eventId }: TransactionId) {
  const sql = `
SELECT counts.1 AS cid, toInt64(counts.2) AS lineCount FROM (
  SELECT argMin((cid, length(lines)), tuple(${TRANSACTION_ORDER})) AS counts FROM transactions WHERE ${OF_EVENT}
  GROUP BY kind HAVING counts.1 != '')`
  return { sql, params: { shopId, eventId } }
}

/** What an explanation depends on. */
export interface ExplainNeeds extends Pick<Has, 'itemGroups' | 'lists'> {
  /** Whether one of the senders' people has more links than places; null when they have no links. */
  isCrowded: boolean | null
}

/** Selects one row, an `ExplainNeeds`. */
export const needsQuery = ({ shopId, cids }: Senders) => ({
  sql: `SELECT (${crowdingSql(LINKS_OF_SENDERS)}) AS isCrowded, ${hasColumnsSql(['itemGroups', 'lists'], OF_SHOP)}`,
  params: { shopId, cids },
})

/** The cids of the senders' persons: rows are `MemberRow`. */
export function membersQuery({ shopId, cids }: Senders, mayBeCrowded: boolean) {
  const members = membersSql(OF_SENDERS, { links: LINKS_OF_SENDERS, mayBeCrowded })
  return { sql: `SELECT personCid, memberCid FROM (${members})`, params: { shopId, cids } }
}

/** What is known of the transactions to explain. */
export interface Explained {
  /** The fewest lines that one of them has. */
  linesMin: number
  /** The cids of the senders' persons. */
  members: readonly MemberRow[]
  needs: ExplainNeeds
}

/**
 * The touches of the person of a transaction, line by line, and why each of them got the credit or not: the strongest of every line,
 * then the second of every line, and so on, up to `EXPLAINED_TOUCHES_MAX`. The same id may belong to several kinds.
 *
 * A line is compared with the touches that may match it, and of the others with the strongest only. To match makes a touch stronger, never
 * weaker, so the others would come after these.
 * To plan a statement is most of what an explanation takes, and would take far longer if one statement found all of it.
 * @returns a SELECT whose rows are `ExplainedTouch`, and its parameters.
 */
export function explainQuery({ shopId, eventId }: TransactionId, of: Explained) {
  const { linesMin, members, needs } = of
  const lines = keyedLinesSql(
    {
      transactions: `transactions WHERE ${OF_EVENT}`,
      product_groups: needs.itemGroups
        ? `${OF_SHOP} AND id IN (SELECT arrayJoin(lines.shopProductId) FROM transactions WHERE ${OF_EVENT})`
        : null,
      transaction_returns: null,
      campaign_versions: needs.lists ? OF_SHOP : null,
    },
    PAIRS,
  )
  // Lines of the same product have the same touches.
  const products = `(
    SELECT shopId, kind, cid, occurredAt, shopProductId, itemGroups, clickWindowHours, viewWindowHours, lineKey, groupArray(line) AS numbers
    FROM (${lines}) GROUP BY ALL)`
  // The actor is the sender of a transaction, whichever cid of that person a touch is of.
  const stored = storedTouchesSql(
    `judged_events INNER JOIN (
      SELECT arrayJoin(arrayZip({personCids:Array(String)}, {memberCids:Array(String)})) AS pair
    ) AS p ON p.pair.2 = cid
    WHERE ${OF_SHOP} AND cid IN {memberCids:Array(String)}`,
    {
      actorCid: 'p.pair.1',
      verdict: `if(${isVoidedInSql(OF_SHOP)}, '${VOIDED}', judged_events.verdict)`,
      more: `, cid AS touchCid,
      row_number() OVER (PARTITION BY actorCid ORDER BY (${touchOrderSql}, campaignId, adId) DESC) AS strength,
      strength <= {toldOfLine:Int64} AS isStrongest`,
    },
  )
  const touches = `(
    SELECT *, arrayJoin(${touchKeysSql(PAIRS, needs.lists)}) AS touchKey FROM (WITH '' AS match ${stored}))`
  const { from, match, recent } = touchedLines({ lines: products, reach: null, touches })
  // A pair of a line and a touch may come several times, and then matches if one of them does.
  const sql = `
SELECT shopId, kind, line, shopProductId, touchEventId, touchType, touchAt, touchCid, verdict, campaignId, adId, match,
  toBool(inWindow) AS inWindow, ${resultSql} AS result
FROM (
  SELECT any(r.shopId) AS shopId, r.kind AS kind, any(r.numbers) AS numbers, r.shopProductId AS shopProductId,
    any(r.occurredAt) AS occurredAt, any(t.touchCid) AS touchCid, any(t.touchEventId) AS touchEventId, any(t.touchType) AS touchType,
    any(t.touchAt) AS touchAt, any(t.verdict) AS verdict, any(t.campaignId) AS campaignId, any(t.adId) AS adId,
    max(${match}) AS match, any(${recent}) AS recent, touchAt <= occurredAt AND recent AS inWindow,
    (verdict = 'VALID' AND inWindow AND match != '',
      ${touchOrderSql}, campaignId, adId) AS rank,
    max(rank) OVER (PARTITION BY kind, shopProductId) AS best,
    row_number() OVER (PARTITION BY kind, shopProductId ORDER BY rank DESC) AS place
  FROM ${from}
  GROUP BY r.kind, r.shopProductId, t.strength
)
ARRAY JOIN numbers AS line
WHERE place <= {toldOfLine:Int64}
ORDER BY place, kind, line
LIMIT ${EXPLAINED_TOUCHES_MAX}
SETTINGS max_execution_time = ${EXPLAINING_MAX_SECONDS}`
  // Each line of a transaction is told of as many touches as the others, so the limit is reached by then.
  const toldOfLine = Math.floor(EXPLAINED_TOUCHES_MAX / Math.max(1, linesMin)) + 1
  const personCids = members.map((each) => each.personCid)
  const memberCids = members.map((each) => each.memberCid)
  const windows = { clickWindowHours: null, viewWindowHours: null }
  return { sql, params: { shopId, eventId, toldOfLine, personCids, memberCids, ...windows } }
}
