import type { EventLog } from '../infra/event-log/port.ts'
import { decode } from '../schemas/codec.ts'
import { predictClickRate } from './domain/click-rate.ts'
import { EVEN_HOURS } from './domain/shop-day.ts'

/** How shoppers use a shop. */
export interface Traffic {
  /** Shares of the shop's traffic by hour of its day; of a shop that nothing is known of, each hour's the same. */
  hourShares(shopId: string): readonly number[]
  /** How often the shop's sponsored ads are clicked: predicted, in (0, 1). */
  clickRate(shopId: string): number
}

export interface TrafficFollower extends Traffic {
  close(): Promise<void>
}

/** Of shops that nothing is known of. */
export const unknownTraffic: Traffic = { hourShares: () => EVEN_HOURS, clickRate: () => predictClickRate(null) }

/** Keeps at hand what the topic `shop-traffic` holds, until closed. */
export async function followTraffic({ log }: { log: Pick<EventLog, 'tail'> }): Promise<TrafficFollower> {
  const shops = new Map<string, { hourShares: readonly number[]; clickRate: number }>()
  const tail = await log.tail('shop-traffic', (records) => {
    for (const { value } of records) {
      if (!value) continue
      const { shopId, hourShares, ...clicked } = decode('ShopTraffic', value)
      shops.set(shopId, { hourShares, clickRate: predictClickRate(clicked) })
    }
  })
  return {
    hourShares: (shopId) => shops.get(shopId)?.hourShares ?? unknownTraffic.hourShares(shopId),
    clickRate: (shopId) => shops.get(shopId)?.clickRate ?? unknownTraffic.clickRate(shopId),
    close: () => tail.close(),
  }
}
