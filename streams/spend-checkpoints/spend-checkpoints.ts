import { isDeepStrictEqual } from 'node:util'
import type { Counters } from '../../infra/counters/port.ts'
import { shardOf } from '../../infra/counters/shards.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { DAY_MS } from '../../schemas/durations.ts'
import type { SpendCheckpoint } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { sourceOf } from '../judge/batch-counters.ts'
import { firstJudged } from '../judge/recount/begin.ts'
import { judgedUpTo } from '../judge/recount/judged-up-to.ts'
import { readCheckpoints, spendKeysOf } from '../judge/spend/restore.ts'
import type { NextTurn } from '../runtime/periodic.ts'
import { inSlices } from '../runtime/slices.ts'

/** Campaigns whose spend is read and written together. */
const CAMPAIGNS_PER_READ = 200
/** A checkpoint older than this is renewed even if its campaign spends nothing, so that no recount has to go back to it. */
const CHECKPOINT_MAX_AGE_MS = 7 * DAY_MS
/** How often to look which checkpoints are too old. */
const RENEWED_EVERY_MS = DAY_MS
/** How many times a read is tried while the judge moves the counters on in the middle of it. */
const READS_MAX = 10
/** The pause before the campaigns are looked at that the judge has kept a look from. */
const LOOK_AGAIN_MS = 1_000
/** How many times in a row, so that one shard that is never committed does not keep the others from their next look. */
const LOOKS_AGAIN_MAX = 100

/**
 * Writes what each campaign has spent to `spend-checkpoints`, if it has changed. In a shard that has counted nothing since the last
 * look, it looks only at new campaigns. With checkpoints, lost counters can be counted again even when the log no longer holds the
 * events that were billed.
 *
 * A checkpoint itself says up to which offsets it counts. So it may come at any time and from any process, and a missing or old
 * one does no harm as long as the log holds what follows it. It counts only events whose verdicts are in the log: others are judged
 * again if the counters are lost, and would be billed on top of it.
 * @returns periodic work, which only one process at a time needs to do.
 */
export function createSpendCheckpoints(deps: {
  log: Pick<EventLog, 'bounds' | 'read' | 'append' | 'committed'>
  counters: Pick<Counters, 'shards' | 'complete' | 'positions' | 'read'>
  snapshot: Snapshot
  /** UTC epoch milliseconds. */
  now: () => number
}): () => Promise<NextTurn> {
  const { log, counters, snapshot, now } = deps
  const written = new Map<number, Map<string, SpendCheckpoint>>()
  /** By shard: the last look that has come to its end. */
  const lookedAt = new Map<number, Look['at']>()
  /** By shard: the look that is under way. */
  const looks = new Map<number, Look>()
  let looksAgain = 0
  /** By shard: the offset of `ad-events` before which checkpoints are too old, and when it was looked up. */
  const renewals = new Map<number, { at: number; before: number }>()

  async function tooOldIn(shard: number): Promise<number> {
    const known = renewals.get(shard)
    if (known && known.at > now() - RENEWED_EVERY_MS) return known.before
    const renewal = { at: now(), before: await judgedBefore(log, shard, now() - CHECKPOINT_MAX_AGE_MS) }
    renewals.set(shard, renewal)
    return renewal.before
  }

  async function beginLook(shard: number, campaignIds: readonly string[]): Promise<Look> {
    const last = written.get(shard) ?? (await readCheckpoints(log, shard, counters.shards)).checkpoints
    written.set(shard, last)
    const at = { positions: await counters.positions(sourcesOf(shard)), tooOld: await tooOldIn(shard) }
    const isUnchanged = isDeepStrictEqual(lookedAt.get(shard), at)
    return { at, left: isUnchanged ? campaignIds.filter((id) => !last.has(id)) : campaignIds }
  }

  /** Looks at the campaigns that are left, and leaves those whose spend the judge is changing or has not committed. */
  async function goOn(shard: number, { at, left }: Look): Promise<void> {
    const last = written.get(shard)!
    const leftAgain: string[] = []
    for (const asked of chunksOf(left, CAMPAIGNS_PER_READ)) {
      const spent = await readSpend(counters, shard, asked)
      if (!(await isCommitted(spent, shard))) {
        leftAgain.push(...asked)
        continue
      }
      const changed = spent.filter((each) => isWorthWriting(each, last.get(each.campaignId), at.tooOld))
      if (changed.length === 0) continue
      await log.append(
        changed.map((value) => {
          return { topic: 'spend-checkpoints', key: value.campaignId, value: encode('SpendCheckpoint', value) }
        }),
      )
      for (const each of changed) last.set(each.campaignId, each)
    }
    if (leftAgain.length > 0) looks.set(shard, { at, left: leftAgain })
    else {
      looks.delete(shard)
      lookedAt.set(shard, at)
    }
  }

  /** Whether the judge has committed the verdicts that the spend counts. Not when nothing could be read. */
  async function isCommitted([first]: readonly SpendCheckpoint[], shard: number): Promise<boolean> {
    return first !== undefined && first.sourceOffset <= ((await judgedUpTo(log)).get(shard) ?? -1)
  }

  async function beginLooks(complete: readonly boolean[]): Promise<void> {
    const ids = Array.from(snapshot.allEver('Campaign'), ({ id }) => id)
    const shards = await inSlices(ids, (id) => shardOf(id, counters.shards))
    const begun: [number, Look][] = []
    for (const [shard, campaignIds] of Map.groupBy(ids, (_, at) => shards[at]!)) {
      if (complete[shard]) begun.push([shard, await beginLook(shard, campaignIds)])
    }
    for (const [shard, look] of begun) looks.set(shard, look)
    looksAgain = 0
  }

  return async function writeCheckpoints() {
    const complete = await counters.complete()
    if (looks.size === 0) await beginLooks(complete)
    for (const [shard, look] of looks) {
      if (complete[shard]) await goOn(shard, look)
      else looks.delete(shard)
    }
    if (looksAgain === LOOKS_AGAIN_MAX) looks.clear()
    looksAgain++
    return looks.size === 0 ? false : { pauseMs: LOOK_AGAIN_MS }
  }
}

/** A look at the campaigns of a shard. */
interface Look {
  /** The positions of the shard's sources when it began, and the offset before which checkpoints are too old. */
  at: { positions: readonly number[]; tooOld: number }
  /** The campaigns that are still to be looked at. */
  left: readonly string[]
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
