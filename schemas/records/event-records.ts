import type { ShowIdClaims } from './records.ts'

/** The TypeScript face of the Avro records of views and clicks; units as in `records.ts`. */

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

/** How the sender of an event proved itself: not at all, by a signature of the shop's page, or by an access token. */
export type Proof = 'ANONYMOUS' | 'SIGNED' | 'TOKEN'
