import { type Analytics, AnalyticsGaveUp, type QueryParams } from '../../infra/analytics/port.ts'
import {
  type AffectedBy,
  affectedSql,
  nearSql,
  peopleSql,
  touchedPeopleSql,
  touchedSql,
  transactionsInTimeSql,
} from '../../infra/analytics/queries/attribution/affected.ts'
import {
  type NewRows,
  type News,
  PERSON_KEYS,
  SHOPS_TOLD_MAX,
} from '../../infra/analytics/queries/attribution/lookups.ts'
import { crowdingSql, fillLinksSql } from '../../infra/analytics/queries/attribution/person-links.ts'
import type { Scratch } from '../../infra/analytics/queries/attribution/scratch.ts'
import {
  creditLinesSql,
  fillLinesSql,
  fillOtherKeysSql,
  fillOtherTouchesSql,
  fillPeopleOfKeysSql,
  fillReachSql,
  fillVersionsSql,
  keepSettledSql,
  otherTouchesCountSql,
  type SliceNeeds,
  type StoreHas,
  scopeSizeSql,
  scopeSql,
  sliceNeedsSql,
  storeHasSql,
} from '../../infra/analytics/queries/attribution/slices.ts'
import {
  deleteDisplacedStatements,
  storeLinesStatements,
} from '../../infra/analytics/queries/attribution/stored-lines.ts'
import { readEndedUntil, settledUntilOf } from '../../infra/analytics/retention/ended-identifiers.ts'
import type { CopiedNews } from './copy-new.ts'
import { refill } from './scratch-tables.ts'

/**
 * Finds the transactions that new rows affect, and computes their credit. For the few rows of a turn, the store takes far longer to
 * plan a statement than to run it. So each step first asks whether it has anything to do, and most turns take few of the steps.
 */

/** Query parameters: null means the attribution windows that each shop has set. */
const SHOPS_WINDOWS = { clickWindowHours: null, viewWindowHours: null }

/** What the scratch table `scope` holds. */
interface Scope {
  transactions: number
  hasReturns: boolean
}
const NOTHING: Scope = { transactions: 0, hasReturns: false }

/** Where credit is computed: the server, its scratch tables, and what it has. */
export interface Workplace {
  analytics: Analytics
  scratch: Scratch
  has: StoreHas
}

/** The rows that the sink has stored since the last run. */
export interface New {
  rows: NewRows
  news: CopiedNews
  /** The version of the last run. */
  done: number
}

/**
 * Fills `scope` with the transactions whose credit the new rows can have changed.
 * @param unaskedMax the most transactions that may be taken for their time alone, whosever they are.
 */
export async function findAffected(place: Workplace, of: New, unaskedMax: number): Promise<Scope> {
  const { analytics, scratch } = place
  const { rows, news, done } = of
  const touches = await touchesBy(place, of, unaskedMax)
  const newLinks = news.newPairs > 0
  const near = nearSql(scratch, { touches, newLinks })
  if (near !== null) await refill(analytics, scratch.links, near)
  const by: AffectedBy = { touches, newLinks, isCrowded: near !== null && (await isCrowded(place)) }
  if (touches === 'PERSON') await refill(analytics, scratch.people, peopleSql(scratch, by))
  const affected = affectedSql(rows, scratch, by)
  if (affected === null) return NOTHING
  const readsLines = rows('registry') !== null || rows('item-groups') !== null
  const settledUntil = readsLines ? settledUntilOf(await readEndedUntil(analytics)) : 0
  return fillScope(place, affected, { done, settledUntil, ...timeOf(news) })
}

/**
 * How to find the transactions that new touches affect. A touch can earn only what is bought after it, and most touches are so new
 * that hardly anything has been bought since. Computing all of that then costs less than finding out who the people are.
 */
async function touchesBy(
  { analytics, scratch }: Workplace,
  { rows, news }: New,
  unaskedMax: number,
): Promise<AffectedBy['touches']> {
  const areAllNew = rows('corrections') === null && rows('registry') === null
  if (areAllNew && news.shopIds.length <= SHOPS_TOLD_MAX) {
    if (news.touches === 0) return null
    const max = Math.min(news.touches, unaskedMax) + 1
    const [inTime] = await analytics.query<{ transactions: number }>(transactionsInTimeSql, { max, ...timeOf(news) })
    if (inTime!.transactions === 0) return null
    if (inTime!.transactions < max) return 'TIME'
  }
  await refill(analytics, scratch.touched, touchedSql(rows, scratch))
  const [touched] = await analytics.query<{ people: number }>(touchedPeopleSql(scratch))
  return touched!.people > 0 ? 'PERSON' : null
}

const timeOf = ({ shopIds, firstAt }: News) => ({ touchedShops: shopIds, touchedFrom: firstAt })

async function isCrowded({ analytics, scratch }: Workplace): Promise<boolean> {
  const [answer] = await analytics.query<{ isCrowded: boolean | null }>(crowdingSql(scratch.links))
  return answer!.isCrowded === true
}

/** Fills `people` with those that some SQL selects (shopId, cid), and `links` with the links that decide who their persons are. */
export async function fillPeople(place: Workplace, people: string): Promise<void> {
  const { analytics, scratch } = place
  await refill(analytics, scratch.people, `INSERT INTO ${scratch.people} (shopId, cid) ${people}`)
  await refillLinks(place, scratch.people)
}

/** Fills `links` with the links that decide who the people of a scratch table are. */
const refillLinks = ({ analytics, scratch: { links } }: Workplace, table: string): Promise<void> =>
  refill(analytics, links, fillLinksSql(links, `SELECT shopId, cid FROM ${table}`))

/** Fills `scope` with the transactions that the SQL `transactions` selects. */
export async function fillScope(
  { analytics, scratch, has }: Workplace,
  transactions: string,
  params: QueryParams = {},
): Promise<Scope> {
  await refill(analytics, scratch.scope, scopeSql(transactions, scratch), params)
  return (await analytics.query<Scope>(scopeSizeSql(scratch, has)))[0]!
}

/**
 * Computes the transactions of `scope` slice by slice and stores their lines under `version`. Transactions may have a thousand lines, and
 * lines any number of touches: a slice that takes the store too much memory or time is halved, and so are those after it.
 * @param sliceSize the most transactions of a slice.
 */
export async function creditScope(
  place: Workplace,
  scope: Scope,
  { version, sliceSize, gathered = NOT_GATHERED }: { version: number; sliceSize: number; gathered?: Gathered },
): Promise<void> {
  if (scope.transactions === 0) return
  const settledUntil = settledUntilOf(await readEndedUntil(place.analytics))
  let size = sliceSize
  for (let from = 0; from < scope.transactions; ) {
    const to = Math.min(from + size, scope.transactions)
    try {
      await creditSlice(place, scope, { from, to, version, settledUntil, gathered })
      from = to
    } catch (error) {
      if (!(error instanceof AnalyticsGaveUp) || to - from === 1) throw error
      size = Math.ceil((to - from) / 2)
    }
  }
}

/** The people whose keys are in [fromKey, toKey]. */
interface PersonKeys {
  fromKey: number
  toKey: number
}

/** What was read once for all slices: whether the scratch tables of these names were filled. */
interface Gathered {
  versions: boolean
  otherTouches: boolean
}
const NOT_GATHERED: Gathered = { versions: false, otherTouches: false }

/**
 * Reads once for all slices what lies anywhere in the tables: the transactions, which each slice would search for in all parts, and
 * the touches of some people's other cids, of which it would read a granule for each in every part. What is too much for the store at once
 * is left to the slices.
 * @param otherTouchesMax about how many touches may be held in memory. Slices look up those of the remaining cids.
 */
export async function gather(place: Workplace, keys: PersonKeys, otherTouchesMax: number): Promise<Gathered> {
  const { analytics, scratch, has } = place
  return {
    otherTouches: has.links && (await isDone(fillOtherTouches(place, keys, otherTouchesMax))),
    versions: await isDone(refill(analytics, scratch.versions, fillVersionsSql(scratch))),
  }
}

/** False when the store gave up. */
async function isDone(filling: Promise<void>): Promise<boolean> {
  try {
    await filling
    return true
  } catch (error) {
    if (!(error instanceof AnalyticsGaveUp)) throw error
    return false
  }
}

/** Gives back the memory of what was gathered. */
export async function releaseGathered({ analytics, scratch }: Workplace): Promise<void> {
  for (const table of [scratch.versions, scratch.otherTouches]) await refill(analytics, table, null)
}

async function fillOtherTouches(place: Workplace, keys: PersonKeys, max: number): Promise<void> {
  const { analytics, scratch } = place
  await refill(analytics, scratch.people, fillPeopleOfKeysSql(scratch), { ...keys })
  await refillLinks(place, scratch.people)
  const fillKeys = fillOtherKeysSql(scratch, await isCrowded(place))
  await refill(analytics, scratch.otherKeys, fillKeys, { keysEnd: PERSON_KEYS })
  const [other] = await analytics.query<{ touches: number }>(otherTouchesCountSql(scratch))
  if (other!.touches > max) {
    const keysEnd = Math.floor((PERSON_KEYS * max) / other!.touches)
    await refill(analytics, scratch.otherKeys, fillKeys, { keysEnd })
  }
  await refill(analytics, scratch.people, null)
  await refill(analytics, scratch.otherTouches, fillOtherTouchesSql(scratch))
}

/** Computes the transactions at the places [from, to). */
async function creditSlice(
  place: Workplace,
  { hasReturns }: Scope,
  slice: { from: number; to: number; version: number; settledUntil: number; gathered: Gathered },
): Promise<void> {
  const { from, to, version, settledUntil, gathered } = slice
  const { analytics, scratch, has } = place
  const ofLines = { returns: hasReturns, itemGroups: has.itemGroups, versions: gathered.versions }
  await refill(analytics, scratch.lines, fillLinesSql(scratch, ofLines), { from, to, ...SHOPS_WINDOWS })
  if (has.links) await refillLinks(place, scratch.lines)
  const needs = (await analytics.query<SliceNeeds>(sliceNeedsSql(scratch, has)))[0]!
  const { isCrowded, touchesFrom, touchesTo } = needs
  const hasSettled = needs.firstAt < settledUntil
  if (isCrowded !== null) await refill(analytics, scratch.reach, fillReachSql(scratch, isCrowded))
  const credit = creditLinesSql(scratch, { ...needs, hasSettled, hasOtherTouches: gathered.otherTouches })
  await refill(analytics, scratch.credited, credit, { version, touchesFrom, touchesTo, settledUntil })
  if (hasSettled) await analytics.command(keepSettledSql(scratch), { version, settledUntil })
  for (const statement of storeLinesStatements(scratch)) await analytics.command(statement)
  if (!needs.hasDisplaced) return
  for (const statement of deleteDisplacedStatements(scratch)) await analytics.command(statement, { version })
}

export async function readStoreHas(analytics: Analytics): Promise<StoreHas> {
  return (await analytics.query<StoreHas>(storeHasSql))[0]!
}

/**
 * Tells each run what the store has, and remembers it for the next one. The store is asked again when new rows may be the first of
 * their kind, and when another process made the previous run, which may have found the first.
 * @param version the version of this run.
 */
export function createStoreHas(): (analytics: Analytics, of: New, version: number) => Promise<StoreHas> {
  let known: { has: StoreHas; version: number } | null = null
  return async (analytics, { rows, news, done }, version) => {
    const before = known?.version === done ? known.has : null
    const isSame =
      before !== null &&
      (before.links || news.pairs === 0) &&
      (before.returns || rows('transaction-returns') === null) &&
      (before.itemGroups || rows('item-groups') === null) &&
      (before.lists || rows('registry') === null)
    const has = isSame ? before : await readStoreHas(analytics)
    known = { has, version }
    return has
  }
}
