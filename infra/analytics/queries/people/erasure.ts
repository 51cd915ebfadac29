import type { ActiveErasure } from '../../../../services/domain/erasure/erasures.ts'
import { NEVER, personKeySql } from '../attribution/person-links.ts'

/**
 * Statements that put pseudonyms in place of identifiers. They name nobody, because the store keeps the text of what it has run: a
 * row is known by the hash of its identifier, which is computed where a cheap checksum is equal.
 */

interface NamedTable {
  table: string
  /** Columns of each kind of identifier. */
  names: Readonly<Record<ActiveErasure['identifier'], readonly string[]>>
  /** When what the row tells of happened. */
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

/** Filled by attribution. Those that are sorted by person cannot be changed: rows are written anew, and the former deleted. */
const attributionTables: readonly (NamedTable & { sortedByPerson: boolean })[] = [
  { table: 'touches', names: { CID: ['cid'], UID: [] }, at: 'occurredAt', sortedByPerson: true },
  { table: 'transactions_by_person', names: { CID: ['cid'], UID: [] }, at: 'occurredAt', sortedByPerson: true },
  { table: 'transactions_by_id', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt', sortedByPerson: false },
  { table: 'links_by_cid', names: { CID: ['cid'], UID: ['uid'] }, at: 'seenAt', sortedByPerson: true },
  { table: 'links_by_uid', names: { CID: ['cid'], UID: ['uid'] }, at: 'seenAt', sortedByPerson: true },
  { table: 'attributed_lines', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt', sortedByPerson: false },
]

export type Erasing = readonly ActiveErasure[]

/** What is to be run for the rows of one table. */
export interface TableErasure {
  table: string
  /** Rows that still name somebody: `rows`. */
  countSql: string
  statements: readonly string[]
}

/** The sink's tables. Their statements may go on after they are answered: `pendingErasuresSql`. */
export const sinkErasures = (erasures: Erasing): TableErasure[] =>
  sinkTables.map((each) => {
    return { table: each.table, countSql: countSql(each, erasures), statements: [updateSql(each, erasures, 0)] }
  })

/** The tables of attribution. Their statements are done when they are answered. */
export const attributionErasures = (erasures: Erasing): TableErasure[] =>
  attributionTables.map((each) => {
    const statements = each.sortedByPerson
      ? [insertSql(each, erasures), deleteSql(each, erasures)]
      : [updateSql(each, erasures, 1)]
    return { table: each.table, countSql: countSql(each, erasures), statements }
  })

/** Changes of tables that are under way: `pending`. */
export const pendingErasuresSql = `
SELECT toInt64(count()) AS pending FROM system.mutations
WHERE database = currentDatabase() AND NOT is_done
  AND table IN (${[...sinkTables, ...attributionTables].map(({ table }) => `'${table}'`).join(', ')})`

/** The people whose credit is computed anew, by their key: those who were erased, and the browsers of logins that were. */
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
  // What proved the pair later is no part of it.
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

/** The pseudonym of a column's identifier, or what it is. */
function renamed(named: NamedTable, erasures: Erasing, column: string, kind: ActiveErasure['identifier']): string {
  const cases = erasures
    .filter(({ identifier }) => identifier === kind)
    .flatMap((erasure) => [isNamed(named, erasure, column), `'${erasure.pseudonym}'`])
  return cases.length === 0 ? column : `multiIf(${[...cases, column].join(', ')})`
}

/** Whether a row names anybody. */
function anyIn(named: NamedTable, erasures: Erasing): string {
  const conditions = erasures.flatMap((erasure) =>
    named.names[erasure.identifier].map((column) => isNamed(named, erasure, column)),
  )
  return conditions.length === 0 ? 'false' : conditions.map((each) => `(${each})`).join('\n  OR ')
}

/** Texts of an erasure are UUIDs, hexadecimal or made by `newErasure`; numbers are safe integers. */
function isNamed({ at }: NamedTable, { shopId, requestedAt, digest }: ActiveErasure, column: string): string {
  const { salt, sha256, crc32 } = digest
  return `shopId = '${shopId}' AND ${at} <= ${requestedAt} AND ifNull(CRC32(${column}) = ${crc32}, false)
    AND ifNull(SHA256(concat(unhex('${salt}'), ${column})) = unhex('${sha256}'), false)`
}
