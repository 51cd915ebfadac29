import type { Analytics, QueryParams } from '../../infra/analytics/port.ts'
import {
  type AffectedSizes,
  affectedBy,
  affectedSizesSql,
  affectedSql,
  nearSql,
  peopleSql,
  touchedSql,
} from '../../infra/analytics/queries/attribution/affected.ts'
import type { NewRows } from '../../infra/analytics/queries/attribution/lookups.ts'
import type { Scratch } from '../../infra/analytics/queries/attribution/scratch.ts'
import {
  deleteDisplacedLinesSql,
  fillLinesSql,
  fillLinksSql,
  fillReachSql,
  type SliceNeeds,
  scopeSizeSql,
  scopeSql,
  sliceNeedsSql,
  storeLinesSql,
} from '../../infra/analytics/queries/attribution/slices.ts'
import { refill } from './scratch-tables.ts'

/**
 * Which transactions new rows affect, and their credit. To plan a statement takes the store far longer than to run it over the
 * rows of a turn. So each step asks first whether there is anything for it, and most turns take few of them.
 */

/** Parameters of the queries: null keeps the windows of each shop. */
const SHOPS_WINDOWS = { clickWindowHours: null, viewWindowHours: null }

/** What `scope` holds. */
interface Scope {
  transactions: number
  slices: number
  hasReturns: boolean
}
const NOTHING: Scope = { transactions: 0, slices: 0, hasReturns: false }

/**
 * Fills `scope` with the transactions whose credit the new rows can have changed.
 * @param done the version of the last run.
 * @param unaskedMax so many may be taken for their time alone, whosever they are.
 */
export async function findAffected(
  analytics: Analytics,
  scratch: Scratch,
  newRows: NewRows,
  { done, sliceSize, unaskedMax }: { done: number; sliceSize: number; unaskedMax: number },
): Promise<Scope> {
  await refill(analytics, scratch.touched, touchedSql(newRows, scratch))
  const sizes = (await analytics.query<AffectedSizes>(affectedSizesSql(scratch), { done, unaskedMax }))[0]!
  const by = affectedBy(sizes, unaskedMax)
  const near = nearSql(scratch, by)
  if (near !== null) await refill(analytics, scratch.links, near, { done })
  if (by.touches === 'PERSON') await refill(analytics, scratch.people, peopleSql(scratch))
  const affected = affectedSql(newRows, scratch, by)
  return affected === null ? NOTHING : fillScope(analytics, scratch, affected, { done, sliceSize })
}

/** Fills `scope` with what `transactions` selects. */
export async function fillScope(
  analytics: Analytics,
  scratch: Scratch,
  transactions: string,
  params: QueryParams & { sliceSize: number },
): Promise<Scope> {
  await refill(analytics, scratch.scope, scopeSql(transactions, scratch), params)
  return (await analytics.query<Scope>(scopeSizeSql(scratch)))[0]!
}

/** Computes the transactions of `scope` slice by slice and stores their lines under `version`. */
export async function creditScope(
  analytics: Analytics,
  scratch: Scratch,
  scope: Scope,
  version: number,
): Promise<void> {
  for (let slice = 0; slice < scope.slices; slice++) {
    await refill(analytics, scratch.lines, fillLinesSql(scratch, scope), { slice, ...SHOPS_WINDOWS })
    await refill(analytics, scratch.links, fillLinksSql(scratch))
    const needs = (await analytics.query<SliceNeeds>(sliceNeedsSql(scratch)))[0]!
    if (needs.hasLinks) await refill(analytics, scratch.reach, fillReachSql(scratch))
    await analytics.command(storeLinesSql(scratch, needs), { version })
    if (needs.hasDisplaced) await analytics.command(deleteDisplacedLinesSql(scratch), { version })
  }
}
