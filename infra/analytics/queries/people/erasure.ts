import type { ActiveErasure } from '../../../../services/domain/erasure/erasures.ts'
import { NEVER, personKeySql } from '../attribution/person-links.ts'

/**
 * Statements that replace identifiers by pseudonyms. The store keeps the text of the statements that it has run, so they contain no
 * identifier: a row is recognized by the hash of its identifier, which is computed only where a cheap checksum matches.
 */

interface NamedTable {
  table: string
  /** Columns of each kind of identifier. */
  names: Readonly<Record<ActiveErasure['identifier'], readonly string[]>>
  /** The column that says when the event of the row happened. */
  at: string
}

/** Filled by the sink, from the log. */
const sinkTables: readonly NamedTable[] = [
  { table: 'emissions', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt' },
  { table: 'judged_events', names: { CID: ['cid', 'emittedCid'], UID: ['uid', 'emittedUid'] }, at: 'occurredAt' },
  { table: 'event_corrections', names: { CID: ['cid'], UID: [] }, at: 'occurredAt' },
  { table: 'transactions', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt' },
  { table: 'page_views', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt' },
]

/** Filled by attribution. Rows of tables that are sorted by person cannot be updated: new rows are inserted, and the old deleted. */
const attributionTables: readonly (NamedTable & { sortedByPerson: boolean })[] = [
  { table: 'touches', names: { CID: ['cid'], UID: [] }, at: 'occurredAt', sortedByPerson: true },
  { table: 'transactions_by_person', names: { CID: ['cid'], UID: [] }, at: 'occurredAt', sortedByPerson: true },
  { table: 'transactions_by_id', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt', sortedByPerson: false },
  { table: 'links_by_cid', names: { CID: ['cid'], UID: ['uid'] }, at: 'seenAt', sortedByPerson: true },
  { table: 'links_by_uid', names: { CID: ['cid'], UID: ['uid'] }, at: 'seenAt', sortedByPerson: true },
  { table: 'attributed_lines', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt', sortedByPerson: false },
]

export type Erasing = readonly ActiveErasure[]

/** The statements to run for the rows of one table. */
export interface TableErasure {
  table: string
  /** Selects as `rows` how many rows still have one of the identifiers. */
  countSql: string
  statements: readonly string[]
}

/** The sink's tables. Their statements may return before they are done; `pendingErasuresSql` says how many are not. */
export const sinkErasures = (erasures: Erasing): TableErasure[] =>
  sinkTables.map((each) => {
    return { table: each.table, countSql: countSql(each, erasures), statements: [updateSql(each, erasures, 0)] }
  })

/** The tables of attribution. Their statements are done when they return. */
export const attributionErasures = (erasures: Erasing): TableErasure[] =>
  attributionTables.map((each) => {
    const statements = each.sortedByPerson
      ? [insertSql(each, erasures), deleteSql(each, erasures)]
      : [updateSql(each, erasures, 1)]
    return { table: each.table, countSql: countSql(each, erasures), statements }
  })

/** Selects as `pending` how many mutations of these tables are not done. */
export const pendingErasuresSql = `
SELECT toInt64(count()) AS pending FROM system.mutations
WHERE database = currentDatabase() AND NOT is_done
  AND table IN (${[...sinkTables, ...attributionTables].map(({ table }) => `'${table}'`).join(', ')})`

/** Keys of the people whose credit must be computed again: the cids that were erased, and the cids of uids that were erased. */
export const erasedPeopleSql = `
SELECT DISTINCT ${personKeySql} AS personKey FROM transactions_by_person WHERE cid IN {pseudonyms:Array(String)}
UNION DISTINCT
SELECT DISTINCT ${personKeySql} AS personKey FROM links_by_uid WHERE uid IN {pseudonyms:Array(String)}`

const countSql = (named: NamedTable, erasures: Erasing): string =>
  `SELECT toInt64(count()) AS rows FROM ${named.table} WHERE ${anyIn(named, erasures)}`

const updateSql = (named: NamedTable, erasures: Erasing, sync: 0 | 1): string => {
  const changes = columnsOf(named).map(({ column, kind }) => `${column} = ${renamed(named, erasures, column, kind)}`)
  return `ALTER TABLE ${named.table} UPDATE ${changes.join(', ')} WHERE ${anyIn(named, erasures)}
SETTINGS mutations_sync = ${sync}`
}

const insertSql = (named: NamedTable, erasures: Erasing): string => {
  const changes = columnsOf(named).map(({ column, kind }) => `${renamed(named, erasures, column, kind)} AS ${column}`)
  // A proof from after the request does not belong to the erased pair.
  const proof = named.at === 'seenAt' ? [`if(provenAt > ${latest(erasures)}, ${NEVER}, provenAt) AS provenAt`] : []
  return `INSERT INTO ${named.table} SELECT * REPLACE (${[...changes, ...proof].join(', ')}) 
FROM (SELECT * FROM ${named.table} WHERE ${anyIn(named, erasures)})`
}

const deleteSql = (named: NamedTable, erasures: Erasing): string =>
  `ALTER TABLE ${named.table} DELETE WHERE ${anyIn(named, erasures)} SETTINGS mutations_sync = 1`

const latest = (erasures: Erasing): number => Math.max(...erasures.map(({ requestedAt }) => requestedAt))

function columnsOf({ names }: NamedTable) {
  return (['CID', 'UID'] as const).flatMap((kind) => names[kind].map((column) => ({ kind, column })))
}

/** The pseudonym for a column's identifier, or the column itself where its identifier is not erased. */
function renamed(named: NamedTable, erasures: Erasing, column: string, kind: ActiveErasure['identifier']): string {
  const cases = erasures
    .filter(({ identifier }) => identifier === kind)
    .flatMap((erasure) => [isNamed(named, erasure, column), `'${erasure.pseudonym}'`])
  return cases.length === 0 ? column : `multiIf(${[...cases, column].join(', ')})`
}

/** Whether a row has one of the identifiers. */
function anyIn(named: NamedTable, erasures: Erasing): string {
  const conditions = erasures.flatMap((erasure) =>
    named.names[erasure.identifier].map((column) => isNamed(named, erasure, column)),
  )
  return conditions.length === 0 ? 'false' : conditions.map((each) => `(${each})`).join('\n  OR ')
}

/** Nothing needs escaping: texts of an erasure are UUIDs, hexadecimal or made by `newErasure`, and numbers are safe integers. */
function isNamed({ at }: NamedTable, { shopId, requestedAt, digest }: ActiveErasure, column: string): string {
  const { salt, sha256, crc32 } = digest
  return `shopId = '${shopId}' AND ${at} <= ${requestedAt} AND ifNull(CRC32(${column}) = ${crc32}, false)
    AND ifNull(SHA256(concat(unhex('${salt}'), ${column})) = unhex('${sha256}'), false)`
}
