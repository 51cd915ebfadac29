import type { Analytics } from '../port.ts'

const TTL = /\sTTL\s+(.*?)(\sSETTINGS\s|$)/s
const KEPT_FOR = /toInterval(Second|Minute|Hour|Day|Week|Month|Year)\((\d+)\)/
const DAY_MS = 86_400_000
/** At least so long. */
const UNIT_MS = {
  Second: 1_000,
  Minute: 60_000,
  Hour: 3_600_000,
  Day: DAY_MS,
  Week: 7 * DAY_MS,
  Month: 28 * DAY_MS,
  Year: 365 * DAY_MS,
} as const

/**
 * From when on a table has all rows that it was given, in UTC epoch milliseconds: those of earlier events may have expired.
 * -Infinity: it forgets none. Infinity: how long it keeps a row is not told by its definition.
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

/** Up to when a table may have lost rows that its definition does not tell of, in UTC epoch milliseconds; -Infinity: never. */
export async function readForgottenUntil(analytics: Pick<Analytics, 'query'>, table: string): Promise<number> {
  const [found] = await analytics.query<{ until: number | null }>(
    'SELECT maxOrNull(forgotten_rows.until) AS until FROM forgotten_rows WHERE tableName = {table:String}',
    { table },
  )
  return found?.until ?? Number.NEGATIVE_INFINITY
}

/** Of the tables that forget rows by themselves, by name. */
export async function readDefinitions(analytics: Pick<Analytics, 'query'>): Promise<ReadonlyMap<string, string>> {
  const tables = await analytics.query<{ name: string; definition: string }>(
    // On a cluster the definition is that of a server's own part.
    `SELECT replaceRegexpOne(name, '_local$', '') AS name, create_table_query AS definition FROM system.tables
     WHERE database = currentDatabase() AND create_table_query LIKE '% TTL %'`,
  )
  return new Map(tables.map(({ name, definition }) => [name, definition]))
}

/** Null: it forgets no rows, or not after whole days. */
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

// Columns may expire earlier, and leave their rows.
const ttlOf = (definition: string): string | undefined =>
  TTL.exec(definition.slice(definition.lastIndexOf(' ENGINE = ')))?.[1]
