import { createReadStream } from 'node:fs'
import { type EventLog, RECORD_MAX_BYTES } from '../../../infra/event-log/port.ts'
import type { ProductIndex } from '../../../infra/product-index/port.ts'
import { encode } from '../../../schemas/codec.ts'
import type { ProductOffer } from '../../../schemas/records.ts'
import { itemGroupOf, offerKey, withDigest } from '../../domain/offer.ts'
import { decodeFeed } from './decode.ts'
import { FeedFailure } from './failure.ts'
import { type FetchOptions, fetchFeed } from './fetch.ts'
import { readHeld, type Stored, writeHeld } from './held.ts'
import type { ItemIssue } from './issue-codes.ts'
import type { FeedItem } from './item.ts'
import type { FeedCounts, FeedJob, FeedOutcome } from './job.ts'
import { offerFromItem } from './offer-from-item.ts'
import { BatchedOutput } from './output.ts'
import { parseFeed } from './parse.ts'

/** Issues of one run that are stored; all are counted. */
export const ISSUES_KEPT_MAX = 10_000
export const PRODUCTS_PER_FEED_MAX = 3_000_000
const DIGESTS_PAGE = 2_000
const READ_BYTES = 64 * 1024

export interface RunDeps {
  log: EventLog
  index: ProductIndex
  /** Resolves once the index holds all that was in the topic `products` at the call. @throws when that takes too long. */
  caughtUp: () => Promise<void>
  fetch: FetchOptions
  /** Bounds how many feeds are read at once: each holds the ids of its offers. Those that are being fetched do not count. */
  reading: <T>(read: () => Promise<T>) => Promise<T>
  now: () => number
}

export interface RunControl {
  signal: AbortSignal
  /** Kept up to date while the run goes on. */
  counts: FeedCounts
}

/**
 * One run of a feed: fetches it, reads it as a stream, appends the offers that differ from what the index holds, and
 * removes what is gone. May be repeated at any point: it ends in the same state.
 *
 * A broken feed fails the run: the offers read before the fault are in force, and nothing is removed.
 * A feed that would remove over half of the shop's products is held: what is new or changed is in force, and the
 * removals wait for confirmation.
 */
export async function runFeed(deps: RunDeps, job: FeedJob, control: RunControl): Promise<FeedOutcome> {
  const { counts } = control
  try {
    switch (job.task.tag) {
      case 'REMOVE_HELD':
        await removeHeld(deps, job, control)
        return done(counts)
      case 'REMOVE_ALL':
        await removeAll(deps, job, control)
        return done(counts)
      case 'READ':
        return await deps.reading(() => apply(deps, job, control))
      case 'FETCH': {
        const { url, etag, lastModified } = job.task
        const request = { url, etag, lastModified, path: job.contentPath, signal: control.signal }
        const fetched = await fetchFeed(request, deps.fetch)
        if (fetched.tag === 'NOT_MODIFIED') return await unchanged(deps, job, control)
        const outcome = await deps.reading(() => apply(deps, job, control))
        return outcome.status === 'DONE' ? { ...outcome, validators: fetched.validators } : outcome
      }
    }
  } catch (error) {
    if (!(error instanceof FeedFailure)) throw error
    const validators = counts.changed > 0 ? UNKNOWN_CONTENT : null
    return { ...done(counts), status: 'FAILED', message: error.message, validators }
  }
}

/** What is in force is of no single fetch, so the next one must not be conditional. */
const UNKNOWN_CONTENT = { etag: null, lastModified: null }

function done(counts: FeedCounts): FeedOutcome {
  return { status: 'DONE', message: null, counts, validators: null, staleAt: null }
}

async function unchanged(deps: RunDeps, { feed }: FeedJob, { counts }: RunControl): Promise<FeedOutcome> {
  const { index, caughtUp } = deps
  await caughtUp()
  const total = await index.count(feed.shopId, [{ kind: 'feed', feedId: feed.id }])
  return done({ ...counts, total, unchanged: total })
}

async function apply(deps: RunDeps, job: FeedJob, control: RunControl): Promise<FeedOutcome> {
  const { counts, signal } = control
  const { shopId } = job.feed
  await deps.caughtUp()
  const shopTotal = await deps.index.count(shopId, [])
  const known = await knownOffers(deps, job, signal)
  const output = new BatchedOutput(deps.log)
  let staleAt: number | null = null
  try {
    const reading = new Reading(deps, job, { counts, known, output })
    for await (const items of parseFeed(decodeFeed(createReadStream(job.contentPath, { highWaterMark: READ_BYTES })))) {
      signal.throwIfAborted()
      for (const item of items) reading.take(item)
      await output.advance()
    }
    staleAt = reading.staleAt
  } finally {
    await output.flush()
  }
  const gone = [...known].flatMap(([id, state]) => (typeof state === 'string' ? [{ id, digest: state }] : []))
  if (gone.length * 2 > shopTotal) {
    await writeHeld(job.heldPath, gone)
    const message = `Would remove ${gone.length} of the shop's ${shopTotal} products: confirm the run to let it`
    return { ...done(counts), status: 'HELD', message, validators: UNKNOWN_CONTENT }
  }
  await remove(deps, job, { gone, counts })
  return { ...done(counts), validators: UNKNOWN_CONTENT, staleAt }
}

/** Per id: the digest that the index holds, or, once the feed has said it, the line where. */
type Known = Map<string, string | number>

async function knownOffers({ index }: RunDeps, { feed }: FeedJob, signal: AbortSignal): Promise<Known> {
  const known: Known = new Map()
  for await (const { id, digest } of storedOffers(index, feed, signal)) known.set(id, digest)
  return known
}

async function* storedOffers(index: ProductIndex, feed: FeedJob['feed'], signal: AbortSignal): AsyncGenerator<Stored> {
  let after: string | null = null
  do {
    signal.throwIfAborted()
    const page: Stored[] = await index.digests(feed.shopId, feed.id, after, DIGESTS_PAGE)
    yield* page
    after = page.length === DIGESTS_PAGE ? page.at(-1)!.id : null
  } while (after !== null)
}

/** Takes the items of one feed in turn. */
class Reading {
  staleAt: number | null = null
  readonly #deps: RunDeps
  readonly #job: FeedJob
  readonly #state: { counts: FeedCounts; known: Known; output: BatchedOutput }
  #issuesKept = 0

  constructor(deps: RunDeps, job: FeedJob, state: { counts: FeedCounts; known: Known; output: BatchedOutput }) {
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
    if (!this.#keep(withDigest({ ...offer, updatedAt: now }), typeof seen === 'string' ? seen : null)) {
      this.#report([tooLarge(offer.id, item.line)], now)
      counts.rejected++
      return
    }
    known.set(offer.id, item.line)
    if (staleAt !== null) this.staleAt = Math.min(this.staleAt ?? staleAt, staleAt)
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

async function remove(
  { log }: RunDeps,
  { feed }: FeedJob,
  { gone, counts }: { gone: Iterable<Stored>; counts: FeedCounts },
): Promise<void> {
  const output = new BatchedOutput(log)
  for (const { id } of gone) {
    output.add({ topic: 'products', key: offerKey(feed.shopId, feed.id, id), value: null })
    counts.removed++
    await output.advance()
  }
  await output.flush()
}

/** Removes what the run was held for, save what has changed since. */
async function removeHeld(deps: RunDeps, job: FeedJob, control: RunControl): Promise<void> {
  await deps.caughtUp()
  const known = await knownOffers(deps, job, control.signal)
  const held = await readHeld(job.heldPath)
  const gone = held.filter(({ id, digest }) => known.get(id) === digest)
  await remove(deps, job, { gone, counts: control.counts })
}

async function removeAll(deps: RunDeps, job: FeedJob, control: RunControl): Promise<void> {
  await deps.caughtUp()
  const known = await knownOffers(deps, job, control.signal)
  await remove(deps, job, { gone: [...known.keys()].map((id) => ({ id, digest: '' })), counts: control.counts })
}
