import type { Counters, Reservation } from '../../../infra/counters/port.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import { eligibilityOf, leftOf } from '../../domain/campaign/eligibility.ts'
import { chunksOf } from '../../domain/chunks.ts'
import { budgetReservationKey } from '../../domain/money/counter-keys.ts'
import { expectedCost, inFlightLimit } from '../../domain/money/in-flight-limit.ts'
import { idealSpend } from '../../domain/money/pacing.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { msSince } from '../../domain/time/ms-since.ts'
import { rememberedShopDays } from '../../domain/time/shop-day.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'
import { type BudgetLease, unusedUsableMaxMs } from './budget-lease.ts'
import { SPEND_KNOWN_MS, type SpendView } from './spend.ts'

/** Campaigns of a shard that are looked at in one call; requests are answered between two calls. */
const CAMPAIGNS_PER_CALL = 100

export interface LeaseRenewalDeps {
  counters: Pick<Counters, 'shards' | 'reserve'>
  snapshot: Snapshot
  spend: SpendView
  traffic: Pick<Traffic, 'hourShares'>
  /** Unique among all processes, past ones included. */
  processId: string
  now: () => number
}

/** Reads the spend of campaigns, and renews their leases by what is left of their budgets. */
export interface LeaseRenewal {
  /**
   * Reads what these campaigns have spent, and renews their leases, each shard independently of the others. `shards` are read
   * even if they have none of these campaigns, so that their spend counts as known. @throws the first error.
   */
  look(campaignIds: readonly string[], shards?: Iterable<number>): Promise<void>
  /** Whether the campaign's shard is away. A slow look is no sign of that: this process may have been slow itself. */
  isAway(campaignId: string, now: number): boolean
}

/** @param onLooked is called with campaigns that were looked at, before their leases are asked for. */
export function createLeaseRenewal(
  deps: LeaseRenewalDeps,
  leases: ReadonlyMap<string, BudgetLease>,
  onLooked: (campaignIds: readonly string[], now: number) => void,
): LeaseRenewal {
  const { counters, snapshot, spend } = deps
  const days = rememberedShopDays((shopId) => deps.traffic.hourShares(shopId))
  /** By shard: when the first failed look since the last successful one began. */
  const failedSince = new Map<number, number>()

  function limitOf(campaignId: string, lease: BudgetLease, now: number): number {
    const campaign = snapshot.body('Campaign', campaignId)
    const shop = campaign && snapshot.body('Shop', campaign.shopId)
    if (!shop || campaign.autoPromo) return 0
    const spent = spend.of(campaignId)
    const eligibility = eligibilityOf(campaign, shop, { now, spend: spent })
    if (eligibility.reason !== null) return 0
    // Every display ad costs what the campaign bids, which falls with what is left.
    if (campaign.kind === 'DISPLAY') lease.highestCostMicros = expectedCost(campaign, eligibility.bidMicros, 1)
    return inFlightLimit(campaign, {
      leftMicros: leftOf(campaign, spent),
      pacedMicros:
        campaign.pacing === 'EVEN'
          ? idealSpend(campaign, spent, days(campaign.shopId, shop.timeZone, now), now) - spent.todayMicros
          : Number.POSITIVE_INFINITY,
      bidMicros: eligibility.bidMicros,
      settledMicros: spent.settledMicros,
      highestCostMicros: lease.highestCostMicros,
    })
  }

  async function look(campaignIds: readonly string[], shards: Iterable<number> = []): Promise<void> {
    const startedAt = deps.now()
    const errors: unknown[] = []
    const groups = Map.groupBy(campaignIds, (id) => shardOf(id, counters.shards))
    for (const shard of shards) if (!groups.has(shard)) groups.set(shard, [])
    await spend.readWatermark(groups.keys()).catch((error: unknown) => errors.push(error))
    const looks = [...groups].map(async ([shard, ids]) => {
      try {
        await lookAtShard(shard, ids)
        // The shard may have lost reservations.
        if (failedSince.delete(shard)) for (const lease of leases.values()) lease.shorten()
      } catch (error) {
        failedSince.set(shard, failedSince.get(shard) ?? startedAt)
        errors.push(error)
      }
    })
    await Promise.all(looks)
    if (errors.length > 0) throw errors[0]
  }

  async function lookAtShard(shard: number, campaignIds: readonly string[]): Promise<void> {
    if (campaignIds.length === 0) await spend.read(shard, [])
    for (const some of chunksOf(campaignIds, CAMPAIGNS_PER_CALL)) {
      await spend.read(shard, some)
      await renew(shard, some)
    }
  }

  async function renew(shard: number, campaignIds: readonly string[]): Promise<void> {
    const now = deps.now()
    const due: { lease: BudgetLease; reservation: Reservation }[] = []
    const usableMaxMs = unusedUsableMaxMs(leases.size)
    for (const id of campaignIds) {
      const lease = leases.get(id)
      if (!lease) continue
      lease.turn(now, spend.judgeWatermark)
      lease.limitMicros = limitOf(id, lease, now)
      if (lease.isDue(now)) {
        const limits = [{ key: budgetReservationKey(id), counted: null, max: Math.floor(lease.limitMicros) }]
        const { lastsMs, ...amounts } = lease.reservation(now, usableMaxMs)
        const times = { now: spend.judgeWatermark, expiresAt: now + lastsMs }
        due.push({ lease, reservation: { shard, holder: deps.processId, ...amounts, limits, ...times } })
      }
    }
    onLooked(campaignIds, now)
    if (due.length === 0) return
    const granted = await counters.reserve(due.map(({ reservation }) => reservation))
    for (const [i, { lease, reservation }] of due.entries())
      lease.granted(granted[i]!, { requested: reservation.requested, requestedAt: now })
  }

  function isAway(campaignId: string, now: number): boolean {
    if (failedSince.size === 0) return false
    const failed = failedSince.get(shardOf(campaignId, counters.shards)) ?? Number.NEGATIVE_INFINITY
    return msSince(failed, now) <= SPEND_KNOWN_MS
  }

  return { look, isAway }
}
