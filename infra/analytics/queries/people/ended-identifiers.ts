import { personKeySql } from '../attribution/person-links.ts'

/** Statements that make rows name nobody, once the identifiers of their time have ended (`retention/ended-identifiers.ts`). */

/** Columns by what takes the place of an identifier in them. */
interface NamingColumns {
  text?: readonly string[]
  nullable?: readonly string[]
}

const PERSON: NamingColumns = { text: ['cid'], nullable: ['uid'] }

/** Tables of the sink, whose rows stay. */
const sinkTables = {
  emissions: PERSON,
  judged_events: {
    text: ['cid', 'emittedCid'],
    nullable: ['uid', 'emittedUid', 'addressHash', 'networkHash', 'agentHash'],
  },
  event_corrections: { text: ['cid'] },
  transactions: PERSON,
  page_views: { text: ['cid'], nullable: ['uid', 'gclid'] },
} as const satisfies Record<string, NamingColumns>
export type NamingTable = keyof typeof sinkTables
export const isNamingTable = (table: string): table is NamingTable => Object.hasOwn(sinkTables, table)

/** Tables of attribution whose rows stay. */
const creditTables: Readonly<Record<string, NamingColumns>> = {
  transactions_by_id: PERSON,
  attributed_lines: PERSON,
  credited_lines: PERSON,
}

/** Tables of attribution in which people are looked up. Their rows are of no use without a person, and are deleted. */
const personTables = ['touches', 'transactions_by_person']
const linkTables = { links_by_cid: 'cidKey', links_by_uid: personKeySql } as const
export const isLinkTable = (table: string): boolean => Object.hasOwn(linkTables, table)

/** All tables that are changed. */
export const endingTables: readonly string[] = [
  ...[sinkTables, creditTables, linkTables].flatMap((tables) => Object.keys(tables)),
  ...personTables,
]

/** Makes the rows of one table name nobody. */
export interface Ending {
  /** Selects as `rows` how many rows still have to be changed. */
  countSql: string
  /** A mutation of the store, which may return before it is done. */
  statement: string
}

/** The order of steps: each depends on the one before. Parts without such a row are not rewritten. */
export const endingSteps = (until: number): readonly (readonly Ending[])[] => [
  [
    ...Object.entries({ ...sinkTables, ...creditTables }).map(([table, columns]) => blanking(table, columns, until)),
    ...personTables.map((table) => deletion(table, `occurredAt < ${until}`)),
  ],
  Object.entries(linkTables).map(([table, cidKey]) => deletion(table, isUnused(cidKey, until))),
]

/** The statement for a table that is being filled in place of one of the sink's. It is done when the statement returns. */
export const endedInSql = (table: string, as: NamingTable, until: number): string =>
  `${blankSql(table, sinkTables[as], until)} SETTINGS mutations_sync = 1`

const blanking = (table: string, columns: NamingColumns, until: number): Ending => ({
  countSql: countSql(table, isNamed(columns, until)),
  statement: `${blankSql(table, columns, until)} ${IN_BACKGROUND}`,
})

const deletion = (table: string, condition: string): Ending => ({
  countSql: countSql(table, condition),
  statement: `ALTER TABLE ${table} DELETE WHERE ${condition} ${IN_BACKGROUND}`,
})

/** On replicas, ClickHouse wants to be told that a condition with a subquery may be evaluated by each of them. */
const IN_BACKGROUND = 'SETTINGS mutations_sync = 0, allow_nondeterministic_mutations = 1'

const countSql = (table: string, condition: string): string =>
  `SELECT toInt64(count()) AS rows FROM ${table} WHERE ${condition}`

function blankSql(table: string, columns: NamingColumns, until: number): string {
  const { text = [], nullable = [] } = columns
  const changes = [...text.map((column) => `${column} = ''`), ...nullable.map((column) => `${column} = NULL`)]
  return `ALTER TABLE ${table} UPDATE ${changes.join(', ')} WHERE ${isNamed(columns, until)}`
}

function isNamed({ text = [], nullable = [] }: NamingColumns, until: number): string {
  const named = [...text.map((column) => `${column} != ''`), ...nullable.map((column) => `isNotNull(${column})`)]
  return `occurredAt < ${until} AND (${named.join(' OR ')})`
}

/**
 * A link joins what different browsers of a person saw and bought, so it is needed while its browser has any of that. Links that were
 * first seen later are kept in any case: their browser may still begin.
 */
const isUnused = (cidKey: string, until: number): string =>
  [`seenAt < ${until}`, ...personTables.map((table) => `${cidKey} NOT IN (SELECT personKey FROM ${table})`)].join(
    ' AND ',
  )
