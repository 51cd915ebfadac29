import { type DemoProduct, sequence } from './catalogue.ts'

const ORDERS = 600
const DAY_MS = 86_400_000
const HISTORY_DAYS = 28

/** Some weeks of past orders, so that bestsellers and also-bought have something to say from the first minute. */
export function demoOrders(products: DemoProduct[], shop: { shopId: string; now: number }): object[] {
  const next = sequence(11)
  const byTop = Map.groupBy(products, (p) => p.category.split(' > ')[0]!)
  const tops = [...byTop.values()]
  return Array.from({ length: ORDERS }, (_, i) => {
    const choice = tops[Math.floor(next() * tops.length)]!
    const size = 1 + Math.floor(next() * 4)
    const bought = Array.from({ length: size }, () => choice[Math.floor(choice.length * next() ** 2)]!)
    return {
      eventId: `past-${i}`,
      shopId: shop.shopId,
      kind: 'PURCHASE',
      currency: 'EUR',
      occurredAt: new Date(shop.now - HISTORY_DAYS * DAY_MS * next()).toISOString(),
      cid: `past-customer-${Math.floor(next() * 200)}`,
      products: bought.map((p) => ({ shopProductId: p.id, price: p.salePrice ?? p.price, quantity: 1 })),
    }
  })
}
