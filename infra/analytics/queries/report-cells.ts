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

/** Shops with the same clock, and the hours and days of that clock, each in the order of time. */
export interface ShopCells {
  shopIds: readonly string[]
  cells: Readonly<Record<CellGrain, readonly Cell[]>>
}

/** A cell of either grain. */
export interface GrainCell extends Cell {
  grain: CellGrain
}

/** Shops with the same clock, and cells of that clock that do not overlap, in the order of time. */
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
  const timelines = groups.map(({ cells }) => [cells])
  const asked = askedCells({ sources, closedUntil, groups }, timelines)
  if (asked === null) return null
  const sql = `
WITH ${placesSql(asked)}
SELECT DISTINCT source, intDiv(cell, ${TIMELINE}) AS shopGroup, ${timeOf('cell')} AS start
${differingSql(asked)}`
  return { sql, params: asked.params }
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
 * @param closedUntil what `readClosedUntil` gives. @returns null when there are no cells or sources.
 */
export function uncountedCellsQuery(
  sources: readonly CellSource[],
  groups: readonly ShopCells[],
  closedUntil: number,
): { sql: string; params: QueryParams } | null {
  const timelines = groups.map(({ cells }) => grains.map((grain) => cells[grain].map((cell) => ({ ...cell, grain }))))
  const asked = askedCells({ sources, closedUntil, groups }, timelines)
  if (asked === null) return null
  const sql = `
WITH ${placesSql(asked)}
SELECT source, ['${grains.join("', '")}'][1 + cellEnd % ${grains.length}] AS grain, shopId, ${timeOf('cell')} AS startAt,
  ${timeOf(`intDiv(cellEnd, ${grains.length})`)} AS endAt, sumIf(rows, ${IS_STORED}) AS storedRows, maxIf(countedAt, ${IS_COUNTED}) AS lastCountedAt
${differingSql(asked)}
ORDER BY source, grain, shopId, startAt`
  return { sql, params: asked.params }
}

/** The time in which a source has rows, in whole quarters of an hour; null when it has none. */
export interface StoredTime {
  from: number | null
  to: number | null
}
export const storedTimeSql = (source: CellSource): string => `
SELECT minOrNull(quarter) * ${CELL_STEP_MS} AS from, (maxOrNull(quarter) + 1) * ${CELL_STEP_MS} AS to
FROM (${tablesOf[source].map((table) => `SELECT ${quarter} AS quarter FROM ${table} GROUP BY shopId, ${quarter}`).join(' UNION ALL ')})`

/**
 * The cells that a query asks about, in timelines, whose cells do not overlap. Each group of shops has as many timelines, and all lie one
 * after the other: the quarter q of timeline n is at the place `n * TIMELINE + q`. So two lists say all about the cells, however many
 * groups and grains there are.
 */
interface AskedCells {
  sources: readonly CellSource[]
  closedUntil: number
  /** From the first cell to the last. */
  time: Cell
  groups: number
  timelinesOfGroup: number
  params: {
    shops: string[]
    shopGroups: number[]
    /** The places where a cell or a gap begins. */
    edges: number[]
    /** The `codeOfEnd` of that cell; 0 for a gap. */
    ends: number[]
  }
}

/** Longer than any timeline: it has more quarters than there are until the year 100,000. */
const TIMELINE = 2 ** 32
const GAP = 0
/** Tells where a cell ends and its grain. */
const codeOfEnd = (place: number, grain: CellGrain) => place * grains.length + grains.indexOf(grain)

/** @param timelines those of each group. @returns null when there are no cells or sources. */
function askedCells(
  of: Pick<AskedCells, 'sources' | 'closedUntil'> & { groups: readonly { shopIds: readonly string[] }[] },
  timelines: readonly (readonly (readonly GrainCell[])[])[],
): AskedCells | null {
  const { sources, closedUntil, groups } = of
  const all = timelines.flat()
  const limits = all.flatMap((cells) => (cells.length === 0 ? [] : [cells[0]!.start, cells.at(-1)!.end]))
  if (limits.length === 0 || sources.length === 0) return null
  const params = {
    shops: groups.flatMap(({ shopIds }) => shopIds),
    shopGroups: groups.flatMap(({ shopIds }, group) => shopIds.map(() => group)),
    ...{ edges: [0], ends: [GAP] },
  }
  for (const [timeline, cells] of all.entries()) {
    const placeOf = (at: number) => timeline * TIMELINE + at / CELL_STEP_MS
    for (const [i, { start, end, grain }] of cells.entries()) {
      params.edges.push(placeOf(start))
      params.ends.push(codeOfEnd(placeOf(end), grain))
      if (cells[i + 1]?.start === end) continue
      params.edges.push(placeOf(end))
      params.ends.push(GAP)
    }
  }
  const time = { start: Math.min(...limits), end: Math.max(...limits) }
  return { sources, closedUntil, time, groups: groups.length, timelinesOfGroup: timelines[0]!.length, params }
}

const timeOf = (place: string): string => `${place} % ${TIMELINE} * ${CELL_STEP_MS}`

/**
 * Names for a query: the place of a row, the place where the cell of that begins, and the code of this cell's end. The lists have names
 * too, because ClickHouse reads a parameter anew each time that a statement has it.
 */
function placesSql({ groups, timelinesOfGroup }: AskedCells): string {
  const group = groups === 1 ? '0' : 'transform(shopId, {shops:Array(String)}, {shopGroups:Array(Int64)}, toInt64(0))'
  const timeline = timelinesOfGroup === 1 ? group : `(${group} * ${timelinesOfGroup} + timeline)`
  return `{edges:Array(Int64)} AS edges, {ends:Array(Int64)} AS ends, ${timeline} * ${TIMELINE} + rowQuarter AS place,
  roundDown(place, edges) AS cell, transform(cell, edges, ends, toInt64(${GAP})) AS cellEnd`
}

/** Whether a row is of a quarter, and whether it is a counted cell that is the cell in which it lies. */
const IS_STORED = 'toEnd = 0'
const IS_COUNTED = `(toEnd > 0 AND place = cell AND place * ${grains.length} + toEnd = cellEnd)`

/**
 * `FROM …` of a query for the cells that differ, grouped by cell. Rows are quarters of an hour, which lie in one cell of each timeline,
 * with the number of rows that are stored; and counted cells, with the negative number of those that they were counted from. Each table
 * is read once, however many clocks and grains there are, and all on one level: on a small installation, ClickHouse takes longer to
 * analyse the statement than to run it.
 */
function differingSql({ sources, closedUntil, time, timelinesOfGroup }: AskedCells): string {
  const inShops = 'shopId IN {shops:Array(String)}'
  const counted = `
    SELECT source, shopId, intDiv(startAt, ${CELL_STEP_MS}) AS rowQuarter, -storedRows AS rows, countedAt,
      toInt64((intDiv(endAt, ${CELL_STEP_MS}) - rowQuarter) * ${grains.length} + (grain = '${grains[1]}')) AS toEnd
    FROM report_cells FINAL
    WHERE source IN (${sources.map((each) => `'${each}'`).join(', ')}) AND ${inShops} AND startAt >= ${time.start} AND startAt < ${time.end}`
  const all = [...sources.flatMap((source) => quartersSql(source, { inShops, time, closedUntil })), counted]
  return `FROM (${all.join('\n    UNION ALL')}
  )${timelinesOfGroup === 1 ? '' : `\nARRAY JOIN range(${timelinesOfGroup}) AS timeline`}
GROUP BY source, shopId, cell, cellEnd
HAVING if(cellEnd = ${GAP}, 0, sumIf(rows, ${IS_STORED} OR ${IS_COUNTED})) != 0`
}

/** How many rows of a source each quarter of an hour has. Months of events are never closed. */
function quartersSql(
  source: CellSource,
  { inShops, time, closedUntil }: Pick<AskedCells, 'time' | 'closedUntil'> & { inShops: string },
): string[] {
  const openFrom = source === 'EMISSIONS' ? Math.min(Math.max(time.start, closedUntil), time.end) : time.start
  const notCounted = 'toInt64(0) AS countedAt, toInt64(0) AS toEnd'
  const stored = tablesOf[source].map(
    (table) => `
    SELECT '${source}' AS source, shopId, ${quarter} AS rowQuarter, toInt64(count()) AS rows, ${notCounted}
    FROM ${table} WHERE ${inShops} AND ${isWithin(quarter, { start: openFrom, end: time.end })} GROUP BY shopId, ${quarter}`,
  )
  const closed = `
    SELECT '${source}' AS source, shopId, quarter AS rowQuarter, storedRows AS rows, ${notCounted}
    FROM report_closed_quarters FINAL WHERE ${inShops} AND ${isWithin('quarter', { start: time.start, end: openFrom })}`
  return [...stored, ...(openFrom > time.start ? [closed] : [])]
}
