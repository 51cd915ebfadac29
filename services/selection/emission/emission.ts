import type { AdKind, Emission, EmittedSlot } from '../../../schemas/records/events.ts'
import { rankOf } from '../../domain/auction/auction.ts'
import type { FilledSlot, SlotEntry } from '../fill-slot.ts'
import type { Person } from '../http/person.ts'
import type { AnySlot } from '../slots.ts'

type Filled = FilledSlot<AnySlot, SlotEntry>

/** Enough to explain a decision, small enough to keep for every request. */
const DROPPED_LISTED_MAX = 10

/** The record of a request: what was shown, at which price, and the best of what was not, with the reason. */
export function emissionOf(
  slots: readonly Filled[],
  request: { kind: AdKind; requestId: string; person: Person; now: number; elapsedMicros: number },
): Emission {
  const [first] = slots
  return {
    requestId: request.requestId,
    shopId: first!.slot.shopId,
    kind: request.kind,
    cid: request.person.cid,
    uid: request.person.uid,
    occurredAt: request.now,
    country: first!.slot.country,
    elapsedMicros: request.elapsedMicros,
    slots: slots.map(emittedSlot),
  }
}

function emittedSlot({ slot, ads, dropped, candidates, shortfall }: Filled): EmittedSlot {
  return {
    slotHash: slot.id,
    adUnitId: slot.adUnitId,
    algorithm: slot.algorithm,
    candidates,
    shortfall,
    ads: ads.map(({ entry, priceMicros }, index) => ({
      campaignId: entry.campaignId,
      adId: entry.adId,
      itemGroupId: entry.itemGroupId,
      position: index + 1,
      relevance: entry.relevance,
      predictedClickRate: entry.clickRate,
      bidMicros: entry.bidMicros,
      priceMicros,
      autoPromo: entry.campaign.autoPromo,
    })),
    dropped: dropped
      .toSorted((a, b) => rankOf(b.entry) - rankOf(a.entry))
      .slice(0, DROPPED_LISTED_MAX)
      .map(({ entry, reason }) => ({
        campaignId: entry.campaignId,
        adId: entry.adId,
        relevance: entry.relevance,
        bidMicros: entry.bidMicros,
        reason,
      })),
  }
}
