import { open, readFile } from 'node:fs/promises'
import type { Appender } from '../../../../infra/event-log/port.ts'
import type { ProductIndex } from '../../../../infra/product-index/port.ts'
import { isUpdated, offerKey } from '../../../domain/catalogue/offer.ts'
import { FeedFailure } from '../failure.ts'
import type { KnownOffers } from '../items/item-intake.ts'
import type { FeedCounts, FeedJob } from './job.ts'
import { BatchedOutput } from './output.ts'

const DIGESTS_PAGE = 2_000

/** An offer in the index. */
interface OfferDigest {
  id: string
  digest: string
}

interface RemovalContext {
  log: Appender
  index: ProductIndex
  feed: FeedJob['feed']
  counts: FeedCounts
  signal: AbortSignal
}

/** Reads the offers of a feed that the index holds. */
export async function readKnownOffers(
  index: ProductIndex,
  feed: FeedJob['feed'],
  signal: AbortSignal,
): Promise<KnownOffers> {
  const known: KnownOffers = new Map()
  let after: string | null = null
  do {
    signal.throwIfAborted()
    const page: OfferDigest[] = await index.digests(feed.shopId, feed.id, after, DIGESTS_PAGE)
    for (const { id, digest } of page) known.set(id, digest)
    after = page.length === DIGESTS_PAGE ? page.at(-1)!.id : null
  } while (after !== null)
  return known
}

/** Known offers that no item of the feed stated. When the content is repeated, offers that the product update API stated stay. */
export function offersGone(known: KnownOffers, { isRepeated }: { isRepeated: boolean }): OfferDigest[] {
  const gone: OfferDigest[] = []
  for (const [id, digestOrLine] of known) {
    if (typeof digestOrLine !== 'string' || (isRepeated && isUpdated(digestOrLine))) continue
    gone.push({ id, digest: digestOrLine })
  }
  return gone
}

/** Appends a tombstone for each offer. */
export async function removeOffers(
  offers: Iterable<{ id: string }>,
  { log, feed, counts }: Pick<RemovalContext, 'log' | 'feed' | 'counts'>,
): Promise<void> {
  const output = new BatchedOutput(log)
  for (const { id } of offers) {
    output.add({ topic: 'products', key: offerKey(feed.shopId, feed.id, id), value: null })
    counts.removed++
    await output.advance()
  }
  await output.flush()
}

/** Makes the removals that a run was held for, except of offers that have changed since. */
export async function removeHeldOffers(context: RemovalContext & { heldPath: string }): Promise<void> {
  const { index, feed, signal, heldPath } = context
  const known = await readKnownOffers(index, feed, signal)
  const held = await readHeld(heldPath)
  const unchanged = held.filter(({ id, digest }) => known.get(id) === digest)
  await removeOffers(unchanged, context)
}

/** Removes every offer of a feed. */
export async function removeAllOffers(context: RemovalContext): Promise<void> {
  const { index, feed, signal } = context
  const known = await readKnownOffers(index, feed, signal)
  const all = [...known.keys()].map((id) => ({ id }))
  await removeOffers(all, context)
}

/** Stores the removals of a held run, one JSON pair per line. They are durable before the run is reported as held. */
export async function writeHeld(path: string, offers: readonly OfferDigest[]): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.writeFile(offers.map(({ id, digest }) => `${JSON.stringify([id, digest])}\n`).join(''))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** @throws FeedFailure when the list is missing, as after a move to another machine. */
async function readHeld(path: string): Promise<OfferDigest[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new FeedFailure('CONTENT_GONE', 'The list of products to remove is missing: run the feed again')
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id, digest] = JSON.parse(line) as [string, string]
      return { id, digest }
    })
}
