import { type NewRecord, RECORD_MAX_BYTES, recordBytes } from '../../../../infra/event-log/port.ts'
import { encode } from '../../../../schemas/wire/codec.ts'
import { isUpdated, itemGroupOf, type OfferContent, offerKey, withDigest } from '../../../domain/catalogue/offer.ts'
import { FeedFailure } from '../failure.ts'
import type { ItemIssue } from '../issue-codes.ts'
import type { FeedCounts, FeedJob } from '../runs/job.ts'
import type { BatchedOutput } from '../runs/output.ts'
import type { FeedItem } from './item.ts'
import { offerFromItem } from './offer-from-item.ts'

/** How many issues of a run are stored. All are counted. */
export const ISSUES_KEPT_MAX = 10_000
/** How many currencies are counted per run. A file hardly ever has two, but any three letters are taken for a currency. */
export const CURRENCIES_COUNTED_MAX = 10
const PRODUCTS_PER_FEED_MAX = 3_000_000

/**
 * The offers of a feed by id. The value is the digest in the index until an item of this run states the offer; from then on it is
 * the line of that item. Both share one map, because it may hold three million ids.
 */
export type KnownOffers = Map<string, string | number>

/** The result of one item. */
type ItemOutcome =
  | { tag: 'REJECTED'; issue: ItemIssue | null }
  | { tag: 'UNCHANGED'; id: string }
  /** The content was applied before, and the product update API has stated or removed the offer since. */
  | { tag: 'SUPERSEDED'; id: string }
  | { tag: 'CHANGED'; id: string; records: NewRecord[] }

/**
 * Takes the items of one run in the order of the file. Each item is read as an offer, rejected or compared with what the
 * index holds, and appended to the log when it differs.
 */
export class ItemIntake {
  /** When the same content will mean different offers: the earliest start or end of a sale. UTC epoch ms; null for never. */
  staleAt: number | null = null
  readonly #runId: string
  readonly #feed: FeedJob['feed']
  readonly #known: KnownOffers
  readonly #counts: FeedCounts
  readonly #output: BatchedOutput
  readonly #isRepeated: boolean
  readonly #now: () => number
  #issuesKept = 0

  /** @param run.isRepeated whether the same content was applied before; product updates since then stay in force. */
  constructor(run: {
    runId: string
    feed: FeedJob['feed']
    known: KnownOffers
    counts: FeedCounts
    output: BatchedOutput
    isRepeated: boolean
    now: () => number
  }) {
    this.#runId = run.runId
    this.#feed = run.feed
    this.#known = run.known
    this.#counts = run.counts
    this.#output = run.output
    this.#isRepeated = run.isRepeated
    this.#now = run.now
  }

  take(item: FeedItem): void {
    const now = this.#now()
    const { id: feedId, shopId, currency, lang } = this.#feed
    const { offer, issues, staleAt } = offerFromItem(item, { shopId, feedId, currency, lang, now })
    this.#counts.total++
    const outcome: ItemOutcome = offer ? this.#compare(offer, item.line, now) : { tag: 'REJECTED', issue: null }
    this.#report(issues, now)
    switch (outcome.tag) {
      case 'REJECTED':
        if (outcome.issue) this.#report([outcome.issue], now)
        this.#counts.rejected++
        return
      case 'SUPERSEDED':
        this.#markStated(outcome.id, item.line)
        this.#counts.unchanged++
        return
      case 'UNCHANGED':
        this.#markStated(outcome.id, item.line)
        this.#counts.unchanged++
        break
      case 'CHANGED':
        this.#markStated(outcome.id, item.line)
        this.#counts.changed++
        for (const record of outcome.records) this.#output.add(record)
    }
    if (staleAt !== null) this.staleAt = Math.min(this.staleAt ?? staleAt, staleAt)
  }

  /** Compares an offer with the index, and with the earlier items of this run. */
  #compare(content: OfferContent, line: number, now: number): ItemOutcome {
    const { id } = content
    const known = this.#known.get(id)
    if (typeof known === 'number') return { tag: 'REJECTED', issue: duplicate(id, line, known) }
    if (this.#isRepeated && (known === undefined || isUpdated(known))) return { tag: 'SUPERSEDED', id }
    const offer = withDigest({ ...content, updatedAt: now })
    if (offer.digest === known) return { tag: 'UNCHANGED', id }

    const key = offerKey(offer.shopId, offer.feedId, id)
    const value = encode('ProductOffer', offer)
    if (recordBytes({ key, value }) > RECORD_MAX_BYTES) return { tag: 'REJECTED', issue: tooLarge(id, line) }
    const records: NewRecord[] = [{ topic: 'products', key, value }]
    const itemGroup = itemGroupOf(offer)
    if (itemGroup) records.push({ topic: 'item-groups', key, value: encode('ItemGroup', itemGroup) })
    return { tag: 'CHANGED', id, records }
  }

  /** @throws FeedFailure when the feed has too many products. */
  #markStated(id: string, line: number): void {
    if (this.#known.size >= PRODUCTS_PER_FEED_MAX) {
      throw new FeedFailure('TOO_LARGE', `Line ${line}: the feed has over ${PRODUCTS_PER_FEED_MAX} products`)
    }
    this.#known.set(id, line)
  }

  #report(issues: readonly ItemIssue[], foundAt: number): void {
    const { id: feedId, shopId } = this.#feed
    for (const { currency, ...issue } of issues) {
      const { issueCounts, rejectedCurrencies, missingFields } = this.#counts
      countUp(issueCounts, issue.code)
      if (currency !== undefined) countUp(rejectedCurrencies, currency, CURRENCIES_COUNTED_MAX)
      if (issue.code === 'MISSING_FIELD') countUp(missingFields, issue.field)
      if (issue.severity === 'WARNING') this.#counts.warnings++
      if (this.#issuesKept++ >= ISSUES_KEPT_MAX) continue
      const value = encode('FeedIssue', { feedId, runId: this.#runId, shopId, ...issue, foundAt })
      this.#output.add({ topic: 'feed-issues', key: `${feedId}/${this.#runId}`, value })
    }
  }
}

/** Adds one to the count of a name, unless the name is new and there are `namesMax` names already. */
function countUp(counts: Record<string, number>, name: string, namesMax = Number.POSITIVE_INFINITY): void {
  const count = counts[name]
  if (count !== undefined || Object.keys(counts).length < namesMax) counts[name] = (count ?? 0) + 1
}

function duplicate(productId: string, line: number, firstLine: number): ItemIssue {
  const message = `Line ${firstLine} already has a product with this id`
  return { severity: 'REJECTED', code: 'DUPLICATE_ID', field: 'id', line, productId, message }
}

function tooLarge(productId: string, line: number): ItemIssue {
  const message = 'The item is larger than is allowed'
  return { severity: 'REJECTED', code: 'ITEM_TOO_LARGE', field: 'item', line, productId, message }
}
