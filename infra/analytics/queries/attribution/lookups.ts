import type { TopicName } from '../../../../schemas/topics.ts'
import { NEVER, personKeysSql } from './person-links.ts'

/** Fills the tables in which attribution looks people and transactions up (migrations/009_attribution_lookups.sql). */

/** SQL that holds for the rows of a topic stored since attribution looked last; null when there are none. */
export type NewRows = (topic: TopicName) => string | null

/** Where a cid and a uid are seen together: when the intake received it, and whether its sender proved itself. */
const eventTables = {
  'judged-events': { table: 'judged_events', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  transactions: { table: 'transactions', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  'page-views': { table: 'page_views', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  emissions: { table: 'emissions', receivedAt: 'occurredAt', isProven: 'false' },
} as const satisfies Partial<Record<TopicName, { table: string; receivedAt: string; isProven: string }>>

/** Statements that copy the new rows. Parameter version. Running them again changes nothing. */
export function lookupStatements(newRows: NewRows): string[] {
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
    ...linkStatements(newRows),
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

/** Stores pairs of cid and uid that no event had shown before, or not so early, or not proven. */
function linkStatements(newRows: NewRows): string[] {
  const seen = Object.entries(eventTables).flatMap(([topic, { table, receivedAt, isProven }]) => {
    const rows = newRows(topic as TopicName)
    return rows === null
      ? []
      : [
          `SELECT shopId, cid, assumeNotNull(uid) AS uid, ${receivedAt} AS at, if(${isProven}, ${receivedAt}, ${NEVER}) AS proven
  FROM ${table} WHERE ifNull(uid, '') != '' AND (${rows})`,
        ]
  })
  // The second decides what is new, so a run that stops between them stores the pairs in both when it is repeated.
  return seen.length === 0
    ? []
    : ['links_by_uid', 'links_by_cid'].map((table) => linksSql(table, seen.join('\n  UNION ALL\n  ')))
}

const linksSql = (table: string, pairs: string): string => `
INSERT INTO ${table} (shopId, cid, uid, seenAt, provenAt, version)
SELECT n.shopId, n.cid, n.uid, n.firstAt, n.firstProvenAt, {version:Int64}
FROM (SELECT shopId, cid, uid, min(at) AS firstAt, min(proven) AS firstProvenAt FROM (
  ${pairs}
) GROUP BY shopId, cid, uid) AS n
LEFT JOIN (
  SELECT shopId, cid, uid, min(seenAt) AS firstAt, min(provenAt) AS firstProvenAt, true AS known
  FROM links_by_cid WHERE (cidKey, shopId, cid) IN (${personKeysSql(`SELECT shopId, cid FROM (${pairs})`)})
  GROUP BY shopId, cid, uid
) AS k ON k.shopId = n.shopId AND k.cid = n.cid AND k.uid = n.uid
WHERE NOT k.known OR n.firstAt < k.firstAt OR n.firstProvenAt < k.firstProvenAt`

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

/** One more than the greatest key of a person. */
export const PERSON_KEYS = 2 ** 32

/** Condition on `transactions_by_id`: the transactions that some SQL selects (shopId, kind, eventId). */
export const byIdSql = (transactions: string): string =>
  `(idKey, shopId, kind, eventId) IN (SELECT murmurHash3_32(shopId, eventId), shopId, kind, eventId FROM (${transactions}))`
