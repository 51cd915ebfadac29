/**
 * The index on Elasticsearch against the bare client: 100,000 products stored by `write`, as the indexer calls it, against
 * `_bulk` of the very documents; and searches as ad requests make them, none asked twice, against `_search` with the very
 * bodies. In turn, on the same server.
 *
 *     ELASTICSEARCH_URL=http://127.0.0.1:19200 node test/bench/engines/index.ts [products]
 */
import { Client, type estypes } from '@elastic/elasticsearch'
import { documentKey } from '../../../infra/product-index/elasticsearch/document.ts'
import { productsIndex } from '../../../infra/product-index/elasticsearch/mapping.ts'
import { migrateElasticsearch } from '../../../infra/product-index/elasticsearch/migrate.ts'
import { connectElasticsearch } from '../../../infra/product-index/elasticsearch/product-index.ts'
import { searchBody } from '../../../infra/product-index/elasticsearch/search/search.ts'
import { changed, notHeld } from '../../../infra/product-index/elasticsearch/write/changes.ts'
import type { IndexWrite, ProductQuery } from '../../../infra/product-index/port.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { addresses, removeIndices, testNamespace } from '../../engines/addresses.ts'
import { generateProducts, seededRandom } from '../generated-products.ts'

const PRODUCTS = Number(process.argv[2] ?? 100_000)
/** Of the indexer. */
const OFFERS_PER_WRITE = 500
const ROUNDS = 4
const CAMPAIGNS = 50
const SEARCHES = 600
const SEARCHES_AT_ONCE = 8
const SHOP = 'shop'
const SEARCH_TIMEOUT_MS = 10_000

const url = addresses.elasticsearchUrl
const namespace = testNamespace()
const client = new Client({ node: url })
const index = connectElasticsearch({ url, namespace, searchTimeoutMs: SEARCH_TIMEOUT_MS })
const bareIndex = `${namespace}-bare`

const offers = generateProducts(SHOP, PRODUCTS)
const writesOf = (offer: ProductOffer, at: number): IndexWrite[] => [
  { kind: 'offer', version: 1, offer },
  {
    kind: 'promotions',
    version: 1,
    shopId: offer.shopId,
    feedId: offer.feedId,
    id: offer.id,
    campaignIds: [`campaign-${at % CAMPAIGNS}`],
  },
]

try {
  await migrateElasticsearch({ url, namespace })
  const { format: _, ...shape } = productsIndex({ shards: 1, replicas: 0 })
  await client.indices.create({ index: bareIndex, ...shape })
  const indexed = await measureIndexing()
  await index.refresh()
  await client.indices.refresh({ index: bareIndex })
  const searched = await measureSearches()
  console.table([indexed, searched])
} finally {
  await index.close()
  await removeIndices(url, namespace)
  await client.close()
}

/** Slices of the catalogue in turn, so that a slower minute of the machine meets both. */
async function measureIndexing() {
  const ms = { write: 0, bare: 0 }
  const slice = PRODUCTS / ROUNDS
  for (let round = 0; round < ROUNDS; round++) {
    const batches: IndexWrite[][] = []
    for (let from = round * slice; from < (round + 1) * slice; from += OFFERS_PER_WRITE) {
      const batch = offers.slice(from, Math.min(from + OFFERS_PER_WRITE, (round + 1) * slice))
      batches.push(batch.flatMap((offer, at) => writesOf(offer, from + at)))
    }
    const documents = batches.map((batch) => bareOperations(batch))
    const bare = async () => {
      for (const operations of documents) await client.bulk({ index: bareIndex, operations })
    }
    const write = async () => {
      for (const batch of batches) await index.write(batch)
    }
    for (const side of round % 2 === 0 ? (['bare', 'write'] as const) : (['write', 'bare'] as const)) {
      const startedAt = performance.now()
      await { bare, write }[side]()
      ms[side] += performance.now() - startedAt
    }
  }
  const perSecond = (elapsed: number) => Math.round((PRODUCTS / elapsed) * 1000)
  return {
    measure: `index ${PRODUCTS.toLocaleString('en')} products, /s`,
    bare: perSecond(ms.bare),
    ours: perSecond(ms.write),
    ratio: Number((ms.bare / ms.write).toFixed(2)),
    goal: 0.7,
  }
}

/** The documents that `write` makes of the same, ready to be sent. */
function bareOperations(batch: readonly IndexWrite[]) {
  const operations: (object | undefined)[] = []
  for (let at = 0; at < batch.length; at += 2) {
    const { offer } = batch[at] as Extract<IndexWrite, { kind: 'offer' }>
    const key = documentKey(offer.shopId, offer.feedId, offer.id)
    const writes = batch.slice(at, at + 2) as Exclude<IndexWrite, { kind: 'signals' }>[]
    const change = { key, shop: offer.shopId, feed: offer.feedId, id: offer.id, writes, signals: null, whole: false }
    const made = changed(change, notHeld(change), Date.now())
    if (made.kind === 'CHANGED') operations.push({ index: { _id: key } }, made.document)
  }
  return operations
}

async function measureSearches() {
  const random = seededRandom(2)
  const pick = () => offers[Math.floor(random() * offers.length)]!
  const campaigns = Array.from({ length: CAMPAIGNS }, (_, at) => ({
    campaignIds: [`campaign-${at}`],
    weight: 100_000 + at * 10_000,
  }))
  const queries = Array.from({ length: SEARCHES }, (_, at): ProductQuery => {
    const [, look, room, kind] = pick().title.split(' ')
    const text = `${look} ${room} ${kind}`
    return {
      shopId: SHOP,
      filters: [
        { kind: 'available' },
        { kind: 'lang', lang: 'en' },
        { kind: 'country', country: 'DE' },
        { kind: 'text', text, lang: 'en', minShare: at % 2, in: 'ALL_FIELDS' },
        { kind: 'excludeIds', ids: [pick().id] },
      ],
      rank: { by: 'text', text, lang: 'en' },
      campaigns,
      limit: 16,
      priorClickRate: 0.004,
      tieSeed: at,
    }
  })
  const weights = new Map(campaigns.flatMap(({ campaignIds, weight }) => campaignIds.map((id) => [id, weight])))
  // As the port makes them, with any rarity: they cost the same.
  const bodies = queries.map((query) => searchBody(query, weights, () => 1, SEARCH_TIMEOUT_MS))
  const ms = { ours: [] as number[], bare: [] as number[] }
  const ours = async (at: number) => void (await index.search([queries[at]!]))
  const bare = async (at: number) =>
    void (await client.search({ index: `${namespace}-products`, ...(bodies[at] as estypes.SearchRequest) }))
  for (const [side, run] of [
    ['ours', ours],
    ['bare', bare],
    ['bare', bare],
    ['ours', ours],
  ] as const) {
    const startedAt = performance.now()
    let next = 0
    const one = async () => {
      for (let at = next++; at < SEARCHES; at = next++) await run(at)
    }
    await Promise.all(Array.from({ length: SEARCHES_AT_ONCE }, one))
    ms[side].push(performance.now() - startedAt)
  }
  const perSecond = (elapsed: number[]) => Math.round((SEARCHES * 1000) / Math.min(...elapsed))
  return {
    measure: 'searches, none cached, /s',
    bare: perSecond(ms.bare),
    ours: perSecond(ms.ours),
    ratio: Number((perSecond(ms.ours) / perSecond(ms.bare)).toFixed(2)),
    goal: 0.8,
  }
}
