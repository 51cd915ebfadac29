import type { IndexedProduct, SearchHit } from '../../../infra/product-index/port.ts'
import { hashOf } from '../../domain/auction/auction.ts'
import { predictClickRate } from '../../domain/auction/click-rate.ts'
import { dedupeKey } from '../../domain/catalogue/offer.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'
import type { CampaignHandle, Campaigns } from '../eligibility/campaigns.ts'

/** A product that may be shown, with what does not depend on the request. */
export interface Candidate {
  product: IndexedProduct
  adId: string
  relevance: number
  clickRate: number
  dedupeKey: string
  /** UTC epoch milliseconds; Infinity: never. */
  expiresAt: number
  /** The campaigns that promote it, each with a hash of campaign and offer that orders equal bids. */
  promotions: readonly { campaign: CampaignHandle; hash: number }[]
}

export function candidateOf(
  { product, relevance }: SearchHit,
  { campaigns, traffic }: { campaigns: Pick<Campaigns, 'handle'>; traffic: Pick<Traffic, 'clickRate'> },
): Candidate {
  const { offer, campaignIds, signals } = product
  return {
    product,
    adId: offer.id,
    relevance,
    clickRate: predictClickRate(signals, traffic.clickRate(offer.shopId)),
    dedupeKey: dedupeKey(offer),
    // Offers that were indexed before the field existed lack it.
    expiresAt: offer.expiresAt ?? Number.POSITIVE_INFINITY,
    promotions: campaignIds.map((id) => ({
      campaign: campaigns.handle(offer.shopId, id),
      hash: hashOf(`${id}/${offer.id}`),
    })),
  }
}
