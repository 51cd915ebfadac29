import { hash } from 'node:crypto'
import { setImmediate as yieldThread } from 'node:timers/promises'
import type { Analytics } from '../../infra/analytics/port.ts'
import { type ProductActivity, productActivitySql } from '../../infra/analytics/queries/signals/signal-days.ts'
import type { EventLog, NewRecord } from '../../infra/event-log/port.ts'
import type { ProductSignals } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { chunksBySize, chunksOf } from '../../services/domain/chunks.ts'
import { createCatchUp } from '../../services/replicas/catch-up.ts'
import { createShopOrders, type ShopOrders } from './shop-orders.ts'

/** What happened longer ago counts neither as popular nor towards the click rate. */
export const WINDOW_DAYS = 30
/** Age in days at which a purchase, click or view counts half. */
export const HALF_LIFE_DAYS = 7
/** How popular a click makes a product; a purchase counts 1. So small that clicks make up for purchases only where these are rare. */
const CLICK_POPULARITY = 0.01
const VIEW_POPULARITY = 0.00001
/** Smaller changes of popularity and scores are not worth a record. */
const SIGNIFICANT_DIGITS = 3
const RECORDS_PER_APPEND = 500
/** Products of the shops that are read together, unless a single shop has more. */
const PRODUCTS_AT_ONCE = 50_000
/** How many products a shop is taken to have while its signals are not known yet. */
const PRODUCTS_UNKNOWN = 5_000
/** Lists computed before others get their turn on this thread. */
const LISTS_PER_TURN = 10

export interface ShopSignalsDeps {
  log: Pick<EventLog, 'append' | 'bounds' | 'committed' | 'tail'>
  analytics: Analytics
  /** UTC epoch milliseconds. */
  now: () => number
}

/** Computes the signals of shops' products. Only one may run in an installation. */
export interface ShopSignals {
  /**
   * Appends the signals that changed. @returns how many.
   * @param today UTC, in days since the epoch.
   */
  update(shopIds: readonly string[], today: number): Promise<number>
}

/** The signals of a product without its also-bought list. */
type Figures = Pick<ProductSignals, 'popularity' | 'views' | 'clicks'>
const NO_FIGURES: Figures = { popularity: 0, views: 0, clicks: 0 }
/** By product: digest of the signals in the topic. */
type Known = Map<string, string>

/**
 * Turns what shoppers bought, clicked and saw into signals of each product, in the topic `product-signals`. The orders of a shop stay
 * in memory. An update makes only the lists of products again that have new orders or changed figures; once a day it makes all.
 */
export function createShopSignals({ log, analytics, now }: ShopSignalsDeps): ShopSignals {
  const ordersOf = createShopOrders({ log, analytics })
  /** What the topic holds, by shop. */
  const known = new Map<string, Known>()
  const catchUp = createCatchUp(log, 'product-signals', (records) => {
    for (const { value } of records) if (value) note(known, decode('ProductSignals', value))
  })
  /** The day on which all lists of a shop were made last. */
  const listedOn = new Map<string, number>()

  async function readFigures(shopIds: readonly string[], today: number): Promise<Map<string, Map<string, Figures>>> {
    const params = { shopIds, sinceDay: today - WINDOW_DAYS, today, halfLifeDays: HALF_LIFE_DAYS }
    const shops = new Map(shopIds.map((shopId) => [shopId, new Map<string, Figures>()]))
    for (const row of await analytics.query<ProductActivity>(productActivitySql, params)) {
      const { shopId, id, views, clicks } = row
      shops.get(shopId)!.set(id, { popularity: popularityOf(row), views, clicks })
    }
    return shops
  }

  /**
   * @param isListed whether all lists of the shop have been made today. @param ofShop what is in the topic.
   * @returns the signals of a shop that have changed.
   */
  async function changedOf(
    shopId: string,
    { history, touched }: ShopOrders,
    { figures, ofShop, isListed }: { figures: ReadonlyMap<string, Figures>; ofShop: Known; isListed: boolean },
  ): Promise<ProductSignals[]> {
    const isWhole = touched === null || !isListed
    const numbers = new Map(history.ids.map((id, product) => [id, product]))
    const changed: ProductSignals[] = []
    let lists = 0
    // Includes products that only the topic has: they were popular and no longer are.
    for (const id of new Set([...figures.keys(), ...numbers.keys(), ...ofShop.keys()])) {
      const own = figures.get(id) ?? NO_FIGURES
      const product = numbers.get(id)
      const isTouched = isWhole || (product !== undefined && touched.has(product))
      const before = ofShop.get(id)
      if (!isTouched && before?.startsWith(figuresDigest(own))) continue
      if (++lists % LISTS_PER_TURN === 0) await yieldThread()
      const list = product === undefined ? [] : history.listOf(product)
      const alsoBought = list.map((pick) => ({ id: history.ids[pick.product]!, score: rounded(pick.score) }))
      const signals = { shopId, id, ...own, alsoBought, computedAt: now() }
      if (before !== digestOf(signals)) changed.push(signals)
    }
    return changed
  }

  /** @returns how many. */
  async function publish(changed: readonly ProductSignals[]): Promise<number> {
    for (const chunk of chunksOf(changed, RECORDS_PER_APPEND)) await log.append(chunk.map(recordOf))
    return changed.length
  }

  return {
    async update(shopIds, today) {
      await catchUp()
      const productsOf = (shopId: string) => known.get(shopId)?.size ?? PRODUCTS_UNKNOWN
      let count = 0
      for (const some of chunksBySize(shopIds, productsOf, PRODUCTS_AT_ONCE)) {
        const figures = await readFigures(some, today)
        const listed = new Set(some.filter((shopId) => listedOn.get(shopId) === today))
        // Should anything fail from here on, the next update takes all of these shops: their new orders are not new any more.
        for (const shopId of some) listedOn.delete(shopId)
        const orders = await ordersOf(some)
        const changed: ProductSignals[] = []
        for (const shopId of some) {
          const isListed = listed.has(shopId)
          const of = { figures: figures.get(shopId)!, ofShop: known.get(shopId) ?? new Map(), isListed }
          changed.push(...(await changedOf(shopId, orders.get(shopId)!, of)))
          if (changed.length >= RECORDS_PER_APPEND) count += await publish(changed.splice(0))
        }
        count += await publish(changed)
        for (const shopId of some) listedOn.set(shopId, today)
      }
      return count
    },
  }
}

const popularityOf = ({ decayedPurchases, decayedClicks, decayedViews }: ProductActivity): number =>
  rounded(decayedPurchases + CLICK_POPULARITY * decayedClicks + VIEW_POPULARITY * decayedViews)

const rounded = (value: number): number => Number(value.toPrecision(SIGNIFICANT_DIGITS))

/** The figures come first, so that they can be compared without the list. */
const digestOf = (signals: ProductSignals): string =>
  figuresDigest(signals) +
  hash('sha1', JSON.stringify(signals.alsoBought.map(({ id, score }) => [id, score])), 'base64url')

const figuresDigest = ({ popularity, views, clicks }: Figures): string => `${popularity} ${views} ${clicks} `

function note(shops: Map<string, Known>, signals: ProductSignals): void {
  const shop: Known = shops.get(signals.shopId) ?? new Map()
  shops.set(signals.shopId, shop.set(signals.id, digestOf(signals)))
}

function recordOf(signals: ProductSignals): NewRecord {
  const key = `${signals.shopId}/${signals.id}`
  return { topic: 'product-signals', key, value: encode('ProductSignals', signals) }
}
