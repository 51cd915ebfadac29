import { CELL_STEP_MS } from '../../../services/domain/time/local-cells.ts'
import type { QueryParams } from '../port.ts'
import { type ByTopic, type NewRows, withNewRows } from './attribution/lookups.ts'
import { type CellGrain, type CellSource, quarter, tablesOf } from './report-cells.ts'

/** Cells of `report_counts` that are looked at one by one, whatever shops they are of: the store finds their rows by its keys. */

/** A cell of a shop, [startAt, endAt) in UTC epoch milliseconds. */
export interface ShopCell {
  shopId: string
  startAt: number
  endAt: number
}

/** Parameters of all SQL here. `storedRows`: rows that the cell was found to have. */
export const listedParams = (cells: readonly (ShopCell & { storedRows?: number })[]): QueryParams => ({
  shopIds: cells.map(({ shopId }) => shopId),
  starts: cells.map(({ startAt }) => startAt),
  ends: cells.map(({ endAt }) => endAt),
  storedRows: cells.map(({ storedRows = 0 }) => storedRows),
})

const listedSql = `
    SELECT cell.1 AS shopId, cell.2 AS startAt, cell.3 AS endAt, cell.4 AS storedRows
    FROM (SELECT arrayJoin(arrayZip({shopIds:Array(String)}, {starts:Array(Int64)}, {ends:Array(Int64)}, {storedRows:Array(Int64)})) AS cell)`
/** Each quarter of an hour of each cell. */
const quartersSql = `
    SELECT *, arrayJoin(range(intDiv(startAt, ${CELL_STEP_MS}), intDiv(endAt, ${CELL_STEP_MS}))) AS cellQuarter FROM (${listedSql})`

/** Holds for the rows of the cells. */
export const isListedSql = `(shopId, ${quarter}) IN (SELECT shopId, cellQuarter FROM (${quartersSql}))`

/**
 * Rows of some SQL, with startAt, endAt and storedRows of their cell.
 * @param rowQuarter the quarter of a row, as an expression of the columns of `listed`, which has shopId.
 */
export const withCellSql = (rows: string, rowQuarter: string): string => `
  SELECT listed.*, cells.startAt AS startAt, cells.endAt AS endAt, cells.storedRows AS storedRows
  FROM (${rows}
  ) AS listed
  INNER JOIN (${quartersSql}
  ) AS cells ON cells.shopId = listed.shopId AND cells.cellQuarter = ${rowQuarter}`

/** Rows shopId, startAt, endAt and `stored`, to be added up by cell. */
const storedSql = (source: CellSource): string => {
  const counts = tablesOf[source].map(
    (table) => `
    SELECT shopId, ${quarter} AS rowQuarter, toInt64(count()) AS stored
    FROM ${table} WHERE ${isListedSql} GROUP BY shopId, ${quarter}`,
  )
  return `SELECT shopId, startAt, endAt, stored FROM (${withCellSql(counts.join('\n    UNION ALL'), 'listed.rowQuarter')})`
}

/** Cells that have fewer rows than they were found to have. */
export const lackingSql = (source: CellSource): string => `
  SELECT shopId, startAt FROM (
    SELECT shopId, startAt, storedRows AS lacking FROM (${listedSql})
    UNION ALL SELECT shopId, startAt, -stored AS lacking FROM (${storedSql(source)})
  )
  GROUP BY shopId, startAt HAVING sum(lacking) > 0`

/** Row: a cell that has other rows stored than it was counted from. */
export interface ChangedListedCell extends ShopCell {
  storedRows: number
  /** UTC epoch milliseconds; 0: never. */
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

/** Row: a quarter of an hour that new rows lie in. */
export interface NewQuarter {
  source: CellSource
  shopId: string
  /** Its start, UTC epoch milliseconds. */
  startAt: number
}

/** Where the rows are that are counted. */
const countedTables: ByTopic<{ source: CellSource; table: string }> = {
  'judged-events': { source: 'EVENTS', table: 'judged_events' },
  corrections: { source: 'EVENTS', table: 'event_corrections' },
  emissions: { source: 'EMISSIONS', table: 'emissions' },
}

/** The quarters that new rows lie in, up to parameter max. Null: there are no new rows. */
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
