import { type Analytics, AnalyticsUnavailable, type QueryParams } from '../../infra/analytics/port.ts'
import {
  createScratchStatements,
  isKeptSql,
  leftScratchSql,
  type Scratch,
  scratchOf,
} from '../../infra/analytics/queries/attribution/scratch.ts'

/** The scratch tables of one process, which its runs reuse. One run at a time may use them. */
export interface ScratchTables {
  /**
   * @param run gets the server that has the tables, where the store has several servers.
   * @throws AnalyticsUnavailable when that server restarted or went away during the run: the tables live in its memory.
   */
  use<T>(run: (scratch: Scratch, on: Analytics) => Promise<T>): Promise<T>
  drop(): Promise<void>
}

/** @param name makes a name that no other process and no other scratch tables have. */
export function createScratchTables(deps: { analytics: Analytics; name: () => string }): ScratchTables {
  const { analytics, name } = deps
  let held: { scratch: Scratch; on: Analytics } | null = null

  async function create() {
    const on = analytics.onOneServer ? await analytics.onOneServer() : analytics
    const created = { scratch: scratchOf(name()), on }
    held = created
    for (const statement of createScratchStatements(created.scratch)) await on.command(statement)
    return created
  }

  async function dropHeld(): Promise<void> {
    if (held === null) return
    const { scratch, on } = held
    held = null
    await drop(on, Object.values(scratch)).catch(() => {})
  }

  return {
    async use(run) {
      try {
        const { scratch, on } = held ?? (await create())
        const result = await run(scratch, on)
        const [answer] = await on.query<{ isKept: boolean }>(isKeptSql(scratch))
        if (answer!.isKept) return result
        throw new AnalyticsUnavailable('The analytics store restarted during the run and has lost its scratch tables')
      } catch (error) {
        await dropHeld()
        throw error
      }
    },
    drop: dropHeld,
  }
}

/** Empties a scratch table and fills it again. With a null `insert` it stays empty. */
export async function refill(
  analytics: Analytics,
  table: string,
  insert: string | null,
  params: QueryParams = {},
): Promise<void> {
  await analytics.command(`TRUNCATE TABLE ${table}`)
  if (insert !== null) await analytics.command(insert, params)
}

/** Drops the scratch tables that killed processes have left. A run that is under way in another process fails and is repeated. */
export async function dropLeftScratch(analytics: Analytics): Promise<void> {
  const left = await analytics.query<{ name: string }>(leftScratchSql)
  await drop(
    analytics,
    left.map(({ name }) => name),
  )
}

async function drop(analytics: Analytics, tables: readonly string[]): Promise<void> {
  for (const table of tables) await analytics.command(`DROP TABLE IF EXISTS ${table} SYNC`)
}
