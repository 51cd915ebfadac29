import { afterEach, beforeEach } from 'vitest'
import type { Filter, IndexWrite, ProductIndex, ProductQuery, SearchResult } from '../../../infra/product-index/port.ts'
import type { ProductOffer, ProductSignals } from '../../../schemas/records/records.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'

/** An implementation of ProductIndex under test. */
export interface ProductIndexSubject {
  /** Opens an empty index for one test. */
  open(): Promise<ProductIndex>
  /** Closes the index and opens it again, as after a restart. */
  reopen(index: ProductIndex): Promise<ProductIndex>
  /** Removes what the index stored. */
  dispose(index: ProductIndex): Promise<void>
}

/** An empty index for each test, and helpers for the tests. */
export interface IndexWorld {
  readonly index: ProductIndex
  /** Closes the index and opens it again, as after a restart. */
  reopen(): Promise<void>
  /** Writes offers and makes them visible. Every offer is promoted by campaign c. */
  given(...offers: Partial<ProductOffer>[]): Promise<void>
  /** The ids of the offers that match the filters, in order. */
  find(...filters: Filter[]): Promise<string[]>
  /** The ids of the offers that a query finds, best first. */
  ranked(fields: Partial<ProductQuery>): Promise<string[]>
}

export function openIndexWorld(subject: ProductIndexSubject): IndexWorld {
  let index: ProductIndex
  beforeEach(async () => {
    index = await subject.open()
  })
  afterEach(() => subject.dispose(index))
  return {
    get index() {
      return index
    },
    async reopen() {
      index = await subject.reopen(index)
    },
    async given(...offers) {
      const made = offers.map(anOffer)
      await index.write(made.flatMap((offer) => [offerWrite(offer), promotion(offer.id, ['c'], 1, offer.feedId)]))
      await index.refresh()
    },
    find: async (...filters) => idsOf((await index.search([query({ filters })]))[0]).sort(),
    ranked: async (fields) => idsOf((await index.search([query(fields)]))[0]),
  }
}

export const offerWrite = (offer: ProductOffer, version = 1): IndexWrite => ({ kind: 'offer', version, offer })
export const removal = (id: string, version: number): IndexWrite => ({
  kind: 'remove',
  version,
  shopId: 'shop',
  feedId: 'feed',
  id,
})
export const promotion = (id: string, campaignIds: string[], version = 1, feedId = 'feed'): IndexWrite => ({
  kind: 'promotions',
  version,
  offerVersion: 1,
  shopId: 'shop',
  feedId,
  id,
  campaignIds,
})
export const signalsOf = (id: string, fields: Partial<ProductSignals> = {}): ProductSignals => ({
  shopId: 'shop',
  id,
  popularity: 0,
  views: 0,
  clicks: 0,
  alsoBought: [],
  computedAt: 1,
  ...fields,
})
export const signalsWrite = (id: string, fields: Partial<ProductSignals> = {}, version = 1): IndexWrite => ({
  kind: 'signals',
  version,
  signals: signalsOf(id, fields),
})
export const query = (fields: Partial<ProductQuery> = {}): ProductQuery => ({
  shopId: 'shop',
  filters: [],
  rank: { by: 'none' },
  campaigns: [{ campaignIds: ['c'], weight: 1 }],
  limit: 100,
  priorClickRate: 0.004,
  tieSeed: 1,
  ...fields,
})
export const idsOf = (result: SearchResult | undefined) => result!.hits.map((hit) => hit.product.offer.id)
