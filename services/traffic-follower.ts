import type { EventLog } from '../infra/event-log/port.ts'
import { decode } from '../schemas/codec.ts'
import { EVEN_HOURS } from './domain/shop-day.ts'

export interface Traffic {
  /** Shares of the shop's traffic by hour of its day; of a shop that nothing is known of, each hour's the same. */
  hourShares(shopId: string): readonly number[]
  close(): Promise<void>
}

/** Keeps at hand what the topic `shop-traffic` holds, until closed. */
export async function followTraffic({ log }: { log: Pick<EventLog, 'tail'> }): Promise<Traffic> {
  const shops = new Map<string, readonly number[]>()
  const tail = await log.tail('shop-traffic', (records) => {
    for (const { value } of records) {
      if (!value) continue
      const { shopId, hourShares } = decode('ShopTraffic', value)
      shops.set(shopId, hourShares)
    }
  })
  return { hourShares: (shopId) => shops.get(shopId) ?? EVEN_HOURS, close: () => tail.close() }
}
