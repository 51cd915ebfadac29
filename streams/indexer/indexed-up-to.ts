import { type EventLog, LogUnavailable } from '../../infra/event-log/port.ts'
import { IndexUnavailable, type ProductIndex } from '../../infra/product-index/port.ts'
import { sharedNext } from '../../infra/together.ts'
import { within } from '../../infra/within.ts'
import { uncommitted } from '../runtime/lag.ts'
import { INDEXER_GROUP } from './indexer.ts'

/** How long a caller waits for the log and the index. */
const WAIT_MAX_MS = 1_000

interface IndexedUpToDeps {
  log: Pick<EventLog, 'bounds' | 'committed' | 'read'>
  index: Pick<ProductIndex, 'refresh'>
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * Tells up to which time (UTC epoch ms) everything that was appended to the topic `products` can be found in the product index.
 * The engines are asked only if `at` is later than the time that is known already. While they do not answer, that time is returned.
 */
export function createIndexedUpTo(deps: IndexedUpToDeps): (at: number) => Promise<number> {
  let known = 0
  const ask = sharedNext(async () => {
    const upTo = await appliedUpTo(deps)
    await deps.index.refresh()
    known = Math.max(known, upTo)
  })
  return async (at) => {
    if (at > known) await within(ask(), WAIT_MAX_MS, late).catch(unlessUnavailable)
    return known
  }
}

const late = () => new LogUnavailable('The log or the index did not answer in time')

function unlessUnavailable(error: unknown): void {
  if (!(error instanceof LogUnavailable || error instanceof IndexUnavailable)) throw error
}

/** The time up to which the indexer has processed all offers: the present, or just before the oldest one that waits was appended. */
async function appliedUpTo({ log, now }: IndexedUpToDeps): Promise<number> {
  const askedAt = now()
  const waiting = await uncommitted(log, 'products', await log.committed(INDEXER_GROUP))
  const oldest = await Promise.all(
    waiting.map(async ({ partition, from, end }) => {
      const [record] = from < end ? await log.read('products', partition, from, 1) : []
      return record && record.offset < end ? record.appendedAt - 1 : askedAt
    }),
  )
  return Math.min(askedAt, ...oldest)
}
