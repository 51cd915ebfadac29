import type { ProductOffer } from '../../../schemas/records/records.ts'
import { withUpdateDigest } from '../../domain/catalogue/offer.ts'
import { ERRORS_LISTED_MAX, type FieldError } from '../../domain/errors.ts'
import { canonicalId } from '../../domain/identity/uuid.ts'
import { type IssueCode, issueCodes } from '../feeds/issue-codes.ts'
import { offerFromItem, readItemId } from '../feeds/items/offer-from-item.ts'
import { itemFromProduct, type OfferFeed, propertyName } from './product-item.ts'

/** Something about one entry that its sender should know. */
export interface EntryIssue {
  /** As given; null when there was none. */
  batchId: string | null
  /** Place in `entries`, from 0. */
  index: number
  field: string
  code: IssueCode
  message: string
}

/** One accepted entry of a product update. A null `offer` removes the product. */
export interface TakenEntry {
  batchId: string | null
  index: number
  feed: OfferFeed
  feedId: string
  id: string
  offer: ProductOffer | null
}

export interface EntryResults {
  taken: TakenEntry[]
  /** One for each rejected entry: its first fault, with all faults in the message. */
  rejected: EntryIssue[]
  /** Their faults one by one: the first `ERRORS_LISTED_MAX`. */
  errors: FieldError[]
  /** The first `WARNINGS_LISTED_MAX`. */
  warnings: EntryIssue[]
  warningCount: number
}

const WARNINGS_LISTED_MAX = 1_000
const BATCH_ID_CHARS_MAX = 100
const MESSAGE_CHARS_MAX = 500

type Taken = Omit<TakenEntry, 'batchId' | 'index'>
type Fault = Pick<EntryIssue, 'field' | 'code' | 'message'>

/**
 * Reads every entry by the rules of feeds (docs/feeds.md). Each entry is accepted or rejected by itself.
 * @param feeds the feeds that the caller may write to, by id.
 * @param now UTC epoch milliseconds.
 */
export function readEntries(
  entries: readonly unknown[],
  feeds: ReadonlyMap<string, OfferFeed>,
  now: number,
): EntryResults {
  const result: EntryResults = { taken: [], rejected: [], errors: [], warnings: [], warningCount: 0 }
  const firstByBatchId = new Map<string, number>()
  entries.forEach((given, index) => {
    const entry = new EntryReader(given, feeds, now)
    const { batchId } = entry
    if (batchId !== null) {
      const first = firstByBatchId.get(batchId)
      if (first === undefined) firstByBatchId.set(batchId, index)
      else entry.report('DUPLICATE_BATCH_ID', 'batchId', `Is also the batchId of entry ${first}`)
    }
    const taken = entry.read()
    const faults = entry.faults.filter(({ code }) => issueCodes[code].severity === 'REJECTED')
    if (faults.length > 0 || !taken) {
      result.rejected.push({ batchId, index, ...summary(faults) })
      const room = ERRORS_LISTED_MAX - result.errors.length
      for (const { field, message } of faults.slice(0, room)) {
        result.errors.push({ path: pointerTo(index, field), message })
      }
      return
    }
    result.taken.push({ batchId, index, ...taken })
    result.warningCount += entry.faults.length
    const room = WARNINGS_LISTED_MAX - result.warnings.length
    for (const warning of entry.faults.slice(0, room)) result.warnings.push({ batchId, index, ...warning })
  })
  return result
}

const fieldsOfEntry = new Set(['batchId', 'method', 'product'])

function pointerTo(index: number, field: string): string {
  if (field === 'entry') return `/entries/${index}`
  return `/entries/${index}/${fieldsOfEntry.has(field) ? '' : 'product/'}${field}`
}

function summary(faults: readonly Fault[]): Fault {
  const [first] = faults as [Fault]
  if (faults.length === 1) return first
  const message = faults.map((fault) => `${fault.field}: ${fault.message}`).join('; ')
  return { ...first, message: message.slice(0, MESSAGE_CHARS_MAX).toWellFormed() }
}

class EntryReader {
  readonly faults: Fault[] = []
  readonly batchId: string | null
  readonly #entry: Readonly<Record<string, unknown>> | null
  readonly #feeds: ReadonlyMap<string, OfferFeed>
  readonly #now: number

  constructor(given: unknown, feeds: ReadonlyMap<string, OfferFeed>, now: number) {
    this.#entry = objectOf(given)
    this.#feeds = feeds
    this.#now = now
    const batchId = this.#entry?.batchId
    this.batchId = typeof batchId === 'string' && batchId !== '' ? batchId.slice(0, BATCH_ID_CHARS_MAX) : null
    if (this.#entry) this.#checkBatchId(batchId)
  }

  report(code: IssueCode, field: string, message: string): void {
    this.faults.push({ code, field, message })
  }

  /** Null when the entry is rejected, for the reasons in `faults`. */
  read(): Taken | null {
    if (!this.#entry) {
      this.report('INVALID_ENTRY', 'entry', 'Must be an object with batchId, method and product')
      return null
    }
    const { method } = this.#entry
    const product = withCanonicalFeed(objectOf(this.#entry.product))
    if (method !== 'UPSERT' && method !== 'DELETE') {
      this.report('INVALID_ENTRY', 'method', 'Must be UPSERT or DELETE')
    }
    if (!product) {
      this.report('INVALID_ENTRY', 'product', 'Must be an object')
      return null
    }
    const feed = this.#feedOf(product.feedId)
    return method === 'DELETE' ? this.#removal(product, feed) : this.#upsert(product, feed)
  }

  #checkBatchId(batchId: unknown): void {
    if (this.batchId === null) {
      const isMissing = batchId === undefined || batchId === null || batchId === ''
      this.report('MISSING_FIELD', 'batchId', isMissing ? 'Every entry needs a batchId' : 'Must be string')
    } else if ((batchId as string).length > BATCH_ID_CHARS_MAX) {
      this.report('ID_TOO_LONG', 'batchId', `Must have at most ${BATCH_ID_CHARS_MAX} characters`)
    }
  }

  #feedOf(feedId: unknown): OfferFeed | null {
    const feed = typeof feedId === 'string' ? this.#feeds.get(feedId) : undefined
    if (feed) return feed
    if (typeof feedId === 'string' && feedId !== '') this.report('UNKNOWN_FEED', 'feedId', 'There is no such feed')
    else this.report('MISSING_FIELD', 'feedId', 'Every product needs a feedId')
    return null
  }

  /** A removal has only the ids of feed and product; other properties are ignored. */
  #removal({ feedId, id }: Readonly<Record<string, unknown>>, feed: OfferFeed | null): Taken | null {
    const { item, issues } = itemFromProduct({ id }, '')
    const read = readItemId(item)
    this.#tell(issues, read.issues)
    return feed && read.id !== null ? { feed, feedId: feedId as string, id: read.id, offer: null } : null
  }

  #upsert(product: Readonly<Record<string, unknown>>, feed: OfferFeed | null): Taken | null {
    const { item, issues } = itemFromProduct(product, feed?.currency ?? 'XXX')
    const feedId = product.feedId as string
    const context = feed ?? { shopId: '', currency: 'XXX', lang: null }
    const { offer, issues: found } = offerFromItem(item, { ...context, feedId, now: this.#now })
    this.#tell(issues, found)
    if (!offer || !feed) return null
    return { feed, feedId, id: offer.id, offer: withUpdateDigest({ ...offer, updatedAt: this.#now }) }
  }

  /** Reports faults. A property of the wrong type is not reported as missing as well. */
  #tell(ofTypes: readonly Fault[], found: readonly Fault[]): void {
    const told = new Set(ofTypes.map(({ field }) => field))
    for (const { code, field, message } of ofTypes) this.report(code, field, message)
    for (const { code, field, message } of found) {
      const property = propertyName(field)
      if (!told.has(property)) this.report(code, property, message)
    }
  }
}

function withCanonicalFeed(product: ReturnType<typeof objectOf>): ReturnType<typeof objectOf> {
  if (!product || typeof product.feedId !== 'string') return product
  return { ...product, feedId: canonicalId(product.feedId) }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}
