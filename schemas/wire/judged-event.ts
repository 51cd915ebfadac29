import type { AdEvent, Verdict } from '../records/events.ts'
import { decode, encode, headerOf, isOfCurrentSchema } from './codec.ts'

/**
 * Reads the fields of a JudgedEvent that are counted from its bytes, without decoding the record: `read` notes where each field lies,
 * and a string is made only when it is asked for. One reader is used for record after record; its values hold until the next `read`.
 *
 *     header 10 bytes · AdEvent: eventId type cid uid? occurredAt receivedAt bot claims proof addressHash? previousAddressHash?
 *     networkHash? agentHash? · verdict billedMicros sourcePartition sourceOffset invalidReason? marks
 *
 * A test compares it with `decode`, field by field.
 */
const HEADER_BYTES = headerOf('JudgedEvent').length
const VERDICTS: readonly Verdict[] = [
  'VALID',
  'BOT',
  'DUPLICATE',
  'EXPIRED',
  'CAPPED',
  'OVER_BUDGET',
  'REPLAYED',
  'INVALID_TRAFFIC',
]

/** Where a text begins and ends; it begins at 0 when it is null. */
type Text = [start: number, end: number]
const text = (): Text => [0, 0]

export class JudgedEventReader {
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  readonly #cid = text()
  readonly #uid = text()
  readonly #requestId = text()
  readonly #shopId = text()
  readonly #adUnitId = text()
  readonly #campaignId = text()
  readonly #adId = text()
  readonly #claimsCid = text()
  readonly #claimsUid = text()
  readonly #addressHash = text()
  readonly #networkHash = text()
  readonly #agentHash = text()
  type: AdEvent['type'] = 'VIEW'
  kind: AdEvent['claims']['kind'] = 'SPONSORED'
  occurredAt = 0
  receivedAt = 0
  emittedAt = 0
  priceMicros = 0
  autoPromo = false
  verdict: Verdict = 'VALID'
  billedMicros = 0
  sourceOffset = 0
  marks: readonly string[] = NO_MARKS

  /** @throws UndecodableRecord, UnknownSchema as `decode` does. */
  read(record: Buffer): this {
    if (isOfCurrentSchema('JudgedEvent', record)) {
      this.#scan(record)
      if (this.#at === record.length && this.verdict !== undefined) return this
    }
    // Another version wrote the record, or it is damaged.
    this.#scan(encode('JudgedEvent', decode('JudgedEvent', record)))
    return this
  }

  get cid(): string {
    return this.#text(this.#cid)
  }
  get uid(): string | null {
    return this.#optional(this.#uid)
  }
  get requestId(): string {
    return this.#text(this.#requestId)
  }
  get shopId(): string {
    return this.#text(this.#shopId)
  }
  get adUnitId(): string {
    return this.#text(this.#adUnitId)
  }
  get campaignId(): string {
    return this.#text(this.#campaignId)
  }
  get adId(): string {
    return this.#text(this.#adId)
  }
  get claimsCid(): string {
    return this.#text(this.#claimsCid)
  }
  get claimsUid(): string | null {
    return this.#optional(this.#claimsUid)
  }
  get addressHash(): string | null {
    return this.#optional(this.#addressHash)
  }
  get networkHash(): string | null {
    return this.#optional(this.#networkHash)
  }
  get agentHash(): string | null {
    return this.#optional(this.#agentHash)
  }
  get hasAddress(): boolean {
    return this.#addressHash[0] > 0
  }
  /** Whether the ad was given to the browser that sent the event. */
  get isOwn(): boolean {
    const [start, end] = this.#cid
    const [claimed, claimedEnd] = this.#claimsCid
    if (end - start !== claimedEnd - claimed) return false
    for (let i = 0; i < end - start; i++) if (this.#bytes[start + i] !== this.#bytes[claimed + i]) return false
    return true
  }

  #scan(record: Buffer): void {
    this.#bytes = record
    this.#at = HEADER_BYTES
    this.#skip() // eventId
    this.type = this.#long() === 0 ? 'VIEW' : 'CLICK'
    this.#note(this.#cid)
    this.#noteOptional(this.#uid)
    this.occurredAt = this.#long()
    this.receivedAt = this.#long()
    this.#at++ // bot
    this.#scanClaims()
    this.#long() // proof
    this.#noteOptional(this.#addressHash)
    this.#skipOptional() // previousAddressHash
    this.#noteOptional(this.#networkHash)
    this.#noteOptional(this.#agentHash)
    this.verdict = VERDICTS[this.#long()]!
    this.billedMicros = this.#long()
    this.#long() // sourcePartition
    this.sourceOffset = this.#long()
    this.#skipOptional() // invalidReason
    this.marks = this.#texts()
  }

  #scanClaims(): void {
    this.kind = this.#long() === 0 ? 'SPONSORED' : 'DISPLAY'
    this.#note(this.#requestId)
    this.#note(this.#shopId)
    this.#skip() // slotHash
    this.#note(this.#adUnitId)
    this.#note(this.#campaignId)
    this.#skip() // accountId
    this.#note(this.#adId)
    this.#skipOptional() // itemGroupId
    this.#note(this.#claimsCid)
    this.#noteOptional(this.#claimsUid)
    this.#skip() // algorithm
    this.#long() // position
    this.priceMicros = this.#long()
    this.#skip() // currency
    this.autoPromo = this.#byte() === 1
    this.#skipOptional() // country
    this.emittedAt = this.#long()
  }

  #text([start, end]: Text): string {
    return this.#bytes.toString('utf8', start, end)
  }

  #optional(place: Text): string | null {
    return place[0] === 0 ? null : this.#text(place)
  }

  /** The next byte. Past the end it is 0, so that every scan ends, with `at` beyond the record. */
  #byte(): number {
    return this.#bytes[this.#at++] ?? 0
  }

  /** A zigzag varint. */
  #long(): number {
    let value = this.#byte()
    if (value >= 0x80) {
      value &= 0x7f
      for (let scale = 0x80; ; scale *= 0x80) {
        const byte = this.#byte()
        value += (byte & 0x7f) * scale
        if (byte < 0x80) break
      }
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  #skip(): void {
    // The length must be read first, because reading it moves `at`, too.
    const length = this.#length()
    this.#at += length
  }

  /** The length of a text. A damaged one leads beyond the record. */
  #length(): number {
    const length = this.#long()
    return length < 0 ? this.#bytes.length : length
  }

  #skipOptional(): void {
    if (this.#byte() !== 0) this.#skip()
  }

  #note(place: Text): void {
    const length = this.#length()
    place[0] = this.#at
    this.#at += length
    place[1] = this.#at
  }

  #noteOptional(place: Text): void {
    place[0] = 0
    if (this.#byte() !== 0) this.#note(place)
  }

  /** A list of texts, in blocks. A block whose count is negative also states its length in bytes. */
  #texts(): readonly string[] {
    let found: string[] | null = null
    for (let count = this.#long(); count !== 0 && this.#at < this.#bytes.length; count = this.#long()) {
      if (count < 0) this.#long()
      for (let i = Math.abs(count); i > 0 && this.#at < this.#bytes.length; i--) {
        const place = text()
        this.#note(place)
        found ??= []
        found.push(this.#text(place))
      }
    }
    return found ?? NO_MARKS
  }
}

const NO_MARKS: readonly string[] = []
