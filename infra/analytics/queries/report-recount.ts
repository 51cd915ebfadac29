import type { Cell } from '../../../services/domain/time/local-cells.ts'
import type { QueryParams } from '../port.ts'
import { type CellGrain, type CellSource, tablesOf } from './report-cells.ts'
import { columnsOf, countSums, cutsOf } from './report-counts.ts'
import { storedFactsSql } from './report-facts.ts'
import type { CountedFact } from './report-measures.ts'

/** Cells of one shop, in the order of time. */
export interface CellsToCount {
  source: CellSource
  grain: CellGrain
  shopId: string
  cells: readonly (Cell & { storedRows: number })[]
}

const factsOf: Record<CellSource, readonly CountedFact[]> = { EVENTS: ['event'], EMISSIONS: ['request', 'slot', 'ad'] }

/**
 * Counts cells from all that is stored of them. `storedRows` was read before and is their version: whoever counts later counts at
 * least as many rows. When more have come in between, the count names fewer than are stored, and so does not hold. Where fewer
 * are found, by a replica that lags, the statement fails: the count would hold.
 */
export function recountStatements({
  source,
  grain,
  shopId,
  cells,
}: CellsToCount): { sql: string; params: QueryParams }[] {
  const params = {
    shopId,
    starts: cells.map(({ start }) => start),
    ends: cells.map(({ end }) => end),
    versions: cells.map(({ storedRows }) => storedRows),
    storedRows: cells.reduce((sum, { storedRows }) => sum + storedRows, 0),
  }
  const times = stretchesOf(cells).map(({ start, end }) => `(occurredAt >= ${start} AND occurredAt < ${end})`)
  const scope = `shopId = {shopId:String} AND (${times.join(' OR ')})`
  return factsOf[source].map((fact) => ({ sql: recountSql(fact, grain, { source, scope }), params }))
}

/** Of cells side by side one stretch, because each is a condition on every row. */
function stretchesOf(cells: readonly Cell[]): Cell[] {
  const stretches: Cell[] = []
  for (const { start, end } of cells) {
    const last = stretches.at(-1)
    if (last?.end === start) last.end = end
    else stretches.push({ start, end })
  }
  return stretches
}

const ofCell = (values: string) => `transform(startAt, {starts:Array(Int64)}, {${values}:Array(Int64)}, toInt64(0))`

function recountSql(
  fact: CountedFact,
  grain: CellGrain,
  { source, scope }: { source: CellSource; scope: string },
): string {
  const [cut, otherCut] = cutsOf[grain]
  const sets = [cut, otherCut].map((each) => ['startAt', ...columnsOf(fact, each)])
  const columns = [...new Set(sets.flat())].filter((column) => column !== 'startAt')
  const sums = countSums(fact)
  const found = tablesOf[source].map((table) => `SELECT count() AS n FROM ${table} WHERE ${scope}`)
  return `
INSERT INTO report_counts (fact, cut, shopId, startAt, endAt, version, ${[...columns, ...sums].join(', ')})
SELECT '${fact}', if(grouping(country) = 0, '${cut}', '${otherCut}'), {shopId:String}, startAt, ${ofCell('ends')},
  ${ofCell('versions')}, ${[...columns, ...sums.map((sum) => `sum(${sum})`)].join(', ')}
FROM (
  SELECT *, roundDown(occurredAt, {starts:Array(Int64)}) AS startAt FROM (${storedFactsSql[fact](scope)})
)
WHERE throwIf((SELECT sum(n) FROM (${found.join(' UNION ALL ')})) < {storedRows:Int64}, 'rows of the cells are not here yet') = 0
GROUP BY GROUPING SETS (${sets.map((set) => `(${set.join(', ')})`).join(', ')})
SETTINGS ${ONE_PART}`
}

/** A count becomes visible at once, or not at all. */
const ONE_PART =
  'max_insert_threads = 1, min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 1000000000000'
