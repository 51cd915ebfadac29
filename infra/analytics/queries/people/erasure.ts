import type { ActiveErasure } from '../../../../services/domain/erasure/erasures.ts'
import { linkTables } from '../attribution/lookups.ts'

/**
 * Statements that replace identifiers by pseudonyms. The store keeps the text of the statements that it has run, so they contain no
 * identifier: a row is recognized by the hash of its identifier, which is computed only where a cheap checksum matches.
 */

interface NamedTable {
  table: string
  /** Columns of each kind of identifier. */
  names: Readonly<Record<ActiveErasure['identifier'], readonly string[]>>
  /** The column that says when what these columns tell happened. */
  at: string
}

/** Filled by the sink, from the log. */
const sinkTables: readonly NamedTable[] = [
  { table: 'emissions', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt' },
  { table: 'judged_events', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt' },
  { table: 'judged_events', names: { CID: ['emittedCid'], UID: ['emittedUid'] }, at: 'emittedAt' },
  { table: 'event_corrections', names: { CID: ['cid'], UID: [] }, at: 'occurredAt' },
  { table: 'transactions', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt' },
  { table: 'page_views', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt' },
]

/** Filled by attribution. Rows of tables that are sorted by person cannot be updated: new rows are inserted, and the old deleted. */
const attributionTables: readonly (NamedTable & { sortedByPerson: boolean })[] = [
  { table: 'touches', names: { CID: ['cid'], UID: [] }, at: 'occurredAt', sortedByPerson: true },
  { table: 'transactions_by_person', names: { CID: ['cid'], UID: [] }, at: 'occurredAt', sortedByPerson: true },
  { table: 'transactions_by_id', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt', sortedByPerson: false },
  { table: 'attributed_lines', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt', sortedByPerson: false },
  { table: 'credited_lines', names: { CID: ['cid'], UID: ['uid'] }, at: 'occurredAt', sortedByPerson: false },
]

export type Erasing = readonly ActiveErasure[]

/** The statements to run for the rows of one table. */
export interface TableErasure {
  table: string
  /** Selects as `rows` how many rows still have one of the identifiers. */
  countSql: string
  statements: readonly string[]
}

/** The sink's tables. Their statements may return before they are done: they are mutations of the store. */
export const sinkErasures = (erasures: Erasing): TableErasure[] =>
  sinkTables.map((each) => {
    return { table: each.table, countSql: countSql(each, erasures), statements: [updateSql(each, erasures, 0)] }
  })

/** The tables of attribution, without links. Their statements are done when they return. */
export const attributionErasures = (erasures: Erasing): TableErasure[] =>
  attributionTables.map((each) => {
    const statements = each.sortedByPerson
      ? [insertSql(each, erasures), deleteSql(each, erasures)]
      : [updateSql(each, erasures, 1)]
    return { table: each.table, countSql: countSql(each, erasures), statements }
  })

/** All tables that name people. `erased-links.ts` has the statements for links. */
export const erasedTables: readonly string[] = [
  ...new Set([...sinkTables, ...attributionTables].map(({ table }) => table)),
  ...linkTables,
]

const countSql = (named: NamedTable, erasures: Erasing): string =>
  `SELECT toInt64(count()) AS rows FROM ${named.table} WHERE ${anyIn(named, erasures)}`

const updateSql = (named: NamedTable, erasures: Erasing, sync: 0 | 1): string => {
  const changes = columnsOf(named).map((each) => `${each.column} = ${renamed(named, erasures, each)}`)
  return `ALTER TABLE ${named.table} UPDATE ${changes.join(', ')} WHERE ${anyIn(named, erasures)}
SETTINGS mutations_sync = ${sync}`
}

const insertSql = (named: NamedTable, erasures: Erasing): string => {
  const changes = columnsOf(named).map((each) => `${renamed(named, erasures, each)} AS ${each.column}`)
  return `INSERT INTO ${named.table} SELECT * REPLACE (${changes.join(', ')})
FROM (SELECT * FROM ${named.table} WHERE ${anyIn(named, erasures)})`
}

const deleteSql = (named: NamedTable, erasures: Erasing): string =>
  `ALTER TABLE ${named.table} DELETE WHERE ${anyIn(named, erasures)} SETTINGS mutations_sync = 1`

/** A column that has identifiers of a kind. */
interface NamingColumn {
  column: string
  kind: ActiveErasure['identifier']
}

function columnsOf({ names }: NamedTable): NamingColumn[] {
  return (['CID', 'UID'] as const).flatMap((kind) => names[kind].map((column) => ({ kind, column })))
}

const renamed = (named: NamedTable, erasures: Erasing, column: NamingColumn): string =>
  pseudonymIn(column, erasures, (erasure) => isNamed(named, erasure, column.column))

/** Whether a row has one of the identifiers. */
const anyIn = (named: NamedTable, erasures: Erasing): string =>
  anyOf(erasures.flatMap((erasure) => named.names[erasure.identifier].map((column) => isNamed(named, erasure, column))))

/** Whether a row tells what the person did until the erasure was requested. */
function isNamed({ at }: NamedTable, erasure: ActiveErasure, column: string): string {
  return `${at} <= ${erasure.requestedAt} AND ${hasIdentifier(erasure, column)}`
}

/** The pseudonym for a column's identifier, or the column itself where its identifier is not erased. */
export function pseudonymIn(
  { column, kind }: NamingColumn,
  erasures: Erasing,
  isErased: (erasure: ActiveErasure) => string,
): string {
  const cases = erasures
    .filter(({ identifier }) => identifier === kind)
    .flatMap((erasure) => [isErased(erasure), `'${erasure.pseudonym}'`])
  return cases.length === 0 ? column : `multiIf(${[...cases, column].join(', ')})`
}

/** Whether one of the conditions holds. */
export const anyOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? 'false' : conditions.map((each) => `(${each})`).join('\n  OR ')

/**
 * Whether a column has the identifier, in a row of any time. Nothing needs escaping: texts of an erasure are UUIDs, hexadecimal or made
 * by `newErasure`, and numbers are safe integers.
 */
export function hasIdentifier({ shopId, digest }: ActiveErasure, column: string): string {
  const { salt, sha256, crc32 } = digest
  return `shopId = '${shopId}' AND ifNull(CRC32(${column}) = ${crc32}, false)
    AND ifNull(SHA256(concat(unhex('${salt}'), ${column})) = unhex('${sha256}'), false)`
}
