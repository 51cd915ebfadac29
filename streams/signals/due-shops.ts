import { msSince } from '../../services/domain/time/ms-since.ts'

/** A shop whose purchases grow by this share at once, as by an import, is computed before its time. */
const SURGE_SHARE = 0.1
/** An import is under way while a look finds more new purchases than this, and more than this share of all. */
const ARRIVING_MIN = 100
const ARRIVING_SHARE = 0.01

export interface DueShops {
  /** Notes that something is new in a shop. */
  note(shopId: string, purchases: number): void
  /** Notes that something is new in every shop that was ever noted. */
  noteAll(): void
  /**
   * The shops to compute now, by what was noted since the last call. A shop whose import is still coming in waits until it has
   * come, for one interval at most: what is computed from half an import is wasted, and takes the time that the whole one needs.
   * @param isBehind whether the sink has yet to store purchases that the log held at the last look. If so, none of an import that was
   * coming in may have been found although it has not ended.
   */
  list(now: number, isBehind: boolean): string[]
  /** Whether a shop waits for purchases that are coming in. */
  areArriving(): boolean
  /** How many purchases are new in a shop that is about to be computed. Those noted from now on are not among them. */
  taken(shopId: string): { purchases: number }
  /** Notes that a shop was computed. @param computation when it began, and the purchases that `taken` returned for it. */
  computed(shopId: string, computation: { at: number; purchases: number }): void
}

interface Shop {
  isNew: boolean
  newPurchases: number
  /** Purchases that the shop was computed with. */
  purchases: number
  computedAt: number
  /** Purchases noted since the last look. */
  arrived: number
  /** The time of the first look that found an import coming in; null when none is. */
  arrivingSince: number | null
}

/** Tells which shops' signals to compute: those with anything new, an interval after the last time or once purchases surge. */
export function createDueShops({ intervalMs }: { intervalMs: number }): DueShops {
  const shops = new Map<string, Shop>()

  function noteArrival(shop: Shop, now: number, isBehind: boolean): void {
    const areMany = shop.arrived > Math.max(ARRIVING_MIN, (shop.purchases + shop.newPurchases) * ARRIVING_SHARE)
    const isArriving = areMany || (isBehind && shop.arrivingSince !== null)
    shop.arrivingSince = isArriving ? (shop.arrivingSince ?? now) : null
    shop.arrived = 0
  }

  const isDue = (shop: Shop, now: number) =>
    shop.isNew &&
    (shop.arrivingSince === null || msSince(shop.arrivingSince, now) >= intervalMs) &&
    (msSince(shop.computedAt, now) >= intervalMs || shop.newPurchases > shop.purchases * SURGE_SHARE)

  return {
    note(shopId, purchases) {
      const unseen = {
        newPurchases: 0,
        purchases: 0,
        computedAt: Number.NEGATIVE_INFINITY,
        arrived: 0,
        arrivingSince: null,
      }
      const shop: Shop = shops.get(shopId) ?? { isNew: true, ...unseen }
      shop.isNew = true
      shop.newPurchases += purchases
      shop.arrived += purchases
      shops.set(shopId, shop)
    },
    noteAll() {
      for (const shop of shops.values()) shop.isNew = true
    },
    list(now, isBehind) {
      for (const shop of shops.values()) noteArrival(shop, now, isBehind)
      return [...shops].filter(([, shop]) => isDue(shop, now)).map(([shopId]) => shopId)
    },
    areArriving: () => [...shops.values()].some(({ arrivingSince }) => arrivingSince !== null),
    taken: (shopId) => ({ purchases: shops.get(shopId)?.newPurchases ?? 0 }),
    computed(shopId, { at, purchases }) {
      const shop = shops.get(shopId)
      if (!shop) return
      shop.newPurchases -= purchases
      shop.purchases += purchases
      shop.computedAt = at
      shop.arrivingSince = null
      shop.isNew = false
    },
  }
}
