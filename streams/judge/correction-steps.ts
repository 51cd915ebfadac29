import type { Counters, Step } from '../../infra/counters/port.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import type { EventCorrection } from '../../schemas/records/events.ts'
import { decode } from '../../schemas/wire/codec.ts'
import { dailySpendKey, dayIn, spendKey } from '../../services/domain/money/counter-keys.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { readPages } from '../runtime/pages.ts'

const DAY_MS = 86_400_000
/** An event counts as voided for as long as the log keeps it. */
const VOIDED_FOR_MS = 400 * DAY_MS

/** The name under which the counters remember how far a partition of `corrections` is applied. */
export function correctionsSourceOf(partition: number): string {
  return `corrections/${partition}`
}

/** Refunds again what the counters have lost of a partition of `corrections`, before the offset `to`. */
export async function restoreCorrections(
  deps: { log: Pick<EventLog, 'bounds' | 'read'>; counters: Counters; snapshot: Snapshot },
  partition: number,
  to = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { log, counters, snapshot } = deps
  const source = correctionsSourceOf(partition)
  const { start = 0, end = 0 } = (await log.bounds('corrections')).find((each) => each.partition === partition) ?? {}
  const [at] = await counters.positions([source])
  const lost = { from: Math.max(start, at! + 1), to: Math.min(end, to) }
  for await (const records of readPages(log, 'corrections', partition, lost)) {
    const steps = records.flatMap(({ offset, value }) =>
      value ? [correctionStep(decode('EventCorrection', value), { partition, offset }, snapshot)] : [],
    )
    await counters.apply(steps, { source, after: -1, upTo: records.at(-1)!.offset })
  }
}

/** The step that refunds what was billed for an event: once, however often it is voided. */
export function correctionStep(
  { eventId, shopId, campaignId, occurredAt, creditedMicros, correctedAt }: EventCorrection,
  { partition, offset }: { partition: number; offset: number },
  snapshot: Snapshot,
): Step {
  const day = dayIn(snapshot.getEver('Shop', shopId)?.body.timeZone ?? 'UTC', occurredAt)
  const credit = { name: 'CREDITED', add: -creditedMicros, max: null }
  return {
    source: correctionsSourceOf(partition),
    offset,
    once: { key: `void/${eventId}`, expiresAt: correctedAt + VOIDED_FOR_MS },
    limits: [
      { ...credit, key: spendKey(campaignId), expiresAt: null },
      // The judge counts late events of a day for eight more days.
      { ...credit, key: dailySpendKey(campaignId, day), expiresAt: occurredAt + 9 * DAY_MS },
    ],
    now: correctedAt,
  }
}
