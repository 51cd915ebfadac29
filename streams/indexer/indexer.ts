import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import PQueue from 'p-queue'
import { sumOfOffsets } from '../../infra/event-log/epochs.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { IndexUnavailable, type IndexWrite, type ProductIndex } from '../../infra/product-index/port.ts'
import type { RegistryEntry } from '../../schemas/records/entities.ts'
import type { ProductOffer, ProductSignals } from '../../schemas/records/records.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { uncommitted } from '../runtime/lag.ts'
import type { DeadRecord, DecodedRecord } from '../runtime/outcome.ts'
import { createStream, requireCompleteRegistry, type StreamStep } from '../runtime/pipeline.ts'
import type { Stream, StreamLogger } from '../runtime/stream.ts'
import { createIndexBuilder, type IndexBuilder } from './index-builder.ts'
import { createPromotionBook, type PromotionBook } from './promotion-book.ts'
import { applyCampaign, productsSignature } from './promotions.ts'

export const INDEXER_GROUP = 'indexer'
const TOPICS = ['products', 'product-signals', 'registry'] as const satisfies TopicName[]
/** Offers are a kilobyte each; what a poll hands over is limited in bytes too. */
export const BATCH_MAX_RECORDS = 4_000
/** Of a feed's offers, those that come meanwhile are written together. */
const GATHER_MS = 100
/** Offers that the index is handed at once: it stores them while the next ones are prepared. */
const OFFERS_PER_WRITE = 500
const CATCH_UP_MAX_MS = 300_000
const CATCH_UP_POLL_MS = 100

export interface IndexerDeps {
  log: EventLog
  index: ProductIndex
  /** Must know the registry as it stood at the start, and follow it. */
  snapshot: Snapshot
  now: () => number
  logger: StreamLogger
}

export interface Indexer extends Stream {
  /**
   * Looks after a new index beside the one that serves, and fills it: to be called once a second, and again at once while it
   * returns true. An index that is lost is filled again this way.
   */
  buildTurn(): Promise<boolean>
}

/**
 * The stream that fills the product index: offers, their signals, and the campaigns that promote them.
 *
 * A list of campaigns depends on the offer and on the registry. One batch is worked at a time, and each puts what it
 * brings in force before it derives lists from all that is: whichever of an offer's change and a campaign's change comes
 * second sees the other. That holds within one process; a second one with this stream would take over some of the
 * partitions, and an offer and a campaign that change within the same moment in different processes could miss one
 * another until either changes again. So the process that leads runs it (the rate of offers needs no second).
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
    const progress = await readProgress(log)
    const book = createPromotionBook(snapshot)
    const stepOn = (on: ProductIndex, done: IndexerProgress) =>
      createIndexerStep({ index: on, snapshot, book, progress: done })
    const runId = randomUUID()
    const builder = builds && createIndexBuilder({ log, builds, stepOn, progress, runId, now })
    try {
      // An index that a former leader has begun must miss no batch of this one.
      await builder?.look()
    } catch (error) {
      book.close()
      throw error
    }
    return { book, step: stepOn(index, progress), builder }
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
          // While nothing is filled, an index that is away holds up nothing here.
          if (error instanceof IndexUnavailable && !builder?.isFilling()) return false
          throw error
        }
      })
    },
  }
}

/** Next offset by `topic/partition`, of what this stream has done. */
export type IndexerProgress = Map<string, number>

async function readProgress(log: EventLog): Promise<IndexerProgress> {
  const commits = await log.committed(INDEXER_GROUP)
  return new Map(commits.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]))
}

export function createIndexerStep(deps: {
  index: ProductIndex
  snapshot: Snapshot
  book: PromotionBook
  progress: IndexerProgress
}): StreamStep {
  const { index, snapshot, book, progress } = deps
  /** By campaign: what its promotions in the index were derived from. Unknown after a start: derived again. */
  const signatures = new Map<string, string>()

  /**
   * Version of promotions: how many records of all topics were done, this one included. It grows with every batch. When
   * a batch is done again it is no smaller, and what it then knows better comes again in a batch of its own.
   */
  function versionAt({ topic, partition, offset }: DecodedRecord<unknown>): number {
    const done = [offset + 1]
    for (const [position, next] of progress) if (position !== `${topic}/${partition}`) done.push(next)
    return sumOfOffsets(done)
  }

  async function writeOffers(records: readonly DecodedRecord<ProductOffer>[]): Promise<DeadRecord[]> {
    const dead: DeadRecord[] = []
    /** The slice that the index stores while the next one is prepared. */
    let writing: Promise<unknown> = Promise.resolve()
    for (const chunk of chunksOf(records, OFFERS_PER_WRITE)) {
      const writes = chunk.flatMap((record) => writesOf(record, dead))
      const before = writing
      writing = index.write(writes)
      // Its failure is seen when it is awaited, or hidden by that of the slice before.
      writing.catch(() => {})
      await before
    }
    await writing
    return dead
  }

  function writesOf(record: DecodedRecord<ProductOffer>, dead: DeadRecord[]): IndexWrite[] {
    const { key, value: offer, offset } = record
    const version = offset + 1
    if (offer) {
      const { shopId, feedId, id } = offer
      const textLang = snapshot.body('Shop', shopId)?.lang
      const campaignIds = book.promotersOf(offer)
      return [
        { kind: 'offer', version, offer, ...(textLang ? { textLang } : {}) },
        { kind: 'promotions', version: versionAt(record), shopId, feedId, id, campaignIds },
      ]
    }
    const [shopId, feedId, ...id] = (key ?? '').split('/')
    if (shopId && feedId && id.length > 0) return [{ kind: 'remove', version, shopId, feedId, id: id.join('/') }]
    dead.push({ offset, code: 'BAD_KEY', message: `${key} is not shopId/feedId/id` })
    return []
  }

  async function writeSignals(records: DecodedRecord<ProductSignals>[]): Promise<void> {
    await index.write(
      records.flatMap(({ value: signals, offset }) =>
        signals ? [{ kind: 'signals', version: offset + 1, signals } as const] : [],
      ),
    )
  }

  async function applyRegistry(records: DecodedRecord<RegistryEntry>[]): Promise<void> {
    const entries = records.flatMap(({ value }) => value ?? [])
    // The follower of the registry may be behind this stream, or ahead of it.
    for (const entry of entries) snapshot.apply(entry)
    const concerned = book
      .concernedBy(entries)
      .filter((campaign) => signatures.get(campaign.id) !== productsSignature(snapshot, campaign))
    if (concerned.length === 0) return
    await index.refresh()
    for (const campaign of concerned) {
      const signature = productsSignature(snapshot, campaign)
      const complete = await applyCampaign({ index, snapshot, book }, campaign, versionAt(records.at(-1)!))
      if (complete) signatures.set(campaign.id, signature)
    }
    await index.refresh()
  }

  return async function indexerStep({ topic, partition, records }) {
    const dead = topic === 'products' ? await writeOffers(records as DecodedRecord<ProductOffer>[]) : []
    if (topic === 'product-signals') await writeSignals(records as DecodedRecord<ProductSignals>[])
    if (topic === 'registry') await applyRegistry(records as DecodedRecord<RegistryEntry>[])
    progress.set(`${topic}/${partition}`, records.at(-1)!.offset + 1)
    return { dead }
  }
}

/**
 * Waits until the product index holds every offer that the topic `products` held at the call. An index that is away or not made
 * yet, as at the first start on real engines, holds none.
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
  const atCall = { bounds: async () => bounds }
  const giveUpAt = now() + timeLimitMs
  const isBehind = async () => {
    for (const { partition, from, end } of await uncommitted(atCall, 'products', await log.committed(INDEXER_GROUP))) {
      // Offsets have gaps: there may be nothing left to read before the end.
      const [next] = from < end ? await log.read('products', partition, from, 1) : []
      if (next && next.offset < end) return true
    }
    return false
  }
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
