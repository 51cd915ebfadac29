/**
 * What happened, as the log keeps it: ads served, viewed and clicked, and what shoppers bought. The TypeScript types of
 * `schemas/avro/events/`; units as in `records.ts`.
 */

export const adKinds = ['SPONSORED', 'DISPLAY'] as const
export type AdKind = (typeof adKinds)[number]

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

/** Why a slot has too few ads. */
export const shortfalls = ['INACTIVE', 'NO_CANDIDATES', 'MIN_AD_COUNT', 'DEADLINE', 'NO_REFERENCE'] as const
export type Shortfall = (typeof shortfalls)[number]

export interface EmittedSlot {
  /** As asked for: the id of an ad unit or of a technical ad unit. */
  slotHash: string
  adUnitId: string
  algorithm: string
  /** How many eligible candidates the index returned. */
  candidates: number
  /** Null when the slot is filled. */
  shortfall: Shortfall | null
  ads: EmittedAd[]
  /** The best candidates that were not shown, at most 10 a slot. */
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
  /** For each slot, the id of the search phrase (`phraseId`), or 0 without one. Empty when no slot had one. */
  phrases: number[]
  /** For each ad shown, slot by slot, the factor by which its predicted click rate was multiplied. Empty when all factors are 1. */
  lifts: number[]
}

/** What a showId says of its ad. Encrypted inside the showId. */
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

/** Topic `ad-events`: a view or click as it was received. */
export interface AdEvent {
  /** Assigned by the intake; readers count an id once. */
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
  /** Made with the key of the day of receivedAt (UTC). This and the other hashes are null without a public address or without a key. */
  addressHash: string | null
  /** Made with the key of the day before, in the first hours of a day; otherwise null. */
  previousAddressHash: string | null
  networkHash: string | null
  /** Hash of the network and the User-Agent together. */
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

/** Topic `judged-events`: the event with its verdict, and its partition and offset in `ad-events`. */
export interface JudgedEvent extends AdEvent {
  verdict: Verdict
  billedMicros: number
  sourcePartition: number
  sourceOffset: number
  /** The rule behind the verdict INVALID_TRAFFIC; null with any other verdict. */
  invalidReason: string | null
  /** The rules that the event breaks, among those that its shop only marks by. */
  marks: readonly string[]
}

/** Topic `corrections`: a valid view or click that was voided later. */
export interface EventCorrection {
  /** Shared by all events that one decision voided. */
  correctionId: string
  /** Readers void an id once. */
  eventId: string
  type: AdEvent['type']
  shopId: string
  campaignId: string
  accountId: string
  cid: string
  occurredAt: number
  /** The billed amount, which is refunded. */
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
  /** The caller's id, or one assigned by the intake when missing. Counted once per shop, kind and id. */
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
  /** The caller's id. Counted once per shop. */
  returnId: string
  shopId: string
  /** The id of the purchase, which may come after its return. */
  eventId: string
  reason: string | null
  /** Id of the user who entered it; for an access token, of the account that it acts for. */
  returnedBy: string
  occurredAt: number
  receivedAt: number
  /** Empty for the whole purchase. */
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
  /** Tells apart people who searched for the same phrase. */
  person: number
  occurredAt: number
}
