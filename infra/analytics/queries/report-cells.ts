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

/** Shops with the same clock, and the cells of that clock in the order of time and without gaps. */
export interface ShopCells {
  shopIds: readonly string[]
  cells: Readonly<Record<CellGrain, readonly Cell[]>>
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
  shops: number
  grain: CellGrain
  start: number
}

/** @param closedUntil what `readClosedUntil` gives. @returns null when there are no cells. */
export function changedCellsQuery(
  sources: readonly CellSource[],
  groups: readonly ShopCells[],
  closedUntil: number,
): { sql: string; params: QueryParams } | null {
  return unionOf(sources, groups, closedUntil, ({ source, grain, rows }) => {
    const select = `SELECT DISTINCT '${source}' AS source, any(shopGroup) AS shops, '${grain}' AS grain, startAt AS start`
    return `${select} FROM ${rows} HAVING sum(stored) != sum(counted)`
  })
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
  const union = unionOf(
    sources,
    groups,
    closedUntil,
    ({ source, grain, rows, endOf }) => `
SELECT '${source}' AS source, '${grain}' AS grain, shopId, startAt, ${endOf('any(shopGroup)')} AS endAt, toInt64(sum(stored)) AS storedRows,
  max(countedAt) AS lastCountedAt
FROM ${rows} HAVING sum(stored) != sum(counted)`,
  )
  return union && { ...union, sql: `SELECT * FROM (${union.sql}) ORDER BY source, grain, shopId, startAt` }
}

/** The time in which a source has rows, in whole quarters of an hour; null when it has none. */
export interface StoredTime {
  from: number | null
  to: number | null
}
export const storedTimeSql = (source: CellSource): string => `
SELECT minOrNull(quarter) * ${CELL_STEP_MS} AS from, (maxOrNull(quarter) + 1) * ${CELL_STEP_MS} AS to
FROM (${tablesOf[source].map((table) => `SELECT ${quarter} AS quarter FROM ${table} GROUP BY shopId, ${quarter}`).join(' UNION ALL ')})`

/** The cells of one source and grain. In its SQL, groups are told apart by their numbers. */
interface Grain {
  source: CellSource
  grain: CellGrain
  /** The groups that have cells of the grain, and the time of these cells. */
  groups: readonly { group: number; time: Cell }[]
  closedUntil: number
}

interface Branch {
  source: CellSource
  grain: CellGrain
  /** `(…) GROUP BY shopId, startAt`, with the columns `shopGroup`, `countedAt`, and `stored` and `counted`, which are to be summed. */
  rows: string
  /** The end of the cell that begins at `startAt`, in the group of that number. */
  endOf: (group: string) => string
}

/** One SELECT for each source and grain serves all groups, so that tables are read once for it, however many clocks there are. */
function unionOf(
  sources: readonly CellSource[],
  groups: readonly ShopCells[],
  closedUntil: number,
  branchSql: (branch: Branch) => string,
): { sql: string; params: QueryParams } | null {
  const params: Record<string, QueryParams[string]> = {}
  const branches = grains.flatMap((grain) => {
    const ofGrain = groups.flatMap(({ cells }, group) => {
      const [first, last] = [cells[grain][0], cells[grain].at(-1)]
      if (!first || !last) return []
      params[`${grain}Starts${group}`] = cells[grain].map(({ start }) => start)
      params[`${grain}Ends${group}`] = cells[grain].map(({ end }) => end)
      return [{ group, time: { start: first.start, end: last.end } }]
    })
    if (ofGrain.length === 0) return []
    params[`${grain}Shops`] = ofGrain.flatMap(({ group }) => groups[group]!.shopIds)
    params[`${grain}Groups`] = ofGrain.flatMap(({ group }) => groups[group]!.shopIds.map(() => group))
    return sources.map((source) => {
      const of = { source, grain, groups: ofGrain, closedUntil }
      return branchSql({ source, grain, rows: rowsSql(of), endOf: (group) => endSql(of, group) })
    })
  })
  return branches.length === 0 ? null : { sql: branches.join('\nUNION ALL\n'), params }
}

/** SQL that chooses among groups the expression of the one whose number is `shopGroup`. */
function perGroup({ groups }: Grain, shopGroup: string, of: (group: Grain['groups'][number]) => string): string {
  const [only] = groups
  if (groups.length === 1) return of(only!)
  return `multiIf(${groups.map((each) => `${shopGroup} = ${each.group}, ${of(each)}`).join(', ')}, 0)`
}

const namesOf = (grain: CellGrain, group: number) =>
  [`{${grain}Starts${group}:Array(Int64)}`, `{${grain}Ends${group}:Array(Int64)}`] as const

const endSql = (of: Grain, shopGroup: string) =>
  perGroup(of, shopGroup, ({ group }) => {
    const [starts, ends] = namesOf(of.grain, group)
    return `transform(startAt, ${starts}, ${ends}, toInt64(0))`
  })

/** The number of the group that the shop of a row is in. */
function shopGroupSql({ grain, groups }: Grain): string {
  if (groups.length === 1) return `toInt64(${groups[0]!.group})`
  return `transform(shopId, {${grain}Shops:Array(String)}, {${grain}Groups:Array(Int64)}, toInt64(-1))`
}

function rowsSql(of: Grain): string {
  const { source, grain, groups, closedUntil } = of
  const inShops = `shopId IN {${grain}Shops:Array(String)}`
  const shopGroup = `${shopGroupSql(of)} AS shopGroup`
  const time = {
    start: Math.min(...groups.map((each) => each.time.start)),
    end: Math.max(...groups.map((each) => each.time.end)),
  }
  // Months of events are never closed.
  const openFrom = source === 'EMISSIONS' ? Math.min(Math.max(time.start, closedUntil), time.end) : time.start
  const stored = tablesOf[source].map(
    (table) => `
      SELECT shopId, ${quarter} AS rowQuarter, toInt64(count()) AS stored
      FROM ${table} WHERE ${inShops} AND ${isWithin(quarter, { start: openFrom, end: time.end })} GROUP BY shopId, ${quarter}`,
  )
  const closed = `
      SELECT shopId, quarter AS rowQuarter, storedRows AS stored
      FROM report_closed_quarters FINAL WHERE ${inShops} AND ${isWithin('quarter', { start: time.start, end: openFrom })}`
  const quarters = [...stored, ...(openFrom > time.start ? [closed] : [])]
  const startAt = perGroup(
    of,
    'shopGroup',
    ({ group }) => `roundDown(rowQuarter * ${CELL_STEP_MS}, ${namesOf(grain, group)[0]})`,
  )
  return `(
    SELECT shopId, ${shopGroup}, ${startAt} AS startAt, stored, toInt64(0) AS counted, toInt64(0) AS countedAt
    FROM (${quarters.join('\n      UNION ALL')})
    WHERE ${perGroup(of, 'shopGroup', (each) => isWithin('rowQuarter', each.time))}
    UNION ALL
    SELECT shopId, ${shopGroup}, startAt, toInt64(0) AS stored, storedRows AS counted, countedAt
    FROM report_cells FINAL
    WHERE source = '${source}' AND grain = '${grain}' AND ${inShops} AND startAt >= ${time.start} AND startAt < ${time.end}
      AND endAt = ${endSql(of, 'shopGroup')}
  ) GROUP BY shopId, startAt`
}
