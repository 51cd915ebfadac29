import { CELL_STEP_MS, type Cell } from '../../../services/domain/time/local-cells.ts'
import type { QueryParams } from '../port.ts'

/**
 * Which hours and days of the shops have counts in `report_counts` that match the stored rows. `report_cells` records from how many
 * rows each cell was counted. Rows are never changed, so while the same number of rows is stored, they are the same rows. Corrections
 * are rows of a cell too. For closed months (`closed-months.ts`), the numbers of rows are stored in place of the rows.
 */

/** What a cell is counted from. */
export type CellSource = 'EVENTS' | 'EMISSIONS'
export type CellGrain = 'hour' | 'day'

/** Shops with the same clock, and the hours and days of that clock, each in the order of time and without gaps. */
export interface ShopCells {
  shopIds: readonly string[]
  cells: Readonly<Record<CellGrain, readonly Cell[]>>
}

/** A cell of either grain. What lies between such cells is of no grain, and counted nowhere. */
export interface GrainCell extends Cell {
  grain: CellGrain | null
}

/** Shops with the same clock, and cells of that clock in the order of time, without gaps. */
export interface ShopTimeline {
  shopIds: readonly string[]
  cells: readonly GrainCell[]
}

/** The quarter of an hour that a row lies in, counted from the epoch. */
export const quarter = `intDiv(occurredAt, ${CELL_STEP_MS})`
/** Whether a quarter lies in [start, end). Both are boundaries of quarters, in UTC epoch milliseconds. */
export const isWithin = (quarter: string, { start, end }: { start: number; end: number }): string =>
  `${quarter} >= ${start / CELL_STEP_MS} AND ${quarter} < ${end / CELL_STEP_MS}`
/** The tables whose rows a cell is counted from. */
export const tablesOf: Record<CellSource, readonly string[]> = {
  EVENTS: ['judged_events', 'event_corrections'],
  EMISSIONS: ['emissions'],
}
const grains: readonly CellGrain[] = ['hour', 'day']

/** A cell that has another number of rows stored than it was counted from, in at least one shop of the group. */
export interface ChangedCell {
  source: CellSource
  /** Index of the group. */
  shopGroup: number
  start: number
}

/** @param closedUntil what `readClosedUntil` gives. @returns null when there are no cells or sources. */
export function changedCellsQuery(
  sources: readonly CellSource[],
  groups: readonly ShopTimeline[],
  closedUntil: number,
): { sql: string; params: QueryParams } | null {
  const timelines = timelinesOf(groups, { name: 'asked', sources, closedUntil })
  if (timelines === null) return null
  const sql = `
SELECT DISTINCT source, ${shopGroupSql(timelines)} AS shopGroup, ${startSql(timelines)} AS start
${rowsSql(timelines)}
GROUP BY source, shopId, start
HAVING sum(stored) != sum(counted)`
  return { sql, params: timelines.params }
}

/** A cell of a shop that has another number of rows stored than it was counted from. */
export interface UncountedCell {
  source: CellSource
  grain: CellGrain
  shopId: string
  /** UTC epoch milliseconds, [startAt, endAt). */
  startAt: number
  endAt: number
  /** Number of rows that are stored. */
  storedRows: number
  /** UTC epoch milliseconds; 0 when it was never counted. */
  lastCountedAt: number
}

/**
 * The cells that have another number of rows stored than they were counted from, shop by shop.
 * @param closedUntil what `readClosedUntil` gives. @returns null when there are no cells.
 */
export function uncountedCellsQuery(
  sources: readonly CellSource[],
  groups: readonly ShopCells[],
  closedUntil: number,
): { sql: string; params: QueryParams } | null {
  const ofGrains = grains.flatMap((grain) => {
    const timelines = timelinesOf(
      groups.map(({ shopIds, cells }) => ({ shopIds, cells: cells[grain].map((cell) => ({ ...cell, grain })) })),
      { name: grain, sources, closedUntil },
    )
    return timelines === null ? [] : [{ grain, timelines }]
  })
  if (ofGrains.length === 0) return null
  const branches = ofGrains.map(
    ({ grain, timelines }) => `
  SELECT source, '${grain}' AS grain, shopId, ${startSql(timelines)} AS startAt, ${endSql(timelines)} AS endAt,
    toInt64(sum(stored)) AS storedRows, max(countedAt) AS lastCountedAt
  ${rowsSql(timelines)}
  GROUP BY source, shopId, startAt
  HAVING sum(stored) != sum(counted)`,
  )
  return {
    sql: `SELECT * FROM (${branches.join('\n  UNION ALL')}) ORDER BY source, grain, shopId, startAt`,
    params: Object.assign({}, ...ofGrains.map(({ timelines }) => timelines.params)),
  }
}

/** The time in which a source has rows, in whole quarters of an hour; null when it has none. */
export interface StoredTime {
  from: number | null
  to: number | null
}
export const storedTimeSql = (source: CellSource): string => `
SELECT minOrNull(quarter) * ${CELL_STEP_MS} AS from, (maxOrNull(quarter) + 1) * ${CELL_STEP_MS} AS to
FROM (${tablesOf[source].map((table) => `SELECT ${quarter} AS quarter FROM ${table} GROUP BY shopId, ${quarter}`).join(' UNION ALL ')})`

/** Groups of shops and their cells. In SQL, groups are told apart by their numbers. */
interface Timelines {
  /** Begins the names of the parameters. */
  name: string
  sources: readonly CellSource[]
  closedUntil: number
  /** The groups that have cells, and the time of these cells. */
  groups: readonly { group: number; time: Cell }[]
  params: QueryParams
}

function timelinesOf(
  all: readonly ShopTimeline[],
  of: Pick<Timelines, 'name' | 'sources' | 'closedUntil'>,
): Timelines | null {
  const params: Record<string, QueryParams[string]> = {}
  const groups = all.flatMap(({ cells }, group) => {
    const [first, last] = [cells[0], cells.at(-1)]
    if (!first || !last) return []
    params[`${of.name}Starts${group}`] = cells.map(({ start }) => start)
    params[`${of.name}Ends${group}`] = cells.map(({ end }) => end)
    params[`${of.name}Hours${group}`] = cells.filter(({ grain }) => grain === 'hour').map(({ start }) => start)
    return [{ group, time: { start: first.start, end: last.end } }]
  })
  params[`${of.name}Shops`] = groups.flatMap(({ group }) => all[group]!.shopIds)
  params[`${of.name}Groups`] = groups.flatMap(({ group }) => all[group]!.shopIds.map(() => group))
  return groups.length === 0 || of.sources.length === 0 ? null : { ...of, groups, params }
}

/** SQL that chooses among groups the expression of the one that the shop of a row is in; the last, where it is in no other. */
function perGroup(of: Timelines, expression: (group: Timelines['groups'][number]) => string): string {
  const last = expression(of.groups.at(-1)!)
  if (of.groups.length === 1) return last
  const cases = of.groups.slice(0, -1).map((each) => `${shopGroupSql(of)} = ${each.group}, ${expression(each)}`)
  return `multiIf(${cases.join(', ')}, ${last})`
}

/** The number of the group that the shop of a row is in. */
function shopGroupSql({ name, groups }: Timelines): string {
  if (groups.length === 1) return `toInt64(${groups[0]!.group})`
  return `transform(shopId, {${name}Shops:Array(String)}, {${name}Groups:Array(Int64)}, toInt64(-1))`
}

const startsOf = ({ name }: Timelines, group: number) => `{${name}Starts${group}:Array(Int64)}`
/** The start of the cell that `rowQuarter` lies in. */
const startSql = (of: Timelines) =>
  perGroup(of, ({ group }) => `roundDown(rowQuarter * ${CELL_STEP_MS}, ${startsOf(of, group)})`)
/** The end and the grain of the cell that begins at `startAt`. */
const endSql = (of: Timelines) =>
  perGroup(
    of,
    ({ group }) => `transform(startAt, ${startsOf(of, group)}, {${of.name}Ends${group}:Array(Int64)}, toInt64(0))`,
  )
const grainSql = (of: Timelines) =>
  perGroup(of, ({ group }) => `if(startAt IN {${of.name}Hours${group}:Array(Int64)}, 'hour', 'day')`)

/**
 * `FROM …` with the columns source, shopId, rowQuarter, countedAt, and `stored` and `counted`, which are to be summed by source,
 * shop and cell. Each table is read once, however many clocks there are, and all on one level: on a small installation, ClickHouse
 * takes longer to analyse the statement than to run it.
 */
function rowsSql(of: Timelines): string {
  const { name, sources, groups } = of
  const inShops = `shopId IN {${name}Shops:Array(String)}`
  const time = {
    start: Math.min(...groups.map((each) => each.time.start)),
    end: Math.max(...groups.map((each) => each.time.end)),
  }
  const counted = `
    SELECT source, shopId, intDiv(startAt, ${CELL_STEP_MS}) AS rowQuarter, toInt64(0) AS stored, storedRows AS counted, countedAt
    FROM report_cells FINAL
    WHERE source IN (${sources.map((each) => `'${each}'`).join(', ')}) AND ${inShops} AND startAt >= ${time.start} AND startAt < ${time.end}
      AND endAt = ${endSql(of)} AND grain = ${grainSql(of)}`
  const all = [...sources.flatMap((source) => quartersSql(of, source, { inShops, time })), counted]
  const union = `FROM (${all.join('\n    UNION ALL')}\n  )`
  // The time of a single group is that of the rows.
  return groups.length === 1 ? union : `${union} WHERE ${perGroup(of, (each) => isWithin('rowQuarter', each.time))}`
}

/** How many rows of a source each quarter of an hour has. Months of events are never closed. */
function quartersSql(
  { closedUntil }: Timelines,
  source: CellSource,
  { inShops, time }: { inShops: string; time: Cell },
): string[] {
  const openFrom = source === 'EMISSIONS' ? Math.min(Math.max(time.start, closedUntil), time.end) : time.start
  const notCounted = 'toInt64(0) AS counted, toInt64(0) AS countedAt'
  const stored = tablesOf[source].map(
    (table) => `
    SELECT '${source}' AS source, shopId, ${quarter} AS rowQuarter, toInt64(count()) AS stored, ${notCounted}
    FROM ${table} WHERE ${inShops} AND ${isWithin(quarter, { start: openFrom, end: time.end })} GROUP BY shopId, ${quarter}`,
  )
  const closed = `
    SELECT '${source}' AS source, shopId, quarter AS rowQuarter, storedRows AS stored, ${notCounted}
    FROM report_closed_quarters FINAL WHERE ${inShops} AND ${isWithin('quarter', { start: time.start, end: openFrom })}`
  return [...stored, ...(openFrom > time.start ? [closed] : [])]
}
