/**
 * Ad selection beside a bare Fastify that parses the same bodies and answers bytes of the same length.
 *
 *     node test/bench/selection/selection.ts [folder with products.jsonl.gz] [seconds]
 *
 * Over 19,406 products and 60 campaigns, on the embedded engines or those that the environment names: one slot of 4 ads; 200 listing
 * requests drawn by Zipf, then requests that are all different; 64 connections from another process.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createMetrics } from '../../../infra/metrics.ts'
import type { AdUnit, RegistryEntry } from '../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { createShowIds } from '../../../services/domain/show-id/show-id.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createHttpServer } from '../../../services/http/server.ts'
import { unknownTraffic } from '../../../services/replicas/traffic-follower.ts'
import { selectionApp } from '../../../services/selection/http/app.ts'
import { generousLimits } from '../../generous-limits.ts'
import { requestLimits } from '../../request-limits.ts'
import { sponsored } from '../../services/selection/world.ts'
import { openEngines } from '../engines-of-environment.ts'
import { generateProducts, seededRandom } from '../generated-products.ts'
import { readIcecat } from '../relevance/icecat.ts'
import { icecatOffer } from '../relevance/icecat-offer.ts'
import { bareFastify, type Driven, drive, printDriven } from './drive.ts'

const PATH = '/v1/dsa/raw/batch'
const PRODUCTS = 19_406
const CAMPAIGNS = 60
const CONNECTIONS = 64
const LISTINGS = 200
const ADS = 4
/** Bodies handed to the driver, which goes through them in turn. */
const DRAWS = 100_000
const WRITES_PER_CALL = 1000
/** Each way is measured this often, in turn; the best of each counts, because the machine is shared. */
const ROUNDS = 3

const dataFolder = process.argv[2]
const SECONDS = Number(process.argv[3] ?? 6)

const shopId = randomUUID()
const offers = dataFolder
  ? readIcecat(dataFolder).map((product) => icecatOffer(product, shopId))
  : generateProducts(shopId, PRODUCTS)

const folder = mkdtempSync(join(tmpdir(), 'bench-selection-'))
const engines = await openEngines(folder)
const { index, log, counters } = engines

const snapshot = new Snapshot()
function put(kind: RegistryEntry['kind'], body: unknown, id: string = randomUUID()): string {
  snapshot.apply({ kind, id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body } as RegistryEntry)
  return id
}
const random = seededRandom(2)
const accountId = put('Account', { kind: 'ADVERTISER', name: 'A', companyName: 'A', taxNumber: '1', sellerIds: [] })
put(
  'Shop',
  { accountId, currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin', reserveCpcMicros: 50_000 },
  shopId,
)
const unit: AdUnit = {
  placementId: '',
  shopId,
  name: '',
  algorithm: 'CONTEXT_MATCH',
  status: 'ACTIVE',
  adFormatIds: [],
  targeting: [],
}
const slotHash = put('AdUnit', unit)
const campaignIds = Array.from({ length: CAMPAIGNS }, () => {
  const cpcMicros = 50_000 + 10_000 * Math.floor(random() * 40)
  const always = { startAt: 0, endAt: null, budgetMicros: 1e12 }
  return put('Campaign', { ...sponsored(shopId, accountId), ...always, cpcMicros })
})
for (let from = 0; from < offers.length; from += WRITES_PER_CALL) {
  await index.write(
    offers.slice(from, from + WRITES_PER_CALL).flatMap((offer) => [
      { kind: 'offer', version: 1, offer },
      {
        kind: 'promotions',
        version: 1,
        shopId,
        feedId: offer.feedId,
        id: offer.id,
        campaignIds: [campaignIds[Math.floor(random() * CAMPAIGNS)]!],
      },
    ]),
  )
}
await index.refresh()
// As the streams do: without it selection takes no word of the counters.
for (let shard = 0; shard < counters.shards; shard++) await counters.markComplete(shard)

const slot = (targeting: object) => JSON.stringify({ targeting: [{ slotHash, adCount: ADS, ...targeting }] })
const anOffer = () => offers[Math.floor(random() * offers.length)]!
const wordsOf = (offer: ProductOffer) => offer.title.split(/\s+/).filter((word) => word.length > 2)

/** What the 200 most visited listings ask: categories, and searches for two words of a title. */
const listings = Array.from({ length: LISTINGS }, (_, i) => {
  const offer = anOffer()
  const path = offer.productTypes[0]
  if (i % 2 === 0 && path) return slot({ categoryPaths: [path] })
  return slot({ searchData: wordsOf(offer).slice(0, 2).join(' ') })
})
const shares = listings.map((_, rank) => 1 / (rank + 1))
const total = shares.reduce((sum, share) => sum + share, 0)
function byZipf(): string {
  let left = random() * total
  for (const [rank, share] of shares.entries()) {
    left -= share
    if (left < 0) return listings[rank]!
  }
  return listings[0]!
}
const popular = Array.from({ length: DRAWS }, byZipf)
let asked = 0
const different = () =>
  Array.from({ length: DRAWS }, () => {
    const words = wordsOf(anOffer())
    return slot({ searchData: `${words[0]} ${words.at(-1)}`, priceMax: 1000 + asked++ / 100 })
  })

function selection(): FastifyInstance {
  const server = createHttpServer({ logger: false })
  const app = selectionApp({
    snapshot,
    limits: requestLimits({ snapshot, limits: generousLimits }),
    index,
    log,
    counters,
    showIds: createShowIds({ keys: [{ id: 1, secret: randomBytes(32) }] }),
    now: Date.now,
    elapsedMicros: () => performance.now() * 1000,
    uuid: randomUUID,
    deadlineMs: 100,
    traffic: unknownTraffic,
    publicUrl: 'http://localhost',
    metrics: createMetrics(null),
  })
  server.register(app.plugin)
  return server as unknown as FastifyInstance
}

async function sampleAnswer(): Promise<string> {
  const server = selection()
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
  '200 listings by Zipf': () => drive(selection(), { ...load, bodies: popular }),
  'all requests different': () => drive(selection(), { ...load, bodies: different() }),
}
const best: Record<string, Driven> = {}
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, measure] of Object.entries(ways)) {
    const measured = await measure()
    if (!best[name] || measured.perSecond > best[name].perSecond) best[name] = measured
  }
}
await engines.close()
rmSync(folder, { recursive: true })

console.log(`${offers.length} products, ${answer.length} bytes an answer`)
printDriven(best, best['bare Fastify, the same bytes']!)
console.log('targets: Zipf ratio >= 0.35 and p99 < 20 ms; all different p99 < 50 ms')
