/**
 * The embedded product index against SQLite's own MATCH and bm25(), over the judged queries and products of a folder with
 * `products.jsonl.gz` and `judgments.csv`, in one thread: the time of a search for the best ten in the auction's order. Each of 40
 * brands has a campaign. Bids weigh relevance, and offers of other brands are not found.
 *
 *     node test/bench/search/text-search.ts <folder> [how many times each product is there]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rowsOf } from '../../../infra/product-index/embedded/rows.ts'
import { openIndexSearcher } from '../../../infra/product-index/embedded/search/searcher.ts'
import { openIndexWriter } from '../../../infra/product-index/embedded/writer.ts'
import type { Filter } from '../../../infra/product-index/port.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { promotedOffer } from '../../infra/product-index/offer.fixture.ts'
import { percentile } from '../../program.ts'
import { openFts5 } from '../relevance/fts5.ts'
import { readIcecat, readJudgments } from '../relevance/icecat.ts'
import { icecatOffer } from '../relevance/icecat-offer.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

const SHOP = 'icecat'
const BRANDS = 40
const LIMIT = 10
const ROUNDS = 10
const PRICE_MIN_MICROS = 50_000_000

const [source, times = '1'] = process.argv.slice(2)
if (!source) throw new Error('usage: node test/bench/search/text-search.ts <folder> [times]')
const products = readIcecat(source).map((product) => icecatOffer(product, SHOP))
const offers = Array.from({ length: Number(times) }, (_, copy) =>
  products.map((offer) => ({ ...offer, id: `${offer.id}-${copy}` })),
).flat()
console.log(`${offers.length} products`)
const texts = [...new Set(readJudgments(source).map(({ query }) => query))]

const offersByBrand = Map.groupBy(offers, campaignOf)
offersByBrand.delete('')
const brands = [...offersByBrand].sort((a, b) => b[1].length - a[1].length).slice(0, BRANDS)
const weights = new Map(brands.map(([brand], at) => [brand, 0.1 + (at % 10) / 20]))

const folder = mkdtempSync(join(tmpdir(), 'text-search-'))
const index = openIndex(folder)
const baseline = openFts5(offers, { campaignOf, weights })
const cases = [
  { name: 'every word', everyWord: true },
  { name: 'some word', everyWord: false },
  { name: 'some word, a least price', everyWord: false, priceMinMicros: PRICE_MIN_MICROS },
]
for (const { name, ...query } of cases) {
  const ofIndex = measure((text) => index.search({ ...query, text }))
  const ofFts5 = measure((text) => baseline.search({ ...query, text, limit: LIMIT }))
  reportFigure({
    measure: `A search, ${name}, ${offers.length} products: p50`,
    ...{ value: ofIndex.medianMs, unit: 'ms', goal: { atMost: 2 } },
  })
  console.log(
    `${name}: index p50 ${ofIndex.medianMs.toFixed(2)} ms, mean ${ofIndex.meanCpuMs.toFixed(2)} ms of the processor;`,
    `FTS5 bm25() p50 ${ofFts5.medianMs.toFixed(2)} ms, mean ${ofFts5.meanCpuMs.toFixed(2)} ms;`,
    `ratio of the means ${(ofFts5.meanCpuMs / ofIndex.meanCpuMs).toFixed(1)}`,
  )
}
index.close()
baseline.close()
rmSync(folder, { recursive: true })

function openIndex(folder: string) {
  const writer = openIndexWriter({ folder })
  writer.write(rowsOf(offers.flatMap((offer) => promotedOffer(offer, [campaignOf(offer)]))))
  const searcher = openIndexSearcher({ folder })
  searcher.refresh(writer.touched(searcher.seen()))
  const campaigns = searcher.campaignSet([...weights].map(([brand, weight]) => ({ campaignIds: [brand], weight })))
  return {
    search({
      text,
      everyWord,
      priceMinMicros = null,
    }: {
      text: string
      everyWord: boolean
      priceMinMicros?: number | null
    }) {
      const filters: Filter[] = [
        { kind: 'available' },
        { kind: 'text', text, lang: 'en', minShare: everyWord ? 1 : 0, in: 'ALL_FIELDS' },
        ...(priceMinMicros === null ? [] : [{ kind: 'price', minMicros: priceMinMicros, maxMicros: null } as const]),
      ]
      const rank = { by: 'text', text, lang: 'en' } as const
      const query = { shopId: SHOP, filters, rank, limit: LIMIT, priorClickRate: 0.004, tieSeed: 1 }
      return searcher.search(query, campaigns)
    },
    close() {
      searcher.close()
      writer.close()
    },
  }
}

function campaignOf(offer: ProductOffer): string {
  return offer.brand ?? ''
}

/** Also measures processor time, which tells the two apart even on a busy machine. */
function measure(search: (text: string) => unknown): { medianMs: number; meanCpuMs: number } {
  for (const text of texts) search(text)
  const elapsed: number[] = []
  const spent = startStopwatch()
  for (let round = 0; round < ROUNDS; round++) {
    for (const text of texts) {
      const startedAt = performance.now()
      search(text)
      elapsed.push(performance.now() - startedAt)
    }
  }
  return { medianMs: percentile(elapsed, 0.5), meanCpuMs: spent().threadCpuMs / elapsed.length }
}
