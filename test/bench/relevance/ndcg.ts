/**
 * nDCG@10 of CONTEXT_MATCH (an offer has every word) and its WIDE variant (an offer has some word), ranked by text, over the judged
 * queries of a folder with `products.jsonl.gz` and `judgments.csv`, with all products in one campaign. The gain is 2^rating - 1,
 * unjudged products count 0, and the mean is over the queries with a relevant product. Also prints the speed.
 *
 *     node test/bench/relevance/ndcg.ts <folder> [--queries]
 *
 * Measures Elasticsearch if ELASTICSEARCH_URL is set, else the embedded index. Compares it with SQLite's own MATCH and bm25() over
 * the same terms.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateElasticsearch } from '../../../infra/product-index/elasticsearch/migrate.ts'
import { connectElasticsearch } from '../../../infra/product-index/elasticsearch/product-index.ts'
import { openEmbeddedProductIndex } from '../../../infra/product-index/embedded/product-index.ts'
import type { ProductIndex } from '../../../infra/product-index/port.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { removeIndices, testNamespace } from '../../engines/addresses.ts'
import { promotedOffer } from '../../infra/product-index/offer.fixture.ts'
import { reportFigure } from '../summary/figure.ts'
import { openFts5 } from './fts5.ts'
import { readIcecat } from './icecat.ts'
import { icecatOffer } from './icecat-offer.ts'
import { DEPTH, judgedQueries, mean, ndcg, SHOP, searchOf } from './judged.ts'

const WRITES_PER_CALL = 1000

const [folder, ...flags] = process.argv.slice(2)
if (!folder)
  throw new Error(
    'usage: node test/bench/relevance/ndcg.ts <folder with products.jsonl.gz and judgments.csv> [--queries]',
  )

type Find = (text: string, minShare: number) => Promise<string[]> | string[]

const { index, remove } = await openIndex(process.env.ELASTICSEARCH_URL)
try {
  const offers = readIcecat(folder).map((product) => icecatOffer(product, SHOP))
  await load(index, offers)
  const judged = judgedQueries(folder)
  const [strict, wide] = await report('the index', judged, async (text, minShare) => {
    const [result] = await index.search([searchOf(text, minShare)])
    return result!.hits.map(({ product }) => product.offer.id)
  })
  const engine = process.env.ELASTICSEARCH_URL ? 'Elasticsearch' : 'embedded'
  for (const [algorithm, values, atLeast] of [
    ['CONTEXT_MATCH', strict, 0.839],
    ['CONTEXT_MATCH_WIDE', wide, 0.854],
  ] as const) {
    reportFigure({
      measure: `${algorithm}, judged queries, ${engine}`,
      ...{ value: mean([...values.values()]), unit: `nDCG@${DEPTH}`, goal: { atLeast } },
    })
  }
  const baseline = openFts5(offers, { campaignOf: () => 'all', weights: new Map([['all', 1]]) })
  const [plainStrict, plainWide] = await report('FTS5 bm25()', judged, (text, minShare) =>
    baseline.search({ text, everyWord: minShare === 1, limit: DEPTH }),
  )
  if (flags.includes('--queries')) {
    console.log('the query, the index, FTS5 bm25(): every word, some word of each')
    for (const [query, value] of [...strict].sort((a, b) => a[1] - b[1])) {
      const values = [value, wide.get(query)!, plainStrict.get(query)!, plainWide.get(query)!]
      console.log(query.padEnd(30), ...values.map((each) => each.toFixed(3)))
    }
  }
  baseline.close()
  await speed(index, [...judged.keys()])
} finally {
  await index.close()
  await remove()
}

/** The values of CONTEXT_MATCH and of its WIDE variant, by query. */
async function report(name: string, judged: ReturnType<typeof judgedQueries>, find: Find) {
  const strict = await measure(find, judged, 1)
  const wide = await measure(find, judged, 0)
  console.log(
    `${name}: CONTEXT_MATCH      nDCG@${DEPTH} ${mean([...strict.values()]).toFixed(4)} over ${strict.size} queries`,
  )
  console.log(
    `${name}: CONTEXT_MATCH_WIDE nDCG@${DEPTH} ${mean([...wide.values()]).toFixed(4)} over ${wide.size} queries`,
  )
  return [strict, wide] as const
}

async function openIndex(url: string | undefined): Promise<{ index: ProductIndex; remove: () => Promise<void> }> {
  if (url !== undefined) {
    const namespace = testNamespace()
    await migrateElasticsearch({ url, namespace })
    return { index: connectElasticsearch({ url, namespace }), remove: () => removeIndices(url, namespace) }
  }
  const data = mkdtempSync(join(tmpdir(), 'ndcg-'))
  return {
    index: await openEmbeddedProductIndex({ folder: data }),
    remove: async () => rmSync(data, { recursive: true }),
  }
}

async function load(into: ProductIndex, products: readonly ProductOffer[]): Promise<void> {
  const startedAt = performance.now()
  for (let from = 0; from < products.length; from += WRITES_PER_CALL) {
    const offers = products.slice(from, from + WRITES_PER_CALL)
    await into.write(offers.flatMap((offer) => promotedOffer(offer, ['all'])))
  }
  await into.refresh()
  console.log(`${products.length} products indexed in ${Math.round(performance.now() - startedAt)} ms`)
}

async function measure(find: Find, judged: ReturnType<typeof judgedQueries>, minShare: number) {
  const values = new Map<string, number>()
  for (const [text, ratings] of judged) values.set(text, ndcg(ratings, await find(text, minShare)))
  return values
}

/** Times the queries one after the other, when all products have been found before. */
async function speed(from: ProductIndex, texts: string[]): Promise<void> {
  const elapsed: number[] = []
  for (let round = 0; round < 20; round++) {
    for (const text of texts) {
      const startedAt = performance.now()
      await from.search([searchOf(text, round % 2)])
      elapsed.push(performance.now() - startedAt)
    }
  }
  elapsed.sort((a, b) => a - b)
  const at = (share: number) => elapsed[Math.floor(elapsed.length * share)]!.toFixed(2)
  console.log(`search, one at a time: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
}
