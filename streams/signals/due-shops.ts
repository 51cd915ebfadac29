/** Purchases that grow by this share at once, as by an import, are worth computing a shop before its time. */
const SURGE_SHARE = 0.1

export interface DueShops {
  /** Something is new in a shop. */
  note(shopId: string, purchases: number): void
  /** Something is new in every shop that was ever noted. */
  noteAll(): void
  /** The shops to compute now. */
  list(now: number): string[]
  /** How many purchases are new in it; what is noted from now on is not among them. */
  taken(shopId: string): { purchases: number }
  /** @param at when its computation began, UTC epoch milliseconds. */
  computed(shopId: string, taken: { at: number; purchases: number }): void
}

interface Shop {
  isNew: boolean
  newPurchases: number
  /** That were computed with. */
  purchases: number
  computedAt: number
}

/** Which shops' signals are to be computed: those that have anything new, an interval after the last time or after a surge. */
export function createDueShops({ intervalMs }: { intervalMs: number }): DueShops {
  const shops = new Map<string, Shop>()

  const isDue = ({ isNew, newPurchases, purchases, computedAt }: Shop, now: number) =>
    isNew && (now - computedAt >= intervalMs || newPurchases > purchases * SURGE_SHARE)

  return {
    note(shopId, purchases) {
      const unseen = { isNew: false, newPurchases: 0, purchases: 0, computedAt: Number.NEGATIVE_INFINITY }
      const shop = shops.get(shopId) ?? unseen
      shop.isNew = true
      shop.newPurchases += purchases
      shops.set(shopId, shop)
    },
    noteAll() {
      for (const shop of shops.values()) shop.isNew = true
    },
    list: (now) => [...shops].filter(([, shop]) => isDue(shop, now)).map(([shopId]) => shopId),
    taken: (shopId) => ({ purchases: shops.get(shopId)?.newPurchases ?? 0 }),
    computed(shopId, { at, purchases }) {
      const shop = shops.get(shopId)
      if (!shop) return
      shop.newPurchases -= purchases
      shop.purchases += purchases
      shop.computedAt = at
      shop.isNew = false
    },
  }
}
