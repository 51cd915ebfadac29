import type { IndexedProduct, Lifts, SearchHit } from '../../../infra/product-index/port.ts'
import { hashOf } from '../../domain/auction/auction.ts'
import { liftedClickRate, predictClickRate } from '../../domain/auction/click-rate.ts'
import { dedupeKey } from '../../domain/catalogue/offer.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'
import type { CampaignHandle, Campaigns } from '../eligibility/campaigns.ts'

/** A product that may be shown, with everything about it that does not depend on the request. */
export interface Candidate {
  product: IndexedProduct
  adId: string
  relevance: number
  /** Predicted, including the lift. */
  clickRate: number
  /** How many times as often as usual the product is clicked after the words searched for; 1 when nothing is known. */
  lift: number
  dedupeKey: string
  /** UTC epoch milliseconds; Infinity when it never expires. */
  expiresAt: number
  /** The campaigns that promote the product, each with a hash of campaign and offer that orders equal bids. */
  promotions: readonly { campaign: CampaignHandle; hash: number }[]
}

export function candidateOf(
  { product, relevance }: SearchHit,
  {
    campaigns,
    traffic,
    lifts,
  }: { campaigns: Pick<Campaigns, 'handle'>; traffic: Pick<Traffic, 'clickRate'>; lifts: Lifts | undefined },
): Candidate {
  const { offer, campaignIds, signals } = product
  const lift = lifts?.get(offer.id) ?? 1
  return {
    product,
    adId: offer.id,
    relevance,
    clickRate: liftedClickRate(predictClickRate(signals, traffic.clickRate(offer.shopId)), lift),
    lift,
    dedupeKey: dedupeKey(offer),
    // Offers that were indexed before the field existed lack it.
    expiresAt: offer.expiresAt ?? Number.POSITIVE_INFINITY,
    promotions: campaignIds.map((id) => ({
      campaign: campaigns.handle(offer.shopId, id),
      hash: hashOf(`${id}/${offer.id}`),
    })),
  }
}
