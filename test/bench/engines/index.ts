/**
 * Searches of the product index on Elasticsearch as ad requests make them, all different, against the bare client's `_search` with
 * the same bodies. The two take turns on the same server. `streams/indexer.ts` measures how fast the index is filled.
 *
 *     ELASTICSEARCH_URL=http://127.0.0.1:19200 node test/bench/engines/index.ts [products]
 */
import { Client, type estypes } from '@elastic/elasticsearch'
import { migrateElasticsearch } from '../../../infra/product-index/elasticsearch/migrate.ts'
import { connectElasticsearch } from '../../../infra/product-index/elasticsearch/product-index.ts'
import { searchBody } from '../../../infra/product-index/elasticsearch/search/search.ts'
import { addresses, removeIndices, testNamespace } from '../../engines/addresses.ts'
import { generateProducts } from '../generated-products.ts'
import { adSearches, campaigns, promotedWrites, searchAll } from '../search/ad-searches.ts'
import { reportFigure } from '../summary/figure.ts'

const PRODUCTS = Number(process.argv[2] ?? 100_000)
const OFFERS_PER_WRITE = 2_000
const SEARCHES = 600
const SEARCHES_AT_ONCE = 8
const SHOP = 'shop'
const SEARCH_TIMEOUT_MS = 10_000

const url = addresses.elasticsearchUrl
const namespace = testNamespace()
const client = new Client({ node: url })
const index = connectElasticsearch({ url, namespace, searchTimeoutMs: SEARCH_TIMEOUT_MS })

const offers = generateProducts(SHOP, PRODUCTS)

try {
  await migrateElasticsearch({ url, namespace })
  for (let from = 0; from < PRODUCTS; from += OFFERS_PER_WRITE) {
    await index.write(
      offers.slice(from, from + OFFERS_PER_WRITE).flatMap((offer, at) => promotedWrites(offer, from + at)),
    )
  }
  await index.refresh()
  const searches = await measureSearches()
  reportFigure({
    measure: 'Searches, none cached, Elasticsearch',
    ...{ value: searches.ratio, unit: 'of bare _search', goal: { atLeast: 0.9 } },
  })
  console.table([searches])
} finally {
  await index.close()
  await removeIndices(url, namespace)
  await client.close()
}

async function measureSearches() {
  const queries = adSearches(SHOP, offers, SEARCHES)
  const weights = new Map(campaigns.flatMap(({ campaignIds, weight }) => campaignIds.map((id) => [id, weight])))
  // Bodies as the port makes them. The rarity does not matter: all cost the same.
  const vocabulary = { frequency: () => 1, rarity: () => 1 }
  const bodies = queries.map((query) => searchBody(query, weights, vocabulary, SEARCH_TIMEOUT_MS))
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
    await searchAll(queries, SEARCHES_AT_ONCE, (_, at) => run(at))
    ms[side].push(performance.now() - startedAt)
  }
  const perSecond = (elapsed: number[]) => Math.round((SEARCHES * 1000) / Math.min(...elapsed))
  return {
    measure: 'searches, none cached, /s',
    bare: perSecond(ms.bare),
    ours: perSecond(ms.ours),
    ratio: Number((perSecond(ms.ours) / perSecond(ms.bare)).toFixed(2)),
  }
}
