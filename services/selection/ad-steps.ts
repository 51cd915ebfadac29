import type { Shop } from '../../schemas/records/entities.ts'
import type { AdKind, DropReason } from '../../schemas/records/events.ts'
import type { Bid, PricingRule, Won } from '../domain/auction/auction.ts'
import type { BilledAd } from './budget/budgets.ts'
import type { DEADLINE_EXCEEDED, Deadline } from './deadline.ts'
import type { CampaignKind } from './eligibility/campaigns.ts'
import type { Person } from './http/parameters.ts'
import type { AnySlot, SlotRules } from './slots.ts'

/** An ad request, as far as it concerns one shop. */
export interface ShopRequest {
  requestId: string
  person: Person
  /** The page's address, a URL or a relative path. */
  referer: string | null
  /** UTC epoch milliseconds. */
  now: number
  /** Orders equal bids: another order for each request. */
  tieSeed: number
  deadline: Deadline
}

/** An ad that competes for a place, with what is recorded of it. */
export interface AdBid extends Bid, BilledAd {
  adId: string
  itemGroupId: string | null
  /** In (0, 1]. */
  relevance: number
  /** Predicted; 0 where it decides nothing. */
  clickRate: number
  /** What the click rate was multiplied by for the words that were searched for. */
  lift: number
}

export interface Dropped<B extends AdBid> {
  bid: B
  reason: DropReason
}

/** Who got the places, in the order shown, and who did not. */
export interface Allocation<B extends AdBid> {
  ads: Won<B>[]
  dropped: Dropped<B>[]
  /** True: not everything was known in time; ads with an unknown cap were left out. */
  deadlineExceeded: boolean
}

/** What places were given to so far, and what was dropped on the way. */
export interface Round<B extends AdBid> extends Allocation<B> {
  /** Candidates that were found. */
  candidates: number
}

export interface CandidateBatch {
  /** True: these stand in for candidates that the index did not give in time. */
  isFallback?: boolean
}

/**
 * Finds candidates for the places of one slot, a batch at a time. Each `next` is told how the places stand, so that no more
 * is sought than is needed. Returns DEADLINE_EXCEEDED when there might have been more, but not in time.
 */
export type CandidateSearch<C extends CandidateBatch, B extends AdBid> = (
  campaignKind: CampaignKind,
  places: number,
) => AsyncGenerator<C, typeof DEADLINE_EXCEEDED | undefined, Round<B>>

/** The steps of `select` that sponsored and display ads take each in their own way. */
export interface AdSteps<S extends AnySlot, C extends CandidateBatch, B extends AdBid> {
  kind: AdKind
  slotRules: SlotRules<S>
  /**
   * True: each batch holds all candidates found so far, and the places are auctioned anew among them. False: it holds the
   * next ones, which compete for the places that are left.
   */
  isCumulative: boolean
  /**
   * Prepares the search for a slot; all slots of a request are begun at once.
   * @param placesBefore the places of earlier slots in the request, which may take the best ads.
   * @returns why there is nothing to search for, otherwise the search.
   */
  beginSearch(
    slot: S,
    placesBefore: number,
    request: ShopRequest,
  ): Promise<CandidateSearch<C, B> | 'INACTIVE' | 'NO_REFERENCE'>
  /** Bids of the candidates whose campaigns are eligible; the others with the reason, unless they do not run at all. */
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
