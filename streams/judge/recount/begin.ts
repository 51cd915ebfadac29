import { shardOf } from '../../../infra/counters/shards.ts'
import type { EventLog, LogRecord } from '../../../infra/event-log/port.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { COUNTED_FOR_MS } from '../../../services/domain/money/counter-keys.ts'
import type { Snapshot } from '../../../services/domain/snapshot.ts'
import type { CountedSpend } from '../spend/restore.ts'

type Log = Pick<EventLog, 'bounds' | 'read'>

interface Lost {
  /** The partition of `judged-events`. */
  partition: number
  /** Up to which offset of `ad-events` each shard has counted the partition. */
  positions: readonly number[]
  /** The checkpoints that the spend of each shard was restored from. */
  spent: readonly CountedSpend[]
  /** UTC epoch milliseconds. */
  now: number
}

/**
 * The stretch of `judged-events` that a recount of a partition must read. It begins with the first event that some shard has not
 * counted. Events are left out when they were appended so long ago that no counter but spend still counts them, and their money is
 * in a checkpoint.
 */
export async function stretchOf(
  log: Log,
  snapshot: Snapshot,
  { partition, positions, spent, now }: Lost,
): Promise<{ from: number; to: number }> {
  const { start = 0, end = 0 } = (await log.bounds('judged-events')).find((each) => each.partition === partition) ?? {}
  const within = { partition, start, end }
  const held = Math.min(...positions)
  const from = held < 0 ? start : await firstJudged(log, within, isAfter(held))
  const isCounted = ({ appendedAt }: LogRecord) => appendedAt > now - COUNTED_FOR_MS
  const counted = await firstJudged(log, { ...within, start: from }, isCounted)
  if (counted === from) return { from, to: end }
  const owedAfter = spendHeld(snapshot, { partition, positions, spent, now })
  const owed = owedAfter < 0 ? from : await firstJudged(log, { ...within, start: from }, isAfter(owedAfter))
  return { from: Math.min(counted, owed), to: end }
}

/** The offset of `ad-events` up to which every shard has counted or restored what the partition's events have cost. */
function spendHeld(snapshot: Snapshot, { partition, positions, spent, now }: Lost): number {
  const held = positions.map(() => Number.POSITIVE_INFINITY)
  for (const { id, version, updatedAt } of snapshot.allEver('Campaign')) {
    const shard = shardOf(id, positions.length)
    const checkpoint = spent[shard]!.get(id)
    // A campaign without a checkpoint is new, unless its checkpoints are lost.
    const isNew = version === 1 && updatedAt > now - COUNTED_FOR_MS
    if (!checkpoint && !isNew) held[shard] = -1
    else if (checkpoint && shard === partition) held[shard] = Math.min(held[shard]!, checkpoint.sourceOffset)
  }
  return Math.min(...held.map((at, shard) => Math.max(at, positions[shard]!)))
}

const isAfter =
  (sourceOffset: number) =>
  ({ value }: LogRecord) =>
    value === null || decode('JudgedEvent', value).sourceOffset > sourceOffset

/** The first offset whose record meets `isSo`, by binary search: every record after one that meets it must meet it too. */
export async function firstJudged(
  log: Log,
  { partition, start, end }: { partition: number; start: number; end: number },
  isSo: (record: LogRecord) => boolean,
): Promise<number> {
  let low = start
  let high = end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [record] = await log.read('judged-events', partition, middle, 1)
    if (!record || isSo(record)) high = middle
    else low = record.offset + 1
  }
  return low
}
