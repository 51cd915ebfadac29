import { RECORD_MAX_BYTES } from '../../../../infra/event-log/port.ts'
import type { ProductOffer } from '../../../../schemas/records/records.ts'
import { encode } from '../../../../schemas/wire/codec.ts'
import { isUpdated, itemGroupOf, offerKey, withDigest } from '../../../domain/catalogue/offer.ts'
import { FeedFailure } from '../failure.ts'
import type { ItemIssue } from '../issue-codes.ts'
import type { FeedCounts, FeedJob } from '../runs/job.ts'
import type { BatchedOutput } from '../runs/output.ts'
import type { FeedItem } from './item.ts'
import { offerFromItem } from './offer-from-item.ts'

/** Issues of one run that are stored; all are counted. */
export const ISSUES_KEPT_MAX = 10_000
export const PRODUCTS_PER_FEED_MAX = 3_000_000

/** Per id: the digest that the index holds, or, once the feed has said it, the line where. */
export type Known = Map<string, string | number>

export interface IntakeState {
  counts: FeedCounts
  known: Known
  output: BatchedOutput
  /** The offers are of this very content, but for product updates since. */
  isRepeated: boolean
}

/** Takes the items of one feed in turn: appends the offers that differ, and what is to be said of the items. */
export class ItemIntake {
  staleAt: number | null = null
  readonly #deps: { now: () => number }
  readonly #job: FeedJob
  readonly #state: IntakeState
  #issuesKept = 0

  constructor(deps: { now: () => number }, job: FeedJob, state: IntakeState) {
    this.#deps = deps
    this.#job = job
    this.#state = state
  }

  take(item: FeedItem): void {
    const { counts, known } = this.#state
    const { id: feedId, shopId, currency, lang } = this.#job.feed
    const now = this.#deps.now()
    counts.total++
    const { id, offer, issues, staleAt } = offerFromItem(item, { shopId, feedId, currency, lang, now })
    const seen = id === null ? undefined : known.get(id)
    if (offer && typeof seen === 'number') {
      this.#report([...issues, duplicate(offer.id, item.line, seen)], now)
      counts.rejected++
      return
    }
    this.#report(issues, now)
    if (!offer) {
      counts.rejected++
      return
    }
    if (known.size >= PRODUCTS_PER_FEED_MAX) {
      throw new FeedFailure(`Line ${item.line}: the feed has over ${PRODUCTS_PER_FEED_MAX} products`)
    }
    if (this.#isUpdatedSince(seen)) {
      counts.unchanged++
      known.set(offer.id, item.line)
      return
    }
    if (!this.#keep(withDigest({ ...offer, updatedAt: now }), typeof seen === 'string' ? seen : null)) {
      this.#report([tooLarge(offer.id, item.line)], now)
      counts.rejected++
      return
    }
    known.set(offer.id, item.line)
    if (staleAt !== null) this.staleAt = Math.min(this.staleAt ?? staleAt, staleAt)
  }

  /** Content that was applied before has nothing new to say of a product that was updated, or removed, since. */
  #isUpdatedSince(seen: string | number | undefined): boolean {
    if (!this.#state.isRepeated) return false
    return seen === undefined || (typeof seen === 'string' && isUpdated(seen))
  }

  /** Adds the offer unless it is as it was. False: the log does not take records of its size. */
  #keep(offer: ProductOffer, digest: string | null): boolean {
    const { counts, output } = this.#state
    if (offer.digest === digest) {
      counts.unchanged++
      return true
    }
    const key = offerKey(offer.shopId, offer.feedId, offer.id)
    const value = encode('ProductOffer', offer)
    if (value.length + Buffer.byteLength(key) > RECORD_MAX_BYTES) return false
    counts.changed++
    output.add({ topic: 'products', key, value })
    const itemGroup = itemGroupOf(offer)
    if (itemGroup) output.add({ topic: 'item-groups', key, value: encode('ItemGroup', itemGroup) })
    return true
  }

  #report(issues: readonly ItemIssue[], foundAt: number): void {
    const { counts, output } = this.#state
    const { runId, feed } = this.#job
    for (const issue of issues) {
      counts.issueCounts[issue.code] = (counts.issueCounts[issue.code] ?? 0) + 1
      if (issue.severity === 'WARNING') counts.warnings++
      if (this.#issuesKept++ >= ISSUES_KEPT_MAX) continue
      const value = encode('FeedIssue', { feedId: feed.id, runId, shopId: feed.shopId, ...issue, foundAt })
      output.add({ topic: 'feed-issues', key: `${feed.id}/${runId}`, value })
    }
  }
}

function duplicate(productId: string, line: number, firstLine: number): ItemIssue {
  const message = `Line ${firstLine} has this id already`
  return { severity: 'REJECTED', code: 'DUPLICATE_ID', field: 'id', line, productId, message }
}

function tooLarge(productId: string, line: number): ItemIssue {
  const message = 'The item is larger than is allowed'
  return { severity: 'REJECTED', code: 'ITEM_TOO_LARGE', field: 'item', line, productId, message }
}
