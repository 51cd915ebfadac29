import { type Counters, CountersMoved } from '../../infra/counters/port.ts'
import { shardOf, shardsOf } from '../../infra/counters/shards.ts'
import type { EventLog, LogRecord } from '../../infra/event-log/port.ts'
import type { JudgedEvent } from '../../schemas/records/events.ts'
import { decode } from '../../schemas/wire/codec.ts'
import { memoized } from '../../services/domain/memoized.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { readPages } from '../runtime/pages.ts'
import { type CountedSpend, countedSpend, isInSpend, restoreSpend, withoutSpend } from '../spend-checkpoints/restore.ts'
import { BatchCounters, retryWhenMoved, sourceOf } from './batch-counters.ts'
import { restoreCorrections } from './correction-steps.ts'
import { acquaintanceOf, carryOut, type Step } from './step.ts'
import { decisionOf, judgingStep, recountingTermsOf, verdictWithoutCounters } from './verdict.ts'
import { WindowIndex } from './windows/windows.ts'

/** The group that judges: its commits say what must be counted. */
export const JUDGE_GROUP = 'judge'
/** Judged events that are counted in one store. */
const PAGE_RECORDS = 5_000

export interface RecountDeps {
  log: Pick<EventLog, 'bounds' | 'read' | 'committed'>
  counters: Counters
  snapshot: Snapshot
  /** UTC epoch milliseconds: what is forgotten by now is not counted again. */
  now: () => number
}

/**
 * Empties the counters and counts all judged events again: the values are the same. Call it only while no judge runs.
 * @returns how many events were counted.
 */
export async function rebuildCounters(deps: RecountDeps): Promise<number> {
  const { counters, log } = deps
  await counters.clear()
  const shards = shardsOf(counters)
  for (const shard of shards) await restoreSpend(deps, shard)
  let events = 0
  for (const { partition } of await log.bounds('judged-events')) events += (await recount(deps, partition)).events
  for (const shard of shards) await restoreCorrections(deps, shard, { shards })
  for (const shard of shards) await counters.markComplete(shard)
  return events
}

/**
 * Counts again what the counters have lost of a partition of `ad-events`, up to `upTo`, the last offset that the judge has
 * committed. Other processes may do the same at the same time, and a judge may run: each position counts once in each shard.
 * Refunds are restored after all partitions are.
 */
export async function restoreCounters(deps: RecountDeps, partition: number, upTo: number): Promise<void> {
  const { counters } = deps
  const positions = await positionsOf(counters, partition)
  if (positions.every((at) => at >= upTo)) return
  await retryWhenMoved(async () => {
    for (const [shard, at] of positions.entries()) if (at < upTo) await restoreSpend(deps, shard)
    const counted = await recount(deps, partition)
    await moveTo(counters, partition, counted.positions, upTo)
  })
}

/**
 * Counts the judged events that some shard does not hold. `ad-events` and `judged-events` are partitioned alike, by
 * campaign: a partition of the one has the positions of the same partition of the other, in rising order. Each event is
 * counted in the shard of its campaign, which is that of another partition when there were fewer partitions then.
 *
 * What an event has changed follows from its verdict, so nothing is read, except to tell newcomers from known people where
 * the windows that count them are still open. The next page is read and decoded while the one before it is stored.
 */
async function recount(
  deps: RecountDeps,
  partition: number,
): Promise<{ events: number; positions: readonly number[] }> {
  const { log, counters } = deps
  const spentUpTo = await restoreSpend(deps, partition)
  let positions = await positionsOf(counters, partition)
  if (positions[partition]! < spentUpTo) throw new CountersMoved('Lost again while the spend was being restored')
  const { start = 0, end = 0 } = (await log.bounds('judged-events')).find((each) => each.partition === partition) ?? {}
  const from = await firstPast(log, partition, { start, end, after: Math.min(...positions) })
  const spent = await Promise.all(shardsOf(counters).map((shard) => countedSpend(deps, shard)))
  const shardFor = memoized((campaignId: string) => shardOf(campaignId, counters.shards))
  let events = 0
  let stored: Promise<unknown> = Promise.resolve()
  for await (const records of readPages(log, 'judged-events', partition, {
    from,
    to: end,
    pageRecords: PAGE_RECORDS,
  })) {
    const page = pageOf(deps, records, shardFor)
    const upTo = page.at(-1)?.event.sourceOffset
    if (upTo === undefined) continue
    await stored
    const changes = await changesOf(deps, page, { partition, positions, spent, upTo })
    stored = Promise.all(changes.map((change) => counters.store(change)))
    // It is awaited before the next page is stored; until then nobody looks at how it ends.
    stored.catch(() => {})
    positions = positions.map((at) => Math.max(at, upTo))
    events += records.length
  }
  await stored
  return { events, positions }
}

interface Counted {
  event: JudgedEvent
  /** Of its campaign. */
  shard: number
  /** Null: the counters know nothing of it. */
  step: Step | null
}

function pageOf(
  { counters: { shards }, snapshot, now }: RecountDeps,
  records: readonly LogRecord[],
  shardFor: (campaignId: string) => number,
): Counted[] {
  const at = now()
  const windows = new WindowIndex(shards)
  return records.flatMap(({ value }) => {
    if (!value) return []
    const event = decode('JudgedEvent', value)
    const shard = shardFor(event.claims.campaignId)
    if (verdictWithoutCounters(event)) return { event, shard, step: null }
    return {
      event,
      shard,
      step: judgingStep(event, { shard, shards }, recountingTermsOf(event, snapshot, at), windows),
    }
  })
}

async function changesOf(
  { counters, now }: RecountDeps,
  page: readonly Counted[],
  {
    partition,
    positions,
    spent,
    upTo,
  }: { partition: number; positions: readonly number[]; spent: readonly CountedSpend[]; upTo: number },
) {
  const batch = new BatchCounters({
    source: sourceOf('ad-events', partition),
    own: partition,
    shards: shardsOf(counters),
    now: now(),
  })
  const actors = page.flatMap(({ step }) => (step && countsActor(step) ? step.actor!.keys : []))
  if (actors.length > 0) {
    batch.expectKeys(actors)
    batch.take(await counters.load(batch.loads(-1)))
  }
  // What was loaded is as new as these positions, or somebody else counts too, and the store fails.
  batch.takePositions(positions)
  for (const { event, shard, step } of page) {
    if (!step) continue
    const actor = step.actor && countsActor(step) ? acquaintanceOf(step.actor, step.now, batch) : null
    const place = { of: 'sourceOffset', at: event.sourceOffset, hasMoved: shard !== partition } as const
    const isSpent = isInSpend(spent[shard]!.get(event.claims.campaignId), place)
    batch.at(event.sourceOffset, shard)
    carryOut(isSpent ? withoutSpend(step) : step, { ...decisionOf(event), actor }, batch)
  }
  return changesUpTo(batch, upTo)
}

const countsActor = ({ actor, acquaintances }: Step) => actor !== null && acquaintances.length > 0

/**
 * The last positions may have no judged event: dead letters.
 * @param positions where the count has ended. Counters that stand elsewhere have lost something again.
 */
async function moveTo(
  counters: Counters,
  partition: number,
  positions: readonly number[],
  upTo: number,
): Promise<void> {
  const batch = new BatchCounters({
    source: sourceOf('ad-events', partition),
    own: partition,
    shards: shardsOf(counters),
  })
  batch.takePositions(positions)
  await Promise.all(changesUpTo(batch, upTo).map((change) => counters.store(change)))
}

function changesUpTo(batch: BatchCounters, upTo: number) {
  const own = batch.ownChange(upTo, null)
  return [...(own ? [own] : []), ...batch.otherChanges(upTo)]
}

/** Where a partition of `ad-events` stands in each shard. */
function positionsOf(counters: Counters, partition: number): Promise<number[]> {
  return counters.positions(shardsOf(counters).map((shard) => ({ shard, source: sourceOf('ad-events', partition) })))
}

/** The first offset of `judged-events` whose source offset is past `after`, by binary search. */
async function firstPast(
  log: RecountDeps['log'],
  partition: number,
  { start, end, after }: { start: number; end: number; after: number },
): Promise<number> {
  let low = start
  let high = after < 0 ? start : end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [record] = await log.read('judged-events', partition, middle, 1)
    if (!record?.value || decode('JudgedEvent', record.value).sourceOffset > after) high = middle
    else low = record.offset + 1
  }
  return low
}
