import type { Analytics } from '../infra/analytics/port.ts'
import { type HourTraffic, trafficSql } from '../infra/analytics/queries/traffic.ts'
import type { EventLog } from '../infra/event-log/port.ts'
import { decode, encode } from '../schemas/codec.ts'
import type { Snapshot } from '../services/domain/snapshot.ts'
import { smoothedShares } from '../services/domain/traffic.ts'

const DAY_MS = 86_400_000
/** Four whole weeks: each day of the week counts alike. */
const WINDOW_DAYS = 28
/** Smaller changes are not worth a record. */
const SIGNIFICANT_DIGITS = 2

export interface TrafficDeps {
  log: Pick<EventLog, 'append' | 'tail'>
  analytics: Analytics
  snapshot: Snapshot
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * How each shop's ad requests are spread over its day, in the topic `shop-traffic`. The result is one run, which appends
 * what changed. Only one process may run it.
 */
export function createTraffic({ log, analytics, snapshot, now }: TrafficDeps): () => Promise<void> {
  /** By shop: what is in the topic, to the digits that count. Null: not read yet. */
  let known: Map<string, string> | null = null

  async function readKnown(): Promise<Map<string, string>> {
    const shops = new Map<string, string>()
    const tail = await log.tail('shop-traffic', (records) => {
      for (const { value } of records) {
        if (!value) continue
        const { shopId, hourShares } = decode('ShopTraffic', value)
        shops.set(shopId, digestOf(hourShares))
      }
    })
    await tail.close()
    return shops
  }

  return async function runOnce() {
    known ??= await readKnown()
    for (const { id: shopId, body } of snapshot.all('Shop')) {
      const params = { shopId, timeZone: body.timeZone, since: now() - WINDOW_DAYS * DAY_MS }
      const rows = await analytics.query<HourTraffic>(trafficSql, params)
      if (rows.length === 0) continue
      const hourShares = smoothedShares(new Map(rows.map(({ hour, requests }) => [hour, requests])))
      if (known.get(shopId) === digestOf(hourShares)) continue
      const value = encode('ShopTraffic', { shopId, hourShares, computedAt: now() })
      await log.append([{ topic: 'shop-traffic', key: shopId, value }])
      known.set(shopId, digestOf(hourShares))
    }
  }
}

const digestOf = (hourShares: readonly number[]): string =>
  hourShares.map((share) => share.toPrecision(SIGNIFICANT_DIGITS)).join()
