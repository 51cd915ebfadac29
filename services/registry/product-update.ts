import { encode } from '../../schemas/codec.ts'
import { ENTRIES_MAX } from '../../schemas/http/products.ts'
import type { ErrorCode, FieldError } from '../domain/errors.ts'
import { itemGroupOf, offerKey } from '../domain/offer.ts'
import { type EntryProblems, type ProductEntry, readEntries } from './product-entries.ts'
import { type OfferFeed, toOffer } from './product-offer.ts'

/** The body of a product update, read. Plain data that crosses threads cheaply: all values lie in one block. */
export type ProductUpdate =
  | {
      tag: 'READ'
      accepted: number
      offers: PackedRecords
      itemGroups: PackedRecords
    }
  | { tag: 'REFUSED'; code: ErrorCode; detail: string; errors: FieldError[] }

/** Records of one topic. */
export interface PackedRecords {
  keys: string[]
  block: Uint8Array<ArrayBuffer>
  /** Where each key's value ends in the block; it begins where the one before ends. Equal: removed. */
  ends: Uint32Array<ArrayBuffer>
}

/** Feeds that the caller may write to, by id. */
export type WritableFeeds = ReadonlyMap<string, OfferFeed>

/**
 * Reads the JSON of a product update into records of the topics `products` and `item-groups`. Nothing of an update with any wrong entry is
 * taken: a sender who mends it sends the whole again, and needs no record of what was taken before. Of several entries
 * for one product the last counts.
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
    const message = `has ${given.length} items; at most ${ENTRIES_MAX} are taken`
    return refused('TOO_LARGE', `/entries: ${message}`, [{ path: '/entries', message }])
  }
  const { entries, problems } = readEntries(given, feeds)
  if (problems.wrongEntries > 0) return refused('INVALID', summary(problems, given.length), problems.errors)
  return { tag: 'READ', accepted: given.length, ...recordsOf(entries, now) }
}

function summary({ errors, wrongEntries }: EntryProblems, total: number): string {
  const first = errors.slice(0, 3).map(({ path, message }) => `${path}: ${message}`)
  return `${wrongEntries} of ${total} entries are not valid, so none is taken; ${errors.length} problems are listed: ${first.join('; ')}`
}

function recordsOf(entries: ProductEntry[], now: number): { offers: PackedRecords; itemGroups: PackedRecords } {
  const offers = new Map<string, Buffer | null>()
  const itemGroups = new Map<string, Buffer>()
  for (const { method, product, feed } of entries) {
    const key = offerKey(feed.shopId, product.feedId, product.id)
    const offer = method === 'DELETE' ? null : toOffer(product, feed, now)
    offers.set(key, offer && encode('ProductOffer', offer))
    const itemGroup = offer && itemGroupOf(offer)
    if (itemGroup) itemGroups.set(key, encode('ItemGroup', itemGroup))
  }
  return { offers: pack(offers), itemGroups: pack(itemGroups) }
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
  return refused('INVALID', `${path}: ${message}`, [{ path, message }])
}

function refused(code: ErrorCode, detail: string, errors: FieldError[] = []): ProductUpdate {
  return { tag: 'REFUSED', code, detail, errors }
}
