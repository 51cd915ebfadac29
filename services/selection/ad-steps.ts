import type { Shop } from '../../schemas/records/entities.ts'
import type { AdKind, DropReason } from '../../schemas/records/events.ts'
import type { Bid, PricingRule, Won } from '../domain/auction/auction.ts'
import type { BilledAd } from './budget/budgets.ts'
import type { DEADLINE_EXCEEDED, Deadline } from './deadline.ts'
import type { CampaignKind } from './eligibility/campaigns.ts'
import type { Person } from './request/parameters.ts'
import type { AnySlot, SlotRules } from './slots.ts'

/** An ad request, as far as it concerns one shop. */
export interface ShopRequest {
  requestId: string
  person: Person
  /** The page's address, a URL or a relative path. */
  referer: string | null
  /** UTC epoch milliseconds. */
  now: number
  /** Orders equal bids, differently for each request. */
  tieSeed: number
  deadline: Deadline
}

/** An ad that competes for a place, with what the emission records of it. */
export interface AdBid extends Bid, BilledAd {
  adId: string
  itemGroupId: string | null
  /** In (0, 1]. */
  relevance: number
  /** Predicted; 0 for ads that do not pay per click. */
  clickRate: number
  /** The factor by which the click rate was multiplied for the words searched for. */
  lift: number
}

export interface Dropped<B extends AdBid> {
  bid: B
  reason: DropReason
}

/** The ads that got the places, in the order shown, and those that did not. */
export interface Allocation<B extends AdBid> {
  ads: Won<B>[]
  dropped: Dropped<B>[]
  /** True when not everything was known in time; ads whose cap was unknown were left out. */
  deadlineExceeded: boolean
}

/** The ads that got places so far, and those that were dropped on the way. */
export interface Round<B extends AdBid> extends Allocation<B> {
  /** Number of candidates found. */
  candidates: number
}

export interface CandidateBatch {
  /** True when these stand in for candidates that the index did not return in time. */
  isFallback?: boolean
}

/**
 * Finds candidates for the places of one slot, a batch at a time. Each `next` is told which places are filled, so that the
 * search goes no further than it must. Returns DEADLINE_EXCEEDED when there may be more candidates, but none came in time.
 */
export type CandidateSearch<C extends CandidateBatch, B extends AdBid> = (
  campaignKind: CampaignKind,
  places: number,
) => AsyncGenerator<C, typeof DEADLINE_EXCEEDED | undefined, Round<B>>

/** The steps of `select` that differ between sponsored and display ads. */
export interface AdSteps<S extends AnySlot, C extends CandidateBatch, B extends AdBid> {
  kind: AdKind
  slotRules: SlotRules<S>
  /**
   * True when each batch holds all candidates found so far, so that the places are auctioned again among them. False when it
   * holds only the next candidates, which compete for the places that are left.
   */
  isCumulative: boolean
  /**
   * Prepares the search for a slot; the searches for all slots of a request begin at once.
   * @param placesBefore the places of earlier slots in the request, which may take the best ads.
   * @returns the search, or why there is nothing to search for.
   */
  beginSearch(
    slot: S,
    placesBefore: number,
    request: ShopRequest,
  ): Promise<CandidateSearch<C, B> | 'INACTIVE' | 'NO_REFERENCE'>
  /** The bids of eligible campaigns. The others are dropped with a reason, or without one when they do not run at all. */
  dropIneligible(
    found: C,
    shop: Shop,
    campaignKind: CampaignKind,
    request: ShopRequest,
  ): { bids: B[]; dropped: Dropped<B>[]; candidates: number }
  pricing(shop: Shop, campaignKind: CampaignKind): { pricing: PricingRule; reserveMicros: number }
  /** The members of an ad's JSON that only this kind has, without braces. */
  membersJson(bid: B, slot: S, decorate: boolean): string
}
