import type { AdKind, ShowIdClaims } from '../../../schemas/records/events.ts'
import type { ShowIds } from '../../domain/show-id/show-id.ts'
import type { AdBid } from '../ad-steps.ts'
import type { Person } from '../request/parameters.ts'
import type { AnySlot } from '../slots.ts'
import type { FilledSlot } from './emission.ts'

/**
 * The show ids of a slot's ads, in the order shown. An ad's show id seals the claims by which its views and clicks are judged
 * and billed, so that nobody can change the campaign, the price or the person.
 */
export function signAds(
  { slot, ads }: FilledSlot<AnySlot, AdBid>,
  { kind, requestId, person, now }: { kind: AdKind; requestId: string; person: Person; now: number },
  showIds: ShowIds,
): string[] {
  return ads.map(({ bid, priceMicros }, index) => {
    const claims: ShowIdClaims = {
      kind,
      requestId,
      shopId: slot.shopId,
      slotHash: slot.id,
      adUnitId: slot.adUnitId,
      campaignId: bid.campaignId,
      accountId: bid.campaign.accountId,
      adId: bid.adId,
      itemGroupId: bid.itemGroupId,
      cid: person.cid,
      uid: person.uid,
      algorithm: slot.algorithm,
      position: index + 1,
      priceMicros,
      currency: slot.shop.currency,
      autoPromo: bid.campaign.autoPromo,
      country: slot.country,
      emittedAt: now,
    }
    return showIds.seal(claims)
  })
}
