import type { Analytics } from '../../infra/analytics/port.ts'
import {
  type ClickTraffic,
  clickTrafficSql,
  type HourTraffic,
  trafficSql,
} from '../../infra/analytics/queries/traffic.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import type { ShopTraffic } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { predictClickRate } from '../../services/domain/auction/click-rate.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { smoothedShares } from '../../services/domain/time/traffic.ts'

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
 * How each shop's ad requests are spread over its day, and how often its ads are clicked, in the topic `shop-traffic`. The
 * result is one run, which appends what changed. Only one process may run it.
 */
export function createTraffic({ log, analytics, snapshot, now }: TrafficDeps): () => Promise<void> {
  /** By shop: what is in the topic, to the digits that count. Null: not read yet. */
  let known: Map<string, string> | null = null

  async function readKnown(): Promise<Map<string, string>> {
    const shops = new Map<string, string>()
    const tail = await log.tail('shop-traffic', (records) => {
      for (const { value } of records) {
        if (!value) continue
        const traffic = decode('ShopTraffic', value)
        shops.set(traffic.shopId, digestOf(traffic))
      }
    })
    await tail.close()
    return shops
  }

  return async function runOnce() {
    known ??= await readKnown()
    for (const { id: shopId, body } of snapshot.all('Shop')) {
      const since = now() - WINDOW_DAYS * DAY_MS
      const hours = await analytics.query<HourTraffic>(trafficSql, { shopId, timeZone: body.timeZone, since })
      if (hours.length === 0) continue
      const hourShares = smoothedShares(new Map(hours.map(({ hour, requests }) => [hour, requests])))
      const [clicked] = await analytics.query<ClickTraffic>(clickTrafficSql, { shopId, since })
      const traffic: ShopTraffic = { shopId, hourShares, ...clicked!, computedAt: now() }
      if (known.get(shopId) === digestOf(traffic)) continue
      await log.append([{ topic: 'shop-traffic', key: shopId, value: encode('ShopTraffic', traffic) }])
      known.set(shopId, digestOf(traffic))
    }
  }
}

const digestOf = ({ hourShares, ...clicked }: ShopTraffic): string =>
  [...hourShares, predictClickRate(clicked)].map((share) => share.toPrecision(SIGNIFICANT_DIGITS)).join()
