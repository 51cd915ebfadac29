import type { Sequence } from '../sequence.ts'

/** The shop that the traffic goes to. */
export interface TrafficTarget {
  adServer: string
  shopId: string
  units: Readonly<Record<string, string>>
  /** Search phrases, and the categories that shoppers browse. */
  phrases: readonly string[]
  categories: readonly string[]
  productIds: readonly string[]
}

export interface Tally {
  visits: number
  requests: number
  failed: number
  ads: number
  banners: number
  pageViews: number
  views: number
  clicks: number
  carts: number
  purchases: number
  /** Latencies of ad requests, in milliseconds. */
  latencies: number[]
}
export const emptyTally = (): Tally => ({
  visits: 0,
  requests: 0,
  failed: 0,
  ads: 0,
  banners: 0,
  pageViews: 0,
  views: 0,
  clicks: 0,
  carts: 0,
  purchases: 0,
  latencies: [],
})

/** What happened so far, in words. */
export const tallyText = ({ visits, ads, clicks, purchases }: Tally): string =>
  Object.entries({ visit: visits, ad: ads, click: clicks, purchase: purchases })
    .map(([name, count]) => `${count} ${name}${count === 1 ? '' : 's'}`)
    .join(', ')

interface Ad {
  showId: string
  shopProductId: string
  productPrice: number
  productSalePrice: number
}
interface Banner {
  showId: string
}
interface Answer<A> {
  data: { ads: A[] }[]
}

/** The chance that an ad is seen, by its position. The chances below are higher than in reality, because a demo is short. */
const SEEN = [0.97, 0.92, 0.84, 0.7, 0.6]
const CLICK_CHANCE = 0.05
const BANNER_CLICK_CHANCE = 0.01
const CART_CHANCE = 0.3
const BUY_CHANCE = 0.5
const PAGES_MAX = 4
const ROW = 4

/** Simulates one visit: some pages, the ads on them, and perhaps a purchase. Adds the results to the tally. */
export async function visit(
  target: TrafficTarget,
  { random, tally }: { random: Sequence; tally: Tally },
): Promise<void> {
  const { adServer, shopId, units } = target
  const cid = crypto.randomUUID()

  async function post<T>(path: string, body: object): Promise<T | null> {
    const startedAt = performance.now()
    const answer = await fetch(adServer + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cid },
      body: JSON.stringify(body),
    }).catch(() => null)
    tally.requests++
    if (path.endsWith('/raw/batch')) tally.latencies.push(performance.now() - startedAt)
    if (!answer?.ok) {
      tally.failed++
      await answer?.arrayBuffer()
      return null
    }
    return (await answer.json()) as T
  }

  async function page(sponsored: object, banner: object | null) {
    const id = crypto.randomUUID()
    const [seenPage, products, banners] = await Promise.all([
      post('/v1/ev/page-view', { id, cid, shopId, referer: 'http://127.0.0.1:8081/' }),
      post<Answer<Ad>>('/v1/dsa/raw/batch', { targeting: [{ adCount: ROW, ...sponsored }] }),
      banner &&
        post<Answer<Banner>>('/v1/banner/dsa/raw/batch', { targeting: [{ adCount: 1, country: 'DE', ...banner }] }),
    ])
    const ads = products?.data[0]?.ads ?? []
    const shown = banners?.data[0]?.ads ?? []
    if (seenPage) tally.pageViews++
    tally.ads += ads.length
    tally.banners += shown.length
    await see(ads, shown)
  }

  async function see(ads: readonly Ad[], banners: readonly Banner[]) {
    const seen = ads.filter((_, index) => random.chance(SEEN[Math.min(index, SEEN.length - 1)]!))
    const clicked = seen.filter((_, index) => random.chance(CLICK_CHANCE / (1 + 0.25 * index)))
    const clickedBanners = banners.filter(() => random.chance(BANNER_CLICK_CHANCE))
    const views = [...seen, ...banners].map(({ showId }) => ({ type: 'VIEW', showId }))
    const clicks = [...clicked, ...clickedBanners].map(({ showId }) => ({ type: 'CLICK', showId }))
    if (views.length === 0) return
    if (await post('/v1/ev/batch', { events: [...views, ...clicks] })) {
      tally.views += views.length
      tally.clicks += clicks.length
    }
    for (const ad of clicked) await consider(ad)
  }

  async function consider({ shopProductId, productSalePrice }: Ad) {
    if (!random.chance(CART_CHANCE)) return
    const products = [{ shopProductId, price: productSalePrice, quantity: 1 }]
    const transaction = (kind: string) =>
      post('/v1/ev/transaction', { eventId: crypto.randomUUID(), kind, shopId, currency: 'EUR', products })
    if (await transaction('CART')) tally.carts++
    if (random.chance(BUY_CHANCE) && (await transaction('PURCHASE'))) tally.purchases++
  }

  tally.visits++
  if (random.chance(0.4)) await page({ slotHash: units.home }, { slotHash: units.hero })
  for (let pages = 1 + random.index(PAGES_MAX); pages > 0; pages--) {
    const categoryPaths = [random.pick(target.categories)]
    await random.pick([
      () => page({ slotHash: units.searchWide, searchData: random.pick(target.phrases) }, null),
      () => page({ slotHash: units.listing, categoryPaths }, { slotHash: units.leaderboard, categoryPaths }),
      () => page({ slotHash: units.alsoBought, shopProductId: random.pick(target.productIds) }, null),
    ])()
  }
}
