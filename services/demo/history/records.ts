import { createHash } from 'node:crypto'
import type { NewRecord } from '../../../infra/event-log/port.ts'
import type { AdEvent, Emission, PageView, ShowIdClaims, Transaction } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import type { ClientHashes } from '../../domain/identity/client-hashes.ts'

const HASH_CHARS = 22

/** A record of the past with its timestamp. */
export interface Dated {
  at: number
  record: NewRecord
}

/** Records with the keys and encodings that the program gives them. */
export const dated = {
  emission: (value: Emission): Dated => ({
    at: value.occurredAt,
    record: { topic: 'emissions', key: value.cid, value: encode('Emission', value) },
  }),
  adEvent: (value: AdEvent): Dated => ({
    at: value.receivedAt,
    record: { topic: 'ad-events', key: value.claims.campaignId, value: encode('AdEvent', value) },
  }),
  transaction: (value: Transaction): Dated => ({
    at: value.receivedAt,
    record: { topic: 'transactions', key: value.cid, value: encode('Transaction', value) },
  }),
  pageView: (value: PageView): Dated => ({
    at: value.receivedAt,
    record: { topic: 'page-views', key: value.cid, value: encode('PageView', value) },
  }),
}

/** A visitor. */
export interface Visitor {
  cid: string
  uid: string | null
}

/** Every visitor had an address of their own. */
export function clientOf({ cid }: Visitor): ClientHashes {
  const hashed = (what: string) =>
    createHash('sha256').update(`${what} ${cid}`).digest('base64url').slice(0, HASH_CHARS)
  return {
    addressHash: hashed('address'),
    previousAddressHash: null,
    networkHash: hashed('network'),
    agentHash: hashed('agent'),
  }
}

/** The claims that the showId of an emitted ad would have had. */
export function claimsOf(emission: Emission, place: { slot: number; ad: number; accountId: string }): ShowIdClaims {
  const slot = emission.slots[place.slot]!
  const { campaignId, adId, itemGroupId, position, priceMicros, autoPromo } = slot.ads[place.ad]!
  return {
    kind: emission.kind,
    requestId: emission.requestId,
    shopId: emission.shopId,
    slotHash: slot.slotHash,
    adUnitId: slot.adUnitId,
    campaignId,
    accountId: place.accountId,
    adId,
    itemGroupId,
    cid: emission.cid,
    uid: emission.uid,
    algorithm: slot.algorithm,
    position,
    priceMicros,
    currency: 'EUR',
    autoPromo,
    country: emission.country,
    emittedAt: emission.occurredAt,
  }
}
