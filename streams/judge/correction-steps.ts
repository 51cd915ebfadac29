import { fingerprintOf } from '../../infra/counters/fingerprint.ts'
import type { Counters } from '../../infra/counters/port.ts'
import { shardOf } from '../../infra/counters/shards.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { DAY_MS } from '../../schemas/durations.ts'
import type { EventCorrection } from '../../schemas/records/events.ts'
import { decode } from '../../schemas/wire/codec.ts'
import { memoized } from '../../services/domain/memoized.ts'
import { dailySpendKey, dayIn, spendKey } from '../../services/domain/money/counter-keys.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { readPages } from '../runtime/pages.ts'
import { BatchCounters, retryWhenMoved, sourceOf } from './batch-counters.ts'
import { type CountedSpend, isInSpend } from './spend/restore.ts'
import { createSpendRestore, type SpendRestore } from './spend/spend-restore.ts'
import { carryOut, decide, limitOf, type Step } from './step.ts'

/** The log keeps an event for 400 days. A correction may come at any time until then, and is kept for as long again. */
const VOIDED_FOR_MS = 820 * DAY_MS

interface CorrectionDeps {
  counters: Counters
  snapshot: Snapshot
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * Applies the refunds again that shards have lost of a partition of `corrections`, before the offset `to`. What was billed must be
 * counted first, because a refund never takes a counter below 0.
 * @param shards the shard of the partition, or all shards: campaigns that were in the partition before partitions were added may
 * be in any of them.
 */
export async function restoreCorrections(
  deps: CorrectionDeps & { log: Pick<EventLog, 'bounds' | 'read'> },
  partition: number,
  {
    to = Number.POSITIVE_INFINITY,
    shards = [partition],
    spend = createSpendRestore(deps),
  }: { to?: number; shards?: readonly number[]; spend?: SpendRestore } = {},
): Promise<void> {
  const { log, counters } = deps
  const { start = 0, end = 0 } = (await log.bounds('corrections')).find((each) => each.partition === partition) ?? {}
  const source = sourceOf('corrections', partition)
  const positions = await counters.positions(shards.map((shard) => ({ shard, source })))
  const upTo = Math.min(end, to) - 1
  const behind = shards.filter((_, i) => positions[i]! < upTo)
  if (behind.length === 0) return
  const spent = await spend.counted(behind)
  const apply = (corrections: readonly Correction[], upTo: number) =>
    Promise.all(
      behind.map((shard, i) => {
        const ofShard = corrections.filter(({ value }) => shardOf(value.campaignId, counters.shards) === shard)
        return applyCorrections(deps, { partition, shard, corrections: ofShard, spent: spent[i]!, after: -1, upTo })
      }),
    )
  const lost = { from: Math.max(start, Math.min(...positions) + 1), to: upTo + 1 }
  for await (const records of readPages(log, 'corrections', partition, lost)) {
    const corrections = records.flatMap(({ offset, value }) =>
      value ? [{ offset, value: decode('EventCorrection', value) }] : [],
    )
    await apply(corrections, records.at(-1)!.offset)
  }
  // Retention may have removed the last corrections. The positions move on all the same.
  await apply([], upTo)
}

interface Correction {
  offset: number
  value: EventCorrection
}

/** Refunds what was billed for events: once per event, however often it is voided and whoever else applies the same corrections. */
export async function applyCorrections(
  { counters, snapshot, now }: CorrectionDeps,
  batch: {
    partition: number
    /** The shard of the corrected campaigns. */
    shard: number
    corrections: readonly Correction[]
    /** The checkpoints that the spend was restored from, which include some of the refunds. */
    spent: CountedSpend
    /** The offset up to which corrections must have been applied already. */
    after: number
    upTo: number
  },
): Promise<void> {
  const { partition, shard, corrections, spent, after, upTo } = batch
  await retryWhenMoved(async () => {
    const values = new BatchCounters({
      source: sourceOf('corrections', partition),
      own: shard,
      shards: [shard],
      now,
    })
    const steps = corrections.map(({ offset, value }) => {
      const place = { of: 'correctionsOffset', at: offset, hasMoved: shard !== partition } as const
      const isRestored = isInSpend(spent.get(value.campaignId), place)
      const step = correctionStep(value, { shard, snapshot, isRestored }, values)
      values.expect(step)
      return { offset, step }
    })
    values.take(await counters.load(values.loads(after)))
    for (const { offset, step } of steps) {
      values.at(offset)
      carryOut(step, decide(step, values), values)
    }
    const change = values.ownChange(upTo, null)
    if (change) await counters.store(change)
  })
}

/**
 * The step that refunds what was billed for an event.
 * @param isRestored whether the campaign's total spend was restored from a checkpoint that includes the refund already.
 */
function correctionStep(
  correction: EventCorrection,
  { shard, snapshot, isRestored }: { shard: number; snapshot: Snapshot; isRestored: boolean },
  { counters, seen }: BatchCounters,
): Step {
  const { eventId, shopId, campaignId, occurredAt, creditedMicros, correctedAt } = correction
  const day = dayIn(snapshot.getEver('Shop', shopId)?.body.timeZone ?? 'UTC', occurredAt)
  const daily = dailySpendKey(shard, campaignId, day)
  const refunded = isRestored ? [daily] : [spendKey(shard, campaignId), daily]
  return {
    once: seen.of({ group: voidedGroup(Math.floor(occurredAt / DAY_MS)), fingerprint: fingerprintOf(eventId) }),
    releases: [],
    limits: refunded.map(() => limitOf('CREDITED', { max: null, add: -creditedMicros })),
    places: refunded.map((key) => counters.of(key)),
    micros: 0,
    actor: null,
    acquaintances: [],
    carry: null,
    now: correctedAt,
  }
}

const voidedGroup = memoized((day: number) => ({ name: `voided/${day}`, keptUntil: day * DAY_MS + VOIDED_FOR_MS }))
