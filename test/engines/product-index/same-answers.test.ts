import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrateElasticsearch } from '../../../infra/product-index/elasticsearch/migrate.ts'
import { connectElasticsearch } from '../../../infra/product-index/elasticsearch/product-index.ts'
import { openEmbeddedProductIndex } from '../../../infra/product-index/embedded/product-index.ts'
import type { IndexWrite, ProductIndex, ProductQuery, Rank } from '../../../infra/product-index/port.ts'
import { promotedOffer } from '../../infra/product-index/offer.fixture.ts'
import { catalogue, filterLists } from '../../ports/product-index/arbitraries.ts'
import { addresses, removeIndices, testNamespace } from '../addresses.ts'

/** The number of lists of filters for each catalogue, and of catalogues. */
const LISTS = 30
const CATALOGUES = 15

const options = { url: addresses.elasticsearchUrl, namespace: testNamespace() }
const folder = mkdtempSync(join(tmpdir(), 'same-answers-'))
let engines: ProductIndex[]
beforeAll(async () => {
  await migrateElasticsearch(options)
  engines = [await openEmbeddedProductIndex({ folder }), connectElasticsearch(options)]
})
afterAll(async () => {
  for (const engine of engines) await engine.close()
  await removeIndices(options.url, options.namespace)
  rmSync(folder, { recursive: true })
})

const ranks = fc.constantFrom<Rank>(
  { by: 'none' },
  { by: 'popularity' },
  { by: 'text', text: 'red lamp usb-c', lang: 'en' },
  { by: 'categories', paths: ['home > light', 'electro'] },
  { by: 'textAndCategories', text: 'lamp café', lang: null, paths: ['home'] },
)

/** The answers of all engines to the same question. */
const ofEach = <T>(ask: (engine: ProductIndex) => Promise<T>) => Promise.all(engines.map(ask))

describe('the embedded index and Elasticsearch', () => {
  test('select the same offers by any filters, and rank by categories, popularity and weight alike', async () => {
    const questions = fc.array(fc.tuple(filterLists, ranks), { minLength: LISTS, maxLength: LISTS })
    await fc.assert(
      fc.asyncProperty(catalogue, questions, async (products, asked) => {
        const writes = products.flatMap(({ offer, campaignIds }, at): IndexWrite[] => {
          const { shopId, id } = offer
          const signals = { shopId, id, popularity: at % 4, views: 0, clicks: 0, alsoBought: [], computedAt: 1 }
          return [...promotedOffer(offer, campaignIds), { kind: 'signals', version: at + 1, signals }]
        })
        const counts = await ofEach(async (engine) => {
          await engine.clear()
          const changed = await engine.write(writes)
          await engine.refresh()
          return changed
        })
        expect(counts[1]).toBe(counts[0])
        const queries = asked.map(
          ([filters, rank], tieSeed): ProductQuery => ({
            shopId: 'shop',
            filters,
            rank,
            campaigns: [
              { campaignIds: ['c'], weight: 1 },
              { campaignIds: ['d'], weight: 3 },
            ],
            priorClickRate: 0.02,
            limit: 100,
            tieSeed,
          }),
        )
        const [embedded, real] = await ofEach((engine) => engine.search(queries))
        queries.forEach(({ rank }, at) => {
          const [ours, theirs] = [embedded![at]!, real![at]!].map(({ hits }) =>
            hits.map(({ product, relevance }) => ({ product, relevance: comparable(rank, relevance) })).sort(byKey),
          )
          expect(theirs).toEqual(ours)
        })
        for (const filters of asked.slice(0, 5).map(([each]) => each)) {
          const [ours, theirs] = await ofEach((engine) =>
            engine.scan({ shopId: 'shop', filters, after: null, limit: 100 }),
          )
          expect(theirs).toEqual(ours)
        }
      }),
      { numRuns: CATALOGUES, endOnFailure: true },
    )
  })
})

/** Leaves out relevance by text: Elasticsearch counts words in whole occurrences, the embedded index in fractions. */
const comparable = (rank: Rank, relevance: number) =>
  rank.by === 'text' || rank.by === 'textAndCategories' ? 'by text' : relevance

interface Hit {
  product: { offer: { feedId: string; id: string } }
}
const byKey = (a: Hit, b: Hit) => (keyOf(a) < keyOf(b) ? -1 : 1)
const keyOf = ({ product: { offer } }: Hit) => `${offer.feedId}/${offer.id}`
