/**
 * What one shop's searches cost in an embedded product index that many shops share, against an index of that shop alone, in one
 * thread. Measures processor time in alternating rounds: of each kind of search, of the first search for each word after a start,
 * and of making changed products visible. All shops sell similar products, so that they share words; a tenth of the products have
 * signals.
 *
 *     node test/bench/search/many-shops.ts [shops] [products of each]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { rowsOf } from '../../../infra/product-index/embedded/rows.ts'
import { openIndexSearcher } from '../../../infra/product-index/embedded/search/searcher.ts'
import { openIndexWriter } from '../../../infra/product-index/embedded/writer.ts'
import type { Filter, IndexWrite, Rank } from '../../../infra/product-index/port.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { sequence } from '../../../services/demo/sequence.ts'
import { promotedOffer } from '../../infra/product-index/offer.fixture.ts'
import { generateProducts } from '../generated-products.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

const SHOPS = Number(process.argv[2] ?? 500)
const PRODUCTS = Number(process.argv[3] ?? 400)
const SHOP = `shop-${Math.floor(SHOPS / 2)}`
const CAMPAIGNS = 10
const WRITTEN_AT_ONCE = 100
const SEARCHES = 100
const ROUNDS = 8
const CHANGES = 20
const LIMIT = 16
const MB = 1_000_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const random = sequence(5).next
const products = generateProducts(SHOP, PRODUCTS)
const samples = Array.from({ length: SEARCHES }, () => products[Math.floor(random() * PRODUCTS)]!)

const folder = mkdtempSync(join(tmpdir(), 'many-shops-'))
const indexes = {
  alone: openIndex('alone', [SHOP]),
  shared: openIndex(
    'shared',
    Array.from({ length: SHOPS }, (_, at) => `shop-${at}`),
  ),
}
type Index = ReturnType<typeof openIndex>

const text = (words: string, minShare: number, where: 'ALL_FIELDS' | 'TITLE' = 'ALL_FIELDS'): Filter => ({
  kind: 'text',
  ...{ text: words, lang: 'en', minShare, in: where },
})
const byText = (words: string): Rank => ({ by: 'text', text: words, lang: 'en' })
const wordsOf = ({ title }: ProductOffer, count: number) =>
  title
    .split(' ')
    .slice(1, 1 + count)
    .join(' ')
const pathOf = ({ productTypes }: ProductOffer) => productTypes[0]!
/** The word without its third letter. */
const misspelt = (word: string) => word.slice(0, 2) + word.slice(3)

type Search = { filters: Filter[]; rank: Rank }
const phrase = (words: string, minShare: number, where?: 'TITLE'): Search => ({
  filters: [text(words, minShare, where)],
  rank: byText(words),
})
const searches: Record<string, (offer: ProductOffer) => Search> = {
  'one word': (offer) => phrase(wordsOf(offer, 1), 1),
  'both of two words': (offer) => phrase(wordsOf(offer, 2), 1),
  'some of two words': (offer) => phrase(wordsOf(offer, 2), 0),
  'a misspelt word': (offer) => phrase(misspelt(offer.title.split(' ')[2]!), 1),
  'a title': ({ title }) => phrase(title, 0.5, 'TITLE'),
  'some words of a title': ({ title }) => phrase(title, 0),
  'category nodes': (offer) => ({
    filters: [{ kind: 'categoryNodes', anyOf: [pathOf(offer).split(' > ').slice(1)] }],
    rank: { by: 'none' },
  }),
  'category paths': (offer) => ({
    filters: [{ kind: 'categoryPaths', paths: [pathOf(offer)] }],
    rank: { by: 'categories', paths: [pathOf(offer)] },
  }),
  'title and categories': (offer) => ({
    filters: [],
    rank: { by: 'textAndCategories', text: offer.title, lang: 'en', paths: [pathOf(offer)] },
  }),
  'brand and attribute': (offer) => ({
    filters: [
      { kind: 'brand', anyOf: [offer.brand!] },
      { kind: 'attribute', name: 'color', anyOf: [offer.color!, 'red'] },
    ],
    rank: { by: 'popularity' },
  }),
  bestsellers: () => ({ filters: [], rank: { by: 'popularity' } }),
}
const calls: Record<string, (index: Index, offer: ProductOffer) => unknown> = {
  ...Object.fromEntries(
    Object.entries(searches).map(([name, of]) => [
      name,
      (index: Index, offer: ProductOffer) => index.search(of(offer)),
    ]),
  ),
  'a count of a campaign’s': ({ searcher }) =>
    searcher.count(SHOP, [{ kind: 'campaign', campaignId: `${SHOP}-1` }, { kind: 'available' }]),
  'a count of words': ({ searcher }, offer) => searcher.count(SHOP, [text(wordsOf(offer, 2), 1)]),
  'a page of a scan': ({ searcher }) =>
    searcher.scan({ shopId: SHOP, filters: [{ kind: 'available' }], after: null, limit: 20 }),
  sellers: ({ searcher }) => searcher.sellers({ shopId: SHOP, contains: '', anyOf: null, limit: 20 }),
  'similar terms': ({ searcher }, offer) => searcher.similarTerms(misspelt(offer.title.split(' ')[2]!)),
}

// What a thread does for the first time takes longer. Do it here, so that it does not count as part of the first searches.
const warmUp = openIndex('warm-up', [SHOP])
for (const offer of samples) warmUp.search(phrase(wordsOf(offer, 2), 1))
warmUp.close()
const ofFirst = compare('first searches of two words', { rounds: 1, warmUp: false }, (index) => {
  for (const offer of samples) index.search(phrase(wordsOf(offer, 2), 1))
  return SEARCHES
})
report('First searches', ofFirst)
for (const { searcher } of Object.values(indexes)) while (searcher.readAhead());
const ofKinds = Object.entries(calls).map(([name, call]) =>
  compare(name, {}, (index) => {
    for (const offer of samples) call(index, offer)
    return SEARCHES
  }),
)
report('The kind of search that other shops cost most', Math.max(...ofKinds))
let changes = 0
/** Stores a change. It does not count, because storing is not the search thread's work. */
const change = (index: Index) => index.change(products[Math.floor(++changes / 2) % PRODUCTS]!, changes)
const ofChange = compare('seeing a changed product', { rounds: CHANGES, prepare: change }, (index) => index.refresh())
report('Seeing a changed product', ofChange)
collectGarbage()
const { heapUsed, external } = process.memoryUsage()
console.log(`both take ${((heapUsed + external) / MB).toFixed(0)} MB of memory`)
for (const index of Object.values(indexes)) index.close()
rmSync(folder, { recursive: true })

interface Comparison {
  rounds?: number
  /** Whether to run one round first that does not count. */
  warmUp?: boolean
  /** Runs before each round, without being counted. */
  prepare?: (index: Index) => void
}

/**
 * Measures the processor time of each index in alternating rounds.
 * @param work returns how many operations it has done.
 * @returns the time with the shared index, as a multiple of the time with the shop's own index.
 */
function compare(
  name: string,
  { rounds = ROUNDS, warmUp = true, prepare = () => {} }: Comparison,
  work: (index: Index) => number,
): number {
  const spentUs = { alone: 0, shared: 0 }
  for (let round = warmUp ? -1 : 0; round < rounds; round++) {
    for (const which of ['alone', 'shared'] as const) {
      prepare(indexes[which])
      const stopwatch = startStopwatch()
      const done = work(indexes[which])
      if (round >= 0) spentUs[which] += (stopwatch().threadCpuMs * 1_000) / (rounds * done)
    }
  }
  const { alone, shared } = spentUs
  const ratio = shared / alone
  console.log(
    `${name}: ${alone.toFixed(0)} µs of CPU alone, ${shared.toFixed(0)} µs among ${SHOPS} shops, ${ratio.toFixed(2)} times`,
  )
  return ratio
}

function report(measure: string, ratio: number): void {
  const among = `among ${SHOPS} shops of ${PRODUCTS} products: CPU`
  reportFigure({
    measure: `${measure}, ${among}`,
    value: ratio,
    unit: 'times that of the shop alone',
    goal: { atMost: 1.5 },
  })
}

/** Opens an index of shops whose imports take turns. */
function openIndex(name: string, shops: readonly string[]) {
  const writer = openIndexWriter({ folder: join(folder, name) })
  for (let from = 0; from < PRODUCTS; from += WRITTEN_AT_ONCE) {
    for (const shopId of shops) {
      const offers = products.slice(from, from + WRITTEN_AT_ONCE)
      writer.write(rowsOf(offers.flatMap((offer, at) => writesOf({ ...offer, shopId }, from + at))))
    }
  }
  const searcher = openIndexSearcher({ folder: join(folder, name) })
  searcher.refresh(writer.touched(searcher.seen()))
  const campaigns = searcher.campaignSet(
    Array.from({ length: CAMPAIGNS }, (_, at) => ({ campaignIds: [`${SHOP}-${at}`], weight: 0.1 + at / 20 })),
  )
  return {
    searcher,
    search({ filters, rank }: Search) {
      const query = { shopId: SHOP, filters: [{ kind: 'available' as const }, ...filters], rank, limit: LIMIT }
      return searcher.search({ ...query, priorClickRate: 0.004, tieSeed: 1 }, campaigns)
    },
    change(offer: ProductOffer, version: number) {
      const title = `${offer.title} number ${version}`
      writer.write(rowsOf([{ kind: 'offer', version: version + 1, offer: { ...offer, shopId: SHOP, title } }]))
    },
    refresh() {
      searcher.refresh(writer.touched(searcher.seen()))
      return 1
    },
    close() {
      searcher.close()
      writer.close()
    },
  }
}

function writesOf(offer: ProductOffer, at: number): IndexWrite[] {
  const { shopId, id } = offer
  const signals = { shopId, id, popularity: at % 50, views: 100, clicks: at % 7, alsoBought: [], computedAt: 0 }
  return [
    ...promotedOffer(offer, [`${shopId}-${at % CAMPAIGNS}`]),
    ...(at % 10 === 0 ? [{ kind: 'signals', version: 1, signals } as const] : []),
  ]
}
