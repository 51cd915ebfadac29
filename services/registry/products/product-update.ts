import { RECORD_MAX_BYTES, recordBytes } from '../../../infra/event-log/port.ts'
import { ENTRIES_MAX } from '../../../schemas/http/products.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { itemGroupOf, offerKey } from '../../domain/catalogue/offer.ts'
import { detailOf, type ErrorCode, type FieldError } from '../../domain/errors.ts'
import { type EntryIssue, type EntryResults, readEntries, type TakenEntry } from './product-entries.ts'
import type { OfferFeed } from './product-item.ts'

/** The body of a product update after reading. It is plain data that crosses threads cheaply, because all values are in one block. */
export type ProductUpdate =
  | {
      tag: 'READ'
      /** Number of accepted entries. */
      accepted: number
      rejected: EntryIssue[]
      warnings: EntryIssue[]
      warningCount: number
      offers: PackedRecords
      itemGroups: PackedRecords
    }
  /** No entry is accepted. `rejected` is empty unless every entry is wrong. */
  | { tag: 'REFUSED'; code: ErrorCode; detail: string; errors: FieldError[]; rejected: EntryIssue[] }

/** Records of one topic. */
export interface PackedRecords {
  keys: string[]
  block: Uint8Array<ArrayBuffer>
  /** Where each key's value ends in the block. It begins where the previous one ends. An empty value removes the key. */
  ends: Uint32Array<ArrayBuffer>
}

/** Feeds that the caller may write to, by id. */
export type WritableFeeds = ReadonlyMap<string, OfferFeed>

/**
 * Reads the JSON of a product update into records of the topics `products` and `item-groups`. Wrong entries are left out and
 * listed; an update with no right entry is refused. Of several entries for one product, the last counts.
 */
export function readProductUpdate(json: Uint8Array, feeds: WritableFeeds, now: number): ProductUpdate {
  let body: unknown
  try {
    body = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString())
  } catch (error) {
    return refused('MALFORMED_JSON', (error as Error).message)
  }
  const given = (body as { entries?: unknown } | null)?.entries
  if (!Array.isArray(given)) return invalid('/entries', given === undefined ? 'is required' : 'must be array')
  const unknown = Object.keys(body as object).find((name) => name !== 'entries')
  if (unknown !== undefined) return invalid(`/${unknown}`, 'is not a property that can be set here')
  if (given.length === 0) return invalid('/entries', 'must not be empty')
  if (given.length > ENTRIES_MAX) {
    const message = `has ${given.length} items; at most ${ENTRIES_MAX} are allowed`
    return refusedField('TOO_LARGE', { path: '/entries', message })
  }
  const read = readEntries(given, feeds, now)
  const { accepted, offers, itemGroups } = recordsOf(read)
  const { rejected, warnings, warningCount } = read
  if (accepted === 0) return allRejected(read)
  return { tag: 'READ', accepted, rejected, warnings, warningCount, offers: pack(offers), itemGroups: pack(itemGroups) }
}

function allRejected({ rejected, errors }: EntryResults): ProductUpdate {
  return refused('INVALID', `None of the ${rejected.length} entries is valid: ${detailOf(errors)}`, {
    errors,
    rejected,
  })
}

/** Encodes the accepted entries. Also rejects offers that are too large for a record of the log. */
function recordsOf({ taken, rejected }: EntryResults) {
  const offers = new Map<string, Buffer | null>()
  const itemGroups = new Map<string, Buffer>()
  let accepted = 0
  for (const entry of taken) {
    const key = offerKey(entry.feed.shopId, entry.feedId, entry.id)
    const value = entry.offer && encode('ProductOffer', entry.offer)
    if (value && recordBytes({ key, value }) > RECORD_MAX_BYTES) {
      rejected.push(tooLarge(entry))
      continue
    }
    accepted++
    offers.set(key, value)
    const itemGroup = entry.offer && itemGroupOf(entry.offer)
    if (itemGroup) itemGroups.set(key, encode('ItemGroup', itemGroup))
  }
  return { accepted, offers, itemGroups }
}

function tooLarge({ batchId, index }: TakenEntry): EntryIssue {
  return { batchId, index, field: 'product', code: 'ITEM_TOO_LARGE', message: 'The product is larger than is allowed' }
}

function pack(values: ReadonlyMap<string, Buffer | null>): PackedRecords {
  const ends = new Uint32Array(values.size)
  let end = 0
  let i = 0
  for (const value of values.values()) {
    end += value?.length ?? 0
    ends[i++] = end
  }
  const block = new Uint8Array(end)
  let start = 0
  for (const value of values.values()) {
    if (value) block.set(value, start)
    start += value?.length ?? 0
  }
  return { keys: [...values.keys()], block, ends }
}

function invalid(path: string, message: string): ProductUpdate {
  return refusedField('INVALID', { path, message })
}

function refusedField(code: ErrorCode, error: FieldError): ProductUpdate {
  return refused(code, detailOf([error]), { errors: [error] })
}

function refused(
  code: ErrorCode,
  detail: string,
  { errors = [], rejected = [] }: { errors?: FieldError[]; rejected?: EntryIssue[] } = {},
): ProductUpdate {
  return { tag: 'REFUSED', code, detail, errors, rejected }
}
