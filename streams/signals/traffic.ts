import type { Analytics } from '../../infra/analytics/port.ts'
import {
  type ClickTraffic,
  clickTrafficSql,
  type HourTraffic,
  shopsWithNewSql,
  trafficSql,
} from '../../infra/analytics/queries/signals/orders-and-traffic.ts'
import { countedPositionsSql } from '../../infra/analytics/queries/signals/signal-days.ts'
import type { Commit, EventLog, Position } from '../../infra/event-log/port.ts'
import { DAY_MS } from '../../schemas/durations.ts'
import type { ShopTraffic } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { HOURS } from '../../services/domain/time/shop-day.ts'
import { createCatchUp } from '../../services/replicas/catch-up.ts'
import { usageOf } from '../../services/replicas/traffic-follower.ts'
import { newRanges, newRowsIn } from '../attribution/ranges.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'

/** Four whole weeks: each day of the week counts alike. */
const WINDOW_DAYS = 28
/** The weight, in requests, of the prior that every hour brings the same. */
const PRIOR_REQUESTS = 1_000
/** Smaller changes are not worth a record. */
const SIGNIFICANT_DIGITS = 2
const RECORDS_PER_APPEND = 500
const NOT_SEEN = { views: 0, clicks: 0 }

export interface TrafficDeps {
  log: Pick<EventLog, 'append' | 'bounds' | 'tail' | 'committed'>
  analytics: Analytics
  snapshot: Snapshot
  /** UTC epoch milliseconds. */
  now: () => number
}

/** What a run has computed from: the offsets up to which rows are stored and counted, the day, and the time zones of the shops. */
interface Basis {
  ends: readonly Commit[]
  day: number
  zones: ReadonlyMap<string, string>
}

/**
 * Publishes to the topic `shop-traffic` how each shop's ad requests are spread over its day, and how often its ads are clicked, by
 * counts that the tables have. The function that is returned makes one run: it looks at the shops that have anything new, on a new
 * day at all shops, and appends what changed. Only one process may run it.
 */
export function createTraffic({ log, analytics, snapshot, now }: TrafficDeps): () => Promise<void> {
  /** By shop: what is in the topic, to the significant digits. */
  const known = new Map<string, string>()
  const catchUp = createCatchUp(log, 'shop-traffic', (records) => {
    for (const { value } of records) {
      if (!value) continue
      const traffic = decode('ShopTraffic', value)
      known.set(traffic.shopId, digestOf(traffic))
    }
  })
  let last: Basis | null = null

  async function readBasis(): Promise<Basis> {
    const requests = (await log.committed(SINK_GROUP)).filter(({ topic }) => topic === 'emissions')
    const events = await analytics.query<Position>(countedPositionsSql)
    return {
      ends: [...requests, ...events.map((each) => ({ ...each, metadata: '' }))],
      day: Math.floor(now() / DAY_MS),
      zones: new Map(Array.from(snapshot.all('Shop'), ({ id, body }) => [id, body.timeZone])),
    }
  }

  /** The shops whose results may differ from those of the last run. */
  async function changedShops({ ends, day, zones }: Basis): Promise<string[]> {
    if (last === null || last.day !== day) return [...zones.keys()]
    const { ends: done, zones: before } = last
    const sql = shopsWithNewSql(newRowsIn(newRanges(ends, done)))
    const active = sql ? await analytics.query<{ shopId: string }>(sql) : []
    const isActive = new Set(active.map(({ shopId }) => shopId))
    return [...zones].flatMap(([id, zone]) => (isActive.has(id) || before.get(id) !== zone ? [id] : []))
  }

  /** The traffic of shops in one time zone. Shops without requests have none. */
  async function readTraffic(timeZone: string, shopIds: readonly string[]): Promise<ShopTraffic[]> {
    const since = now() - WINDOW_DAYS * DAY_MS
    const hours = await analytics.query<HourTraffic>(trafficSql, { shopIds, timeZone, since })
    if (hours.length === 0) return []
    const params = { shopIds, sinceDay: Math.ceil(since / DAY_MS) }
    const clicked = await analytics.query<ClickTraffic>(clickTrafficSql, params)
    const clicks = new Map(clicked.map(({ shopId, views, clicks }) => [shopId, { views, clicks }]))
    return [...Map.groupBy(hours, ({ shopId }) => shopId)].map(([shopId, ofShop]) => {
      const hourShares = smoothedShares(new Map(ofShop.map(({ hour, requests }) => [hour, requests])))
      return { shopId, hourShares, ...(clicks.get(shopId) ?? NOT_SEEN), computedAt: now() }
    })
  }

  return async function runOnce() {
    const basis = await readBasis()
    const zoneOf = (shopId: string) => basis.zones.get(shopId)!
    const shops = await changedShops(basis)
    if (shops.length > 0) await catchUp()
    for (const [timeZone, shopIds] of Map.groupBy(shops, zoneOf)) {
      const traffic = await readTraffic(timeZone, shopIds)
      const changed = traffic.filter((each) => known.get(each.shopId) !== digestOf(each))
      for (const some of chunksOf(changed, RECORDS_PER_APPEND)) {
        await log.append(
          some.map((each) => ({ topic: 'shop-traffic', key: each.shopId, value: encode('ShopTraffic', each) })),
        )
      }
    }
    last = basis
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
