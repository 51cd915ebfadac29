import type { CounterKey, Counters, SourceInShard } from '../../../infra/counters/port.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import type { SpendCheckpoint } from '../../../schemas/records/records.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { spendKey, thousandthsKey } from '../../../services/domain/money/counter-keys.ts'
import { readPages } from '../../runtime/pages.ts'
import { NOTHING_COUNTED, readNote, retryWhenMoved, sourceOf } from '../batch-counters.ts'
import { noteWithoutDecisions, restoredFrom } from '../batch-note.ts'

/** The last checkpoint of each campaign of a shard. */
export type CountedSpend = ReadonlyMap<string, SpendCheckpoint>

export interface RestoreSpendDeps {
  log: Pick<EventLog, 'bounds' | 'read'>
  counters: Counters
}

/**
 * Sets the spend of campaigns to that of their last checkpoints, if the counters hold nothing of the partition, or have lost events
 * that the log no longer holds. In the second case, the same step moves the position of `ad-events` on to where the log begins, so
 * that a later loss is noticed by that position, and a checkpoint counts once whoever restores.
 *
 * The checkpoints of a partition are a source of its shard, as `ad-events` is: the position of that source says which of them the
 * counters were restored from. Call this before the log is counted again, and then leave out what `SpendRestore.counted` includes.
 * @returns the offset of `ad-events` that the counters must then have reached, and the last offset of `spend-checkpoints`; -1 for none.
 */
export async function restoreSpend(
  { log, counters }: RestoreSpendDeps,
  partition: number,
): Promise<{ upTo: number; last: number }> {
  const source = { shard: partition, source: sourceOf('spend-checkpoints', partition) }
  const judged = { shard: partition, source: sourceOf('ad-events', partition) }
  return retryWhenMoved(async () => {
    const { checkpoints, last } = await readCheckpoints(log, partition, counters.shards)
    await beginWith(counters, partition, { checkpoints: [...checkpoints.values()], last })
    const latest = Math.max(...Array.from(checkpoints.values(), ({ sourceOffset }) => sourceOffset))
    const begin = (await firstJudged(log, partition)) ?? latest + 1
    await addSpend(counters, partition, { checkpoints: [...checkpoints.values()], last, begin })
    const [{ note }, [applied]] = await Promise.all([readNote(counters, judged), counters.positions([source])])
    if (restoredFrom(note) > applied!) {
      await counters.store({ ...source, after: applied!, upTo: restoredFrom(note), ...NOTHING_COUNTED, note: null })
    }
    return { upTo: begin - 1, last }
  })
}

/**
 * Empty counters begin with the checkpoints, whatever the log still holds: nothing else says what a campaign had spent before it
 * came to this partition.
 */
async function beginWith(
  counters: Counters,
  partition: number,
  { checkpoints, last }: { checkpoints: readonly SpendCheckpoint[]; last: number },
): Promise<void> {
  const source = { shard: partition, source: sourceOf('spend-checkpoints', partition) }
  const judged = { shard: partition, source: sourceOf('ad-events', partition) }
  if (last < 0 || (await counters.positions([source, judged])).some((at) => at >= 0)) return
  const add = await missingSpend(counters, judged, checkpoints)
  await counters.store({ ...source, after: -1, upTo: last, ...NOTHING_COUNTED, add, note: null })
}

/** @param begin the first offset of `ad-events` that can be counted again from the log. */
async function addSpend(
  counters: Counters,
  partition: number,
  { checkpoints, last, begin }: { checkpoints: readonly SpendCheckpoint[]; last: number; begin: number },
): Promise<void> {
  const source = { shard: partition, source: sourceOf('ad-events', partition) }
  const corrections = { shard: partition, source: sourceOf('corrections', partition) }
  const [judged, corrected] = (await counters.positions([source, corrections])) as [number, number]
  if (judged + 1 >= begin) return
  const ahead = checkpoints.filter((each) => each.sourceOffset > judged || each.correctionsOffset > corrected)
  const add = await missingSpend(counters, source, ahead)
  const note = noteWithoutDecisions(last)
  await counters.store({ ...source, after: judged, upTo: begin - 1, ...NOTHING_COUNTED, add, note })
}

/** The amounts that the counters lack of the spend of the checkpoints. */
async function missingSpend(
  counters: Counters,
  source: SourceInShard,
  checkpoints: readonly SpendCheckpoint[],
): Promise<{ key: CounterKey; amount: number }[]> {
  const keys = checkpoints.flatMap(({ campaignId }) => spendKeysOf(source.shard, campaignId))
  const [loaded] = await counters.load([{ ...source, after: -1, keys, tallies: [], seen: [] }])
  const reached = checkpoints.flatMap(({ spendMicros, thousandths }) => [spendMicros, thousandths])
  return keys.map((key, i) => ({ key, amount: reached[i]! - loaded!.values[i]! })).filter(({ amount }) => amount !== 0)
}

/** The offset in `ad-events` of the first judged event that the log still holds; null when it holds none. */
async function firstJudged(log: RestoreSpendDeps['log'], partition: number): Promise<number | null> {
  const { start = 0, end = 0 } = (await log.bounds('judged-events')).find((each) => each.partition === partition) ?? {}
  const [record] = start < end ? await log.read('judged-events', partition, start, 1) : []
  return record?.value ? decode('JudgedEvent', record.value).sourceOffset : null
}

/**
 * Whether the restored spend of a campaign includes an event or a correction already. One in another partition than the campaign's
 * present one is from before partitions were added, and so from before every checkpoint that counts.
 */
export function isInSpend(
  checkpoint: SpendCheckpoint | undefined,
  offset: { of: 'sourceOffset' | 'correctionsOffset'; at: number; hasMoved: boolean },
): boolean {
  return checkpoint !== undefined && (offset.hasMoved || offset.at <= checkpoint[offset.of])
}

/**
 * The last checkpoint before `to` of each campaign of a partition, without campaigns that belong to another partition since
 * partitions were added.
 * @returns also the offset of the last record that was read; -1 when there is none.
 */
export async function readCheckpoints(
  log: RestoreSpendDeps['log'],
  partition: number,
  shards: number,
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
      const { campaignId } = checkpoint
      if (shardOf(campaignId, shards) === partition) checkpoints.set(campaignId, checkpoint)
    }
  }
  return { checkpoints, last }
}

export const spendKeysOf = (shard: number, campaignId: string): CounterKey[] => [
  spendKey(shard, campaignId),
  thousandthsKey(shard, campaignId),
]
