import type { TopicName } from '../../../../schemas/topics.ts'
import { NEVER, personKeysSql, withoutPlaceSql } from './person-links.ts'
import type { Scratch } from './scratch.ts'

/** Fills the tables in which attribution looks people and transactions up (migrations/009_attribution_lookups.sql). */

/** A condition that holds for the rows of a topic that are new since a stream last looked; null when there are none. */
export type NewRows = (topic: TopicName) => string | null

/** Values about tables, by the topic whose records a table stores. */
export type ByTopic<T> = Readonly<Partial<Record<TopicName, T>>>

/** The entries of the tables that have new rows, each with `rows`, a condition that holds for these. */
export function withNewRows<T extends object>(newRows: NewRows, tables: ByTopic<T>): (T & { rows: string })[] {
  return Object.entries(tables).flatMap(([topic, table]) => {
    const rows = newRows(topic as TopicName)
    return rows === null ? [] : [{ ...table, rows }]
  })
}

/** Tables whose rows show a cid and a uid together: SQL for when the intake received a row, and whether its sender proved itself. */
export const eventTables: ByTopic<{ table: string; receivedAt: string; isProven: string }> = {
  'judged-events': { table: 'judged_events', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  transactions: { table: 'transactions', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  'page-views': { table: 'page_views', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  emissions: { table: 'emissions', receivedAt: 'occurredAt', isProven: 'false' },
}

/** Does not hold for rows whose identifiers have ended. */
const IS_OF_PERSON = "cid != ''"

const TOUCH_COLUMNS = `_partition, _offset, shopId, cid, eventId, type, occurredAt, kind, campaignId, accountId, adId,
  itemGroupId, slotHash, adUnitId, algorithm, country`
const PERSON_COLUMNS = '_partition, _offset, shopId, cid, kind, eventId, occurredAt'
const ID_COLUMNS = `_partition, _offset, eventId, kind, shopId, cid, uid, currency, occurredAt, receivedAt, imported, proof,
  lines`

/** A table that is a copy of rows of one of the sink's. */
interface CopiedTable {
  topic: TopicName
  from: string
  columns: string
  /** Holds for the rows that are copied. */
  condition: string
  /** Whether rows are deleted here once their identifiers have ended. */
  forgetsPeople: boolean
}

export const copiedTables: Readonly<Record<string, CopiedTable>> = {
  touches: {
    ...{ topic: 'judged-events', from: 'judged_events', columns: TOUCH_COLUMNS },
    ...{ condition: `verdict = 'VALID' AND ${IS_OF_PERSON}`, forgetsPeople: true },
  },
  transactions_by_person: {
    ...{ topic: 'transactions', from: 'transactions', columns: PERSON_COLUMNS },
    ...{ condition: `NOT imported AND ${IS_OF_PERSON}`, forgetsPeople: true },
  },
  transactions_by_id: {
    ...{ topic: 'transactions', from: 'transactions', columns: ID_COLUMNS },
    ...{ condition: 'true', forgetsPeople: false },
  },
}

/** The same links twice, sorted by uid and by cid. */
export const linkTables = ['links_by_uid', 'links_by_cid'] as const
export const LINK_COLUMNS = 'shopId, cid, uid, seenAt, provenAt, version'

/** All tables that can be made again from what the sink has stored. */
export const lookupTables: readonly string[] = [...Object.keys(copiedTables), ...linkTables]

/** Statements that copy the new rows, except for links. Repeating them changes nothing. */
export function copyStatements(newRows: NewRows): string[] {
  return Object.entries(copiedTables).flatMap(([table, { topic, from, columns, condition }]) => {
    const rows = newRows(topic)
    if (rows === null) return []
    return [
      `INSERT INTO ${table} (${columns}) ${INSERT_SETTINGS} SELECT ${columns} FROM ${from} WHERE ${condition} AND (${rows})`,
    ]
  })
}

/**
 * Rows that are gathered, sorted and stored as one part, unless they take more than the store's limit of 256 MB. One part for every
 * block that is read would be too many, and each time that parts are merged costs more than to store them.
 */
const PART_ROWS = 1_000_000

/**
 * By default the store looks for equal rows in what it inserts, which takes as long as all the rest of an insert of touches. Here there
 * are none: the sink stores each record once, and pairs and lines are grouped. Rows of a repeated run become one when parts are merged.
 */
export const INSERT_SETTINGS = `SETTINGS min_insert_block_size_rows = ${PART_ROWS}, optimize_on_insert = 0`

/** What the new rows contain. The next steps depend on it. */
export interface News {
  /** Number of pairs of cid and uid. */
  pairs: number
  /** Number of valid touches. */
  touches: number
  /** Shops of these touches; only some of them when there are more than `SHOPS_TOLD_MAX`. */
  shopIds: readonly string[]
  /** When the first of these touches happened, UTC epoch milliseconds. */
  firstAt: number
}

/** Shops that a query takes as a list, which must fit in one parameter. */
export const SHOPS_TOLD_MAX = 1_000

/**
 * Fills `seen` with the pairs of cid and uid in the new rows, and with their valid touches. Null when no table of events has new
 * rows. Each table is read once, for pairs and touches together.
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

/** Selects one row, a `News`. */
export const newsSql = ({ seen }: Scratch): string => `
SELECT toInt64(countIf(${IS_SEEN_PAIR})) AS pairs, toInt64(sum(s.touches)) AS touches,
  groupUniqArrayIf(${SHOPS_TOLD_MAX + 1})(shopId, s.touches > 0) AS shopIds, min(s.firstAt) AS firstAt
FROM ${seen} AS s`

const IS_PAIR = "ifNull(e.uid, '') != ''"
/** Holds for the pairs in `seen`. The other rows there are of touches without a uid. */
const IS_SEEN_PAIR = "uid != ''"

/**
 * Fills `found` with the pairs of `seen` that are not links yet, or that the new rows show or prove earlier than their link does.
 * Pairs whose link is newer than parameter `done`, the version of the last run, are included: a run that died may have stored it.
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

/** Selects one row, `{ pairs }`: how many pairs `found` has. */
export const foundSizeSql = ({ found }: Scratch): string => `SELECT toInt64(count()) AS pairs FROM ${found}`

/** Statements that store the pairs of `seen`, whether they are links already or not. Parameter version. */
export const seenLinkStatements = ({ seen }: Scratch): string[] => linkStatements(`${seen} WHERE ${IS_SEEN_PAIR}`)

/** Statements that store the pairs of `found`. Parameter version. */
export const foundLinkStatements = ({ found }: Scratch): string[] => linkStatements(found)

/**
 * `links_by_cid` decides which pairs are new, so it comes last: a run that stops between the two statements stores the pairs in both
 * tables when it is repeated.
 */
const linkStatements = (pairs: string): string[] =>
  linkTables.map(
    (table) => `INSERT INTO ${table} (${LINK_COLUMNS}) ${INSERT_SETTINGS}
SELECT shopId, cid, uid, seenAt, provenAt, {version:Int64} FROM ${pairs}`,
  )

/** The first offset of each partition in the tables that are copied from: topic, partition, offset. */
export const firstOffsetsSql = Object.entries(eventTables)
  .map(
    ([topic, { table }]) =>
      `SELECT '${topic}' AS topic, _partition AS partition, min(_offset) AS offset FROM ${table} GROUP BY partition`,
  )
  .join(' UNION ALL ')

/** Selects one row, `{ transactions, lines }`: how many were copied, all versions of an id together. */
export const copiedSql =
  'SELECT toInt64(count()) AS transactions, toInt64(sum(length(lines))) AS lines FROM transactions_by_id WHERE NOT imported'

/** The transactions of the people whose key is in [fromKey, toKey]. */
export const transactionsOfKeysSql = `
SELECT personKey, shopId, kind, eventId FROM transactions_by_person
WHERE personKey BETWEEN {fromKey:UInt32} AND {toKey:UInt32}`

/** The transactions of the cids in `people`, and of all who share a uid with them by links that have a place. */
export const transactionsOfPeopleSql = ({ people, links }: Scratch): string => `
SELECT personKey, shopId, kind, eventId FROM transactions_by_person
WHERE personKey IN (${personKeysSql(`
  SELECT shopId, cid FROM ${people}
  UNION ALL
  SELECT shopId, cid FROM ${links} WHERE (shopId, cid, uid) NOT IN (${withoutPlaceSql('uid', links, 'true')})`)})`

/** One more than the greatest key of a person. */
export const PERSON_KEYS = 2 ** 32

/** Condition on `transactions_by_id`: the transactions that some SQL selects (shopId, kind, eventId). */
export const byIdSql = (transactions: string): string =>
  `idKey IN (SELECT murmurHash3_32(shopId, eventId) FROM (${transactions})) AND (shopId, kind, eventId) IN (${transactions})`
