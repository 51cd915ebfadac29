import type { Shop } from '../../schemas/records/entities.ts'
import type { DropReason } from '../../schemas/records/events.ts'
import { type AuctionOptions, auction, type Lost, type Won } from '../domain/auction/auction.ts'
import type { AdBid, Allocation, ShopRequest } from './ad-steps.ts'
import type { Budgets } from './budget/budgets.ts'
import { DEADLINE_EXCEEDED } from './deadline.ts'
import type { FrequencyCaps } from './eligibility/frequency-caps.ts'

/** When winners turn out to be capped or out of budget, the auction is repeated among the rest, at most this often. */
const AUCTIONS_MAX = 20

export interface AllocationOptions extends AuctionOptions {
  shop: Shop
}

/** Allocates places by auction, within the budgets of the campaigns and the frequency caps of the person. */
export interface Allocator {
  /**
   * Gives the places to the best bids. Each winner's expected cost is reserved in its campaign's budget, and one view of it
   * in its frequency cap; `release` undoes both.
   */
  allocate<B extends AdBid>(
    bids: readonly B[],
    options: AllocationOptions,
    request: ShopRequest,
  ): Promise<Allocation<B>>
  /** Releases what was reserved for ads that are not shown after all. */
  release(ads: readonly Won<AdBid>[], shop: Shop, request: ShopRequest): void
}

export function createAllocator({
  budgets,
  caps,
}: {
  budgets: Pick<Budgets, 'isOpen' | 'reserve' | 'release'>
  caps: FrequencyCaps
}): Allocator {
  /** Auctions the places among those bids whose campaigns can pay for what they win; adds the others to `ineligible`. */
  function auctionWithinBudgets<B extends AdBid>(
    bids: readonly B[],
    ineligible: Map<B, DropReason>,
    options: AllocationOptions,
    now: number,
  ): { ads: Won<B>[]; lost: Lost<B>[] } {
    for (let round = 1; ; round++) {
      const eligible = ineligible.size === 0 ? bids : bids.filter((bid) => !ineligible.has(bid))
      const { won, lost } = auction(eligible, options)
      const ads: Won<B>[] = []
      const outOfBudget = new Set<string>()
      for (const ad of won) {
        const { bid, priceMicros } = ad
        if (outOfBudget.has(bid.campaignId)) continue
        if (budgets.reserve(bid, priceMicros, now)) ads.push(ad)
        else outOfBudget.add(bid.campaignId)
      }
      if (outOfBudget.size === 0) return { ads, lost }
      // A campaign's better ads may have used up its budget. Those remain eligible.
      const paid = new Set(ads.map(({ bid }) => bid))
      for (const bid of eligible) if (outOfBudget.has(bid.campaignId) && !paid.has(bid)) ineligible.set(bid, 'BUDGET')
      if (round === AUCTIONS_MAX) return { ads, lost: lost.filter(({ bid }) => !ineligible.has(bid)) }
      releaseBudgets(ads, now)
    }
  }

  function releaseBudgets(ads: readonly Won<AdBid>[], now: number): void {
    for (const { bid, priceMicros } of ads) budgets.release(bid, priceMicros, now)
  }

  function release(ads: readonly Won<AdBid>[], shop: Shop, request: ShopRequest): void {
    releaseBudgets(ads, request.now)
    const limited = ads.map(({ bid }) => bid).filter(hasCap)
    if (limited.length > 0) void request.deadline.meet(caps.release(limited, shop, request))
  }

  return {
    async allocate<B extends AdBid>(bids: readonly B[], options: AllocationOptions, request: ShopRequest) {
      const { shop } = options
      const { now, deadline } = request
      const ineligible = new Map<B, DropReason>()
      for (const bid of bids) if (!budgets.isOpen(bid, now)) ineligible.set(bid, 'BUDGET')
      // An ad whose cap cannot be read is left out, so that no cap is exceeded.
      const capped = await deadline.meet(caps.capped(bids, shop, request))
      for (const bid of capped === DEADLINE_EXCEEDED ? bids.filter(hasCap) : capped) ineligible.set(bid, 'CAPPED')

      let deadlineExceeded = capped === DEADLINE_EXCEEDED
      for (let round = 1; ; round++) {
        const { ads, lost } = auctionWithinBudgets(bids, ineligible, options, now)
        const limited = ads.map(({ bid }) => bid).filter(hasCap)
        const refused = limited.length === 0 ? [] : await deadline.meet(caps.reserve(limited, shop, request))
        deadlineExceeded ||= refused === DEADLINE_EXCEEDED
        // Winners that the person must not see, because their caps allow no more views or did not answer.
        const unseen = new Set(refused === DEADLINE_EXCEEDED ? limited : refused)
        for (const bid of unseen) ineligible.set(bid, 'CAPPED')
        if (unseen.size === 0 || round === AUCTIONS_MAX) {
          const shown = ads.filter(({ bid }) => !unseen.has(bid))
          releaseBudgets(
            ads.filter(({ bid }) => unseen.has(bid)),
            now,
          )
          const dropped = [...[...ineligible].map(([bid, reason]) => ({ bid, reason })), ...lost]
          return { ads: shown, dropped, deadlineExceeded }
        }
        release(ads, shop, request)
      }
    },
    release,
  }
}

const hasCap = (bid: AdBid): boolean => bid.campaign.capping !== null
