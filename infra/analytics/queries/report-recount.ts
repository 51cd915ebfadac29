import { CELL_STEP_MS } from '../../../services/domain/time/local-cells.ts'
import type { QueryParams } from '../port.ts'
import { isListedSql, lackingSql, listedParams, type ShopCell, withCellSql } from './listed-cells.ts'
import type { CellGrain, CellSource } from './report-cells.ts'
import { columnsOf, countSums, cutsOf } from './report-counts.ts'
import { storedFactsSql } from './report-facts.ts'
import type { CountedFact } from './report-measures.ts'

/** Cells of any shops. */
export interface CellsToCount {
  source: CellSource
  grain: CellGrain
  cells: readonly (ShopCell & { storedRows: number })[]
}

const factsOf: Record<CellSource, readonly CountedFact[]> = { EVENTS: ['event'], EMISSIONS: ['request', 'slot', 'ad'] }

/**
 * Counts cells from all their stored rows. `storedRows` was read before and becomes the version of the counts, because a later count
 * has at least as many rows. If rows have come since, the counts name fewer rows than are stored, and readers treat them as stale.
 * If fewer rows are found, because a replica lags, the statement fails: readers would treat the wrong counts as valid.
 */
export function recountStatements({ source, grain, cells }: CellsToCount): { sql: string; params: QueryParams }[] {
  return factsOf[source].map((fact) => ({ sql: recountSql(fact, source, grain), params: listedParams(cells) }))
}

function recountSql(fact: CountedFact, source: CellSource, grain: CellGrain): string {
  const cell = ['shopId', 'startAt', 'endAt', 'storedRows']
  const [cut, otherCut] = cutsOf[grain]
  const [own, others] = [columnsOf(fact, cut), columnsOf(fact, otherCut)]
  const columns = [...new Set([...own, ...others])]
  const sums = countSums(fact)
  return `
INSERT INTO report_counts (fact, cut, shopId, startAt, endAt, version, ${[...columns, ...sums].join(', ')})
SELECT '${fact}', if(grouping(country) = 0, '${cut}', '${otherCut}'), ${[...cell, ...columns].join(', ')},
  ${sums.map((sum) => `sum(${sum})`).join(', ')}
FROM (${withCellSql(storedFactsSql[fact](isListedSql, { columns, sums }, 'true'), `intDiv(listed.occurredAt, ${CELL_STEP_MS})`)}
)
WHERE throwIf((SELECT count() FROM (${lackingSql(source)})) > 0, 'rows of the cells are not here yet') = 0
GROUP BY GROUPING SETS ((${[...cell, ...own].join(', ')}), (${[...cell, ...others].join(', ')}))
SETTINGS ${ONE_PART}`
}

/** All rows of a count are stored as one part, so that they become visible together or not at all. */
const ONE_PART =
  'max_insert_threads = 1, min_insert_block_size_rows = 1000000000, min_insert_block_size_bytes = 1000000000000'
