import { setImmediate as yieldThread } from 'node:timers/promises'
import type { Analytics } from '../infra/analytics/port.ts'
import { adOutcomesQuery, basketsQuery, decayedPurchasesQuery } from '../infra/analytics/queries/signals.ts'
import type { EventLog, NewRecord } from '../infra/event-log/port.ts'
import { decode, encode } from '../schemas/codec.ts'
import type { ProductSignals } from '../schemas/records.ts'
import type { Snapshot } from '../services/domain/snapshot.ts'
import { alsoBought, type Basket } from './also-bought.ts'

const DAY_MS = 86_400_000
/** Bestsellers: purchases of this long, each counting half as much for every half-life of age. */
const POPULARITY_DAYS = 30
const POPULARITY_HALF_LIFE_MS = 7 * DAY_MS
/** Click rates and also-bought look further back, for they change slowly. */
const OUTCOME_DAYS = 30
const BASKET_DAYS = 400
/** The latest baskets of a shop that are looked at, which bounds memory. */
const BASKETS_MAX = 2_000_000
const APPEND_RECORDS = 1_000
/** Lists computed between two turns of the thread's other work. */
const LISTS_PER_TURN = 50

export interface SignalsDeps {
  log: EventLog
  analytics: Analytics
  snapshot: Snapshot
  /** UTC epoch milliseconds. */
  now: () => number
}

/** What shoppers did, as the index needs it: how popular, how often clicked, bought with what. */
export function createSignals({ log, analytics, snapshot, now }: SignalsDeps) {
  let known: Map<string, string> | null = null

  /** Computes every shop's signals from Analytics, and writes those that changed. @returns how many. */
  async function runOnce(): Promise<number> {
    known ??= await writtenBefore(log)
    let written = 0
    for (const shop of [...snapshot.all('Shop')]) {
      const changed: NewRecord[] = []
      for (const signals of (await signalsOf(shop.id)).values()) {
        const key = `${signals.shopId}/${signals.id}`
        const content = contentOf(signals)
        if (known.get(key) === content) continue
        known.set(key, content)
        changed.push({ topic: 'product-signals', key, value: encode('ProductSignals', signals) })
      }
      for (let i = 0; i < changed.length; i += APPEND_RECORDS) await log.append(changed.slice(i, i + APPEND_RECORDS))
      written += changed.length
    }
    return written
  }

  async function signalsOf(shopId: string): Promise<Map<string, ProductSignals>> {
    const at = now()
    const found = new Map<string, ProductSignals>()
    const of = (id: string) => {
      const signals = found.get(id) ?? {
        shopId,
        id,
        popularity: 0,
        views: 0,
        clicks: 0,
        alsoBought: [],
        computedAt: at,
      }
      found.set(id, signals)
      return signals
    }
    const outcomes = await analytics.query<{ id: string; views: number; clicks: number }>(adOutcomesQuery, {
      shopId,
      since: at - OUTCOME_DAYS * DAY_MS,
    })
    for (const { id, views, clicks } of outcomes) Object.assign(of(id), { views, clicks })
    const purchases = await analytics.query<{ id: string; purchases: number }>(decayedPurchasesQuery, {
      shopId,
      since: at - POPULARITY_DAYS * DAY_MS,
      now: at,
      halfLifeMs: POPULARITY_HALF_LIFE_MS,
    })
    for (const { id, purchases: decayed } of purchases) of(id).popularity = decayed
    const baskets = await analytics.query<Basket>(basketsQuery, {
      shopId,
      since: at - BASKET_DAYS * DAY_MS,
      limit: BASKETS_MAX,
    })
    let lists = 0
    for (const list of alsoBought(baskets, at)) {
      of(list.id).alsoBought = list.alsoBought
      if (++lists % LISTS_PER_TURN === 0) await yieldThread()
    }
    for (const signals of found.values()) signals.popularity = popularity(signals)
    // What nobody does anything with any more goes back to nothing.
    for (const key of known?.keys() ?? []) if (key.startsWith(`${shopId}/`)) of(key.slice(shopId.length + 1))
    return found
  }

  return { runOnce }
}

/**
 * Purchases decide, then clicks, then views: a click never weighs as much as a purchase of the last 30 days, whose decayed
 * weight is at least 2^(-30/7) = 0.05, and no number of views as much as one click. Rounded, so that age alone does not
 * rewrite the signals of a product at every turn.
 */
export function popularity({
  popularity: purchases,
  clicks,
  views,
}: Pick<ProductSignals, 'popularity' | 'clicks' | 'views'>): number {
  const clickPart = (0.04 * clicks) / (clicks + 100)
  const viewPart = (0.0001 * views) / (views + 10_000)
  return Number((purchases + clickPart + viewPart).toPrecision(3))
}

/** All but when it was computed. */
function contentOf({ computedAt: _, ...content }: ProductSignals): string {
  return JSON.stringify(content)
}

async function writtenBefore(log: EventLog): Promise<Map<string, string>> {
  const written = new Map<string, string>()
  const tail = await log.tail('product-signals', (records) => {
    for (const { key, value } of records) if (key && value) written.set(key, contentOf(decode('ProductSignals', value)))
  })
  await tail.close()
  return written
}
