import { copiedTables, INSERT_SETTINGS, LINK_COLUMNS, linkTables, lookupTables } from './lookups.ts'

/**
 * Finds rows that a look-up table has lost. A look compares what can be compared exactly, so that nothing that a healthy store does
 * (merges, erasures, retention, a run that is repeated) looks like a loss.
 */

/** Selects how many rows each look-up table has, equal ones included. The store knows it without reading any. */
export const lookupRowsSql = `SELECT ${lookupTables.map((table) => `(SELECT toInt64(count()) FROM ${table}) AS ${table}`).join(', ')}`

/**
 * Selects `lost`: how many records the sink has stored that a copied table should have and has not. A record is known by its position
 * in the log, so rows that were copied twice count once. Parameters: `partitions` and `offsets`, which say before which offset the rows
 * of each partition are copied, and `endedUntil`.
 */
export function lostCopiesSql(table: keyof typeof copiedTables): string {
  const { from, condition, forgetsPeople } = copiedTables[table]!
  const copied = '_offset < transform(_partition, {partitions:Array(Int32)}, {offsets:Array(Int64)}, toInt64(0))'
  const kept = forgetsPeople ? `${copied} AND occurredAt >= {endedUntil:Int64}` : copied
  const records = (of: string, where: string) =>
    `SELECT _partition AS partition, toInt64(groupBitmap(toUInt64(_offset))) AS records FROM ${of} WHERE ${where} GROUP BY partition`
  return `
SELECT toInt64(sum(greatest(due - found, 0))) AS lost FROM (
  SELECT partition, sumIf(records, NOT isCopy) AS due, sumIf(records, isCopy) AS found FROM (
    SELECT *, false AS isCopy FROM (${records(from, `${condition} AND ${kept}`)})
    UNION ALL
    SELECT *, true AS isCopy FROM (${records(table, kept)}))
  GROUP BY partition)`
}

/** What a table of links has, apart from those that are deleted with the identifiers of their time. Parameter endedUntil. */
export interface Links {
  pairs: number
  hash: string
}

/** Selects one row, `Links`. The table is read in the order in which it is sorted, so this needs hardly any memory. */
export const linksSql = (table: (typeof linkTables)[number]): string => `
SELECT toInt64(count()) AS pairs, toString(sum(cityHash64(shopId, cid, uid, firstAt, firstProvenAt))) AS hash FROM (
  SELECT shopId, cid, uid, min(seenAt) AS firstAt, min(provenAt) AS firstProvenAt FROM ${table}
  GROUP BY ${table === 'links_by_cid' ? 'cidKey' : 'uidKey'}, shopId, cid, uid HAVING firstAt >= {endedUntil:Int64})
SETTINGS optimize_aggregation_in_order = 1`

/** Statements that give each table of links what the other one has. */
export const sharedLinksStatements: readonly string[] = linkTables.map(
  (table, at) =>
    `INSERT INTO ${table} (${LINK_COLUMNS}) ${INSERT_SETTINGS} SELECT ${LINK_COLUMNS} FROM ${linkTables[1 - at]}`,
)
