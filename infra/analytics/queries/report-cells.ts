import { CELL_STEP_MS, type Cell } from '../../../services/domain/time/local-cells.ts'
import type { QueryParams } from '../port.ts'

/**
 * Which hours and days of the shops are counted in `report_counts`, and still as they are stored. A cell is counted from so many
 * rows, and rows are never changed: while as many are stored, they are the same. Corrections are rows of a cell too. Of months that are closed
 * (`closed-months.ts`) the numbers of rows are stored in place of the rows.
 */

/** What a cell is counted from. */
export type CellSource = 'EVENTS' | 'EMISSIONS'
export type CellGrain = 'hour' | 'day'

/** Shops with the cells of their clock, in the order of time and without gaps. */
export interface ShopCells {
  shopIds: readonly string[]
  cells: Readonly<Record<CellGrain, readonly Cell[]>>
}

/** The quarter of an hour that a row lies in, counted from the epoch. */
export const quarter = `intDiv(occurredAt, ${CELL_STEP_MS})`
/** Whether a quarter lies in a time from `start` until `end`, which are borders of quarters in UTC epoch milliseconds. */
export const isWithin = (quarter: string, { start, end }: { start: number; end: number }): string =>
  `${quarter} >= ${start / CELL_STEP_MS} AND ${quarter} < ${end / CELL_STEP_MS}`
/** Whose rows a cell has. */
export const tablesOf: Record<CellSource, readonly string[]> = {
  EVENTS: ['judged_events', 'event_corrections'],
  EMISSIONS: ['emissions'],
}
const grains: readonly CellGrain[] = ['hour', 'day']

/** Row: a cell that has other rows stored than it was counted from, in at least one shop of the group. */
export interface ChangedCell {
  source: CellSource
  /** Index of the group. */
  shops: number
  grain: CellGrain
  start: number
}

/** @param closedUntil `readClosedUntil`. Null: there are no cells. */
export function changedCellsQuery(
  sources: readonly CellSource[],
  groups: readonly ShopCells[],
  closedUntil: number,
): { sql: string; params: QueryParams } | null {
  const branches = branchesOf(sources, groups, closedUntil, ({ source, group, grain, rows }) => {
    const select = `SELECT DISTINCT '${source}' AS source, toInt64(${group}) AS shops, '${grain}' AS grain, startAt AS start`
    return `${select} FROM ${rows} HAVING sum(stored) != sum(counted)`
  })
  return branches && { sql: branches.sql.join('\nUNION ALL\n'), params: branches.params }
}

/** Row: a cell of a shop that has rows stored. */
export interface UncountedCell {
  source: CellSource
  grain: CellGrain
  shopId: string
  /** UTC epoch milliseconds, [startAt, endAt). */
  startAt: number
  endAt: number
  /** Rows that it has. */
  storedRows: number
  /** UTC epoch milliseconds; 0: never. */
  lastCountedAt: number
}

/**
 * The cells that have other rows stored than they were counted from, shop by shop.
 * @param closedUntil `readClosedUntil`. Null: there are no cells.
 */
export function uncountedCellsQuery(
  sources: readonly CellSource[],
  groups: readonly ShopCells[],
  closedUntil: number,
): { sql: string; params: QueryParams } | null {
  const branches = branchesOf(
    sources,
    groups,
    closedUntil,
    ({ source, grain, rows, ends }) => `
SELECT '${source}' AS source, '${grain}' AS grain, shopId, startAt, ${ends} AS endAt, toInt64(sum(stored)) AS storedRows,
  max(countedAt) AS lastCountedAt
FROM ${rows} HAVING sum(stored) != sum(counted)`,
  )
  return (
    branches && {
      sql: `SELECT * FROM (${branches.sql.join('\nUNION ALL\n')}) ORDER BY source, grain, shopId, startAt`,
      params: branches.params,
    }
  )
}

/** Row: the time in which a source has rows, in its quarters; null when it has none. */
export interface StoredTime {
  from: number | null
  to: number | null
}
export const storedTimeSql = (source: CellSource): string => `
SELECT minOrNull(quarter) * ${CELL_STEP_MS} AS from, (maxOrNull(quarter) + 1) * ${CELL_STEP_MS} AS to
FROM (${tablesOf[source].map((table) => `SELECT ${quarter} AS quarter FROM ${table} GROUP BY shopId, ${quarter}`).join(' UNION ALL ')})`

interface Branch {
  source: CellSource
  group: number
  grain: CellGrain
  /** (…) GROUP BY shopId, startAt: with `stored` and `counted` to add up, and `countedAt`. */
  rows: string
  /** The end of the cell that begins at `startAt`. */
  ends: string
}

function branchesOf(
  sources: readonly CellSource[],
  groups: readonly ShopCells[],
  closedUntil: number,
  branchSql: (branch: Branch) => string,
): { sql: string[]; params: QueryParams } | null {
  const params: Record<string, QueryParams[string]> = {}
  const sql = groups.flatMap(({ shopIds, cells }, group) => {
    params[`shops${group}`] = shopIds
    return grains.flatMap((grain) => {
      const [first, last] = [cells[grain][0], cells[grain].at(-1)]
      if (!first || !last) return []
      const [starts, ends] = [`${grain}Starts${group}`, `${grain}Ends${group}`]
      params[starts] = cells[grain].map(({ start }) => start)
      params[ends] = cells[grain].map(({ end }) => end)
      const names = { shops: `shops${group}`, starts, ends }
      const time = { start: first.start, end: last.end }
      return sources.map((source) =>
        branchSql({
          source,
          group,
          grain,
          rows: rowsSql({ source, grain, names, time, closedUntil }),
          ends: endSql(names),
        }),
      )
    })
  })
  return sql.length === 0 ? null : { sql, params }
}

interface ParamNames {
  shops: string
  starts: string
  ends: string
}

const endSql = ({ starts, ends }: ParamNames) =>
  `transform(startAt, {${starts}:Array(Int64)}, {${ends}:Array(Int64)}, toInt64(0))`

interface RowsOptions {
  source: CellSource
  grain: CellGrain
  names: ParamNames
  time: Cell
  closedUntil: number
}

function rowsSql({ source, grain, names, time, closedUntil }: RowsOptions): string {
  const inShops = `shopId IN {${names.shops}:Array(String)}`
  const startAt = (at: string) => `roundDown(${at} * ${CELL_STEP_MS}, {${names.starts}:Array(Int64)}) AS startAt`
  // Events are never closed.
  const openFrom = source === 'EMISSIONS' ? Math.min(Math.max(time.start, closedUntil), time.end) : time.start
  const stored = tablesOf[source].map(
    (table) => `
    SELECT shopId, ${startAt(quarter)}, toInt64(count()) AS stored, toInt64(0) AS counted, toInt64(0) AS countedAt
    FROM ${table} WHERE ${inShops} AND ${isWithin(quarter, { start: openFrom, end: time.end })} GROUP BY shopId, ${quarter}`,
  )
  const closed = `
    SELECT shopId, ${startAt('quarter')}, storedRows AS stored, toInt64(0) AS counted, toInt64(0) AS countedAt
    FROM report_closed_quarters FINAL WHERE ${inShops} AND ${isWithin('quarter', { start: time.start, end: openFrom })}`
  const counted = `
    SELECT shopId, startAt, toInt64(0) AS stored, storedRows AS counted, countedAt
    FROM report_cells FINAL
    WHERE source = '${source}' AND grain = '${grain}' AND ${inShops} AND startAt >= ${time.start} AND startAt < ${time.end}
      AND endAt = ${endSql(names)}`
  const parts = [...stored, ...(openFrom > time.start ? [closed] : []), counted]
  return `(${parts.join('\n    UNION ALL')}
  ) GROUP BY shopId, startAt`
}
