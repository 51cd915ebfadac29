import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { EventLog } from '../../../../infra/event-log/port.ts'
import type { ProductIndex } from '../../../../infra/product-index/port.ts'
import { isUpdated, offerKey } from '../../../domain/catalogue/offer.ts'
import { FeedFailure } from '../failure.ts'
import { ItemIntake, type Known } from '../items/item-intake.ts'
import { decodeFeed } from '../source/decode.ts'
import { type FetchOptions, fetchFeed } from '../source/fetch.ts'
import { readHeld, type Stored, writeHeld } from '../source/held.ts'
import { parseFeed } from '../source/parse.ts'
import { type FeedCounts, type FeedJob, type FeedOutcome, UNKNOWN_CONTENT } from './job.ts'
import { BatchedOutput } from './output.ts'

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
 * Content that was applied before is applied again, say because a sale begins, without touching what the product update
 * API has stated since: of the feed and the API the later statement counts.
 *
 * A broken feed fails the run: the offers read before the fault are in force, and nothing is removed.
 * A feed that would remove over half of the shop's products is held: what is new or changed is in force, and the
 * removals wait for confirmation.
 */
export async function runFeed(deps: RunDeps, job: FeedJob, control: RunControl): Promise<FeedOutcome> {
  const { counts } = control
  const { task } = job
  try {
    switch (task.tag) {
      case 'REMOVE_HELD':
        await removeHeld(deps, job, control)
        return done(counts)
      case 'REMOVE_ALL':
        await removeAll(deps, job, control)
        return done(counts)
      case 'READ':
        return await deps.reading(() => apply(deps, job, { ...control, isRepeated: false }))
      case 'FETCH': {
        const fetched = await fetchFeed({ ...task, path: job.contentPath, signal: control.signal }, deps.fetch)
        if (fetched.tag === 'NOT_MODIFIED') return await unchanged(deps, job, control)
        return await deps.reading(async () => {
          const contentHash = await hashOf(job.contentPath)
          const outcome = await apply(deps, job, { ...control, isRepeated: contentHash === task.contentHash })
          const validators = outcome.status === 'DONE' ? fetched.validators : NO_VALIDATORS
          return { ...outcome, content: { ...validators, contentHash } }
        })
      }
    }
  } catch (error) {
    if (!(error instanceof FeedFailure)) throw error
    const content = counts.changed > 0 ? UNKNOWN_CONTENT : null
    return { ...done(counts), status: 'FAILED', message: error.message, content }
  }
}

const NO_VALIDATORS = { etag: null, lastModified: null }

/** Of what the file holds once it is unpacked: the same feed packed again is the same content. */
async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const text of decodeFeed(createReadStream(path, { highWaterMark: READ_BYTES }))) hash.update(text)
  return hash.digest('base64url')
}

function done(counts: FeedCounts): FeedOutcome {
  return { status: 'DONE', message: null, counts, content: null, staleAt: null }
}

async function unchanged(deps: RunDeps, { feed }: FeedJob, { counts }: RunControl): Promise<FeedOutcome> {
  const { index, caughtUp } = deps
  await caughtUp()
  const total = await index.count(feed.shopId, [{ kind: 'feed', feedId: feed.id }])
  return done({ ...counts, total, unchanged: total })
}

/** `isRepeated`: the offers are of this very content, but for product updates since, which stay in force. */
async function apply(
  deps: RunDeps,
  job: FeedJob,
  { counts, signal, isRepeated }: RunControl & { isRepeated: boolean },
): Promise<FeedOutcome> {
  const { shopId } = job.feed
  await deps.caughtUp()
  const shopTotal = await deps.index.count(shopId, [])
  const known = await knownOffers(deps, job, signal)
  const output = new BatchedOutput(deps.log)
  let staleAt: number | null = null
  try {
    const reading = new ItemIntake(deps, job, { counts, known, output, isRepeated })
    for await (const items of parseFeed(decodeFeed(createReadStream(job.contentPath, { highWaterMark: READ_BYTES })))) {
      signal.throwIfAborted()
      for (const item of items) reading.take(item)
      await output.advance()
    }
    staleAt = reading.staleAt
  } finally {
    await output.flush()
  }
  const gone = [...known].flatMap(([id, state]) =>
    typeof state === 'string' && !(isRepeated && isUpdated(state)) ? [{ id, digest: state }] : [],
  )
  if (gone.length * 2 > shopTotal) {
    await writeHeld(job.heldPath, gone)
    const message = `Would remove ${gone.length} of the shop's ${shopTotal} products: confirm the run to let it`
    return { ...done(counts), status: 'HELD', message, content: UNKNOWN_CONTENT }
  }
  await remove(deps, job, { gone, counts })
  return { ...done(counts), content: UNKNOWN_CONTENT, staleAt }
}

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
