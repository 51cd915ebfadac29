import type { Counters } from '../../infra/counters/port.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import type { EventCorrection } from '../../schemas/records/events.ts'
import { decode } from '../../schemas/wire/codec.ts'
import { memoized } from '../../services/domain/memoized.ts'
import { dailySpendKey, dayIn, spendKey } from '../../services/domain/money/counter-keys.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { readPages } from '../runtime/pages.ts'
import { type CountedSpend, countedSpend, withoutSpend } from '../spend-checkpoints/restore.ts'
import { BatchCounters, retryWhenMoved, sourceOf } from './batch-counters.ts'
import { carryOut, decide, type Step } from './step.ts'

const DAY_MS = 86_400_000
/** The log keeps an event for 400 days; a correction may come as long, and lie there as long. */
const VOIDED_FOR_MS = 820 * DAY_MS

interface CorrectionDeps {
  counters: Counters
  snapshot: Snapshot
}

/** Refunds again what the counters have lost of a partition of `corrections`, before the offset `to`. */
export async function restoreCorrections(
  deps: CorrectionDeps & { log: Pick<EventLog, 'bounds' | 'read'> },
  partition: number,
  to = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { log, counters } = deps
  const { start = 0, end = 0 } = (await log.bounds('corrections')).find((each) => each.partition === partition) ?? {}
  const [at] = await counters.positions([{ shard: partition, source: sourceOf('corrections', partition) }])
  const lost = { from: Math.max(start, at! + 1), to: Math.min(end, to) }
  if (at! >= lost.to - 1) return
  const spent = await countedSpend(deps, partition)
  for await (const records of readPages(log, 'corrections', partition, lost)) {
    const corrections = records.flatMap(({ offset, value }) =>
      value ? [{ offset, value: decode('EventCorrection', value) }] : [],
    )
    await applyCorrections(deps, { partition, corrections, spent, after: -1, upTo: records.at(-1)!.offset })
  }
  // Retention may have forgotten the last of them.
  await applyCorrections(deps, { partition, corrections: [], spent, after: -1, upTo: lost.to - 1 })
}

/** Refunds what was billed for events: once each, however often it is voided, and whoever else does so. */
export async function applyCorrections(
  { counters, snapshot }: CorrectionDeps,
  batch: {
    partition: number
    corrections: readonly { offset: number; value: EventCorrection }[]
    /** What is counted in the spend already. */
    spent: CountedSpend
    /** The corrections must have been applied up to here. */
    after: number
    upTo: number
  },
): Promise<void> {
  const { partition, corrections, spent, after, upTo } = batch
  const steps = corrections.map(({ offset, value }) => {
    const step = correctionStep(value, partition, snapshot)
    const isSpent = offset <= (spent.get(value.campaignId)?.correctionsOffset ?? -1)
    return { offset, step: isSpent ? withoutSpend(step) : step }
  })
  await retryWhenMoved(async () => {
    const values = new BatchCounters({
      source: sourceOf('corrections', partition),
      own: partition,
      shards: [partition],
    })
    for (const { step } of steps) values.expect(step)
    values.take(await counters.load(values.loads(after)))
    for (const { offset, step } of steps) {
      values.at(offset)
      carryOut(step, decide(step, values), values)
    }
    const change = values.ownChange(upTo, null)
    if (change) await counters.store(change)
  })
}

/** The step that refunds what was billed for an event. */
function correctionStep(correction: EventCorrection, shard: number, snapshot: Snapshot): Step {
  const { eventId, shopId, campaignId, occurredAt, creditedMicros, correctedAt } = correction
  const day = dayIn(snapshot.getEver('Shop', shopId)?.body.timeZone ?? 'UTC', occurredAt)
  const credit = { name: 'CREDITED', add: -creditedMicros, max: null }
  return {
    once: { group: voidedGroup(Math.floor(occurredAt / DAY_MS)), id: eventId },
    releases: [],
    limits: [
      { ...credit, key: spendKey(shard, campaignId) },
      { ...credit, key: dailySpendKey(shard, campaignId, day) },
    ],
    actor: null,
    carry: null,
    now: correctedAt,
  }
}

const voidedGroup = memoized((day: number) => ({ name: `voided/${day}`, keptUntil: day * DAY_MS + VOIDED_FOR_MS }))
