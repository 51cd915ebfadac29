import { DAY_MS } from '../../../schemas/durations.ts'
import type { Migrated } from '../migrate.ts'
import { keptDays, readDefinitions } from './complete-since.ts'
import { type RetainedTable, type RetentionDays, retainedTables } from './retention-days.ts'

/** The statement returns at once; existing parts are processed in the background. */
const IN_BACKGROUND = 'SETTINGS mutations_sync = 0'
/** Rows are dropped by whole parts, which hold one month, so no part is rewritten. Existing parts are read for their times only. */
const BY_PARTS = 'ttl_only_drop_parts = 1, materialize_ttl_recalculate_only = 1'

/**
 * Sets the TTL of tables to the given days, and removes it where no days are given. A table that already has the wanted TTL is not
 * altered. Tables whose rows are dropped by months are left to `streams/report-counts/emission-retention.ts`.
 * May be called repeatedly, and by several processes at once.
 * @param now UTC epoch milliseconds.
 */
export async function applyRetention(analytics: Migrated, days: RetentionDays, now: number): Promise<void> {
  const kept = await readKept(analytics)
  for (const table of Object.keys(retainedTables) as RetainedTable[]) {
    if (retainedTables[table].by !== 'TTL') continue
    const [before, wanted] = [kept(table), days[table] ?? null]
    if (before === wanted) continue
    if (before !== null && (wanted ?? Number.POSITIVE_INFINITY) > before) {
      const until = now - before * DAY_MS
      await analytics.insert('forgotten_rows', [{ tableName: table, until }], { token: `${table} ${until}` })
    }
    try {
      for (const statement of statementsFor(table, wanted)) await analytics.command(statement)
    } catch (error) {
      // Not an error if another process has made the same change first.
      if ((await readKept(analytics))(table) !== wanted) throw error
    }
  }
}

function statementsFor(table: RetainedTable, days: number | null): string[] {
  if (days === null) return [`ALTER TABLE ${table} REMOVE TTL`]
  return [
    `ALTER TABLE ${table} MODIFY SETTING ${BY_PARTS}`,
    `ALTER TABLE ${table} MODIFY TTL toDateTime(intDiv(occurredAt, 1000)) + INTERVAL ${Math.trunc(days)} DAY ${IN_BACKGROUND}`,
  ]
}

async function readKept(analytics: Pick<Migrated, 'query'>): Promise<(table: RetainedTable) => number | null> {
  const definitions = await readDefinitions(analytics)
  return (table) => keptDays(definitions.get(table) ?? '')
}
