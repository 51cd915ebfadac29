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
import { inSlices } from '../runtime/slices.ts'
import { readCheckpoints, spendKeysOf } from './restore.ts'

/** Campaigns whose spend is read and written at once. */
const CAMPAIGNS_PER_READ = 200
/** The checkpoint of a campaign that spends nothing is renewed when it is older: so no recount goes back to it. */
const CHECKPOINT_MAX_AGE_MS = 7 * 86_400_000
/** How often it is looked which ones are. */
const RENEWED_EVERY_MS = 86_400_000
/** How often a read is repeated, because the judge has moved the counters on in the middle of it. */
const READS_MAX = 10

/**
 * Writes what each campaign has spent to `spend-checkpoints`, where it has changed; in a shard in which nothing was counted since, it
 * looks only at campaigns that are new. So lost counters can be counted again when the log no longer holds the events that were
 * billed.
 *
 * A checkpoint says by itself up to where it counts. So it may come at any time and from any process, and one that is missing
 * or old does no harm as long as the log holds what follows it.
 * @returns periodic work; one process at a time need do it.
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
  /** By shard: where its sources stood, and which checkpoints were too old, when all of its campaigns were looked at last. */
  const lookedAt = new Map<number, { positions: readonly number[]; tooOld: number }>()
  /** By shard: since when it was known where in `ad-events` checkpoints are too old. */
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
 * Writes what each campaign has spent that will belong to another partition once there are so many: into that partition, in front
 * of all that it will hold of the campaign. Call it when `spend-checkpoints` has them already, the other topics of its unit do
 * not, and nothing is left to judge or to refund. It may be repeated.
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
 * What campaigns have spent, and up to where it counts: the positions before and after the values are the same, so
 * nothing was stored in between. Empty: the judge was too quick; the next turn tries again.
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
 * Whether the spend may have changed since the last checkpoint; after a correction it may be what it was before. A first checkpoint
 * is written of every campaign, and a new one when the last is too old: a recount begins where all of them count up to. Counters
 * that stand before the checkpoint have lost something.
 * @param tooOld the offset before which checkpoints are.
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

/** The place in `ad-events` of the last event that was judged before a time; 0: none. */
async function judgedBefore(log: Pick<EventLog, 'bounds' | 'read'>, partition: number, at: number): Promise<number> {
  const bounds = (await log.bounds('judged-events')).find((each) => each.partition === partition)
  if (!bounds) return 0
  const offset = await firstJudged(log, bounds, ({ appendedAt }) => appendedAt > at)
  if (offset === bounds.start) return 0
  const [record] = await log.read('judged-events', partition, offset - 1, 1)
  return record?.value ? decode('JudgedEvent', record.value).sourceOffset : 0
}
