import type { EventLog } from '../../infra/event-log/port.ts'
import type { ShopTraffic } from '../../schemas/records/records.ts'
import { decode, unknownSchemaOf } from '../../schemas/wire/codec.ts'
import { predictClickRate } from '../domain/auction/click-rate.ts'
import { EVEN_HOURS } from '../domain/time/shop-day.ts'

/** Traffic statistics of shops. */
export interface Traffic {
  /** Shares of the shop's traffic by hour of its local day; even for an unknown shop. */
  hourShares(shopId: string): readonly number[]
  /** Predicted click rate of the shop's sponsored ads, in (0, 1). */
  clickRate(shopId: string): number
}

export interface TrafficFollower extends Traffic {
  /** Why it has stopped: a newer version writes records that this one cannot decode. Null: it follows. */
  staleReason(): string | null
  close(): Promise<void>
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
  logger: { error(details: object, message: string): void }
}): Promise<TrafficFollower> {
  const shops = new Map<string, Omit<ShopUsage, 'shopId'>>()
  let staleReason: string | null = null
  const tail = await log.tail('shop-traffic', (records) => {
    for (const { value, partition, offset } of records) {
      if (!value || staleReason !== null) continue
      const unknown = unknownSchemaOf('ShopTraffic', value)
      if (unknown) {
        staleReason = unknown.message
        logger.error(
          { topic: 'shop-traffic', partition, offset },
          `The traffic of shops is known until here: ${staleReason}`,
        )
        continue
      }
      const { shopId, ...usage } = usageOf(decode('ShopTraffic', value))
      shops.set(shopId, usage)
    }
  })
  return {
    staleReason: () => staleReason,
    hourShares: (shopId) => shops.get(shopId)?.hourShares ?? unknownTraffic.hourShares(shopId),
    clickRate: (shopId) => shops.get(shopId)?.clickRate ?? unknownTraffic.clickRate(shopId),
    close: () => tail.close(),
  }
}
