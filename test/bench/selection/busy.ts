/**
 * Latency of ad selection while the streams process a backlog at full speed, against the same program while they are idle.
 *
 *     node test/bench/selection/busy.ts [requests per second]
 *
 * 19,406 products, one slot of 4 ads, and requests that are all different, sent at a steady rate from another process. The backlog
 * (views, clicks, purchases and page views) is appended to the log while the program is down.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { NewRecord } from '../../../infra/event-log/port.ts'
import type { ShowIdClaims } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { UNKNOWN_CLIENT } from '../../../services/domain/identity/client-hashes.ts'
import { must, type Program, startProgram } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { generateProducts } from '../generated-products.ts'
import { reportFigure } from '../summary/figure.ts'
import type { Load, Measured } from './selection.load.ts'

const RATE = Number(process.argv[2] ?? 300)
const CONNECTIONS = 16
const SECONDS = 4
const ROUNDS = 7
const PRODUCTS = 19_406
const BACKLOG_EVENTS = 1_200_000
const APPENDED_AT_ONCE = 1_000
const [P50_GOAL_MS, P99_GOAL_MS] = [2, 8]
const BUSY_P99_GOAL_MS = 15
/** The p99 beside the streams, relative to that at rest. */
const BUSY_GOAL = 2

interface Created {
  id: string
  slotHash: string
}

let running: Program | null = null
/** The number of requests so far: each is different. */
let asked = 0
const folder = await mkdtemp(join(tmpdir(), 'bench-busy-'))
try {
  const { shopId, unit, campaignId, accountId } = await setUp()
  console.log(`${PRODUCTS} products searchable`)
  await appendBacklog({ shopId, campaignId, accountId, adUnitId: unit.id, slotHash: unit.slotHash })
  console.log(`${BACKLOG_EVENTS} events appended`)
  const program = await startProgram({ folder })
  running = program
  await measure(program, unit, 1)
  const busy = await rounds(program, unit)
  const left = await backlog(program)
  console.log(`backlog of ${BACKLOG_EVENTS} events, ${left} left after the busy rounds`)
  if (left === 0) throw new Error('The streams were done before the measurement: raise BACKLOG_EVENTS')
  await waitFor(async () => (await backlog(program)) === 0, 600_000)
  const quiet = await rounds(program, unit)
  console.table([
    { streams: 'at full speed', ...busy },
    { streams: 'at rest', ...quiet },
  ])
  const evenly = `${RATE} ad requests a second at even intervals`
  for (const [measure, value, atMost] of [
    [`${evenly}: p50`, quiet.p50Ms, P50_GOAL_MS],
    [`${evenly}: p99`, quiet.p99Ms, P99_GOAL_MS],
    [`${evenly}, beside streams at full speed: p99`, busy.p99Ms, BUSY_P99_GOAL_MS],
  ] as const) {
    reportFigure({ measure, value, unit: 'ms', goal: { atMost } })
  }
  reportFigure({
    measure: 'Ad requests beside streams at full speed: p99',
    ...{ value: busy.p99Ms / quiet.p99Ms, unit: 'times that at rest', goal: { atMost: BUSY_GOAL } },
  })
} finally {
  await running?.kill('SIGTERM')
  await rm(folder, { recursive: true, force: true })
}

async function setUp() {
  const program = await startProgram({ folder })
  running = program
  const post = <T>(path: string, body: unknown) => must(program.call<T>('POST', `/v1/panel${path}`, body))
  const company = { name: 'Market', companyName: 'Market SA', taxNumber: '1' }
  const account = await post<Created>('/accounts', { kind: 'PUBLISHER', ...company })
  const shop = await post<Created>('/shops', {
    ...{ accountId: account.id, name: 'Market', currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'UTC' },
    reserveCpc: 0.05,
  })
  const placement = await post<Created>('/placements', { shopId: shop.id, name: 'Search', kind: 'PRODUCT' })
  const unit = await post<Created>('/ad-units', {
    ...{ placementId: placement.id, name: 'Search', algorithm: 'CONTEXT_MATCH_WIDE' },
  })
  const feed = await post<Created>('/feeds', { shopId: shop.id, name: 'All', currency: 'EUR', lang: 'en' })
  const campaign = await post<Created>('/campaigns', {
    ...{ kind: 'SPONSORED', accountId: account.id, shopId: shop.id, name: 'All', status: 'ACTIVE', pacing: 'ASAP' },
    ...{ startAt: new Date(Date.now() - 60_000).toISOString(), budget: 1_000_000, cpc: 0.2 },
    products: { rule: { priceMin: 0 } },
  })
  await must(program.call('POST', `/v1/panel/feeds/${feed.id}/content`, rss(shop.id)))
  await waitFor(async () => {
    const { body } = await program.call<{ data: { ads: unknown[] }[] }>(
      'POST',
      '/v1/dsa/raw/batch',
      JSON.parse(requestBody(unit.slotHash, 0)),
    )
    return body.data[0]!.ads.length === 4
  }, 300_000)
  // Every ad request adds to the backlog.
  await waitFor(async () => (await backlog(program)) === 0, 300_000)
  await program.kill('SIGTERM')
  return { shopId: shop.id, unit, campaignId: campaign.id, accountId: account.id }
}

function rss(shopId: string): string {
  const items = generateProducts(shopId, PRODUCTS).map(
    (
      offer,
    ) => `<item><g:id>${offer.id}</g:id><title>${offer.title}</title><description>${offer.description}</description>
<link>${offer.link}</link><g:image_link>${offer.imageLink}</g:image_link><g:price>${offer.priceMicros / 1e6} EUR</g:price>
<g:availability>in_stock</g:availability><g:brand>${offer.brand}</g:brand>
<g:product_type>${offer.productTypes[0]!.replaceAll('>', '&gt;')}</g:product_type></item>`,
  )
  return `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>${items.join('\n')}</channel></rss>`
}

async function appendBacklog(ids: Pick<ShowIdClaims, 'shopId' | 'campaignId' | 'accountId' | 'adUnitId' | 'slotHash'>) {
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const startAt = Date.now() - 3_600_000
  for (let n = 0; n < BACKLOG_EVENTS; n += APPENDED_AT_ONCE) {
    await log.append(Array.from({ length: APPENDED_AT_ONCE }, (_, i) => eventRecord(n + i, startAt, ids)))
  }
  await log.close()
}

/** The nth event. Of twenty events, one is a purchase, two are page views, one is a click, and sixteen are views. */
function eventRecord(n: number, startAt: number, ids: Parameters<typeof appendBacklog>[0]): NewRecord {
  const at = startAt + n * 5
  const person = { cid: `person-${n % 20_000}`, uid: n % 4 === 0 ? `user-${n % 5_000}` : null }
  const times = { occurredAt: at, receivedAt: at + 3 }
  const adId = `${100_000 + (n % PRODUCTS)}`
  if (n % 20 === 0) {
    const line = {
      shopProductId: adId,
      priceMicros: 20_000_000,
      quantity: 1,
      productTitle: null,
      brand: null,
      sellerId: null,
    }
    const transaction = {
      eventId: `order-${n}`,
      kind: 'PURCHASE' as const,
      currency: 'EUR',
      locale: null,
      imported: false,
      proof: 'ANONYMOUS' as const,
    }
    const value = encode('Transaction', { ...transaction, ...person, ...times, shopId: ids.shopId, lines: [line] })
    return { topic: 'transactions', key: person.cid, value }
  }
  if (n % 20 <= 2) {
    const utm = { gclid: null, utmSource: null, utmMedium: null, utmCampaign: null, proof: 'ANONYMOUS' as const }
    const page = { id: `page-${n}`, shopId: ids.shopId, referer: 'https://shop.example/', shopProductId: adId }
    return { topic: 'page-views', key: person.cid, value: encode('PageView', { ...page, ...utm, ...person, ...times }) }
  }
  const claims: ShowIdClaims = {
    ...{ ...ids, ...person, kind: 'SPONSORED', requestId: `request-${n >> 2}`, adId, itemGroupId: null },
    ...{ algorithm: 'CONTEXT_MATCH_WIDE', position: 1 + (n % 4), priceMicros: 200_000, currency: 'EUR' },
    ...{ autoPromo: false, country: 'DE', emittedAt: at - 900 },
  }
  const client = { proof: 'ANONYMOUS' as const, ...UNKNOWN_CLIENT }
  const type = n % 20 === 3 ? 'CLICK' : 'VIEW'
  const value = encode('AdEvent', { eventId: `event-${n}`, type, ...person, ...times, bot: false, claims, ...client })
  return { topic: 'ad-events', key: ids.campaignId, value }
}

/** The number of records that the streams have not processed yet. */
async function backlog(program: Program): Promise<number> {
  return [...(await program.metrics()).matchAll(/^endcap_stream_lag_records\{.*\} (\d+)/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  )
}

function requestBody(slotHash: string, number: number): string {
  const words = [
    ['red', 'oak', 'glass'],
    ['kitchen', 'office', 'garden'],
    ['lamp', 'chair', 'shelf', 'table'],
  ]
  const phrase = words.map((list, at) => list[(number >> at) % list.length]).join(' ')
  return JSON.stringify({ targeting: [{ slotHash, adCount: 4, searchData: `${phrase} ${number % 997}` }] })
}

async function measure(program: Program, unit: Created, seconds: number): Promise<Measured> {
  const driver = fork(new URL('./selection.load.ts', import.meta.url))
  const bodies = Array.from({ length: RATE * seconds * 2 }, () => requestBody(unit.slotHash, asked++))
  driver.send({
    url: `${program.url}/v1/dsa/raw/batch`,
    bodies,
    connections: CONNECTIONS,
    seconds,
    rate: RATE,
  } satisfies Load)
  const [measured] = (await once(driver, 'message')) as [Measured]
  if (measured.failed > 0) throw new Error(`${measured.failed} requests failed`)
  return measured
}

/** The median of each figure over several rounds. */
async function rounds(program: Program, unit: Created): Promise<Measured> {
  const all: Measured[] = []
  for (let round = 0; round < ROUNDS; round++) all.push(await measure(program, unit, SECONDS))
  const median = (key: keyof Measured) => all.map((each) => each[key]).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!
  const [perSecond, p50Ms, p99Ms] = [median('perSecond'), median('p50Ms'), median('p99Ms')]
  return { perSecond, p50Ms, p99Ms, answered: median('answered'), failed: median('failed') }
}
