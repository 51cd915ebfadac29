import type { Counters } from '../../../infra/counters/port.ts'
import type { Spend } from '../../domain/campaign/eligibility.ts'
import { dailySpendKey, dayIn, spendKey } from '../../domain/money/counter-keys.ts'
import { JUDGE_WATERMARK, settledKeys } from '../../domain/money/in-flight.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { readComplete } from '../../replicas/read-complete.ts'

/**
 * How long the last known spend is used while the counters are away. Clicks in this time may exceed budgets and are given
 * away; after it, no paid ad is shown.
 */
export const SPEND_KNOWN_MS = 10_000

/** A view is no longer valid a day after its ad was shown, so no watermark need lie further back. */
const JUDGED_WITHIN_MS = 86_400_000

export interface KnownSpend extends Spend {
  /** Billed for views of display ads that still count as in flight. */
  settledMicros: number
}
const NOTHING: KnownSpend = { totalMicros: 0, todayMicros: 0, settledMicros: 0 }
/** A spend that leaves nothing of any budget. */
const UNKNOWN: KnownSpend = { totalMicros: Number.POSITIVE_INFINITY, todayMicros: 0, settledMicros: 0 }

/** What campaigns have spent, as last read; everything, once the counters have not answered for too long. */
export interface SpendView {
  of(campaignId: string): KnownSpend
  /** Grows with each change. */
  readonly revision: number
  /** UTC epoch milliseconds: events received before it have been judged, and are in the spend that was read since. */
  readonly judgeWatermark: number
  /**
   * Reads the spend of these campaigns, in one call. @throws what the counters throw; the view then stays as it was, for
   * `SPEND_KNOWN_MS`.
   */
  read(campaignIds: readonly string[]): Promise<void>
}

export function createSpendView(deps: {
  counters: Pick<Counters, 'read' | 'positions'>
  snapshot: Snapshot
  now: () => number
}): SpendView {
  const { snapshot, now } = deps
  const spends = new Map<string, KnownSpend>()
  let revision = 0
  let watermark = -1
  /** When the first of the reads began that have failed since the last success; null: the last one succeeded. */
  let missedSince: number | null = Number.NEGATIVE_INFINITY

  const view: SpendView = {
    of(campaignId) {
      if (missedSince !== null && now() - missedSince > SPEND_KNOWN_MS) return UNKNOWN
      return spends.get(campaignId) ?? NOTHING
    },
    get revision() {
      return revision
    },
    get judgeWatermark() {
      return Math.max(watermark, now() - JUDGED_WITHIN_MS)
    },
    async read(campaignIds) {
      missedSince ??= now()
      const [position] = await deps.counters.positions([JUDGE_WATERMARK])
      watermark = position!
      const { judgeWatermark } = view
      const campaigns = campaignIds.flatMap((id) => snapshot.get('Campaign', id) ?? [])
      const keys = campaigns.map((campaign) => keysOf(campaign, { snapshot, judgeWatermark, now: now() }))
      // One read, so that what is billed and what is settled of it are of the same moment.
      const values = await readComplete(deps.counters, keys.flat())
      let at = 0
      for (const [i, { id }] of campaigns.entries()) {
        const [totalMicros, todayMicros, ...settled] = values.slice(at, at + keys[i]!.length) as [number, number]
        at += keys[i]!.length
        const known = spends.get(id)
        if (known?.totalMicros !== totalMicros || known.todayMicros !== todayMicros) revision++
        spends.set(id, { totalMicros, todayMicros, settledMicros: settled.reduce((sum, each) => sum + each, 0) })
      }
      missedSince = null
    },
  }
  return view
}

function keysOf(
  { id, body }: Entity<'Campaign'>,
  { snapshot, ...times }: { snapshot: Snapshot; judgeWatermark: number; now: number },
): string[] {
  const timeZone = snapshot.body('Shop', body.shopId)?.timeZone ?? 'UTC'
  const settled = body.kind === 'DISPLAY' ? settledKeys(id, times) : []
  return [spendKey(id), dailySpendKey(id, dayIn(timeZone, times.now)), ...settled]
}
