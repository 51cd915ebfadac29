/**
 * What happened, as the log keeps it: ads served, viewed and clicked, and what shoppers bought. The TypeScript face of
 * `schemas/avro/events/`; units as in `records.ts`.
 */

export type AdKind = 'SPONSORED' | 'DISPLAY'

export interface EmittedAd {
  campaignId: string
  /** Feed id of the product (sponsored) or banner id (display). */
  adId: string
  itemGroupId: string | null
  /** 1 is the first place of the slot. */
  position: number
  relevance: number
  predictedClickRate: number
  bidMicros: number
  /** What one valid click (or view, for CPM in thousandths) would cost. */
  priceMicros: number
  autoPromo: boolean
}

/** Why a candidate was not shown. */
export type DropReason = 'OUTRANKED' | 'CAPPED' | 'DUPLICATE' | 'BUDGET' | 'BELOW_RESERVE' | 'MIN_AD_COUNT'

export interface EmittedSlot {
  /** As asked for: an ad unit's or a technical slot's id. */
  slotHash: string
  adUnitId: string
  algorithm: string
  /** How many eligible candidates the index returned. */
  candidates: number
  /** Why the slot is short: null when filled. */
  shortfall: 'INACTIVE' | 'NO_CANDIDATES' | 'MIN_AD_COUNT' | 'DEADLINE' | 'NO_REFERENCE' | null
  ads: EmittedAd[]
  /** The best of those not shown, at most 10 a slot. */
  dropped: { campaignId: string; adId: string; relevance: number; bidMicros: number; reason: DropReason }[]
}

/** Topic `emissions`: one ad request and what it was answered. */
export interface Emission {
  requestId: string
  shopId: string
  kind: AdKind
  cid: string
  uid: string | null
  occurredAt: number
  country: string | null
  elapsedMicros: number
  slots: EmittedSlot[]
  /** For each slot, the id of what was searched for (`phraseId`); 0 without any. Empty: no slot had any. */
  phrases: number[]
  /** For each ad shown, one slot after the other, what its predicted click rate was multiplied by. Empty: 1 for all. */
  lifts: number[]
}

/** What a showId says of the ad it was given for. Encrypted inside the showId. */
export interface ShowIdClaims {
  kind: AdKind
  requestId: string
  shopId: string
  slotHash: string
  adUnitId: string
  campaignId: string
  accountId: string
  adId: string
  itemGroupId: string | null
  cid: string
  uid: string | null
  algorithm: string
  position: number
  priceMicros: number
  currency: string
  autoPromo: boolean
  country: string | null
  emittedAt: number
}

/** Topic `ad-events`: a view or click as it came. */
export interface AdEvent {
  /** Given by the intake; readers count an id once. */
  eventId: string
  type: 'VIEW' | 'CLICK'
  /** Who acted; equals claims.cid unless another cid replays the showId. */
  cid: string
  uid: string | null
  occurredAt: number
  receivedAt: number
  /** The caller's User-Agent is a known bot's. */
  bot: boolean
  claims: ShowIdClaims
  proof: Proof
  /** With the key of the day of receivedAt (UTC). Null, as the others, when no public address is known. */
  addressHash: string | null
  /** With the key of the day before, in the first hours of a day; else null. */
  previousAddressHash: string | null
  networkHash: string | null
  /** Of the network and the User-Agent together. */
  agentHash: string | null
}

export type Verdict =
  | 'VALID'
  | 'BOT'
  | 'DUPLICATE'
  | 'EXPIRED'
  | 'CAPPED'
  | 'OVER_BUDGET'
  | 'REPLAYED'
  | 'INVALID_TRAFFIC'

/** Topic `judged-events`: the event with its verdict, counted in offsets of `ad-events`. */
export interface JudgedEvent extends AdEvent {
  verdict: Verdict
  billedMicros: number
  sourcePartition: number
  sourceOffset: number
  /** The rule that INVALID_TRAFFIC was judged by; null with any other verdict. */
  invalidReason: string | null
  /** Rules that it breaks and that its shop only marks by. */
  marks: string[]
}

/** Topic `corrections`: a valid view or click that was found out later not to count. */
export interface EventCorrection {
  /** Of all that were voided by one decision. */
  correctionId: string
  /** Readers void an id once. */
  eventId: string
  type: AdEvent['type']
  shopId: string
  campaignId: string
  accountId: string
  cid: string
  occurredAt: number
  /** What had been billed and goes back. */
  creditedMicros: number
  currency: string
  reason: string
  /** Account that decided. */
  correctedBy: string
  correctedAt: number
}

export interface TransactionLine {
  shopProductId: string
  /** Total for all units. */
  priceMicros: number
  quantity: number
  productTitle: string | null
  brand: string | null
  sellerId: string | null
}

/** Topic `transactions`. */
export interface Transaction {
  /** The caller's, or given by the intake when missing. Counted once per shop, kind and id. */
  eventId: string
  kind: 'PURCHASE' | 'CART' | 'WISHLIST'
  shopId: string
  cid: string
  uid: string | null
  currency: string
  locale: string | null
  occurredAt: number
  receivedAt: number
  /** True for imported history: feeds signals, is never attributed. */
  imported: boolean
  lines: TransactionLine[]
  proof: Proof
}

/** Topic `transaction-returns`: products of a purchase that came back, or a purchase that was cancelled. */
export interface TransactionReturn {
  /** The caller's. Counted once per shop. */
  returnId: string
  shopId: string
  /** The purchase; it may come after its return. */
  eventId: string
  reason: string | null
  /** User id of who entered it; of an access token, the account that it acts for. */
  returnedBy: string
  occurredAt: number
  receivedAt: number
  /** Empty: the whole purchase. */
  lines: { shopProductId: string; quantity: number }[]
}

/** Topic `page-views`. */
export interface PageView {
  id: string
  shopId: string
  cid: string
  uid: string | null
  referer: string
  shopProductId: string | null
  gclid: string | null
  utmSource: string | null
  utmMedium: string | null
  utmCampaign: string | null
  occurredAt: number
  receivedAt: number
  proof: Proof
}

/** How the sender of an event proved itself: not at all, by a signature of the shop's page, or by an access token. */
export type Proof = 'ANONYMOUS' | 'SIGNED' | 'TOKEN'

/** Topic `empty-searches`: a search phrase for which an ad unit found no product to show. */
export interface EmptySearch {
  shopId: string
  /** Normalised. */
  phrase: string
  /** Tells people who searched for the same apart. */
  person: number
  occurredAt: number
}
