import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../schemas/durations.ts'
import type { Analytics } from '../port.ts'
import { TABLE_NAME } from '../queries/system/tables.ts'

const TTL = /\sTTL\s+(.*?)(\sSETTINGS\s|$)/s
const KEPT_FOR = /toInterval(Second|Minute|Hour|Day|Week|Month|Year)\((\d+)\)/
/** The least length of each unit. */
const UNIT_MS = {
  Second: 1_000,
  Minute: MINUTE_MS,
  Hour: HOUR_MS,
  Day: DAY_MS,
  Week: 7 * DAY_MS,
  Month: 28 * DAY_MS,
  Year: 365 * DAY_MS,
} as const

/**
 * The time, in UTC epoch milliseconds, since which a table has all its rows; rows of earlier events may have expired.
 * -Infinity when the table keeps all rows. Infinity when its definition does not say for how long it keeps a row.
 */
export type CompleteSince = (table: string) => number

export async function completeSince({
  analytics,
  now,
}: {
  analytics: Pick<Analytics, 'query'>
  now: () => number
}): Promise<CompleteSince> {
  const [definitions, rows] = await Promise.all([
    readDefinitions(analytics),
    analytics.query<{ tableName: string; until: number }>(
      'SELECT tableName, max(forgotten_rows.until) AS until FROM forgotten_rows GROUP BY tableName',
    ),
  ])
  const forgotten = new Map(rows.map(({ tableName, until }) => [tableName, until]))
  return (table) =>
    Math.max(sinceOf(definitions.get(table) ?? '', now()), forgotten.get(table) ?? Number.NEGATIVE_INFINITY)
}

/**
 * The time, in UTC epoch milliseconds, before which a table may lack rows that its present definition would keep; -Infinity when it
 * lacks none.
 */
export async function readForgottenUntil(analytics: Pick<Analytics, 'query'>, table: string): Promise<number> {
  const [found] = await analytics.query<{ until: number | null }>(
    'SELECT maxOrNull(forgotten_rows.until) AS until FROM forgotten_rows WHERE tableName = {table:String}',
    { table },
  )
  return found?.until ?? Number.NEGATIVE_INFINITY
}

/** The definitions of the tables that have a TTL, by the table's name. */
export async function readDefinitions(analytics: Pick<Analytics, 'query'>): Promise<ReadonlyMap<string, string>> {
  const tables = await analytics.query<{ name: string; definition: string }>(
    // On a cluster, the local table of the server has the TTL. To write down the definitions of views takes as long as those of tables.
    `SELECT ${TABLE_NAME} AS name, create_table_query AS definition FROM system.tables
     WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree') AND create_table_query LIKE '% TTL %'`,
  )
  return new Map(tables.map(({ name, definition }) => [name, definition]))
}

/** Null when the table has no TTL, or one that is not in days. */
export function keptDays(definition: string): number | null {
  const [, unit, number] = KEPT_FOR.exec(ttlOf(definition) ?? '') ?? []
  return unit === 'Day' ? Number(number) : null
}

function sinceOf(definition: string, now: number): number {
  const ttl = ttlOf(definition)
  if (ttl === undefined) return Number.NEGATIVE_INFINITY
  const kept = KEPT_FOR.exec(ttl)
  return kept ? now - Number(kept[2]) * UNIT_MS[kept[1] as keyof typeof UNIT_MS] : Number.POSITIVE_INFINITY
}

// Only the text after ENGINE: columns may have a TTL of their own, after which the row is still there.
const ttlOf = (definition: string): string | undefined =>
  TTL.exec(definition.slice(definition.lastIndexOf(' ENGINE = ')))?.[1]
