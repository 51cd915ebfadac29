/** Purchases that grow by this share at once, as by an import, are worth computing a shop before its time. */
const SURGE_SHARE = 0.1
/** While a look finds more new purchases than this, and more than this share of all, an import is under way. */
const ARRIVING_MIN = 100
const ARRIVING_SHARE = 0.01

export interface DueShops {
  /** Something is new in a shop. */
  note(shopId: string, purchases: number): void
  /** Something is new in every shop that was ever noted. */
  noteAll(): void
  /**
   * The shops to compute now, by what was noted since the last call. Those whose purchases are still coming in at once wait until they
   * have come, for an interval at most: what is computed of half an import is computed in vain, and takes the time that the whole needs.
   */
  list(now: number): string[]
  /** Whether a shop waits for purchases that are coming in. */
  areArriving(): boolean
  /** How many purchases are new in it; what is noted from now on is not among them. */
  taken(shopId: string): { purchases: number }
  /** @param computation when it began, and what it was told by `taken`. */
  computed(shopId: string, computation: { at: number; purchases: number }): void
}

interface Shop {
  isNew: boolean
  newPurchases: number
  /** That were computed with. */
  purchases: number
  computedAt: number
  /** New since the last look. */
  arrived: number
  /** Of the first look that found them coming in at once; null: they are not. */
  arrivingSince: number | null
}

/** Which shops' signals are to be computed: those that have anything new, an interval after the last time or after a surge. */
export function createDueShops({ intervalMs }: { intervalMs: number }): DueShops {
  const shops = new Map<string, Shop>()

  function noteArrival(shop: Shop, now: number): void {
    const isArriving = shop.arrived > Math.max(ARRIVING_MIN, (shop.purchases + shop.newPurchases) * ARRIVING_SHARE)
    shop.arrivingSince = isArriving ? (shop.arrivingSince ?? now) : null
    shop.arrived = 0
  }

  const isDue = (shop: Shop, now: number) =>
    shop.isNew &&
    (shop.arrivingSince === null || now - shop.arrivingSince >= intervalMs) &&
    (now - shop.computedAt >= intervalMs || shop.newPurchases > shop.purchases * SURGE_SHARE)

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
    list(now) {
      for (const shop of shops.values()) noteArrival(shop, now)
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
