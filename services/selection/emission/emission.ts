import type { AdKind, Emission, EmittedSlot } from '../../../schemas/records/events.ts'
import { rankOf } from '../../domain/auction/auction.ts'
import { phraseId } from '../../domain/auction/phrase-id.ts'
import type { AdBid, Allocation } from '../ad-steps.ts'
import type { Person } from '../request/parameters.ts'
import { noteworthyPhrase, phraseOf } from '../searched-phrase.ts'
import type { AnySlot } from '../slots.ts'

/** A slot with the ads that fill it, and what was dropped. */
export interface FilledSlot<S extends AnySlot, B extends AdBid> extends Pick<Allocation<B>, 'ads' | 'dropped'> {
  slot: S
  /** Number of candidates found. */
  candidates: number
  /** Why places stayed empty; null when none did. */
  shortfall: EmittedSlot['shortfall']
}

type Filled = FilledSlot<AnySlot, AdBid>

/** Enough to explain a decision, and few enough to store with every request. */
const DROPPED_LISTED_MAX = 10

/** The record of a request: what was shown, at which price, and the best of what was dropped, with the reason. */
export function emissionOf(
  slots: readonly Filled[],
  request: { kind: AdKind; requestId: string; person: Person; now: number; elapsedMicros: number },
): Emission {
  const [first] = slots
  const phrases = slots.map(({ slot }) => searchedPhraseId(slot))
  const lifts = slots.flatMap(({ ads }) => ads.map(({ bid }) => bid.lift))
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
    phrases: phrases.some((id) => id !== 0) ? phrases : [],
    lifts: lifts.some((lift) => lift !== 1) ? lifts : [],
  }
}

/** 0 when nothing was searched for, or when the phrase may reveal who somebody is. */
function searchedPhraseId(slot: AnySlot): number {
  const phrase = phraseOf(slot)
  return phrase === null || noteworthyPhrase(phrase.text) === null ? 0 : phraseId(slot.shopId, phrase)
}

function emittedSlot({ slot, ads, dropped, candidates, shortfall }: Filled): EmittedSlot {
  return {
    slotHash: slot.id,
    adUnitId: slot.adUnitId,
    algorithm: slot.algorithm,
    candidates,
    shortfall,
    ads: ads.map(({ bid, priceMicros }, index) => ({
      campaignId: bid.campaignId,
      adId: bid.adId,
      itemGroupId: bid.itemGroupId,
      position: index + 1,
      relevance: bid.relevance,
      predictedClickRate: bid.clickRate,
      bidMicros: bid.bidMicros,
      priceMicros,
      autoPromo: bid.campaign.autoPromo,
    })),
    dropped: dropped
      .toSorted((a, b) => rankOf(b.bid) - rankOf(a.bid))
      .slice(0, DROPPED_LISTED_MAX)
      .map(({ bid, reason }) => ({
        campaignId: bid.campaignId,
        adId: bid.adId,
        relevance: bid.relevance,
        bidMicros: bid.bidMicros,
        reason,
      })),
  }
}
