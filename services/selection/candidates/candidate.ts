import type { IndexedProduct, Lifts, SearchHit } from '../../../infra/product-index/port.ts'
import { hashOf } from '../../domain/auction/auction.ts'
import { liftedClickRate, predictClickRate } from '../../domain/auction/click-rate.ts'
import { dedupeKey } from '../../domain/catalogue/offer.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'
import type { CampaignHandle, Campaigns } from '../eligibility/campaigns.ts'

/** A product that may be shown, with everything about it that does not depend on the request. */
export interface Candidate extends Promoted {
  product: IndexedProduct
  adId: string
  relevance: number
  /** Predicted, including the lift. */
  clickRate: number
  /** How many times as often as usual the product is clicked after the words searched for; 1 when nothing is known. */
  lift: number
}

/** What stays the same for a product, whatever is searched for. */
interface Promoted {
  dedupeKey: string
  /** UTC epoch milliseconds; Infinity when it never expires. */
  expiresAt: number
  /** The campaigns that promote the product, each with a hash of campaign and offer that orders equal bids. */
  promotions: readonly { campaign: CampaignHandle; hash: number }[]
}

/** Returns a function that makes candidates of hits. It keeps what it finds out about a product for as long as the product lives. */
export function createCandidates({
  campaigns,
  traffic,
}: {
  campaigns: Pick<Campaigns, 'handle'>
  traffic: Pick<Traffic, 'clickRate'>
}) {
  const known = new WeakMap<IndexedProduct, Promoted>()

  function promotedOf(product: IndexedProduct): Promoted {
    const { offer, campaignIds } = product
    const promoted = {
      dedupeKey: dedupeKey(offer),
      // Offers that were indexed before the field existed lack it.
      expiresAt: offer.expiresAt ?? Number.POSITIVE_INFINITY,
      promotions: campaignIds.map((id) => ({
        campaign: campaigns.handle(offer.shopId, id),
        hash: hashOf(`${id}/${offer.id}`),
      })),
    }
    known.set(product, promoted)
    return promoted
  }

  return (hits: readonly SearchHit[], lifts?: Lifts): Candidate[] =>
    hits.map(({ product, relevance }) => {
      const { offer, signals } = product
      const lift = lifts?.get(offer.id) ?? 1
      const clickRate = liftedClickRate(predictClickRate(signals, traffic.clickRate(offer.shopId)), lift)
      const { dedupeKey, expiresAt, promotions } = known.get(product) ?? promotedOf(product)
      return { product, adId: offer.id, relevance, clickRate, lift, dedupeKey, expiresAt, promotions }
    })
}
