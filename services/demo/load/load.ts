import type { EventLog } from '../../../infra/event-log/port.ts'
import { DAY_MS } from '../../../schemas/durations.ts'
import type { Api, Created } from '../api.ts'
import { demoFeed } from '../catalogue/feed.ts'
import { type Product, priceOf } from '../catalogue/products.ts'
import { demoHistory, VISITS } from '../history/history.ts'
import { RESERVE_CPC } from '../history/market.ts'
import { sequence } from '../sequence.ts'
import { type AdvertiserKey, createAccounts, DEMO_PASSWORD, SHOP_NAME } from './accounts.ts'
import { type BannerImages, createDisplay } from './display.ts'
import { createSponsored, HISTORY_DAYS } from './sponsored.ts'
import { createFormats, createUnits, type Units } from './units.ts'

const FEED_WAIT_MS = 60_000
const POLL_MS = 100
/** How long to wait for events to be stored. Further ones are stored while the demo runs. */
const COUNTED_WAIT_MS = 30_000
const COUNTED_POLL_MS = 250

/** What the shop front needs to know about its shop in the ad server. */
export interface DemoShop {
  shopId: string
  feedId: string
  units: Units
  /** Where the feed's links lead. */
  shopUrl: string
  /** Whether its users have another password than the published one. */
  hasOwnPassword: boolean
}

export interface LoadDeps {
  api: Api
  /** The password of the demo's users. */
  password: string
  /** The history is appended to the log directly, because the API accepts no ads of the past. */
  log: Pick<EventLog, 'append'>
  products: readonly Product[]
  /** Drawn while the program starts. */
  images: Promise<BannerImages>
  shopUrl: string
  now: number
  onStep: (step: string) => void
}

/** Loads the demo into an empty installation. All but the history of its ads goes through the API. */
export async function loadDemo({
  api,
  password,
  log,
  products,
  images,
  shopUrl,
  now,
  onStep,
}: LoadDeps): Promise<DemoShop> {
  // An error of what is done meanwhile is reported where it is awaited.
  images.catch(() => {})
  onStep('accounts and users')
  const accounts = await createAccounts(api, password)
  const shopId = await createShop(api, accounts.publisherId)
  onStep('catalogue')
  const feedId = await createFeed(api, shopId)
  const fed = sendFeed(api, { feedId, shopUrl, products })
  fed.catch(() => {})
  onStep('places and formats')
  const formats = await createFormats(api, shopId)
  const units = await createUnits(api, shopId, formats)
  onStep('campaigns and banners')
  const campaignIds = await createSponsored(api, { shopId, accounts, now })
  const display = await createDisplay(api, {
    shopId,
    shopUrl,
    accounts,
    formats,
    products,
    images: await images,
    now,
  })
  await fed
  onStep('eight weeks of history')
  await api.postLines('/v1/panel/import/transactions', demoOrders(products, { shopId, now }))
  const accountOf = (advertiser: string | null) =>
    advertiser ? accounts.advertiserIds[advertiser as AdvertiserKey] : accounts.publisherId
  const history = demoHistory({
    shopId,
    shopUrl,
    units,
    products,
    campaignIds,
    display,
    accountOf,
    now,
    visits: VISITS,
  })
  for (const batch of history) await log.append(batch.map(({ record }) => record))
  onStep('counting what happened')
  await counted(api)
  return { shopId, feedId, units, shopUrl, hasOwnPassword: password !== DEMO_PASSWORD }
}

async function createShop(api: Api, accountId: string): Promise<string> {
  const { id } = await api.post<Created>('/v1/panel/shops', {
    accountId,
    name: SHOP_NAME,
    currency: 'EUR',
    lang: 'en',
    country: 'DE',
    timeZone: 'Europe/Berlin',
    reserveCpc: RESERVE_CPC,
  })
  return id
}

async function createFeed(api: Api, shopId: string): Promise<string> {
  const { id } = await api.post<Created>('/v1/panel/feeds', { shopId, name: 'Catalogue', currency: 'EUR', lang: 'en' })
  return id
}

/** Uploads the catalogue and waits until the run is done. */
export async function sendFeed(
  api: Api,
  feed: { feedId: string; shopUrl: string; products: readonly Product[] },
): Promise<void> {
  const content = demoFeed(feed.products, { name: SHOP_NAME, url: feed.shopUrl })
  const run = await api.post<Created>(`/v1/panel/feeds/${feed.feedId}/content`, content)
  const end = performance.now() + FEED_WAIT_MS
  for (;;) {
    const { status, message } = await api.get<{ status: string; message: string | null }>(
      `/v1/panel/feeds/${feed.feedId}/runs/${run.id}`,
    )
    if (status === 'DONE') return
    if (status === 'FAILED' || status === 'HELD') throw new Error(`the demo feed is ${status}: ${message}`)
    if (performance.now() > end) throw new Error(`the demo feed is still ${status} after ${FEED_WAIT_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Waits until the reports contain everything that was loaded, so that nobody first sees a part of it. */
async function counted(api: Api): Promise<void> {
  const end = performance.now() + COUNTED_WAIT_MS
  while (performance.now() < end) {
    const { logged, stored } = await api.get<{ logged: number; stored: number }>('/v1/panel/audit')
    if (logged === stored) return
    await new Promise((resolve) => setTimeout(resolve, COUNTED_POLL_MS))
  }
}

const ORDERS = 500
const SEED = 11

/** Past orders without ads, for `POST /v1/panel/import/transactions`: the bestseller algorithm needs them. */
function demoOrders(products: readonly Product[], shop: { shopId: string; now: number }): object[] {
  const random = sequence(SEED)
  const departments = [...Map.groupBy(products, ({ category }) => category.split(' > ')[0]!).values()]
  return Array.from({ length: ORDERS }, (_, number) => {
    const choice = random.pick(departments)
    const bought = Array.from(
      { length: 1 + random.index(4) },
      () => choice[Math.floor(choice.length * random.next() ** 2)]!,
    )
    const customer = random.index(200)
    return {
      eventId: `past-${number}`,
      shopId: shop.shopId,
      kind: 'PURCHASE',
      currency: 'EUR',
      occurredAt: new Date(shop.now - HISTORY_DAYS * DAY_MS * random.next()).toISOString(),
      cid: `past-customer-${customer}`,
      products: bought.map((product) => ({ shopProductId: product.id, price: priceOf(product), quantity: 1 })),
    }
  })
}
