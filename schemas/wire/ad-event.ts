import { currentSchema } from '../avro/schemas.ts'
import type { AdEvent, AdKind, JudgedEvent, Proof } from '../records/events.ts'
import { avroType } from './avro-type.ts'
import { headerOf, isOfCurrentSchema } from './codec.ts'
import {
  ByteReader,
  readClaims,
  UUID_BYTES,
  writeClaims,
  writeLong,
  writeOptional,
  writeString,
} from './show-id-claims.ts'

/**
 * Writes an AdEvent around claims that are never decoded. Its field `claims` has the fields of `show-id-claims.avsc` in the same
 * order and differs in one thing: the six UUIDs are text, not 16 bytes. So the claims inside a showId become those of the record by
 * writing out the UUIDs and copying the other bytes. That takes 2 µs; decoding the claims and encoding them again takes 8 µs.
 * A test compares the result with that of `encode`, byte for byte.
 */
const UUIDS = 6
/** The index of campaignId among the UUIDs requestId, shopId, slotHash, adUnitId, campaignId and accountId. */
const CAMPAIGN_UUID = 4
const KIND_BYTES = 1
const SHOP_AT = KIND_BYTES + UUID_BYTES
const TAIL_AT = KIND_BYTES + UUIDS * UUID_BYTES
const UUID_CHARS = 36
const PROOFS: readonly Proof[] = ['ANONYMOUS', 'SIGNED', 'TOKEN']

/** The claims that the intake needs. */
export interface ClaimsGist {
  kind: AdKind
  shopId: string
  cid: string
  uid: string | null
  emittedAt: number
}

/** @param claims bytes of `writeClaims`. */
export function readGist(claims: Buffer): ClaimsGist {
  const reader = new ByteReader(claims)
  const kind = reader.long() === 0 ? 'SPONSORED' : 'DISPLAY'
  reader.at = SHOP_AT
  const shopId = reader.uuid()
  reader.at = TAIL_AT
  reader.skip() // adId
  if (reader.byte() !== 0) reader.skip() // itemGroupId
  const [cid, uid] = [reader.string(), reader.optional()]
  reader.skip() // algorithm
  reader.long() // position
  reader.long() // priceMicros
  reader.skip() // currency
  reader.byte() // autoPromo
  if (reader.byte() !== 0) reader.skip() // country
  return { kind, shopId, cid, uid, emittedAt: reader.long() }
}

/** @param claims bytes of `writeClaims`. @returns the same claims without the person to whom the ad was shown. */
export function withoutPerson(claims: Buffer): Buffer {
  const bytes = Buffer.alloc(claims.length)
  return bytes.subarray(0, writeClaims({ ...readClaims(claims)!, cid: '', uid: null }, bytes))
}

/** The longest event: ids of 256 characters at 4 bytes each, the UUIDs, and claims that fill a whole showId. */
const EVENT_MAX_BYTES = 8 * 1024
const scratch = Buffer.alloc(EVENT_MAX_BYTES)
const header = headerOf('AdEvent')
header.copy(scratch)

/** @returns the record as `encode('AdEvent', …)` would write it, and the campaignId, which is its key. */
export function adEventBytes(event: Omit<AdEvent, 'claims'>, claims: Buffer): { value: Buffer; campaignId: string } {
  let at = writeString(event.eventId, scratch, header.length)
  scratch[at++] = event.type === 'VIEW' ? 0 : 2
  at = writeString(event.cid, scratch, at)
  at = writeOptional(event.uid, scratch, at)
  at = writeLong(event.occurredAt, scratch, at)
  at = writeLong(event.receivedAt, scratch, at)
  scratch[at++] = event.bot ? 1 : 0

  scratch[at++] = claims[0]!
  let campaignAt = 0
  for (let uuid = 0; uuid < UUIDS; uuid++) {
    scratch[at++] = UUID_CHARS * 2
    if (uuid === CAMPAIGN_UUID) campaignAt = at
    at = writeUuidText(claims, KIND_BYTES + uuid * UUID_BYTES, at)
  }
  at += claims.copy(scratch, at, TAIL_AT)
  at = writeLong(PROOFS.indexOf(event.proof), scratch, at)
  at = writeOptional(event.addressHash, scratch, at)
  at = writeOptional(event.previousAddressHash, scratch, at)
  at = writeOptional(event.networkHash, scratch, at)
  const end = writeOptional(event.agentHash, scratch, at)
  if (end >= EVENT_MAX_BYTES) throw new RangeError(`An event of ${end} bytes or more`)

  const value = Buffer.allocUnsafe(end)
  scratch.copy(value, 0, 0, end)
  return { value, campaignId: scratch.toString('latin1', campaignAt, campaignAt + UUID_CHARS) }
}

const DASH = '-'.charCodeAt(0)
/** Whether a dash follows each byte of a UUID: 8-4-4-4-12. */
const DASH_AFTER = [false, false, false, true, false, true, false, true, false, true]
const HEX = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))

function writeUuidText(from: Buffer, start: number, at: number): number {
  for (let i = 0; i < UUID_BYTES; i++) {
    const byte = from[start + i]!
    scratch[at++] = HEX[byte >> 4]!
    scratch[at++] = HEX[byte & 15]!
    if (DASH_AFTER[i]) scratch[at++] = DASH
  }
  return at
}

interface RecordSchema {
  fields: readonly { name: string }[]
}

const { fields } = currentSchema('JudgedEvent') as RecordSchema
const fieldsOfEvent = (currentSchema('AdEvent') as RecordSchema).fields.length
const judgedType = avroType({ type: 'record', name: 'endcap.Judged', fields: fields.slice(fieldsOfEvent) })
const judgedHeader = headerOf('JudgedEvent')
/** The fields that the judge adds are short: a few numbers, and names of rules. */
const judgedScratch = Buffer.alloc(1_024)

/**
 * Writes a JudgedEvent around the bytes of an AdEvent: its first fields are those of AdEvent, in the same order, and the fields that
 * the judge adds follow.
 * @param event bytes that can be decoded.
 * @returns the record as `encode('JudgedEvent', …)` would write it; null when another version of AdEvent wrote the bytes, or the added
 * fields are too long to be written here.
 */
export function judgedEventBytes(event: Uint8Array, judged: Omit<JudgedEvent, keyof AdEvent>): Buffer | null {
  if (!isOfCurrentSchema('AdEvent', event)) return null
  const end = judgedType.encode(judged, judgedScratch)
  if (end < 0) return null
  const value = Buffer.allocUnsafe(event.length + end)
  value.set(event)
  // The header takes the place of the event's, which is as long.
  judgedHeader.copy(value)
  judgedScratch.copy(value, event.length, 0, end)
  return value
}
