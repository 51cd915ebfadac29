import type { Analytics, Fence } from '../../infra/analytics/port.ts'
import type { TableProof } from './table-proof.ts'

/** After this long the sink goes on, and what it stores in the old table before the exchange is copied after it. */
const PAUSE_MS = 60_000
const PAUSE_TRIES = 5
/** Offsets that one statement copies. */
const COPY_OFFSETS = 1_000_000
/** A copy that takes longer is aborted, well within a pause. */
const COPY_LIMIT = 'SETTINGS max_execution_time = 30'

/** The prefix of the names of tables that are being filled. */
export const REBUILDING = 'rebuilding_'

/** Offset by partition. */
export type Places = ReadonlyMap<number, number>

export interface TableReplacement {
  /** The table that serves. */
  readonly of: string
  /** The new table, next to the one that serves. */
  readonly table: string
  /** The fence under which rows are stored in the new table. It refuses inserts of earlier runs. */
  readonly fence: Fence
  /** Copies the rows before these offsets. @returns how many. */
  copyBefore(starts: Places): Promise<number>
  /**
   * Pauses the sink, copies the rows from these offsets on, and exchanges both tables when the caller agrees. Once this resolves, the
   * sink goes on and the table that does not serve is gone.
   */
  exchange(
    ends: Places,
    agree: () => Promise<{ proof: TableProof; agreed: boolean }>,
  ): Promise<{ proof: TableProof; exchanged: boolean }>
}

interface ReplacementDeps {
  analytics: Analytics
  table: string
  /** The fence scopes of the sink's inserts into the table. */
  scopes: readonly string[]
  /** Raises the sink's epochs, so that no insert of the sink that has begun before stores anything. */
  fenceSink: () => Promise<void>
  /** UTC epoch milliseconds. */
  now: () => number
  say: (line: string) => void
}

/** Creates an empty table next to the one that serves, after it has cleaned up what an earlier run has left. */
export async function beginReplacement(deps: ReplacementDeps): Promise<TableReplacement> {
  const { analytics, table, scopes, fenceSink, say } = deps
  const beside = `${REBUILDING}${table}`
  const [served, left] = [await markOf(analytics, table), await markOf(analytics, beside)]
  // Greater than the number of every earlier run, also when the clock was set back.
  const run = Math.max(deps.now(), 1 + (served?.run ?? 0), 1 + (left?.run ?? 0))
  const late = { analytics, scopes, fenceSink, table, beside, run }
  const fence = { scope: `rebuild/${table}`, epoch: run }
  await analytics.raiseFences([fence])
  await finishEarlier({ ...late, served, left, say })
  await analytics.command(`CREATE TABLE ${beside} AS ${table}`)
  await markTable(analytics, beside, { run, ends: [] })
  const pause = (work: () => Promise<void>) => whilePaused({ analytics, scopes, name: `${table}/${run}` }, work)

  async function takeOver(ends: Places): Promise<void> {
    await markTable(analytics, beside, { run, ends: [...ends] })
    await analytics.command(`EXCHANGE TABLES ${table} AND ${beside}`)
  }

  return {
    of: table,
    table: beside,
    fence,
    async copyBefore(starts) {
      for (const [partition, end] of starts) await copyRange(analytics, table, beside, { partition, end })
      return countRows(analytics, beside)
    },
    async exchange(ends, agree) {
      let agreement: Awaited<ReturnType<typeof agree>> | null = null
      const held = await pause(async () => {
        await copyFrom(analytics, table, beside, ends)
        agreement = await agree()
        if (agreement.agreed) await takeOver(ends)
      })
      const { proof, agreed } = agreement!
      if (agreed && !held) await copyLate({ ...late, ends })
      await analytics.command(`DROP TABLE ${beside} SYNC`)
      return { proof, exchanged: agreed }
    },
  }
}

/**
 * Cleans up after a killed run. A table that was being filled is dropped. One that served until the exchange may hold rows that the
 * sink has stored at the last moment: these are copied before it is dropped.
 */
async function finishEarlier({
  served,
  left,
  say,
  ...late
}: Late & { served: FoundMark; left: FoundMark; say: ReplacementDeps['say'] }): Promise<void> {
  const { analytics, table, beside } = late
  if (left === undefined) return
  if (served && served.run > (left?.run ?? 0)) {
    say(`${table}: an earlier run was ended after the exchange. Rows that only the previous table has are copied.`)
    await copyLate({ ...late, ends: new Map(served.ends) })
  }
  await analytics.command(`DROP TABLE ${beside} SYNC`)
}

/** Does work while no insert of the sink into the table is under way or begins. @returns whether the pause has held all the time. */
async function whilePaused(
  { analytics, scopes, name }: { analytics: Analytics; scopes: readonly string[]; name: string },
  work: () => Promise<void>,
): Promise<boolean> {
  await analytics.pauseInserts(name, scopes, PAUSE_MS)
  try {
    await work()
  } catch (error) {
    await analytics.resumeInserts(name)
    throw error
  }
  return analytics.resumeInserts(name)
}

/** What is needed to copy rows after the exchange. */
interface Late extends Pick<ReplacementDeps, 'analytics' | 'table' | 'scopes' | 'fenceSink'> {
  beside: string
  run: number
}

/**
 * Copies rows that the sink has stored in the old table although it should have been paused. A sink that has looked for its rows in
 * the new table before this copy would insert them once more after it. So the sink is fenced first, and has to look again.
 */
async function copyLate({
  analytics,
  scopes,
  fenceSink,
  table,
  beside,
  run,
  ends,
}: Late & { ends: Places }): Promise<void> {
  for (let tried = 0; tried < PAUSE_TRIES; tried++) {
    const held = await whilePaused({ analytics, scopes, name: `${table}/${run}/${tried}` }, async () => {
      await fenceSink()
      await copyFrom(analytics, beside, table, ends)
    })
    if (held) return
  }
  throw new Error(`${table} could not be paused for long enough. Run this again`)
}

/** Copies the rows of one partition, in steps small enough to end in time. */
async function copyRange(
  analytics: Analytics,
  from: string,
  to: string,
  { partition, end }: { partition: number; end: number },
): Promise<void> {
  for (let next: number | null = 0; ; ) {
    const [found] = await analytics.query<{ first: number; rows: number }>(
      `SELECT min(_offset) AS first, count() AS rows FROM ${from}
       WHERE _partition = {partition:Int32} AND _offset >= {next:Int64} AND _offset < {end:Int64}`,
      { partition, next, end },
    )
    if (!found || found.rows === 0) return
    next = Math.min(end, found.first + COPY_OFFSETS)
    await analytics.command(
      `INSERT INTO ${to} SELECT * FROM ${from}
       WHERE _partition = {partition:Int32} AND _offset >= {first:Int64} AND _offset < {next:Int64}`,
      { partition, first: found.first, next },
    )
  }
}

/** Copies the rows from these offsets on that the other table lacks. */
async function copyFrom(analytics: Analytics, from: string, to: string, ends: Places): Promise<void> {
  for (const [partition, end] of ends) {
    const where = '_partition = {partition:Int32} AND _offset >= {end:Int64}'
    await analytics.command(
      `INSERT INTO ${to} SELECT * FROM ${from}
       WHERE ${where} AND _offset NOT IN (SELECT _offset FROM ${to} WHERE ${where}) ${COPY_LIMIT}`,
      { partition, end },
    )
  }
}

async function countRows(analytics: Analytics, table: string): Promise<number> {
  return (await analytics.query<{ rows: number }>(`SELECT count() AS rows FROM ${table}`))[0]!.rows
}

/** The comment of a table: the run that has made it, and the offsets from which on its rows were copied from the old table. */
interface Mark {
  run: number
  ends: [partition: number, offset: number][]
}

/** A comment cannot be a parameter of a statement. This one is safe to insert as text, because it consists of numbers. */
const markTable = (analytics: Analytics, table: string, mark: Mark) =>
  analytics.command(`ALTER TABLE ${table} MODIFY COMMENT '${JSON.stringify(mark)}'`)

/** Null when the table was made by no rebuild; undefined when there is no such table. */
type FoundMark = Mark | null | undefined

async function markOf(analytics: Analytics, table: string): Promise<FoundMark> {
  const [found] = await analytics.query<{ comment: string }>(
    'SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = {table:String}',
    { table },
  )
  if (!found) return undefined
  return found.comment.startsWith('{"run":') ? (JSON.parse(found.comment) as Mark) : null
}
