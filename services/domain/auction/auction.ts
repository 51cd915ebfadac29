import type { DropReason } from '../../../schemas/records/events.ts'

/** An ad that competes for the places of a slot. */
export interface Bid {
  campaignId: string
  /** Two bids with the same key are never both shown. */
  dedupeKey: string
  /** Relevance in (0, 1] times predicted click rate; 1 for ads that pay per view. */
  quality: number
  bidMicros: number
  /** Breaks ties of equal rank. It differs from request to request, so that equal bids share the places fairly. */
  tie: number
}

export interface Won<B extends Bid> {
  bid: B
  priceMicros: number
  /** Whether the price was computed from a competitor's bid. False when no competitor was found, and with FIRST_PRICE. */
  isContested: boolean
}
export interface Lost<B extends Bid> {
  bid: B
  reason: Extract<DropReason, 'OUTRANKED' | 'DUPLICATE'>
}

/**
 * What a winner pays. SECOND_PRICE is the generalised second price (Edelman, Ostrovsky, Schwarz 2007): the least bid that
 * would have kept the place, in micros rounded up, at least the reserve, never over its own bid. FIRST_PRICE: its own bid.
 */
export type PricingRule = 'SECOND_PRICE' | 'FIRST_PRICE'

export interface AuctionOptions {
  places: number
  pricing: PricingRule
  /** The least price of a place with SECOND_PRICE. */
  reserveMicros: number
  taken: ReadonlySet<string>
}

/** Orders bids by the expected revenue of a view. A bid of 0, where the reserve allows one, ranks below every other. */
export function rankOf(bid: Bid): number {
  return bid.quality * Math.max(bid.bidMicros, 1)
}

/**
 * Gives the places to the bids of the highest rank (quality x bid), each dedupe key once, and prices them. A campaign is
 * not its own competitor: had it bid less, all its ads would have ranked lower. `taken` holds the dedupe keys of ads in
 * earlier slots of the request.
 */
export function auction<B extends Bid>(bids: readonly B[], options: AuctionOptions) {
  const { places } = options
  const taken = new Set(options.taken)
  const ranked = bids.toSorted((a, b) => rankOf(b) - rankOf(a) || a.tie - b.tie)
  const won: Won<B>[] = []
  const lost: Lost<B>[] = []
  for (const [index, bid] of ranked.entries()) {
    if (taken.has(bid.dedupeKey)) lost.push({ bid, reason: 'DUPLICATE' })
    else if (won.length === places) lost.push({ bid, reason: 'OUTRANKED' })
    else {
      won.push({ bid, ...priceOf(ranked, index, { ...options, taken }) })
      taken.add(bid.dedupeKey)
    }
  }
  return { won, lost }
}

/** The price of the bid at `index`, which has won. `taken` also holds the dedupe keys of the winners above it. */
function priceOf<B extends Bid>(
  ranked: readonly B[],
  index: number,
  { pricing, reserveMicros, taken }: AuctionOptions,
): Omit<Won<B>, 'bid'> {
  const bid = ranked[index]!
  if (pricing === 'FIRST_PRICE') return { priceMicros: bid.bidMicros, isContested: false }
  const next = nextCompetitor(ranked, index, taken)
  if (!next) return { priceMicros: Math.min(reserveMicros, bid.bidMicros), isContested: false }
  return { priceMicros: priceOver(next, bid, reserveMicros), isContested: true }
}

/** The best bid of another campaign that would take the place, even if it shows the same product. */
function nextCompetitor<B extends Bid>(ranked: readonly B[], index: number, taken: ReadonlySet<string>): B | undefined {
  const { campaignId } = ranked[index]!
  for (let i = index + 1; i < ranked.length; i++) {
    const other = ranked[i]!
    if (other.campaignId !== campaignId && !taken.has(other.dedupeKey)) return other
  }
  return undefined
}

/** Subtracted before rounding up: well below a micro, well above the rounding error of the division. */
const ROUNDING_NOISE_MICROS = 1e-5

function priceOver(next: Bid, bid: Bid, reserveMicros: number): number {
  const enough = Math.ceil(rankOf(next) / bid.quality - ROUNDING_NOISE_MICROS)
  return Math.min(Math.max(enough, reserveMicros), bid.bidMicros)
}

/** A stable hash of a text, 32 bits (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Orders the same hashes differently for each seed: the finaliser of MurmurHash3 throws close numbers far apart. */
export function shuffledHash(hash: number, seed: number): number {
  let mixed = hash ^ seed
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
