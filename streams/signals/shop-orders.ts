import type { Analytics } from '../../infra/analytics/port.ts'
import {
  latestOrdersSql,
  newOrdersSql,
  orderCountsSql,
  type PurchaseOrder,
} from '../../infra/analytics/queries/signals/orders-and-traffic.ts'
import type { Commit, EventLog } from '../../infra/event-log/port.ts'
import { chunksBySize } from '../../services/domain/chunks.ts'
import { advanced, newRanges, rowsIn } from '../attribution/ranges.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import { BASKET_LINES_MAX, createOrderHistory, type OrderHistory } from './also-bought.ts'

/** How many of a shop's latest order lines also-bought lists are made from. */
const ORDER_LINES_MAX = 1_000_000
/**
 * Order lines that are kept in memory, of all shops together. Beyond it, the shop that was asked for longest ago is dropped. Shops that
 * have more together are all read again in each turn, which takes ten times as long.
 */
const KEPT_LINES_MAX = 8_000_000
/** When a shop's orders grow by more than this share at once, all are read again: the new ones may be older than those known. */
const READ_ANEW_SHARE = 0.1
/** Orders that one query reads, unless a single shop has more. */
const ORDERS_AT_ONCE = 50_000
/** New offsets that one query reads. */
const RUN_OFFSETS = 400_000

export interface ShopOrders {
  history: OrderHistory
  /** Products that have new orders since the last call. Null stands for all products: the orders were read again. */
  touched: ReadonlySet<number> | null
}

interface Kept {
  history: OrderHistory
  /** The known orders. An order that comes again counts once, as it came first. */
  orderIds: Set<number>
  /** Orders that the history lacks; null when they are too many to be added. */
  fresh: PurchaseOrder[] | null
}

/**
 * The orders of shops, kept in memory from call to call. A call reads the new orders of all shops at once, and adds them to the shops
 * that it keeps. The orders of any other shop are read when it is asked for.
 */
export function createShopOrders({ log, analytics }: { log: Pick<EventLog, 'committed'>; analytics: Analytics }) {
  /** By shop, the one that was asked for longest ago first. */
  const kept = new Map<string, Kept>()
  /** The offsets before which the sink's rows are among what is kept. */
  let readTo: readonly Commit[] = []
  let last: Promise<unknown> = Promise.resolve()

  async function readNew(): Promise<void> {
    const stored = (await log.committed(SINK_GROUP)).filter(({ topic }) => topic === 'transactions')
    if (kept.size === 0) readTo = stored
    for (;;) {
      const ranges = newRanges(stored, readTo, { runOffsets: RUN_OFFSETS })
      const condition = rowsIn(ranges)
      if (condition === null) return
      const sql = newOrdersSql(condition)
      const orders = await analytics.query<PurchaseOrder>(sql, { basketLinesMax: BASKET_LINES_MAX })
      for (const [shopId, ofShop] of Map.groupBy(orders, ({ shopId }) => shopId)) {
        const shop = kept.get(shopId)
        if (shop) noteNew(shop, ofShop)
      }
      readTo = advanced(readTo, ranges)
    }
  }

  function noteNew(shop: Kept, orders: readonly PurchaseOrder[]): void {
    const { history, orderIds } = shop
    if (shop.fresh === null) return
    const known = orderIds.size - shop.fresh.length
    for (const order of orders) {
      if (orderIds.has(order.orderId)) continue
      orderIds.add(order.orderId)
      shop.fresh.push(order)
    }
    const grown = shop.fresh.reduce((lines, { items }) => lines + items.length, history.lines)
    const areMany = shop.fresh.length > known * READ_ANEW_SHARE || grown > ORDER_LINES_MAX * (1 + READ_ANEW_SHARE)
    if (areMany) shop.fresh = null
  }

  async function readAll(shopIds: readonly string[]): Promise<void> {
    const counts = await analytics.query<{ shopId: string; orders: number }>(orderCountsSql, { shopIds })
    const ordersOf = new Map(counts.map(({ shopId, orders }) => [shopId, orders]))
    for (const some of chunksBySize(shopIds, (shopId) => ordersOf.get(shopId) ?? 0, ORDERS_AT_ONCE)) {
      const limits = { basketLinesMax: BASKET_LINES_MAX, linesMax: ORDER_LINES_MAX }
      const found = await analytics.query<PurchaseOrder>(latestOrdersSql, { shopIds: some, ...limits })
      const byShop = Map.groupBy(found, ({ shopId }) => shopId)
      for (const shopId of some) {
        const orders = byShop.get(shopId) ?? []
        // Ages count from the latest order: without a new one the lists stay as they are.
        const history = createOrderHistory(orders, orders[0]?.occurredAt ?? 0)
        kept.set(shopId, { history, orderIds: new Set(orders.map(({ orderId }) => orderId)), fresh: [] })
      }
    }
  }

  function take(shopId: string, isReadAnew: boolean): ShopOrders {
    const shop = kept.get(shopId)!
    const orders = shop.fresh!
    shop.fresh = []
    // Move the shop to the end, as the one that was asked for last.
    kept.delete(shopId)
    kept.set(shopId, shop)
    const { history } = shop
    return { history, touched: isReadAnew ? null : orders.length === 0 ? new Set() : history.add(orders) }
  }

  function forgetSome(): void {
    let lines = [...kept.values()].reduce((sum, { history }) => sum + history.lines, 0)
    for (const [oldest, { history }] of kept) {
      if (lines <= KEPT_LINES_MAX || kept.size === 1) break
      kept.delete(oldest)
      lines -= history.lines
    }
  }

  async function read(shopIds: readonly string[]): Promise<Map<string, ShopOrders>> {
    await readNew()
    const anew = new Set(shopIds.filter((shopId) => (kept.get(shopId)?.fresh ?? null) === null))
    if (anew.size > 0) await readAll([...anew])
    const orders = new Map(shopIds.map((shopId) => [shopId, take(shopId, anew.has(shopId))]))
    forgetSome()
    return orders
  }

  return function ordersOf(shopIds: readonly string[]): Promise<ReadonlyMap<string, ShopOrders>> {
    // Calls run one after the other: a call finds no new orders of a shop that another one is still reading.
    const orders = last.then(() => read(shopIds))
    last = orders.catch(() => {})
    return orders
  }
}
