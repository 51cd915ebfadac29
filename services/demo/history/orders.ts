import { type Product, priceOf } from '../catalogue/products.ts'
import { HISTORY_DAYS } from '../load/sponsored.ts'
import { sequence } from '../sequence.ts'

const ORDERS = 500
const SEED = 11
const DAY_MS = 86_400_000

/** Orders of the weeks before the shop had ads, for `POST /v1/panel/import/transactions`: bestsellers need a past. */
export function demoOrders(products: readonly Product[], shop: { shopId: string; now: number }): object[] {
  const random = sequence(SEED)
  const departments = [...Map.groupBy(products, ({ category }) => category.split(' > ')[0]!).values()]
  return Array.from({ length: ORDERS }, (_, number) => {
    const choice = random.pick(departments)
    const bought = Array.from(
      { length: 1 + random.index(4) },
      () => choice[Math.floor(choice.length * random.next() ** 2)]!,
    )
    const customer = random.index(200)
    return {
      eventId: `past-${number}`,
      shopId: shop.shopId,
      kind: 'PURCHASE',
      currency: 'EUR',
      occurredAt: new Date(shop.now - HISTORY_DAYS * DAY_MS * random.next()).toISOString(),
      cid: `past-customer-${customer}`,
      products: bought.map((product) => ({ shopProductId: product.id, price: priceOf(product), quantity: 1 })),
    }
  })
}
