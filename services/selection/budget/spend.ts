import type { CounterKey, Counters } from '../../../infra/counters/port.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import { DAY_MS } from '../../../schemas/durations.ts'
import type { Spend } from '../../domain/campaign/eligibility.ts'
import { dailySpendKey, dayIn, spendKey } from '../../domain/money/counter-keys.ts'
import { settledKeys } from '../../domain/money/in-flight.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { msSince } from '../../domain/time/ms-since.ts'

/**
 * How long the last known spend is used while the counters are away. Clicks in this time may exceed budgets and are given
 * away; after it, no paid ad is shown.
 */
export const SPEND_KNOWN_MS = 10_000

/** A view is no longer valid a day after its ad was shown, so a watermark further back than this is not needed. */
const JUDGED_WITHIN_MS = DAY_MS

export interface KnownSpend extends Spend {
  /** Billed for views of display ads that still count as in flight. */
  settledMicros: number
}
const NOTHING: KnownSpend = { totalMicros: 0, todayMicros: 0, settledMicros: 0 }
/** A spend that leaves nothing of any budget. */
const UNKNOWN: KnownSpend = { totalMicros: Number.POSITIVE_INFINITY, todayMicros: 0, settledMicros: 0 }

/** What campaigns have spent, as last read. Once a campaign's shard has not answered for too long, all its budget counts as spent. */
export interface SpendView {
  of(campaignId: string): KnownSpend
  /** Grows with each change. */
  readonly revision: number
  /** UTC epoch milliseconds. Events received before it have been judged, and are part of any spend that is read after it. */
  readonly judgeWatermark: number
  /** Reads the watermark. Call it before the spend of these shards is read. @throws what the counters throw; it then stays as it was. */
  readWatermark(shards: Iterable<number>): Promise<void>
  /**
   * Reads the spend of these campaigns, all of one shard, in one call. @throws what the counters throw; the view of the
   * shard then stays as it was, for `SPEND_KNOWN_MS`.
   */
  read(shard: number, campaignIds: readonly string[]): Promise<void>
}

export function createSpendView(deps: {
  counters: Pick<Counters, 'shards' | 'read' | 'watermark'>
  snapshot: Snapshot
  now: () => number
}): SpendView {
  const { counters, snapshot, now } = deps
  const spends = new Map<string, KnownSpend & { shard: number }>()
  let revision = 0
  let watermark = -1
  /** By shard: when the first read since the last success began, if it has not succeeded; null after a success. */
  const missedSince = new Array<number | null>(counters.shards).fill(Number.NEGATIVE_INFINITY)

  const view: SpendView = {
    of(campaignId) {
      const known = spends.get(campaignId)
      const missed = missedSince[known?.shard ?? shardOf(campaignId, counters.shards)] ?? null
      return missed !== null && msSince(missed, now()) > SPEND_KNOWN_MS ? UNKNOWN : (known ?? NOTHING)
    },
    get revision() {
      return revision
    },
    get judgeWatermark() {
      // A process whose clock was ahead may have written a watermark in the future, by which nothing would be in flight.
      return Math.min(now(), Math.max(watermark, now() - JUDGED_WITHIN_MS))
    },
    async readWatermark(shards) {
      for (const shard of shards) missedSince[shard] ??= now()
      watermark = await counters.watermark()
    },
    async read(shard, campaignIds) {
      missedSince[shard] ??= now()
      const { judgeWatermark } = view
      const campaigns = campaignIds.flatMap((id) => snapshot.get('Campaign', id) ?? [])
      const keys = campaigns.map((campaign) => keysOf(shard, campaign, { snapshot, judgeWatermark, now: now() }))
      // One read, so that the billed and the settled amounts are of the same moment.
      const values = await counters.read(keys.flat())
      let at = 0
      for (const [i, { id }] of campaigns.entries()) {
        const [totalMicros, todayMicros, ...settled] = values.slice(at, at + keys[i]!.length) as [number, number]
        at += keys[i]!.length
        const known = spends.get(id)
        if (known?.totalMicros !== totalMicros || known.todayMicros !== todayMicros) revision++
        const settledMicros = settled.reduce((sum, each) => sum + each, 0)
        spends.set(id, { shard, totalMicros, todayMicros, settledMicros })
      }
      missedSince[shard] = null
    },
  }
  return view
}

function keysOf(
  shard: number,
  { id, body }: Entity<'Campaign'>,
  { snapshot, ...times }: { snapshot: Snapshot; judgeWatermark: number; now: number },
): CounterKey[] {
  const timeZone = snapshot.body('Shop', body.shopId)?.timeZone ?? 'UTC'
  const settled = body.kind === 'DISPLAY' ? settledKeys(shard, id, times) : []
  return [spendKey(shard, id), dailySpendKey(shard, id, dayIn(timeZone, times.now)), ...settled]
}
