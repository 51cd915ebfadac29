/**
 * The main job on real input: products from an XML feed, campaigns over them, and shoppers that search, view, click and buy.
 *   node test/bench/selection/main-job.ts <folder with products.jsonl.gz and judgments.csv> [seconds] [visits per second]
 * Compares what the shoppers did with what the reports and the audit say. Without a rate, the shoppers visit as fast as they are
 * served, and latency is that of a fully loaded machine.
 */

import { must, percentile, startProgram } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { icecatFeed, readIcecat, readJudgments } from '../relevance/icecat.ts'

const folder = process.argv[2]
if (!folder) throw new Error('usage: node test/bench/selection/main-job.ts <folder> [seconds]')
const SECONDS = Number(process.argv[3] ?? 120)
const VISITS_PER_SECOND = Number(process.argv[4] ?? Number.POSITIVE_INFINITY)
const SHOPPERS = 32
const BRANDS = 40

interface Created {
  id: string
}
interface Ad {
  showId: string
  shopProductId: string
  productPrice: number
}
interface Selection {
  clientId: string
  data: { slotHash: string; ads: Ad[] }[]
}
interface Run {
  id: string
  status: string
  total: number
  changed: number
  rejected: number
  warnings: number
}

const program = await startProgram()
const post = <T>(path: string, body: unknown, headers?: Record<string, string>) =>
  must(program.call<T>('POST', path, body, headers))
const get = <T>(path: string) => must(program.call<T>('GET', path))
const panel = '/v1/panel'

const products = readIcecat(folder)
const queries = [...new Set(readJudgments(folder).map((j) => j.query))]

const publisher = await post<Created>(`${panel}/accounts`, {
  kind: 'PUBLISHER',
  name: 'Market',
  companyName: 'Market SA',
  taxNumber: '1',
})
const shop = await post<Created>(`${panel}/shops`, {
  accountId: publisher.id,
  name: 'Market',
  currency: 'EUR',
  lang: 'en',
  country: 'DE',
  timeZone: 'Europe/Berlin',
  reserveCpc: 0.05,
})
const feed = await post<Created>(`${panel}/feeds`, { shopId: shop.id, name: 'Icecat', currency: 'EUR', lang: 'en' })
const placement = await post<Created>(`${panel}/placements`, { shopId: shop.id, name: 'Search', kind: 'PRODUCT' })
const unit = (algorithm: string) =>
  post<Created & { slotHash: string }>(`${panel}/ad-units`, { placementId: placement.id, name: algorithm, algorithm })
const search = await unit('CONTEXT_MATCH_WIDE')
const similar = await unit('SIMILAR_PRODUCT_ID_WIDE')

const brandCounts = new Map<string, number>()
for (const p of products) if (p.supplier) brandCounts.set(p.supplier, (brandCounts.get(p.supplier) ?? 0) + 1)
const brands = [...brandCounts]
  .sort((a, b) => b[1] - a[1])
  .slice(0, BRANDS)
  .map(([brand]) => brand)
const campaigns: Created[] = []
for (const [i, brand] of brands.entries()) {
  const advertiser = await post<Created>(`${panel}/accounts`, {
    kind: 'ADVERTISER',
    name: brand,
    companyName: `${brand} Inc`,
    taxNumber: `${i}`,
    sellerIds: [`seller-${brand.toLowerCase()}`],
  })
  campaigns.push(
    await post<Created>(`${panel}/campaigns`, {
      kind: 'SPONSORED',
      accountId: advertiser.id,
      shopId: shop.id,
      name: `${brand} all`,
      startAt: new Date(Date.now() - 60_000).toISOString(),
      budget: 100_000,
      pacing: 'ASAP',
      status: 'ACTIVE',
      products: { rule: { brands: [brand] } },
      cpc: 0.1 + (i % 10) / 20,
    }),
  )
}

const loadStart = performance.now()
const run = await post<Run>(`${panel}/feeds/${feed.id}/content`, icecatFeed(products))
let done = run
await waitFor(async () => {
  done = await get<Run>(`${panel}/feeds/${feed.id}/runs/${run.id}`)
  return !['QUEUED', 'RUNNING'].includes(done.status)
}, 300_000)
console.log(
  `feed: ${done.status}, ${done.total} products, ${done.rejected} rejected, ${done.warnings} warnings, ${((performance.now() - loadStart) / 1000).toFixed(1)} s`,
)
await waitFor(async () => {
  const answer = await post<Selection>('/v1/dsa/raw/batch', {
    targeting: [{ slotHash: search.slotHash, adCount: 4, searchData: 'notebook' }],
  })
  return answer.data[0]!.ads.length === 4
}, 120_000)
console.log(`first ads ${((performance.now() - loadStart) / 1000).toFixed(1)} s after the upload began`)

await waitFor(async () => {
  return !/^endcap_stream_lag_records\{.*stream="indexer".*\} [1-9]/m.test(await program.metrics())
}, 300_000)
console.log(`all products searchable ${((performance.now() - loadStart) / 1000).toFixed(1)} s after the upload began`)

const counted = { requests: 0, ads: 0, views: 0, clicks: 0, purchases: 0, lines: 0, errors: 0 }
const selectionMs: number[] = []
const end = performance.now() + SECONDS * 1000
/** When the next visit of any shopper is due. `nextVisit` resolves at that time, or at once when the shoppers are behind. */
let nextVisitAt = performance.now()
async function nextVisit() {
  nextVisitAt += 1000 / VISITS_PER_SECOND
  const waitMs = nextVisitAt - performance.now()
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
}
async function shopper(number: number) {
  for (let visit = 0; performance.now() < end; visit++) {
    await nextVisit()
    const cid = `shopper-${number}-${visit}`
    const headers = { cid, uid: number % 3 === 0 ? `user-${number}` : '' }
    const query = queries[Math.floor(Math.random() * queries.length)]!
    const answer = await program.call<Selection>(
      'POST',
      '/v1/dsa/raw/batch',
      {
        targeting: [
          { slotHash: search.slotHash, adCount: 4, searchData: query },
          {
            slotHash: similar.slotHash,
            adCount: 2,
            productId: products[Math.floor(Math.random() * products.length)]!.id,
          },
        ],
      },
      headers,
    )
    counted.requests++
    selectionMs.push(answer.elapsedMs)
    if (answer.status !== 200) {
      counted.errors++
      continue
    }
    const ads = answer.body.data.flatMap((slot) => slot.ads)
    counted.ads += ads.length
    if (ads.length === 0) continue
    const views = await program.call<{ accepted: number }>(
      'POST',
      '/v1/ev/batch',
      { events: ads.map((ad) => ({ type: 'VIEW', showId: ad.showId })) },
      headers,
    )
    if (views.status === 202) counted.views += views.body.accepted
    else counted.errors++
    if (Math.random() > 0.2) continue
    const ad = ads[Math.floor(Math.random() * ads.length)]!
    const click = await program.call('POST', '/v1/dsa/click-event', { showId: ad.showId }, headers)
    if (click.status === 202) counted.clicks++
    else counted.errors++
    if (Math.random() > 0.4) continue
    const bought = [
      ad.shopProductId,
      ...(Math.random() < 0.5 ? [products[Math.floor(Math.random() * products.length)]!.id] : []),
    ]
    const sale = await program.call(
      'POST',
      '/v1/ev/transaction',
      {
        eventId: `order-${number}-${visit}`,
        kind: 'PURCHASE',
        shopId: shop.id,
        currency: 'EUR',
        products: bought.map((id) => ({ shopProductId: id, price: 19.99, quantity: 1 })),
      },
      headers,
    )
    if (sale.status === 202) {
      counted.purchases++
      counted.lines += bought.length
    } else counted.errors++
  }
}
await Promise.all(Array.from({ length: SHOPPERS }, (_, i) => shopper(i)))

interface Audit {
  logged: number
  stored: number
  duplicates: number
  deadLetters: number
  lagMs: number
}
const settled = performance.now()
let audit: Audit
await waitFor(async () => {
  audit = await get<Audit>(`${panel}/audit`)
  return audit.logged === audit.stored
}, 120_000)
const settleMs = performance.now() - settled
await new Promise((resolve) => setTimeout(resolve, 5000))
const day = 86_400_000
const report = await get<{ totals: Record<string, number> }>(
  `${panel}/reports?shopId=${shop.id}&from=${new Date(Date.now() - day).toISOString()}&to=${new Date(Date.now() + day).toISOString()}&groupBy=campaign&metrics=requests,emissions,views,clicks,invalid,spend,purchases,directPurchases,revenue`,
)
console.table([{ figure: 'shoppers saw', ...counted }])
console.log('report totals', JSON.stringify(report.totals))
console.log('audit', JSON.stringify(audit!), `settled ${settleMs.toFixed(0)} ms after the last event`)
console.log(
  `selection (2 slots, 6 ads): ${(counted.requests / SECONDS).toFixed(0)}/s, p50 ${percentile(selectionMs, 0.5).toFixed(1)} ms, p99 ${percentile(selectionMs, 0.99).toFixed(1)} ms, seen by ${SHOPPERS} shoppers in one process`,
)
console.log('memory of the program, MB', program.memoryMb())
await program.stop()
