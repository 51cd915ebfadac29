/**
 * Display ad selection against a bare Fastify that parses the same bodies and answers with as many bytes.
 *
 *     node test/bench/selection/display.ts [seconds]
 *
 * Over 10,000 display campaigns of one shop, on the embedded engines: one slot of 2 ads, every request different. 64 connections
 * from another process send requests as fast as they are served; then at a steady rate, which tells how long one request takes.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createRequestMetrics } from '../../../infra/metrics/requests.ts'
import type { BannerTargeting, RegistryEntry } from '../../../schemas/records/entities.ts'
import { sequence } from '../../../services/demo/sequence.ts'
import { createShowIds } from '../../../services/domain/show-id/show-id.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createHttpServer } from '../../../services/http/server.ts'
import { noLifts } from '../../../services/replicas/lifts-follower.ts'
import { unknownTraffic } from '../../../services/replicas/traffic-follower.ts'
import { selectionApp } from '../../../services/selection/http/app.ts'
import { generousLimits } from '../../generous-limits.ts'
import { requestLimits } from '../../request-limits.ts'
import { sponsored } from '../../services/selection/world.ts'
import { openEngines } from '../engines-of-environment.ts'
import { generateProducts } from '../generated-products.ts'
import { bareFastify, type Driven, drive, printDriven } from './drive.ts'

const PATH = '/v1/banner/dsa/raw/batch'
const CAMPAIGNS = 10_000
const PRODUCTS = 5_000
const CONNECTIONS = 64
const STEADY_PER_SECOND = 500
const ADS = 2
const DRAWS = 20_000
const KINDS = ['searchData', 'categoryPaths', 'brand', 'productId', 'profiles', 'referer']
const NO_TARGETING: BannerTargeting = {
  phrases: [],
  categoryPaths: [],
  brands: [],
  productIds: [],
  profiles: [],
  refererPatterns: [],
}
const headers = { referer: 'https://shop.example/c/home/lamps-4711/?page=2' }
const SECONDS = Number(process.argv[2] ?? 5)

const shopId = randomUUID()
const offers = generateProducts(shopId, PRODUCTS)
const random = sequence(3).next
const anOffer = () => offers[Math.floor(random() * offers.length)]!
const wordsOf = () => anOffer().title.split(' ').slice(1)

/** The targeting of a campaign: most target words or categories, two in five something more, and one in twenty nothing. */
function targeted(): BannerTargeting {
  const { brand, id, productTypes } = anOffer()
  const kinds: Partial<BannerTargeting>[] = [
    { phrases: [0, 1, 2].map(() => wordsOf().slice(0, 3).join(' ')) },
    { phrases: [0, 1, 2].map(() => wordsOf().slice(1, 3).join(' ')) },
    { categoryPaths: productTypes },
    { categoryPaths: productTypes },
    { brands: [brand!] },
    { productIds: [id] },
    { profiles: [`segment-${Math.floor(random() * 100)}`] },
    { refererPatterns: [`/c/home/*-${Math.floor(random() * 10_000)}/*`] },
  ]
  const a = () => kinds[Math.floor(random() * kinds.length)]
  return random() < 0.05 ? NO_TARGETING : { ...NO_TARGETING, ...a(), ...(random() < 0.4 ? a() : {}) }
}

const request = (slotHash: string) => () => {
  const { title, brand, id, productTypes } = anOffer()
  const profiles = [0, 1].map(() => `segment-${Math.floor(random() * 100)}`)
  const page = { searchData: title, brand, productId: id, categoryPaths: productTypes, profiles }
  return JSON.stringify({ targeting: [{ slotHash, adCount: ADS, country: 'DE', ...page }] })
}

const folder = mkdtempSync(join(tmpdir(), 'bench-display-'))
const { log, index, counters, close } = await openEngines(folder)
for (let shard = 0; shard < counters.shards; shard++) await counters.markComplete(shard)

/** A shop with campaigns of this targeting and bid, and requests for its ads. */
function shopOf(campaign: () => { targeting: BannerTargeting; cpmMicros: number }) {
  const snapshot = new Snapshot()
  const put = (kind: RegistryEntry['kind'], body: unknown, id: string = randomUUID()): string => {
    snapshot.apply({ kind, id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body } as RegistryEntry)
    return id
  }
  const accountId = put('Account', { kind: 'PUBLISHER', name: 'A', sellerIds: [], displayEnabled: true })
  const shop = { accountId, currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin', reserveCpcMicros: 0 }
  put('Shop', shop, shopId)
  const unit = { shopId, algorithm: 'DISPLAY', status: 'ACTIVE', adFormatIds: [], targeting: KINDS }
  const slotHash = put('AdUnit', { placementId: '', name: '', ...unit })
  const always = { startAt: 0, endAt: null, budgetMicros: 1e12, kind: 'DISPLAY', country: 'DE' }
  for (let i = 0; i < CAMPAIGNS; i++) {
    const images = [{ imageId: randomUUID(), width: 300, height: 250 }]
    const banner = { id: randomUUID(), adFormatId: shopId, images, logoImageId: null, textFields: [], lang: null }
    const moderation = { state: 'ACCEPTED', history: [] }
    const shown = { banners: [banner], targetUrl: 'https://brand.example/', mobileDeepLink: null, moderation }
    put('Campaign', { ...sponsored(shopId, accountId), ...always, ...shown, ...campaign() })
  }
  const server = (): FastifyInstance => {
    const made = createHttpServer({ logger: false })
    const app = selectionApp({
      limits: requestLimits({ snapshot, limits: generousLimits }),
      ...{
        snapshot,
        index,
        log,
        counters,
        uuid: randomUUID,
        now: Date.now,
        deadlineMs: 100,
        publicUrl: 'http://localhost',
      },
      showIds: createShowIds({ keys: [{ id: 1, secret: randomBytes(32) }] }),
      elapsedMicros: () => performance.now() * 1000,
      traffic: unknownTraffic,
      lifts: noLifts,
      metrics: createRequestMetrics(null),
    })
    made.register(app.plugin)
    return made as unknown as FastifyInstance
  }
  return { server, bodies: Array.from({ length: DRAWS }, request(slotHash)) }
}

const bidOf = () => 1_000_000 + 10_000 * Math.floor(random() * 400)
const shops = {
  'targeted campaigns': shopOf(() => ({ targeting: targeted(), cpmMicros: bidOf() })),
  'campaigns for every page': shopOf(() => ({ targeting: NO_TARGETING, cpmMicros: bidOf() })),
  'the same, all of one bid': shopOf(() => ({ targeting: NO_TARGETING, cpmMicros: 2_000_000 })),
}

async function sampleAnswer({ server, bodies }: ReturnType<typeof shopOf>): Promise<string> {
  const sampled = server()
  const answers: string[] = []
  for (const payload of bodies.slice(0, 200)) {
    const options = { method: 'POST', url: PATH, payload, headers: { ...headers, 'content-type': 'application/json' } }
    answers.push((await sampled.inject(options as never)).body)
  }
  await sampled.close()
  const full = answers.filter((answer) => JSON.parse(answer).data[0].ads.length === ADS)
  console.log(`${full.length} of ${answers.length} answers are full`)
  return full.toSorted((a, b) => a.length - b.length)[Math.floor(full.length / 2)]!
}

const load = { path: PATH, connections: CONNECTIONS, seconds: SECONDS, headers }
const answer = await sampleAnswer(shops['targeted campaigns'])
const { bodies } = shops['targeted campaigns']
const driven: Record<string, Driven> = {
  'bare Fastify, the same bytes': await drive(bareFastify(PATH, answer), { ...load, bodies }),
}
driven[`bare Fastify, ${STEADY_PER_SECOND}/s`] = await drive(bareFastify(PATH, answer), {
  ...load,
  bodies,
  rate: STEADY_PER_SECOND,
})
for (const [name, { server, bodies }] of Object.entries(shops)) {
  driven[name] = await drive(server(), { ...load, bodies })
  driven[`${name}, ${STEADY_PER_SECOND}/s`] = await drive(server(), { ...load, bodies, rate: STEADY_PER_SECOND })
}
await close()
rmSync(folder, { recursive: true })

console.log(`${CAMPAIGNS} campaigns, ${answer.length} bytes an answer`)
printDriven(driven, driven['bare Fastify, the same bytes']!)
console.log('target: p99 < 5 ms at a steady rate, where that of bare Fastify is well below')
