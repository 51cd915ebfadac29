import { shuffledHash } from '../../domain/auction/auction.ts'
import type { AdBid, AdSteps, Dropped } from '../ad-steps.ts'
import { algorithms } from '../algorithms/algorithms.ts'
import type { Candidate } from '../candidates/candidate.ts'
import type { CandidateList } from '../candidates/candidates.ts'
import type { Slot, SlotRules } from '../slots.ts'
import { adMembersJson, productDataJson } from './ad-json.ts'
import { productCandidates } from './product-candidates.ts'
import { planSearch, type SearchDeps } from './search-plan.ts'

/** A product of a campaign that competes for a slot. */
export interface ProductBid extends AdBid {
  candidate: Candidate
}

export const sponsoredSlotRules: SlotRules<Slot> = {
  takes: (algorithm) => algorithm in algorithms,
  otherKind: 'is a display ad unit',
  check({ targeting, algorithm, adUnitId }) {
    const { businessSlotId } = targeting
    const isOther = businessSlotId && businessSlotId.toLowerCase() !== adUnitId
    return [
      ...algorithms[algorithm].check(targeting),
      ...(isOther ? [{ field: 'businessSlotId', message: 'is not the business slot of this ad unit' }] : []),
    ]
  },
}

/** Sponsored products: found by the product index, ranked by expected revenue, priced by second price per click. */
export function sponsoredAds(deps: SearchDeps): AdSteps<Slot, CandidateList, ProductBid> {
  return {
    kind: 'SPONSORED',
    slotRules: sponsoredSlotRules,
    // A second price depends on every competitor.
    isCumulative: true,
    async beginSearch(slot, placesBefore, { deadline }) {
      const plan = await planSearch(slot, placesBefore, deadline, deps)
      if (typeof plan === 'string') return plan
      return (campaignKind, places) => productCandidates(plan, campaignKind, places, deadline, deps)
    },
    dropIneligible({ candidates }, shop, campaignKind, { now, tieSeed }) {
      const bids: ProductBid[] = []
      const dropped: Dropped<ProductBid>[] = []
      for (const candidate of candidates) {
        if (candidate.expiresAt <= now) continue
        for (const { campaign, hash } of candidate.promotions) {
          if (campaign.kind !== campaignKind || campaign.body === null) continue
          const eligibility = deps.campaigns.eligibility(campaign, shop, now)
          if (eligibility.reason === 'NOT_RUNNING') continue
          const bid: ProductBid = {
            campaignId: campaign.id,
            adId: candidate.adId,
            itemGroupId: candidate.product.offer.itemGroupId,
            campaign: campaign.body,
            candidate,
            dedupeKey: candidate.dedupeKey,
            relevance: candidate.relevance,
            clickRate: candidate.clickRate,
            lift: candidate.lift,
            likelihood: candidate.clickRate,
            quality: candidate.relevance * candidate.clickRate,
            bidMicros: eligibility.bidMicros,
            tie: shuffledHash(hash, tieSeed),
          }
          if (eligibility.reason === null) bids.push(bid)
          else dropped.push({ bid, reason: eligibility.reason })
        }
      }
      return { bids, dropped, candidates: candidates.length }
    },
    pricing: (shop, campaignKind) => ({
      pricing: 'SECOND_PRICE',
      // Self-promotion is free.
      reserveMicros: campaignKind === 'PAID' ? shop.reserveCpcMicros : 0,
    }),
    membersJson({ candidate: { product } }, { adUnitId, shop }, decorate) {
      const decoration = decorate ? `,"productData":${productDataJson(product, shop)}` : ''
      return `"adUnitId":"${adUnitId}",${adMembersJson(product, shop)}${decoration}`
    },
  }
}
