import { CELL_STEP_MS } from '../../../services/domain/time/local-cells.ts'
import type { QueryParams } from '../port.ts'
import { type ByTopic, type NewRows, withNewRows } from './attribution/lookups.ts'
import { type CellGrain, type CellSource, quarter, tablesOf } from './report-cells.ts'

/** SQL about individually listed cells of `report_counts`, of any shops. The store finds the rows of these cells by primary key. */

/** A cell of a shop, [startAt, endAt) in UTC epoch milliseconds. */
export interface ShopCell {
  shopId: string
  startAt: number
  endAt: number
}

/** Parameters of all SQL in this file. `storedRows` is the number of rows that the cell was found to have. */
export const listedParams = (cells: readonly (ShopCell & { storedRows?: number })[]): QueryParams => ({
  shopIds: cells.map(({ shopId }) => shopId),
  starts: cells.map(({ startAt }) => startAt),
  ends: cells.map(({ endAt }) => endAt),
  storedRows: cells.map(({ storedRows = 0 }) => storedRows),
})

const listedSql = `
    SELECT cell.1 AS shopId, cell.2 AS startAt, cell.3 AS endAt, cell.4 AS storedRows
    FROM (SELECT arrayJoin(arrayZip({shopIds:Array(String)}, {starts:Array(Int64)}, {ends:Array(Int64)}, {storedRows:Array(Int64)})) AS cell)`
/** One row for each quarter of an hour of each cell. */
const quartersSql = `
    SELECT *, arrayJoin(range(intDiv(startAt, ${CELL_STEP_MS}), intDiv(endAt, ${CELL_STEP_MS}))) AS cellQuarter FROM (${listedSql})`

/** Holds for the rows of the cells. */
export const isListedSql = `(shopId, ${quarter}) IN (SELECT shopId, cellQuarter FROM (${quartersSql}))`

/**
 * The rows that some SQL selects, with startAt, endAt and storedRows of their cell.
 * @param rows SQL that selects, among others, shopId. @param rowQuarter SQL for the quarter of a row, whose alias is `listed`.
 */
export const withCellSql = (rows: string, rowQuarter: string): string => `
  SELECT listed.*, cells.startAt AS startAt, cells.endAt AS endAt, cells.storedRows AS storedRows
  FROM (${rows}
  ) AS listed
  INNER JOIN (${quartersSql}
  ) AS cells ON cells.shopId = listed.shopId AND cells.cellQuarter = ${rowQuarter}`

/** Selects shopId, startAt, endAt and `stored`, a number of stored rows that is still to be summed by cell. */
const storedSql = (source: CellSource): string => {
  const counts = tablesOf[source].map(
    (table) => `
    SELECT shopId, ${quarter} AS rowQuarter, toInt64(count()) AS stored
    FROM ${table} WHERE ${isListedSql} GROUP BY shopId, ${quarter}`,
  )
  return `SELECT shopId, startAt, endAt, stored FROM (${withCellSql(counts.join('\n    UNION ALL'), 'listed.rowQuarter')})`
}

/** The cells that have fewer rows now than `storedRows`. */
export const lackingSql = (source: CellSource): string => `
  SELECT shopId, startAt FROM (
    SELECT shopId, startAt, storedRows AS lacking FROM (${listedSql})
    UNION ALL SELECT shopId, startAt, -stored AS lacking FROM (${storedSql(source)})
  )
  GROUP BY shopId, startAt HAVING sum(lacking) > 0`

/** A cell that has another number of rows stored than it was counted from. */
export interface ChangedListedCell extends ShopCell {
  storedRows: number
  /** UTC epoch milliseconds; 0 when it was never counted. */
  lastCountedAt: number
}

export const changedListedSql = (source: CellSource, grain: CellGrain): string => `
SELECT shopId, startAt, endAt, toInt64(sum(stored)) AS storedRows, max(countedAt) AS lastCountedAt
FROM (
  SELECT *, toInt64(0) AS counted, toInt64(0) AS countedAt FROM (${storedSql(source)})
  UNION ALL
  SELECT shopId, startAt, endAt, toInt64(0) AS stored, report_cells.storedRows AS counted, countedAt
  FROM report_cells FINAL
  WHERE source = '${source}' AND grain = '${grain}' AND (shopId, startAt, endAt) IN (SELECT shopId, startAt, endAt FROM (${listedSql}))
)
GROUP BY shopId, startAt, endAt HAVING sum(stored) != sum(counted)
ORDER BY shopId, startAt`

/** A quarter of an hour that has new rows. */
export interface NewQuarter {
  source: CellSource
  shopId: string
  /** Its start, UTC epoch milliseconds. */
  startAt: number
}

/** The tables whose rows are counted. */
const countedTables: ByTopic<{ source: CellSource; table: string }> = {
  'judged-events': { source: 'EVENTS', table: 'judged_events' },
  corrections: { source: 'EVENTS', table: 'event_corrections' },
  emissions: { source: 'EMISSIONS', table: 'emissions' },
}

/** Selects the quarters that have new rows, at most parameter max of them. Null when there are no new rows. */
export function newQuartersSql(newRows: NewRows): string | null {
  const branches = withNewRows(newRows, countedTables).map(
    ({ source, table, rows }) => `SELECT '${source}' AS source, shopId, ${quarter} AS at FROM ${table} WHERE ${rows}`,
  )
  if (branches.length === 0) return null
  return `
SELECT DISTINCT source, shopId, at * ${CELL_STEP_MS} AS startAt FROM (
  ${branches.join('\n  UNION ALL ')}
) LIMIT {max:UInt32}`
}
