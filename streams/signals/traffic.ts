import type { Analytics } from '../../infra/analytics/port.ts'
import {
  type ClickTraffic,
  clickTrafficSql,
  type HourTraffic,
  trafficSql,
} from '../../infra/analytics/queries/signals/orders-and-traffic.ts'
import { countedPositionsSql } from '../../infra/analytics/queries/signals/signal-days.ts'
import type { EventLog, Position } from '../../infra/event-log/port.ts'
import type { ShopTraffic } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { HOURS } from '../../services/domain/time/shop-day.ts'
import { usageOf } from '../../services/replicas/traffic-follower.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'

const DAY_MS = 86_400_000
/** Four whole weeks: each day of the week counts alike. */
const WINDOW_DAYS = 28
/** The weight, in requests, of the prior that every hour brings the same. */
const PRIOR_REQUESTS = 1_000
/** Smaller changes are not worth a record. */
const SIGNIFICANT_DIGITS = 2

export interface TrafficDeps {
  log: Pick<EventLog, 'append' | 'tail' | 'committed'>
  analytics: Analytics
  snapshot: Snapshot
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * How each shop's ad requests are spread over its day, and how often its ads are clicked, in the topic `shop-traffic`, by counts
 * that the tables have. The result is one run, which appends what changed. Only one process may run it.
 */
export function createTraffic({ log, analytics, snapshot, now }: TrafficDeps): () => Promise<void> {
  /** By shop: what is in the topic, to the digits that count. Null: not read yet. */
  let known: Map<string, string> | null = null
  /** What the last run has computed from. */
  let computedFrom: string | null = null

  /** Up to where requests are stored and events counted, the day and the shops: while they stay, so do the results. */
  async function readBasis(): Promise<string> {
    const requests = (await log.committed(SINK_GROUP)).filter(({ topic }) => topic === 'emissions')
    const events = await analytics.query<Position>(countedPositionsSql)
    const positions = [...requests, ...events]
      .map(({ topic, partition, offset }) => `${topic}/${partition}/${offset}`)
      .sort()
    const shops = snapshot.all('Shop').map(({ id, body }) => `${id} ${body.timeZone}`)
    return [Math.floor(now() / DAY_MS), ...positions, ...shops].join()
  }

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
    const basis = await readBasis()
    if (basis === computedFrom) return
    for (const { id: shopId, body } of snapshot.all('Shop')) {
      const since = now() - WINDOW_DAYS * DAY_MS
      const sinceDay = Math.ceil(since / DAY_MS)
      const hours = await analytics.query<HourTraffic>(trafficSql, { shopId, timeZone: body.timeZone, since })
      if (hours.length === 0) continue
      const hourShares = smoothedShares(new Map(hours.map(({ hour, requests }) => [hour, requests])))
      const [clicked] = await analytics.query<ClickTraffic>(clickTrafficSql, { shopId, sinceDay })
      const traffic: ShopTraffic = { shopId, hourShares, ...clicked!, computedAt: now() }
      if (known.get(shopId) === digestOf(traffic)) continue
      await log.append([{ topic: 'shop-traffic', key: shopId, value: encode('ShopTraffic', traffic) }])
      known.set(shopId, digestOf(traffic))
    }
    computedFrom = basis
  }
}

function digestOf(traffic: ShopTraffic): string {
  const { hourShares, clickRate } = usageOf(traffic)
  return [...hourShares, clickRate].map((share) => share.toPrecision(SIGNIFICANT_DIGITS)).join()
}

/**
 * The share of a day's requests that comes in each hour: 24 numbers > 0 whose sum is 1. Each hour is smoothed over its
 * neighbours (1, 2, 1), since a single mailing is not the shape of the day, and drawn towards an even day while there are
 * few requests.
 */
function smoothedShares(requestsByHour: ReadonlyMap<number, number>): number[] {
  const counts = Array.from({ length: HOURS }, (_, hour) => requestsByHour.get(hour) ?? 0)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const at = (hour: number) => counts[(hour + HOURS) % HOURS]!
  return counts.map((count, hour) => {
    const smoothed = (at(hour - 1) + 2 * count + at(hour + 1)) / 4
    return (smoothed + PRIOR_REQUESTS / HOURS) / (total + PRIOR_REQUESTS)
  })
}
