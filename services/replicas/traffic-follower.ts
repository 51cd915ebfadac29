import type { EventLog } from '../../infra/event-log/port.ts'
import type { ShopTraffic } from '../../schemas/records/records.ts'
import { predictClickRate } from '../domain/auction/click-rate.ts'
import { EVEN_HOURS } from '../domain/time/shop-day.ts'
import { type Follower, type FollowLogger, followTopic } from './follow-topic.ts'

/** Traffic statistics of shops. */
export interface Traffic {
  /** Shares of the shop's traffic by hour of its local day; even for an unknown shop. */
  hourShares(shopId: string): readonly number[]
  /** Predicted click rate of the shop's sponsored ads, in (0, 1). */
  clickRate(shopId: string): number
}

export interface ShopUsage {
  shopId: string
  hourShares: readonly number[]
  clickRate: number
}

/** What a record of `shop-traffic` says. */
export function usageOf({ shopId, hourShares, views, clicks }: ShopTraffic): ShopUsage {
  return { shopId, hourShares, clickRate: predictClickRate({ views, clicks }) }
}

/** Defaults for unknown shops. */
export const unknownTraffic: Traffic = { hourShares: () => EVEN_HOURS, clickRate: () => predictClickRate(null) }

/** Follows the topic `shop-traffic` until closed. `streams/signals/traffic.ts` writes it. */
export async function followTraffic({
  log,
  logger,
}: {
  log: Pick<EventLog, 'tail'>
  logger: FollowLogger
}): Promise<Traffic & Follower> {
  const shops = new Map<string, Omit<ShopUsage, 'shopId'>>()
  const follower = await followTopic(
    { log, topic: 'shop-traffic', record: 'ShopTraffic', known: 'The traffic of shops is known', logger },
    (_, traffic) => {
      if (!traffic) return
      const { shopId, ...usage } = usageOf(traffic)
      shops.set(shopId, usage)
    },
  )
  return {
    ...follower,
    hourShares: (shopId) => shops.get(shopId)?.hourShares ?? unknownTraffic.hourShares(shopId),
    clickRate: (shopId) => shops.get(shopId)?.clickRate ?? unknownTraffic.clickRate(shopId),
  }
}
