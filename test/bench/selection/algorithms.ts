/**
 * Each algorithm of sponsored ads separately, over 19,406 products: requests, all different, one at a time at a low rate.
 *
 *     node test/bench/selection/algorithms.ts [folder with products.jsonl.gz] [seconds]
 *
 * Also prints the processor time of the whole process, which depends less on how busy the machine is.
 */
import type { SponsoredAlgorithm } from '../../../schemas/records/entities.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'
import { drive } from './drive.ts'
import { openBenchShop, PATH } from './shop.ts'

const ADS = 4
const DRAWS = 5_000
const PER_SECOND = 100
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'

const SECONDS = Number(process.argv[3] ?? 4)
const shop = await openBenchShop(process.argv[2])
const anOffer = () => shop.offers[Math.floor(shop.random() * shop.offers.length)]!
const categorized = shop.offers.filter(({ productTypes }) => productTypes.length > 0)
const paths = () => ({
  categoryPaths: categorized[Math.floor(shop.random() * categorized.length)]!.productTypes.slice(0, 1),
})
const title = () => ({ productTitle: anOffer().title })
const productId = () => ({ productId: anOffer().id })

function phrase(): string {
  const words = anOffer()
    .title.split(/\s+/)
    .filter((word) => word.length > 2)
  return `${words[0]} ${words.at(-1)}`
}

/** A word with one letter too many, which hardly any offer has. */
function misspelt(): string {
  const words = anOffer()
    .title.split(/\s+/)
    .filter((word) => /^[A-Za-z]{6,12}$/.test(word))
  const word = words[0] ?? 'Notebook'
  const at = 2 + Math.floor(shop.random() * (word.length - 2))
  return word.slice(0, at) + ALPHABET[Math.floor(shop.random() * ALPHABET.length)] + word.slice(at)
}

const ways: readonly [string, SponsoredAlgorithm, () => object][] = [
  ['categories', 'SIMILAR_CATEGORIES', paths],
  ['bestsellers', 'BESTSELLERS', paths],
  ['two words', 'CONTEXT_MATCH', () => ({ searchData: phrase() })],
  ['some of two words', 'CONTEXT_MATCH_WIDE', () => ({ searchData: phrase() })],
  ['a misspelt word', 'CONTEXT_MATCH', () => ({ searchData: misspelt() })],
  ['titles', 'SIMILAR_TITLES', title],
  ['titles, wide', 'SIMILAR_TITLES_WIDE', title],
  ['titles and categories', 'SIMILAR_CATEGORIES_AND_TITLES', () => ({ ...title(), ...paths() })],
  ['a product', 'SIMILAR_PRODUCT_ID', productId],
  ['a product, wide', 'SIMILAR_PRODUCT_ID_WIDE', productId],
  ['also bought', 'ALSO_BOUGHT', () => ({ shopProductId: anOffer().id })],
]

const rows: object[] = []
for (const [name, algorithm, targeting] of ways) {
  const slotHash = shop.adUnit(algorithm)
  let asked = 0
  // Different prices make requests with the same words differ. Algorithms that do not read the price draw from enough products.
  const body = () =>
    JSON.stringify({ targeting: [{ slotHash, adCount: ADS, priceMax: 100_000 + asked++ / 100, ...targeting() }] })
  const bodies = Array.from({ length: DRAWS }, body)
  const spent = startStopwatch()
  const driven = await drive(shop.server(), { path: PATH, bodies, connections: 1, rate: PER_SECOND, seconds: SECONDS })
  const { cpuMs } = spent()
  for (const [figure, value, atMost] of [
    ['p50', driven.p50Ms, 3],
    ['p99', driven.p99Ms, 15],
  ] as const) {
    reportFigure({ measure: `${algorithm}, ${name}, one at a time: ${figure}`, value, unit: 'ms', goal: { atMost } })
  }
  rows.push({
    asked: name,
    algorithm,
    'p50 ms': driven.p50Ms,
    'p99 ms': driven.p99Ms,
    'processor ms a request': Number((cpuMs / driven.answered).toFixed(2)),
    'of it the server thread': Number((driven.threadMicros / 1_000).toFixed(2)),
  })
}
console.table(rows)
await shop.close()
