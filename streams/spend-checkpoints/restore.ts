import type { CounterKey, Counters } from '../../infra/counters/port.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import type { SpendCheckpoint } from '../../schemas/records/records.ts'
import { decode } from '../../schemas/wire/codec.ts'
import { isLifetimeSpend, spendKey, thousandthsKey } from '../../services/domain/money/counter-keys.ts'
import { retryWhenMoved } from '../judge/batch-counters.ts'
import type { Step } from '../judge/step.ts'
import { readPages } from '../runtime/pages.ts'

/** The last checkpoint of each campaign. */
export type CountedSpend = ReadonlyMap<string, SpendCheckpoint>

export interface RestoreSpendDeps {
  log: Pick<EventLog, 'bounds' | 'read'>
  counters: Counters
}

/**
 * The checkpoints of a partition are a source of its shard as `ad-events` is: the position in the topic says which of them
 * the counters were restored from. It is lost with the rest, and a checkpoint counts once whoever restores.
 */
const sourceOf = (partition: number) => `spend-checkpoints/${partition}`

/**
 * Sets the spend of campaigns to that of their last checkpoints, where the counters are behind these. Call it before the log is
 * counted again, and leave out what `countedSpend` then says.
 */
export async function restoreSpend({ log, counters }: RestoreSpendDeps, partition: number): Promise<void> {
  await retryWhenMoved(async () => {
    const { checkpoints, last } = await readCheckpoints(log, partition)
    const [applied, judged, corrected] = (await counters.positions(
      [sourceOf(partition), `ad-events/${partition}`, `corrections/${partition}`].map((source) => {
        return { shard: partition, source }
      }),
    )) as [number, number, number]
    if (last <= applied) return
    const ahead = [...checkpoints.values()].filter(({ sourceOffset, correctionsOffset }) => {
      return sourceOffset > judged || correctionsOffset > corrected
    })
    const keys = ahead.flatMap(({ campaignId }) => spendKeysOf(partition, campaignId))
    const load = { shard: partition, source: sourceOf(partition), after: -1, keys, seen: [] }
    const [loaded] = await counters.load([load])
    const { position, values } = loaded!
    const reached = ahead.flatMap(({ spendMicros, thousandths }) => [spendMicros, thousandths])
    const add = keys.map((key, i) => ({ key, amount: reached[i]! - values[i]! })).filter(({ amount }) => amount !== 0)
    const change = { shard: partition, source: sourceOf(partition), after: position, upTo: last }
    await counters.store({ ...change, note: null, add, lower: [], seen: [], released: [] })
  })
}

/** The checkpoints that the spend of a partition's campaigns was restored from, if it was. */
export async function countedSpend({ log, counters }: RestoreSpendDeps, partition: number): Promise<CountedSpend> {
  const [applied] = await counters.positions([{ shard: partition, source: sourceOf(partition) }])
  if (applied! < 0) return new Map()
  return (await readCheckpoints(log, partition, applied! + 1)).checkpoints
}

/** The step without what it adds to the spend since the campaign began. */
export function withoutSpend(step: Step): Step {
  return { ...step, carry: null, limits: step.limits.filter(({ key }) => !key || !isLifetimeSpend(key)) }
}

/** The last checkpoint of each campaign of a partition, of those that lie before `to`. */
export async function readCheckpoints(
  log: RestoreSpendDeps['log'],
  partition: number,
  to = Number.POSITIVE_INFINITY,
): Promise<{ checkpoints: Map<string, SpendCheckpoint>; last: number }> {
  const checkpoints = new Map<string, SpendCheckpoint>()
  let last = -1
  const { start = 0, end = 0 } =
    (await log.bounds('spend-checkpoints')).find((each) => each.partition === partition) ?? {}
  for await (const records of readPages(log, 'spend-checkpoints', partition, { from: start, to: Math.min(end, to) })) {
    for (const { value, offset } of records) {
      last = offset
      if (!value) continue
      const checkpoint = decode('SpendCheckpoint', value)
      checkpoints.set(checkpoint.campaignId, checkpoint)
    }
  }
  return { checkpoints, last }
}

export const spendKeysOf = (shard: number, campaignId: string): CounterKey[] => [
  spendKey(shard, campaignId),
  thousandthsKey(shard, campaignId),
]
