/**
 * The embedded product index of a large shop, in one thread: what it costs to store the products and to read them at a start, how
 * long first and later searches take, and what it costs to read changed products. All products are promoted, by 60 campaigns.
 * Searches are for words from product titles.
 *
 *     node test/bench/search/large-shop.ts [products]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { rowsOf } from '../../../infra/product-index/embedded/rows.ts'
import { openIndexSearcher } from '../../../infra/product-index/embedded/search/searcher.ts'
import { databaseFile, openIndexWriter } from '../../../infra/product-index/embedded/writer.ts'
import type { Filter, IndexWrite } from '../../../infra/product-index/port.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { sequence } from '../../../services/demo/sequence.ts'
import { promotedOffer } from '../../infra/product-index/offer.fixture.ts'
import { percentile } from '../../program.ts'
import { endlessProducts } from '../generated-products.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

const PRODUCTS = Number(process.argv[2] ?? 1_000_000)
const SHOP = 'shop'
const CAMPAIGNS = 60
const WRITTEN_AT_ONCE = 1_000
const SEARCHES = 400
const LIMIT = 20
const MB = 1_000_000
const LATER = 'later'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const random = sequence(3).next
const folder = mkdtempSync(join(tmpdir(), 'large-shop-'))
const writer = openIndexWriter({ folder })

const stored = cpuMs(() => {
  const products = endlessProducts(SHOP)
  for (let from = 0; from < PRODUCTS; from += WRITTEN_AT_ONCE) {
    const length = Math.min(WRITTEN_AT_ONCE, PRODUCTS - from)
    write(
      Array.from({ length }, () => products.next().value),
      1,
    )
  }
})
const file = statSync(databaseFile(folder)).size / MB
console.log(`${PRODUCTS} products: ${perProduct(stored)} µs of CPU each to store, ${file.toFixed(0)} MB on disk`)

/** Evenly spread over all products. */
const sample = endlessProducts(SHOP)
  .take(PRODUCTS)
  .filter((_, at) => at % Math.ceil(PRODUCTS / SEARCHES) === 0)
  .toArray()
const memoryBefore = memoryMb()
const searcher = openIndexSearcher({ folder })
const campaigns = searcher.campaignSet(
  Array.from({ length: CAMPAIGNS }, (_, at) => ({ campaignIds: [`campaign-${at}`], weight: 0.1 + (at % 10) / 20 })),
)
console.log(
  `a start reads them in ${perProduct(cpuMs(() => searcher.refresh(writer.touched(searcher.seen()))))} µs of CPU each`,
)

searchAll('first searches')
// Reads ahead, as the thread of the index does between searches.
while (searcher.readAhead());
searchAll(LATER)
write(
  sample.map((offer) => ({ ...offer, title: `${offer.title} new` })),
  2,
)
const reread = cpuMs(() => searcher.refresh(writer.touched(searcher.seen())))
console.log(`${sample.length} changed products are read in ${reread.toFixed(0)} ms of CPU`)
searchAll(`after ${sample.length} changed`)
console.log(`what searches read from takes ${(memoryMb() - memoryBefore).toFixed(0)} MB`)
searcher.close()
writer.close()
rmSync(folder, { recursive: true })

function write(offers: readonly ProductOffer[], version: number): void {
  const writes = offers.flatMap((offer, at): IndexWrite[] => {
    const campaignIds = [`campaign-${at % CAMPAIGNS}`]
    return promotedOffer(offer, campaignIds, version)
  })
  writer.write(rowsOf(writes))
}

function searchAll(when: string): void {
  const wordsOf = ({ title }: ProductOffer) => title.split(' ').filter((word) => word.length > 2)
  const someOf = (offer: ProductOffer, count: number) => {
    const words = wordsOf(offer)
    return Array.from({ length: count }, () => words[Math.floor(random() * words.length)]!).join(' ')
  }
  const one = sample.map((offer) => someOf(offer, 1))
  const two = sample.map((offer) => someOf(offer, 2))
  const titles = sample.map(({ title }) => title)
  report(`A search, one word, ${when}`, one, 1)
  report(`A search, both of two words, ${when}`, two, 1)
  report(`A search, some of two words, ${when}`, two, 0)
  report(`A title, some of its words, ${when}`, titles, 0)
}

function report(name: string, texts: readonly string[], minShare: number): void {
  const elapsed = texts.map((text) => {
    const filters: Filter[] = [{ kind: 'available' }, { kind: 'text', text, lang: 'en', minShare, in: 'ALL_FIELDS' }]
    const rank = { by: 'text', text, lang: 'en' } as const
    const startedAt = performance.now()
    searcher.search({ shopId: SHOP, filters, rank, limit: LIMIT, priorClickRate: 0.004, tieSeed: 1 }, campaigns)
    return performance.now() - startedAt
  })
  const p50 = percentile(elapsed, 0.5)
  console.log(`${name}: p50 ${p50.toFixed(1)} ms, p99 ${percentile(elapsed, 0.99).toFixed(1)} ms`)
  if (name.startsWith('A search') && name.endsWith(LATER))
    reportFigure({ measure: `${name}, ${PRODUCTS} products: p50`, value: p50, unit: 'ms', goal: { atMost: 10 } })
}

function cpuMs(work: () => void): number {
  const spent = startStopwatch()
  work()
  return spent().cpuMs
}

function perProduct(ms: number): string {
  return ((ms * 1_000) / PRODUCTS).toFixed(0)
}

function memoryMb(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / MB
}
