/**
 * Ad selection against a bare Fastify that parses the same bodies and answers with as many bytes.
 *
 *     node test/bench/selection/selection.ts [folder with products.jsonl.gz] [seconds]
 *
 * Over 19,406 products and 60 campaigns, on the embedded engines or those named by the environment: one slot of 4 ads; first 200
 * listing requests drawn by Zipf, then requests that are all different; 64 connections from another process.
 */
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { reportFigure } from '../summary/figure.ts'
import { byZipf } from '../zipf.ts'
import { bareFastify, type Driven, drive, printDriven } from './drive.ts'
import { openBenchShop, PATH } from './shop.ts'

const CONNECTIONS = 64
const LISTINGS = 200
const ADS = 4
/** The number of bodies for the process that sends requests, which goes through them in turn. */
const DRAWS = 100_000
/** Each way is measured this often, in turn; the best counts, because the machine is shared. */
const ROUNDS = 3

const dataFolder = process.argv[2]
const SECONDS = Number(process.argv[3] ?? 6)

const shop = await openBenchShop(dataFolder)
const { offers, random } = shop
const slotHash = shop.adUnit('CONTEXT_MATCH')

const slot = (targeting: object) => JSON.stringify({ targeting: [{ slotHash, adCount: ADS, ...targeting }] })
const anOffer = () => offers[Math.floor(random() * offers.length)]!
const wordsOf = (offer: ProductOffer) => offer.title.split(/\s+/).filter((word) => word.length > 2)

/** The requests of the 200 most visited listings: categories, and searches for two words of a title. */
const listings = Array.from({ length: LISTINGS }, (_, i) => {
  const offer = anOffer()
  const path = offer.productTypes[0]
  if (i % 2 === 0 && path) return slot({ categoryPaths: [path] })
  return slot({ searchData: wordsOf(offer).slice(0, 2).join(' ') })
})
const rank = byZipf(LISTINGS, random)
const popular = Array.from({ length: DRAWS }, () => listings[rank()]!)
let asked = 0
const different = () =>
  Array.from({ length: DRAWS }, () => {
    const words = wordsOf(anOffer())
    return slot({ searchData: `${words[0]} ${words.at(-1)}`, priceMax: 1000 + asked++ / 100 })
  })

async function sampleAnswer(): Promise<string> {
  const server = shop.server()
  const inject = (payload: string) =>
    server.inject({
      method: 'POST',
      url: PATH,
      headers: { 'content-type': 'application/json' },
      payload,
    })
  const answers: string[] = []
  for (const body of listings) answers.push((await inject(body)).body)
  await server.close()
  const full = answers.filter((answer) => JSON.parse(answer).data[0].ads.length === ADS)
  console.log(`${full.length} of ${LISTINGS} listings are full`)
  return full.toSorted((a, b) => a.length - b.length)[Math.floor(full.length / 2)]!
}

const answer = await sampleAnswer()
const load = { path: PATH, connections: CONNECTIONS, seconds: SECONDS }
const ways: Record<string, () => Promise<Driven>> = {
  'bare Fastify, the same bytes': () => drive(bareFastify(PATH, answer), { ...load, bodies: popular }),
  '200 listings by Zipf': () => drive(shop.server(), { ...load, bodies: popular }),
  'all requests different': () => drive(shop.server(), { ...load, bodies: different() }),
}
const best: Record<string, Driven> = {}
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, measure] of Object.entries(ways)) {
    const measured = await measure()
    if (!best[name] || measured.perSecond > best[name].perSecond) best[name] = measured
  }
}
await shop.close()

console.log(`${offers.length} products, ${answer.length} bytes an answer`)
printDriven(best, best['bare Fastify, the same bytes']!)
const engines = process.env.ELASTICSEARCH_URL ? 'real engines' : 'embedded'
const bare = best['bare Fastify, the same bytes']!
const [zipf, allDifferent] = [best['200 listings by Zipf']!, best['all requests different']!]
for (const [name, driven, atLeast] of [
  ['200 listings by Zipf', zipf, 0.6],
  ['all different', allDifferent, 0.4],
] as const) {
  reportFigure({
    measure: `Ad requests, ${name}, ${engines}`,
    ...{ value: driven.perSecond / bare.perSecond, unit: 'of a bare Fastify', goal: { atLeast } },
  })
  reportFigure({
    measure: `The same: p99, ${name}, ${engines}`,
    ...{ value: driven.p99Ms / bare.p99Ms, unit: "times the bare server's", goal: { atMost: 1.5 } },
  })
}
reportFigure({
  measure: `Server thread an ad request of ${ADS} ads, by Zipf, ${engines}`,
  ...{ value: zipf.threadMicros, unit: 'µs', goal: { atMost: 180 } },
})
