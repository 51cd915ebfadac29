import { isDeepStrictEqual } from 'node:util'
import type { Counters } from '../../infra/counters/port.ts'
import { shardOf } from '../../infra/counters/shards.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import type { SpendCheckpoint } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { sourceOf } from '../judge/batch-counters.ts'
import { firstJudged } from '../judge/recount/begin.ts'
import { readCheckpoints, spendKeysOf } from '../judge/spend/restore.ts'
import { inSlices } from '../runtime/slices.ts'

/** Campaigns whose spend is read and written together. */
const CAMPAIGNS_PER_READ = 200
/** A checkpoint older than this is renewed even if its campaign spends nothing, so that no recount has to go back to it. */
const CHECKPOINT_MAX_AGE_MS = 7 * 86_400_000
/** How often to look which checkpoints are too old. */
const RENEWED_EVERY_MS = 86_400_000
/** How many times a read is tried while the judge moves the counters on in the middle of it. */
const READS_MAX = 10

/**
 * Writes what each campaign has spent to `spend-checkpoints`, if it has changed. In a shard that has counted nothing since the last
 * look, it looks only at new campaigns. With checkpoints, lost counters can be counted again even when the log no longer holds the
 * events that were billed.
 *
 * A checkpoint itself says up to which offsets it counts. So it may come at any time and from any process, and a missing or old
 * one does no harm as long as the log holds what follows it.
 * @returns periodic work, which only one process at a time needs to do.
 */
export function createSpendCheckpoints(deps: {
  log: Pick<EventLog, 'bounds' | 'read' | 'append'>
  counters: Pick<Counters, 'shards' | 'complete' | 'positions' | 'read'>
  snapshot: Snapshot
  /** UTC epoch milliseconds. */
  now: () => number
}): () => Promise<boolean> {
  const { log, counters, snapshot, now } = deps
  const written = new Map<number, Map<string, SpendCheckpoint>>()
  /** By shard, when all of its campaigns were last looked at: the positions of its sources, and where checkpoints were too old. */
  const lookedAt = new Map<number, { positions: readonly number[]; tooOld: number }>()
  /** By shard: the offset of `ad-events` before which checkpoints are too old, and when it was looked up. */
  const renewals = new Map<number, { at: number; before: number }>()

  async function tooOldIn(shard: number): Promise<number> {
    const known = renewals.get(shard)
    if (known && known.at > now() - RENEWED_EVERY_MS) return known.before
    const renewal = { at: now(), before: await judgedBefore(log, shard, now() - CHECKPOINT_MAX_AGE_MS) }
    renewals.set(shard, renewal)
    return renewal.before
  }

  async function writeShard(shard: number, campaignIds: readonly string[]): Promise<void> {
    const last = written.get(shard) ?? (await readCheckpoints(log, shard, counters.shards)).checkpoints
    written.set(shard, last)
    const tooOld = await tooOldIn(shard)
    const positions = await counters.positions(sourcesOf(shard))
    const isUnchanged = isDeepStrictEqual(lookedAt.get(shard), { positions, tooOld })
    const concerned = isUnchanged ? campaignIds.filter((id) => !last.has(id)) : campaignIds
    let isComplete = true
    for (const asked of chunksOf(concerned, CAMPAIGNS_PER_READ)) {
      const spent = await readSpend(counters, shard, asked)
      isComplete &&= spent.length === asked.length
      const changed = spent.filter((each) => isWorthWriting(each, last.get(each.campaignId), tooOld))
      if (changed.length === 0) continue
      await log.append(
        changed.map((value) => {
          return { topic: 'spend-checkpoints', key: value.campaignId, value: encode('SpendCheckpoint', value) }
        }),
      )
      for (const each of changed) last.set(each.campaignId, each)
    }
    if (isComplete) lookedAt.set(shard, { positions, tooOld })
  }

  return async function writeCheckpoints() {
    const complete = await counters.complete()
    const ids = Array.from(snapshot.allEver('Campaign'), ({ id }) => id)
    const shards = await inSlices(ids, (id) => shardOf(id, counters.shards))
    for (const [shard, campaignIds] of Map.groupBy(ids, (_, at) => shards[at]!)) {
      if (complete[shard]) await writeShard(shard, campaignIds)
    }
    return false
  }
}

/**
 * For each campaign that will belong to another partition once there are `partitions` of them, writes what it has spent to that
 * partition, before any other record of the campaign is there. Call it when `spend-checkpoints` has that many partitions already,
 * the other topics of its unit do not, and nothing is left to judge or to refund. It may be repeated.
 */
export async function carrySpend(
  deps: {
    log: Pick<EventLog, 'append'>
    /** With the present number of shards, all complete. */
    counters: Pick<Counters, 'shards' | 'positions' | 'read'>
    snapshot: Snapshot
  },
  partitions: number,
): Promise<void> {
  const { log, counters, snapshot } = deps
  const ids = Array.from(snapshot.allEver('Campaign'), ({ id }) => id)
  const moving = ids.filter((id) => shardOf(id, counters.shards) !== shardOf(id, partitions))
  for (const [shard, campaignIds] of Map.groupBy(moving, (id) => shardOf(id, counters.shards))) {
    for (const asked of chunksOf(campaignIds, CAMPAIGNS_PER_READ)) {
      const spent = await readSpend(counters, shard, asked)
      if (spent.length < asked.length) throw new Error('Something is judged while partitions are added')
      await log.append(
        spent.map((each) => {
          const value = encode('SpendCheckpoint', { ...each, sourceOffset: -1, correctionsOffset: -1 })
          return { topic: 'spend-checkpoints', key: each.campaignId, value }
        }),
      )
    }
  }
}

const sourcesOf = (shard: number) =>
  (['ad-events', 'corrections'] as const).map((topic) => ({ shard, source: sourceOf(topic, shard) }))

/**
 * What campaigns have spent, and up to which offsets that counts. The positions before and after reading the values are the same,
 * so nothing was stored in between. Empty when the judge was too quick; the next turn tries again.
 * @throws CountersUnavailable also while the shard is not complete.
 */
async function readSpend(
  counters: Pick<Counters, 'positions' | 'read'>,
  shard: number,
  campaignIds: readonly string[],
): Promise<SpendCheckpoint[]> {
  const sources = sourcesOf(shard)
  const keys = campaignIds.flatMap((id) => spendKeysOf(shard, id))
  for (let read = 1; read <= READS_MAX; read++) {
    const [sourceOffset, correctionsOffset] = (await counters.positions(sources)) as [number, number]
    const values = await counters.read(keys)
    const after = await counters.positions(sources)
    if (after[0] !== sourceOffset || after[1] !== correctionsOffset) continue
    return campaignIds.map((campaignId, i) => {
      const [spendMicros, thousandths] = values.slice(2 * i) as [number, number]
      return { campaignId, spendMicros, thousandths, sourceOffset, correctionsOffset }
    })
  }
  return []
}

/**
 * Whether to write a checkpoint: when there is none yet, when the spend may have changed since the last one, or when the last one is
 * too old, because a recount begins at the oldest of all. After a correction a checkpoint is written even if the spend is the same
 * again. None is written while the counters stand before the last checkpoint, because they have lost something.
 * @param tooOld the offset before which a checkpoint is too old.
 */
function isWorthWriting(now: SpendCheckpoint, last: SpendCheckpoint | undefined, tooOld: number): boolean {
  if (!last) return true
  if (now.sourceOffset < last.sourceOffset || now.correctionsOffset < last.correctionsOffset) return false
  return (
    now.spendMicros !== last.spendMicros ||
    now.thousandths !== last.thousandths ||
    now.correctionsOffset > last.correctionsOffset ||
    (last.sourceOffset < tooOld && now.sourceOffset >= tooOld)
  )
}

/** The offset in `ad-events` of the last event that was judged before a time; 0 when there is none. */
async function judgedBefore(log: Pick<EventLog, 'bounds' | 'read'>, partition: number, at: number): Promise<number> {
  const bounds = (await log.bounds('judged-events')).find((each) => each.partition === partition)
  if (!bounds) return 0
  const offset = await firstJudged(log, bounds, ({ appendedAt }) => appendedAt > at)
  if (offset === bounds.start) return 0
  const [record] = await log.read('judged-events', partition, offset - 1, 1)
  return record?.value ? decode('JudgedEvent', record.value).sourceOffset : 0
}
