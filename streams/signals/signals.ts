import { hash } from 'node:crypto'
import { setImmediate as yieldThread } from 'node:timers/promises'
import type { Analytics } from '../../infra/analytics/port.ts'
import { type ProductActivity, productActivitySql } from '../../infra/analytics/queries/signal-days.ts'
import { basketsSql, type PurchaseBasket, shopsSql } from '../../infra/analytics/queries/signals.ts'
import type { EventLog, NewRecord } from '../../infra/event-log/port.ts'
import type { ProductSignals } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { createActivity, DAY_MS } from './activity.ts'
import { alsoBought, BASKET_LINES_MAX } from './also-bought.ts'
import { createDueShops } from './due-shops.ts'

/** What happened longer ago does not count as popular, nor towards the click rate. */
export const WINDOW_DAYS = 30
/** Age in days at which a purchase, click or view counts half. */
export const HALF_LIFE_DAYS = 7
/** A purchase counts 1. Small enough that many clicks make up for a purchase only where purchases are rare. */
const CLICK_POPULARITY = 0.01
const VIEW_POPULARITY = 0.00001
/** Smaller changes of popularity and scores are not worth a record. */
const SIGNIFICANT_DIGITS = 3
/** Latest order lines of a shop that also-bought lists are made of. */
const ORDER_LINES_MAX = 1_000_000
const RECORDS_PER_APPEND = 500
/** Lists computed before others get their turn on this thread. */
const LISTS_PER_TURN = 10
/** While one waits for the store, another computes. Each holds the orders of its shop in memory. */
const SHOPS_AT_ONCE = 2

export interface SignalsDeps {
  log: EventLog
  analytics: Analytics
  /** How long a shop's signals may be behind. When its purchases grow at once, as by an import, they are computed earlier. */
  intervalMs: number
  /** UTC epoch milliseconds. */
  now: () => number
}

export interface Signals {
  /** Computes the signals of the shops that are due and appends those that changed. @returns how many. Only one may run. */
  runOnce(): Promise<number>
}

/** What shoppers bought, clicked and saw, as signals of each product in the topic `product-signals`. */
export function createSignals({ log, analytics, intervalMs, now }: SignalsDeps): Signals {
  const activity = createActivity({ log, analytics })
  const due = createDueShops({ intervalMs })
  /** By shop, then by product: digest of the signals in the topic. Null: not read yet. */
  let known: Map<string, Map<string, string>> | null = null
  /** Of the last look, in days since the epoch (UTC). Null: there was none. */
  let lookedOn: number | null = null

  async function readKnown(): Promise<Map<string, Map<string, string>>> {
    const shops = new Map<string, Map<string, string>>()
    const tail = await log.tail('product-signals', (records) => {
      for (const { value } of records) if (value) note(shops, decode('ProductSignals', value))
    })
    await tail.close()
    return shops
  }

  async function computeShop(shopId: string, today: number): Promise<ProductSignals[]> {
    const params = { shopId, sinceDay: today - WINDOW_DAYS, today, halfLifeDays: HALF_LIFE_DAYS }
    const signals = new Map<string, ProductSignals>()
    const of = (id: string) => {
      const found = signals.get(id) ?? emptySignals(shopId, id, now())
      signals.set(id, found)
      return found
    }
    for (const row of await analytics.query<ProductActivity>(productActivitySql, params)) {
      Object.assign(of(row.id), { popularity: popularityOf(row), views: row.views, clicks: row.clicks })
    }
    const limits = { basketLinesMax: BASKET_LINES_MAX, linesMax: ORDER_LINES_MAX }
    const baskets = await analytics.query<PurchaseBasket>(basketsSql, { shopId, ...limits })
    let lists = 0
    // Ages count from the latest purchase: without a new one the lists stay as they are.
    for (const { id, alsoBought: list } of alsoBought(baskets, baskets[0]?.occurredAt ?? 0)) {
      of(id).alsoBought = list.map((entry) => ({ id: entry.id, score: rounded(entry.score) }))
      if (++lists % LISTS_PER_TURN === 0) await yieldThread()
    }
    // What was popular and is no more.
    for (const id of known!.get(shopId)?.keys() ?? []) of(id)
    return [...signals.values()]
  }

  async function appendChanged(signals: readonly ProductSignals[]): Promise<number> {
    const changed = signals.filter((each) => known!.get(each.shopId)?.get(each.id) !== digestOf(each))
    for (let from = 0; from < changed.length; from += RECORDS_PER_APPEND) {
      const chunk = changed.slice(from, from + RECORDS_PER_APPEND)
      await log.append(chunk.map(recordOf))
      for (const each of chunk) note(known!, each)
    }
    return changed.length
  }

  /** @returns how many signals changed. */
  async function update(shopId: string, today: number): Promise<number> {
    const begunAt = now()
    const taken = due.taken(shopId)
    const changed = await appendChanged(await computeShop(shopId, today))
    due.computed(shopId, { at: begunAt, ...taken })
    return changed
  }

  return {
    async runOnce() {
      known ??= await readKnown()
      const today = Math.floor(now() / DAY_MS)
      for (const [shopId, purchases] of await activity.takeNew(today - WINDOW_DAYS)) due.note(shopId, purchases)
      if (lookedOn === null) {
        for (const { shopId } of await analytics.query<{ shopId: string }>(shopsSql)) due.note(shopId, 0)
      }
      // Everything is a day older.
      if (lookedOn !== today) due.noteAll()
      lookedOn = today
      const queue = due.list(now())
      let changed = 0
      const updateOthers = async () => {
        for (let shopId = queue.pop(); shopId !== undefined; shopId = queue.pop())
          changed += await update(shopId, today)
      }
      await Promise.all(Array.from({ length: SHOPS_AT_ONCE }, updateOthers))
      return changed
    },
  }
}

const emptySignals = (shopId: string, id: string, computedAt: number): ProductSignals => ({
  shopId,
  id,
  popularity: 0,
  views: 0,
  clicks: 0,
  alsoBought: [],
  computedAt,
})

const popularityOf = ({ decayedPurchases, decayedClicks, decayedViews }: ProductActivity): number =>
  rounded(decayedPurchases + CLICK_POPULARITY * decayedClicks + VIEW_POPULARITY * decayedViews)

const rounded = (value: number): number => Number(value.toPrecision(SIGNIFICANT_DIGITS))

const digestOf = ({ popularity, views, clicks, alsoBought: list }: ProductSignals): string =>
  hash('sha1', JSON.stringify([popularity, views, clicks, list.map(({ id, score }) => [id, score])]), 'base64url')

function note(shops: Map<string, Map<string, string>>, signals: ProductSignals): void {
  const shop = shops.get(signals.shopId) ?? new Map<string, string>()
  shops.set(signals.shopId, shop.set(signals.id, digestOf(signals)))
}

function recordOf(signals: ProductSignals): NewRecord {
  const key = `${signals.shopId}/${signals.id}`
  return { topic: 'product-signals', key, value: encode('ProductSignals', signals) }
}
