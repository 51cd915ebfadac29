import type { ProductIndex } from '../../../infra/product-index/port.ts'
import type { Account } from '../../../schemas/records/accounts.ts'
import type { Campaign, RegistryEntry } from '../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createIndexerStep, type IndexerProgress } from '../../../streams/indexer/indexer-step.ts'
import { createPromotionBook } from '../../../streams/indexer/promotion-book.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { campaignBody } from '../judge/fixtures.ts'

/** The indexer does not use these. */
export const UNCOMMITTED = { turn: async () => null, lastOffset: 0 }

/** A log with one partition per topic, in which each record becomes a batch when it is due. */
export class Feed {
  readonly snapshot = new Snapshot()
  readonly #index: ProductIndex
  readonly #next = new Map<TopicName, number>()
  readonly #committed = new Map<string, number>()
  readonly #versions = new Map<string, number>()
  #step: ReturnType<typeof createIndexerStep>

  constructor(index: ProductIndex) {
    this.#index = index
    this.#step = this.newStep()
  }

  /** A step as after a start with this progress. */
  newStep(progress: IndexerProgress = new Map(), into = this.#index) {
    const { snapshot } = this
    const isRegistryApplied = progress.get('registry/0') === this.#next.get('registry')
    return createIndexerStep({
      ...{ index: into, snapshot, book: createPromotionBook(snapshot), progress, isRegistryApplied },
    })
  }

  committed = (): IndexerProgress => new Map(this.#committed)

  /** A separate step that takes one record at a time and counts its searches of the index. */
  counted(progress: IndexerProgress = new Map()) {
    const counts = { scans: 0 }
    const index = this.#index
    const scan: ProductIndex['scan'] = (request) => {
      counts.scans++
      return index.scan(request)
    }
    const step = this.newStep(progress, { ...index, scan })
    return {
      counts,
      step: (record: ReturnType<Feed['record']>) =>
        step({ topic: record.topic, partition: 0, records: [record], ...UNCOMMITTED }),
    }
  }

  /** Processes a batch, and then loses everything in memory before the batch is committed. */
  async crashAfter(...records: ReturnType<Feed['record']>[]): Promise<void> {
    await this.#step({ topic: records[0]!.topic, partition: 0, records, ...UNCOMMITTED })
    this.#step = this.newStep(new Map(this.#committed))
  }

  record(topic: TopicName, value: unknown, key: string | null = null) {
    const offset = this.#next.get(topic) ?? 0
    this.#next.set(topic, offset + 1)
    return { topic, partition: 0, offset, key, value, bytes: null, appendedAt: 0 }
  }

  async step(...records: ReturnType<Feed['record']>[]) {
    const { topic } = records[0]!
    const result = await this.#step({ topic, partition: 0, records, ...UNCOMMITTED })
    this.#committed.set(`${topic}/0`, records.at(-1)!.offset + 1)
    return result
  }

  entry(kind: 'Campaign' | 'Account' | 'Shop', id: string, body: object, deleted = false) {
    const version = (this.#versions.get(id) ?? 0) + 1
    this.#versions.set(id, version)
    const entry = { kind, id, version, updatedAt: 0, updatedBy: '', deletedAt: deleted ? 1 : null, body }
    return this.record('registry', entry as RegistryEntry)
  }

  offer = (fields: Partial<ProductOffer>) => this.record('products', anOffer(fields))
  campaign = (id: string, body: Partial<Campaign>, deleted = false) =>
    this.entry('Campaign', id, campaignBody({ shopId: 'shop', accountId: 'publisher', ...body }), deleted)
  account = (id: string, sellerIds: string[] | null) =>
    this.entry('Account', id, {
      kind: sellerIds ? 'ADVERTISER' : 'PUBLISHER',
      name: id,
      companyName: id,
      taxNumber: '',
      sellerIds: sellerIds ?? [],
      displayEnabled: false,
    } satisfies Account)
}
