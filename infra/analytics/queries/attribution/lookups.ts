import type { TopicName } from '../../../../schemas/topics.ts'
import { NEVER, personKeysSql } from './person-links.ts'
import type { Scratch } from './scratch.ts'

/** Fills the tables in which attribution looks people and transactions up (migrations/009_attribution_lookups.sql). */

/** SQL that holds for the rows of a topic that are new since a stream looked last; null when there are none. */
export type NewRows = (topic: TopicName) => string | null

/** Something of tables, by the topic whose records are their rows. */
export type ByTopic<T> = Readonly<Partial<Record<TopicName, T>>>

/** What is said of the tables that have new rows, and which rows these are. */
export function withNewRows<T extends object>(newRows: NewRows, tables: ByTopic<T>): (T & { rows: string })[] {
  return Object.entries(tables).flatMap(([topic, table]) => {
    const rows = newRows(topic as TopicName)
    return rows === null ? [] : [{ ...table, rows }]
  })
}

/** Where a cid and a uid are seen together: when the intake received it, and whether its sender proved itself. */
const eventTables: ByTopic<{ table: string; receivedAt: string; isProven: string }> = {
  'judged-events': { table: 'judged_events', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  transactions: { table: 'transactions', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  'page-views': { table: 'page_views', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  emissions: { table: 'emissions', receivedAt: 'occurredAt', isProven: 'false' },
}

/** Statements that copy the new rows, links aside. Running them again changes nothing. */
export function copyStatements(newRows: NewRows): string[] {
  const touches = newRows('judged-events')
  const transactions = newRows('transactions')
  return [
    ...(touches === null
      ? []
      : [copySql('touches', TOUCH_COLUMNS, `judged_events WHERE verdict = 'VALID' AND (${touches})`)]),
    ...(transactions === null
      ? []
      : [
          copySql('transactions_by_person', PERSON_COLUMNS, `transactions WHERE NOT imported AND (${transactions})`),
          copySql('transactions_by_id', ID_COLUMNS, `transactions WHERE ${transactions}`),
        ]),
  ]
}

const TOUCH_COLUMNS = `_partition, _offset, shopId, cid, eventId, type, occurredAt, kind, campaignId, accountId, adId,
  itemGroupId, slotHash, adUnitId, algorithm, country`
const PERSON_COLUMNS = '_partition, _offset, shopId, cid, kind, eventId, occurredAt'
const ID_COLUMNS = `_partition, _offset, eventId, kind, shopId, cid, uid, currency, occurredAt, receivedAt, imported, proof,
  lines`

/** Rows that are sorted and stored as one part: a part for every block that is read would be too many. */
const PART_ROWS = 250_000

const copySql = (table: string, columns: string, from: string): string =>
  `INSERT INTO ${table} (${columns}) SETTINGS min_insert_block_size_rows = ${PART_ROWS} SELECT ${columns} FROM ${from}`

/** What the new rows tell, of which the next steps depend. */
export interface News {
  /** How many pairs of cid and uid they show. */
  pairs: number
  /** How many are valid touches, of which shops (some of them, if these are very many), and when the first of them happened. */
  touches: number
  shopIds: readonly string[]
  firstAt: number
}

/** Shops of touches that are told; a list of them must fit in a parameter of a query. */
export const SHOPS_TOLD_MAX = 1_000

/**
 * Fills `seen` with the pairs of cid and uid that the new rows show, and with their valid touches. Null: there are no new rows of
 * events. Each table is read once for all that is asked of it.
 */
export function seenSql(newRows: NewRows, { seen }: Scratch): string | null {
  const branches = withNewRows(newRows, eventTables).map(({ table, receivedAt, isProven, rows }) => {
    const times = `${receivedAt} AS at, if(${isProven}, ${receivedAt}, ${NEVER}) AS proven`
    return table === 'judged_events'
      ? `SELECT shopId, if(${IS_PAIR}, e.cid, '') AS person, ifNull(e.uid, '') AS user, ${times},
    verdict = 'VALID' AS isTouch, if(isTouch, occurredAt, ${NEVER}) AS touchAt
  FROM ${table} AS e WHERE ${rows}`
      : `SELECT shopId, e.cid AS person, assumeNotNull(e.uid) AS user, ${times}, false AS isTouch, ${NEVER} AS touchAt
  FROM ${table} AS e WHERE ${IS_PAIR} AND (${rows})`
  })
  return branches.length === 0
    ? null
    : `
INSERT INTO ${seen} (shopId, cid, uid, seenAt, provenAt, touches, firstAt)
SELECT shopId, person, user, min(at), min(proven), sum(isTouch), min(touchAt) FROM (
  ${branches.join('\n  UNION ALL\n  ')}
) GROUP BY shopId, person, user`
}

/** Row News. */
export const newsSql = ({ seen }: Scratch): string => `
SELECT toInt64(countIf(${IS_SEEN_PAIR})) AS pairs, toInt64(sum(s.touches)) AS touches,
  groupUniqArrayIf(${SHOPS_TOLD_MAX + 1})(shopId, s.touches > 0) AS shopIds, min(s.firstAt) AS firstAt
FROM ${seen} AS s`

const IS_PAIR = "ifNull(e.uid, '') != ''"
/** Other rows of `seen` are of touches without a uid. */
const IS_SEEN_PAIR = "uid != ''"

/**
 * Fills `found` with the pairs of `seen` that no event had shown before, or not so early, or not proven, as far as runs until `done`
 * know (parameter, the version of the last one): a run that died may have stored them already.
 */
export const foundPairsSql = ({ seen, found }: Scratch): string => `
INSERT INTO ${found} (shopId, cid, uid, seenAt, provenAt)
SELECT n.shopId, n.cid, n.uid, n.seenAt, n.provenAt
FROM ${seen} AS n
LEFT JOIN (
  SELECT shopId, cid, uid, min(seenAt) AS firstAt, min(provenAt) AS firstProvenAt, max(version) AS lastVersion, true AS known
  FROM links_by_cid WHERE cidKey IN (${personKeysSql(`SELECT shopId, cid FROM ${seen} WHERE ${IS_SEEN_PAIR}`)})
  GROUP BY shopId, cid, uid
) AS k ON k.shopId = n.shopId AND k.cid = n.cid AND k.uid = n.uid
WHERE n.${IS_SEEN_PAIR} AND
  (NOT k.known OR n.seenAt < k.firstAt OR n.provenAt < k.firstProvenAt OR k.lastVersion > {done:Int64})`

/** Row `{ pairs }`: how many `found` holds. */
export const foundSizeSql = ({ found }: Scratch): string => `SELECT toInt64(count()) AS pairs FROM ${found}`

/**
 * Stores the pairs of `found`. Parameter version. `links_by_cid` decides what is new, so that a run which stops between the two
 * stores the pairs in both when it is repeated.
 */
export const linkStatements = ({ found }: Scratch): string[] =>
  ['links_by_uid', 'links_by_cid'].map(
    (table) => `INSERT INTO ${table} (shopId, cid, uid, seenAt, provenAt, version)
SELECT shopId, cid, uid, seenAt, provenAt, {version:Int64} FROM ${found}`,
  )

/** The first offset of each partition in the tables that are copied from: topic, partition, offset. */
export const firstOffsetsSql = Object.entries(eventTables)
  .map(
    ([topic, { table }]) =>
      `SELECT '${topic}' AS topic, _partition AS partition, min(_offset) AS offset FROM ${table} GROUP BY partition`,
  )
  .join(' UNION ALL ')

/** How many transactions attribution has copied. */
export const copiedTransactionsSql = 'SELECT toInt64(count()) AS transactions FROM transactions_by_person'

/** The transactions of the people whose key is in [fromKey, toKey]. */
export const transactionsOfKeysSql = `
SELECT personKey, shopId, kind, eventId FROM transactions_by_person
WHERE personKey BETWEEN {fromKey:UInt32} AND {toKey:UInt32}`

/** The transactions of some people, by their key. */
export const transactionsOfPeopleSql = `
SELECT personKey, shopId, kind, eventId FROM transactions_by_person
WHERE personKey IN {personKeys:Array(UInt32)}`

/** One more than the greatest key of a person. */
export const PERSON_KEYS = 2 ** 32

/** Condition on `transactions_by_id`: the transactions that some SQL selects (shopId, kind, eventId). */
export const byIdSql = (transactions: string): string =>
  `idKey IN (SELECT murmurHash3_32(shopId, eventId) FROM (${transactions})) AND (shopId, kind, eventId) IN (${transactions})`
