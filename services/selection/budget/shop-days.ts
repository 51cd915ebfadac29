import type { Shop } from '../../../schemas/records/entities.ts'
import { type ShopDay, shopDay } from '../../domain/time/shop-day.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'

/** Caches the present day of each shop: computing one takes a hundred calendar look-ups. */
export function createShopDays({ traffic }: { traffic: Pick<Traffic, 'hourShares'> }) {
  const known = new Map<string, { day: ShopDay; shares: readonly number[]; timeZone: string }>()
  return (shopId: string, { timeZone }: Shop, now: number): ShopDay => {
    const shares = traffic.hourShares(shopId)
    const found = known.get(shopId)
    if (found?.shares === shares && found.timeZone === timeZone) {
      if (now >= found.day.startAt && now < found.day.endAt) return found.day
    }
    const day = shopDay(timeZone, now, shares)
    known.set(shopId, { day, shares, timeZone })
    return day
  }
}
