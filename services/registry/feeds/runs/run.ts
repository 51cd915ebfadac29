import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Appender } from '../../../../infra/event-log/port.ts'
import { IndexUnavailable, type ProductIndex } from '../../../../infra/product-index/port.ts'
import { FeedFailure } from '../failure.ts'
import { ItemIntake } from '../items/item-intake.ts'
import { decodeFeed } from '../source/decode.ts'
import { type FetchOptions, fetchFeed } from '../source/fetch.ts'
import { parseFeed } from '../source/parse.ts'
import { type FeedCounts, type FeedJob, type FeedOutcome, UNKNOWN_CONTENT } from './job.ts'
import { BatchedOutput } from './output.ts'
import { offersGone, readKnownOffers, removeAllOffers, removeHeldOffers, removeOffers, writeHeld } from './removals.ts'

const READ_BYTES = 64 * 1024
/** How often the index may be lost while a run reads it, and the pause before it is waited for again. */
const INDEX_LOST_MAX = 20
const INDEX_LOST_PAUSE_MS = 500

export interface RunDeps {
  log: Appender
  index: ProductIndex
  /** Resolves once the index holds all that the topic `products` held at the call. @throws FeedFailure when that takes too long. */
  caughtUp: () => Promise<void>
  fetch: FetchOptions
  /** Limits how many feeds are read at once, because each holds the ids of its offers in memory. Fetches do not count. */
  readInTurn: <T>(read: () => Promise<T>) => Promise<T>
  now: () => number
}

export interface RunControl {
  signal: AbortSignal
  /** Kept up to date during the run. */
  counts: FeedCounts
}

/**
 * One run of a feed: fetch the file, read its items as a stream, append the offers that differ from those in the index,
 * and remove the offers that the file no longer has. A run may be repeated from any point and ends in the same state.
 *
 * A scheduled fetch does not read content that was applied before, unless it means different offers by now (a sale began) or may not
 * be fully in force (after a restart). A fetch that applies the same content again leaves alone what the product update API has
 * changed since: of the feed and the API, the later statement counts.
 *
 * A broken feed fails the run: the offers read before the fault are in force, and nothing is removed.
 * A run that would remove over half of the shop's products is held: new and changed offers are in force, and the removals wait
 * for confirmation.
 */
export async function runFeed(deps: RunDeps, job: FeedJob, control: RunControl): Promise<FeedOutcome> {
  const { log, index, readInTurn } = deps
  const { counts, signal } = control
  try {
    switch (job.task.tag) {
      case 'FETCH':
        return await fetchAndApply(deps, job, job.task, control)
      case 'READ':
        return await readInTurn(() => applyContent(deps, job, control, { isRepeated: false }))
      case 'REMOVE_HELD':
        await onceIndexed(deps, control, () =>
          removeHeldOffers({ log, index, feed: job.feed, heldPath: job.heldPath, counts, signal }),
        )
        return done(counts)
      case 'REMOVE_ALL':
        await onceIndexed(deps, control, () => removeAllOffers({ log, index, feed: job.feed, counts, signal }))
        return done(counts)
    }
  } catch (error) {
    if (!(error instanceof FeedFailure)) throw error
    const content = counts.changed > 0 ? UNKNOWN_CONTENT : null
    return { ...done(counts), status: 'FAILED', message: error.message, failure: error.code, content }
  }
}

type FetchTask = Extract<FeedJob['task'], { tag: 'FETCH' }>

async function fetchAndApply(
  deps: RunDeps,
  job: FeedJob,
  { url, credentials, etag, lastModified, contentHash: appliedHash, isFresh }: FetchTask,
  control: RunControl,
): Promise<FeedOutcome> {
  const request = { url, credentials, etag, lastModified, path: job.contentPath, signal: control.signal }
  const fetched = await fetchFeed(request, deps.fetch)
  if (fetched.tag === 'NOT_MODIFIED') return await countUnchanged(deps, job, control)
  return await deps.readInTurn(async () => {
    const contentHash = await hashContent(job.contentPath)
    const isRepeated = contentHash === appliedHash
    if (isRepeated && isFresh) {
      return { ...(await countUnchanged(deps, job, control)), content: { ...fetched.validators, contentHash } }
    }
    const outcome = await applyContent(deps, job, control, { isRepeated })
    const { etag, lastModified } = outcome.status === 'DONE' ? fetched.validators : { etag: null, lastModified: null }
    return { ...outcome, content: { etag, lastModified, contentHash } }
  })
}

async function countUnchanged(deps: RunDeps, { feed }: FeedJob, control: RunControl): Promise<FeedOutcome> {
  const ofFeed = { kind: 'feed', feedId: feed.id } as const
  const total = await onceIndexed(deps, control, () => deps.index.count(feed.shopId, [ofFeed]))
  return { ...done({ ...control.counts, total, unchanged: total }), isUnmodified: true }
}

/**
 * Does what reads the index first, once the index holds all offers. An index that is lost in between, before anything was written, is
 * waited for again.
 * @throws FeedFailure, or IndexUnavailable when that happens again and again.
 */
async function onceIndexed<T>({ caughtUp }: RunDeps, { signal }: RunControl, read: () => Promise<T>): Promise<T> {
  for (let lost = 0; ; lost++) {
    await caughtUp()
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof IndexUnavailable) || lost === INDEX_LOST_MAX) throw error
      await sleep(INDEX_LOST_PAUSE_MS, undefined, { signal })
    }
  }
}

/**
 * Applies the content of a feed: decodes the bytes, parses the items, lets `ItemIntake` accept or reject each, then removes
 * the offers that no item stated.
 * @param content.isRepeated whether the same content was applied before; product updates since then stay in force.
 */
async function applyContent(
  deps: RunDeps,
  { runId, feed, contentPath, heldPath }: FeedJob,
  control: RunControl,
  { isRepeated }: { isRepeated: boolean },
): Promise<FeedOutcome> {
  const { log, index, now } = deps
  const { counts, signal } = control
  const { shopTotal, known } = await onceIndexed(deps, control, async () => ({
    shopTotal: await index.count(feed.shopId, []),
    known: await readKnownOffers(index, feed, signal),
  }))
  const output = new BatchedOutput(log)
  const intake = new ItemIntake({ runId, feed, known, counts, output, isRepeated, now })
  try {
    for await (const items of parseFeed(decodeFeed(readContent(contentPath)))) {
      signal.throwIfAborted()
      for (const item of items) intake.take(item)
      await output.advance()
    }
  } finally {
    await output.flush()
  }
  const gone = offersGone(known, { isRepeated })
  if (gone.length * 2 > shopTotal) {
    await writeHeld(heldPath, gone)
    const message = `The run would remove ${gone.length} of the shop's ${shopTotal} products: confirm the run to remove them`
    return { ...done(counts), status: 'HELD', message, content: UNKNOWN_CONTENT }
  }
  await removeOffers(gone, { log, feed, counts })
  return { ...done(counts), content: UNKNOWN_CONTENT, staleAt: intake.staleAt }
}

function readContent(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: READ_BYTES })
}

/** The hash of the decoded text, so that the same feed compressed differently is the same content. */
async function hashContent(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const text of decodeFeed(readContent(path))) hash.update(text)
  return hash.digest('base64url')
}

function done(counts: FeedCounts): FeedOutcome {
  return { status: 'DONE', message: null, failure: null, isUnmodified: false, counts, content: null, staleAt: null }
}
