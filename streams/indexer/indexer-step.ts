import type { IndexWrite, ProductIndex } from '../../infra/product-index/port.ts'
import type { RegistryEntry } from '../../schemas/records/entities.ts'
import type { ProductOffer, ProductSignals } from '../../schemas/records/records.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import type { DeadRecord, DecodedRecord } from '../runtime/pipeline/outcome.ts'
import type { StreamStep } from '../runtime/pipeline/pipeline.ts'
import type { PromotionBook } from './promotion-book.ts'
import { applyCampaign } from './promotions.ts'

/** How many offers one write passes to the index, which stores them while the next ones are prepared. */
const OFFERS_PER_WRITE = 500
/** Less than the number of any change, and less than 0, which stands for no change. */
const NONE_APPLIED = -1

/** By `topic/partition`: the offset after the last record that this stream has processed. */
export type IndexerProgress = Map<string, number>

export function createIndexerStep(deps: {
  index: ProductIndex
  snapshot: Snapshot
  book: PromotionBook
  progress: IndexerProgress
  /** Whether the index already has the promotions that follow from the campaigns with which the book was made. */
  isRegistryApplied: boolean
}): StreamStep {
  const { index, snapshot, book, progress } = deps
  /** By campaign: the number of the change in the book from which the campaign's promotions in the index were last derived. */
  const applied = new Map<string, number>()
  /** The same for campaigns that have not been applied yet; null while it is not known. */
  let appliedAtFirst = deps.isRegistryApplied ? 0 : null

  /**
   * While no offer has been processed, all offers are still to come (or to come again). Their promotions will be derived from the
   * current campaigns or later ones, so all changes so far count as applied.
   */
  function changesApplied(): number {
    return progress.keys().some((position) => position.startsWith('products/')) ? NONE_APPLIED : book.changes()
  }

  async function writeOffers(records: readonly DecodedRecord<ProductOffer>[]): Promise<DeadRecord[]> {
    const dead: DeadRecord[] = []
    /** The slice that the index stores while the next one is prepared. */
    let writing: Promise<unknown> = Promise.resolve()
    for (const chunk of chunksOf(records, OFFERS_PER_WRITE)) {
      const writes = chunk.flatMap((record) => writesOf(record, dead))
      const before = writing
      writing = index.write(writes)
      // A failure is thrown when this promise is awaited, unless that of the previous slice is thrown first.
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
        { kind: 'promotions', version: snapshot.position, offerVersion: version, shopId, feedId, id, campaignIds },
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
    // The snapshot also follows the registry by itself, and may be behind this stream or ahead of it.
    for (const entry of entries) snapshot.apply(entry)
    snapshot.readTo(records.at(-1)!.offset + 1)
    const concerned = book
      .concernedBy(entries)
      .filter(({ id }) => book.lastChangeOf(id) > (applied.get(id) ?? appliedAtFirst!))
    if (concerned.length === 0) return
    await index.refresh()
    for (const campaign of concerned) {
      const change = book.lastChangeOf(campaign.id)
      await applyCampaign({ index, snapshot, book }, campaign)
      applied.set(campaign.id, change)
    }
    await index.refresh()
  }

  return async function indexerStep({ topic, partition, records }) {
    appliedAtFirst ??= changesApplied()
    const dead = topic === 'products' ? await writeOffers(records as DecodedRecord<ProductOffer>[]) : []
    if (topic === 'product-signals') await writeSignals(records as DecodedRecord<ProductSignals>[])
    if (topic === 'registry') await applyRegistry(records as DecodedRecord<RegistryEntry>[])
    progress.set(`${topic}/${partition}`, records.at(-1)!.offset + 1)
    return { dead }
  }
}
