import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { Commit, EventLog } from '../../infra/event-log/port.ts'
import { IndexUnavailable, type ProductIndex } from '../../infra/product-index/port.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { hasUncommitted } from '../runtime/lag.ts'
import { createStream, requireCompleteRegistry, type StreamStep } from '../runtime/pipeline/pipeline.ts'
import type { Stream, StreamLogger } from '../runtime/stream.ts'
import { createIndexBuilder, type IndexBuilder } from './index-builder.ts'
import { createIndexerStep, type IndexerProgress } from './indexer-step.ts'
import { createPromotionBook, type PromotionBook } from './promotion-book.ts'

export const INDEXER_GROUP = 'indexer'
const TOPICS = ['products', 'product-signals', 'registry'] as const satisfies TopicName[]
/** Offers are a kilobyte each. Polls are limited in bytes, too. */
export const BATCH_MAX_RECORDS = 4_000
/** How long to wait once all records are processed, so that the next offers of a feed are written together. */
const GATHER_MS = 100
const CATCH_UP_MAX_MS = 300_000
const CATCH_UP_POLL_MS = 100

export interface IndexerDeps {
  log: EventLog
  index: ProductIndex
  /** Must hold the registry as of the start, and follow it. */
  snapshot: Snapshot
  now: () => number
  logger: StreamLogger
}

export interface Indexer extends Stream {
  /**
   * Looks for a new index next to the serving one, and fills it. To be called once a second, and again immediately while it returns
   * true. A lost index is filled again in the same way.
   */
  buildTurn(): Promise<boolean>
}

/**
 * The stream that fills the product index: offers, their signals, and the campaigns that promote them.
 *
 * A list of campaigns depends on the offer and on the registry. Batches are processed one at a time, and each batch applies its
 * changes before it derives lists from the current state. So when an offer and a campaign change, whichever change comes second
 * sees the other. That holds within one process only: if a second process ran this stream, it would take over some of the
 * partitions, and an offer and a campaign that change at the same moment in different processes could miss each other until either
 * changes again. So only the leader runs this stream, which is enough for the rate of offers.
 */
export function createIndexer({ log, index, snapshot, now, logger }: IndexerDeps): Indexer {
  const inTurn = new PQueue({ concurrency: 1 })
  const { builds } = index
  let begun: Promise<Work> | null = null

  interface Work {
    book: PromotionBook
    step: StreamStep
    builder: IndexBuilder | null
  }

  async function begin(): Promise<Work> {
    const commits = await log.committed(INDEXER_GROUP)
    await requireApplied(commits)
    const progress: IndexerProgress = new Map(
      commits.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]),
    )
    const book = createPromotionBook(snapshot)
    try {
      // The bounds are read after the book was made, so they cover everything that the book knows.
      const registry = { log, topic: 'registry', bounds: await log.bounds('registry') } as const
      const isRegistryApplied = !(await hasUncommitted(registry, commits))
      const stepOn = (on: ProductIndex, done: IndexerProgress) =>
        createIndexerStep({ index: on, snapshot, book, progress: done, isRegistryApplied: false })
      const runId = randomUUID()
      const builder = builds && createIndexBuilder({ log, builds, stepOn, progress, runId, now })
      // A new index that a former leader has begun must not miss a batch of this one.
      await builder?.look()
      return { book, step: createIndexerStep({ index, snapshot, book, progress, isRegistryApplied }), builder }
    } catch (error) {
      book.close()
      throw error
    }
  }

  /**
   * Committed records of the registry are not delivered again. If the snapshot lagged behind them, offers would permanently keep the
   * campaigns from before those records.
   */
  async function requireApplied(commits: readonly Commit[]): Promise<void> {
    const applied = commits.find(({ topic }) => topic === 'registry')?.offset ?? 0
    const [registry] = await log.bounds('registry')
    if (snapshot.position >= Math.min(applied, registry!.end)) return
    throw new Error(`The registry is known up to offset ${snapshot.position} here, and is applied up to ${applied}`)
  }

  function work(): Promise<Work> {
    begun ??= begin().catch((error) => {
      begun = null
      throw error
    })
    return begun
  }

  const step: StreamStep = (batch) =>
    inTurn.add(async () => {
      const { step, builder } = await work()
      const result = await step(batch)
      await builder?.step(batch)
      return result
    })
  const stream = createStream({
    name: INDEXER_GROUP,
    topics: TOPICS,
    log,
    step: requireCompleteRegistry(snapshot, step),
    batchMaxRecords: BATCH_MAX_RECORDS,
    gatherMs: GATHER_MS,
    now,
    logger,
  })
  let running = false
  return {
    ...stream,
    run() {
      running = true
      return stream.run().finally(() => {
        running = false
        return inTurn.add(async () => {
          const ended = begun
          begun = null
          await ended?.then(({ book }) => book.close())
        })
      })
    },
    async buildTurn() {
      if (builds === null || snapshot.staleReason !== null) return false
      return inTurn.add(async () => {
        if (!running) return false
        let builder: IndexBuilder | null = null
        try {
          builder = (await work()).builder!
          return await builder.turn()
        } catch (error) {
          // While nothing is being filled, an unavailable index is not an error here.
          if (error instanceof IndexUnavailable && !builder?.isFilling()) return false
          throw error
        }
      })
    },
  }
}

/**
 * Waits until the product index holds every offer that the topic `products` held at the call. An index that is unavailable or not
 * created yet, as at the first start on real engines, is waited for, too.
 * @returns false when that takes more than five minutes.
 */
export async function indexCaughtUp(deps: {
  log: Pick<EventLog, 'bounds' | 'committed' | 'read'>
  index: Pick<ProductIndex, 'refresh'>
  /** UTC epoch milliseconds. */
  now: () => number
  timeLimitMs?: number
}): Promise<boolean> {
  const { log, index, now, timeLimitMs = CATCH_UP_MAX_MS } = deps
  const bounds = await log.bounds('products')
  const giveUpAt = now() + timeLimitMs
  const isBehind = async () => hasUncommitted({ log, topic: 'products', bounds }, await log.committed(INDEXER_GROUP))
  const isRefreshed = () =>
    index.refresh().then(
      () => true,
      (error) => {
        if (error instanceof IndexUnavailable) return false
        throw error
      },
    )
  while ((await isBehind()) || !(await isRefreshed())) {
    if (now() > giveUpAt) return false
    await delay(CATCH_UP_POLL_MS)
  }
  return true
}
