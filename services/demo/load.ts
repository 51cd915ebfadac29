import type { Api } from './api.ts'
import { type DemoProduct, demoCatalogue, demoFeed } from './catalogue.ts'
import { demoOrders } from './orders.ts'

const SHOP_NAME = 'Demo Market'
const SHOP_URL = 'https://shop.example'
const FEED_WAIT_MS = 60_000
const POLL_MS = 200

interface Created {
  id: string
}
interface Listed<T> {
  items: T[]
}
interface AdUnit extends Created {
  name: string
  algorithm: string
  slotHash: string
}

export interface DemoShop {
  shopId: string
  units: { algorithm: string; slotHash: string }[]
  products: DemoProduct[]
  /** False when the shop was there from an earlier start. */
  created: boolean
}

const ALGORITHMS = [
  'CONTEXT_MATCH',
  'CONTEXT_MATCH_WIDE',
  'BESTSELLERS',
  'SIMILAR_PRODUCT_ID_WIDE',
  'ALSO_BOUGHT',
  'EXACT_PRODUCT_ID',
]

/** Makes the demo shop through the management API: accounts, shop, feed, ad units, campaigns, past orders. */
export async function loadDemoShop(api: Api, now: number): Promise<DemoShop> {
  const products = demoCatalogue()
  const existing = (await api.get<Listed<Created & { name: string }>>('/v1/panel/shops?limit=100')).items.find(
    (s) => s.name === SHOP_NAME,
  )
  if (existing) return { shopId: existing.id, units: await unitsOf(api, existing.id), products, created: false }

  const publisher = await api.post<Created>('/v1/panel/accounts', {
    kind: 'PUBLISHER',
    name: SHOP_NAME,
    companyName: 'Demo Market SE',
    taxNumber: 'DE000000001',
  })
  const shop = await api.post<Created>('/v1/panel/shops', {
    accountId: publisher.id,
    name: SHOP_NAME,
    currency: 'EUR',
    lang: 'en',
    country: 'DE',
    timeZone: 'Europe/Berlin',
    reserveCpc: 0.05,
  })
  const feed = await api.post<Created>('/v1/panel/feeds', {
    shopId: shop.id,
    name: 'Catalogue',
    currency: 'EUR',
    lang: 'en',
  })
  const run = await api.post<Created>(`/v1/panel/feeds/${feed.id}/content`, demoFeed(products, SHOP_URL))
  const placement = await api.post<Created>('/v1/panel/placements', {
    shopId: shop.id,
    name: 'Shop pages',
    kind: 'PRODUCT',
  })
  for (const algorithm of ALGORITHMS) {
    await api.post('/v1/panel/ad-units', { placementId: placement.id, name: `Demo ${algorithm}`, algorithm })
  }
  await createCampaigns(api, {
    shopId: shop.id,
    publisherId: publisher.id,
    startAt: new Date(now - 60_000).toISOString(),
  })
  await importOrders(api, demoOrders(products, { shopId: shop.id, now }))
  await finished(api, `/v1/panel/feeds/${feed.id}/runs/${run.id}`)
  return { shopId: shop.id, units: await unitsOf(api, shop.id), products, created: true }
}

async function unitsOf(api: Api, shopId: string) {
  const { items } = await api.get<Listed<AdUnit>>(`/v1/panel/ad-units?shopId=${shopId}&limit=100`)
  return items.map(({ algorithm, slotHash }) => ({ algorithm, slotHash }))
}

async function createCampaigns(api: Api, shop: { shopId: string; publisherId: string; startAt: string }) {
  const advertisers = [
    { name: 'Lumbra Home', sellerId: 'seller-lumbra', cpc: 0.4, rule: { brands: ['Lumbra', 'Solvik', 'Paperlight'] } },
    { name: 'Peak & Pace', sellerId: 'seller-peak', cpc: 0.35, rule: { categoryPaths: ['Sports'] } },
    { name: 'Ondea Audio', sellerId: 'seller-ondea', cpc: 0.55, rule: { categoryPaths: ['Electronics > Audio'] } },
  ]
  const common = { kind: 'SPONSORED', shopId: shop.shopId, startAt: shop.startAt, pacing: 'ASAP', status: 'ACTIVE' }
  for (const { name, sellerId, cpc, rule } of advertisers) {
    const account = await api.post<Created>('/v1/panel/accounts', {
      kind: 'ADVERTISER',
      name,
      companyName: `${name} Ltd`,
      taxNumber: `DE-${sellerId}`,
      sellerIds: [sellerId],
    })
    await api.post('/v1/panel/campaigns', {
      ...common,
      accountId: account.id,
      name: `${name}: always on`,
      budget: 500,
      capping: 20,
      products: { rule },
      cpc,
    })
  }
  await api.post('/v1/panel/campaigns', {
    ...common,
    accountId: shop.publisherId,
    name: 'House brands',
    budget: 1,
    products: { rule: { categoryPaths: ['Kitchen', 'Home'] } },
    cpc: 0.05,
    autoPromo: true,
  })
}

async function importOrders(api: Api, orders: object[]) {
  await api.postLines('/v1/panel/import/transactions', orders)
}

async function finished(api: Api, path: string) {
  const end = performance.now() + FEED_WAIT_MS
  for (;;) {
    const run = await api.get<{ status: string; message: string | null }>(path)
    if (run.status === 'DONE') return
    if (run.status === 'FAILED' || run.status === 'HELD')
      throw new Error(`the demo feed is ${run.status}: ${run.message}`)
    if (performance.now() > end) throw new Error(`the demo feed is still ${run.status} after ${FEED_WAIT_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
