import type { Analytics } from '../../infra/analytics/port.ts'
import {
  latestOrdersSql,
  newOrdersSql,
  type PurchaseOrder,
} from '../../infra/analytics/queries/signals/orders-and-traffic.ts'
import type { Commit, EventLog } from '../../infra/event-log/port.ts'
import { newRanges, rowsIn } from '../attribution/ranges.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import { BASKET_LINES_MAX, createOrderHistory, type OrderHistory } from './also-bought.ts'

/** Latest order lines of a shop that also-bought lists are made of. */
const ORDER_LINES_MAX = 1_000_000
/**
 * Of all shops whose orders are kept in memory. The shop that was asked for longest ago goes first: shops that have more together are
 * all read anew in each turn, which takes ten times as long.
 */
const KEPT_LINES_MAX = 8_000_000
/** When a shop's orders grow by more than this share at once, they are read anew: they may be older than those that are known. */
const READ_ANEW_SHARE = 0.1
const ALL = { starts: [], runOffsets: Number.POSITIVE_INFINITY }

export interface ShopOrders {
  history: OrderHistory
  /** Products whose orders are new since the last call; null: all, because the orders were read anew. */
  touched: ReadonlySet<number> | null
}

interface Kept {
  history: OrderHistory
  /** An order that comes again counts once, as it came first. */
  orderIds: Set<number>
  /** Up to where the rows of the sink are among them. */
  readTo: readonly Commit[]
}

/** The orders of shops, kept from call to call, so that a call reads only those that are new. */
export function createShopOrders({ log, analytics }: { log: Pick<EventLog, 'committed'>; analytics: Analytics }) {
  /** The one that was asked for longest ago first. */
  const kept = new Map<string, Kept>()
  const limits = { basketLinesMax: BASKET_LINES_MAX, linesMax: ORDER_LINES_MAX }

  async function readAll(shopId: string, stored: readonly Commit[]): Promise<ShopOrders> {
    const orders = await analytics.query<PurchaseOrder>(latestOrdersSql, { shopId, ...limits })
    // Ages count from the latest order: without a new one the lists stay as they are.
    const history = createOrderHistory(orders, orders[0]?.occurredAt ?? 0)
    keep(shopId, { history, orderIds: new Set(orders.map(({ orderId }) => orderId)), readTo: stored })
    return { history, touched: null }
  }

  async function readNew(shopId: string, known: Kept, stored: readonly Commit[]): Promise<ShopOrders> {
    const condition = rowsIn(newRanges(stored, known.readTo, ALL))
    const { history, orderIds } = known
    if (condition === null) return { history, touched: new Set() }
    const { basketLinesMax } = limits
    const found = await analytics.query<PurchaseOrder>(newOrdersSql(condition), { shopId, basketLinesMax })
    const orders = found.filter(({ orderId }) => !orderIds.has(orderId))
    const grown = orders.reduce((lines, { items }) => lines + items.length, history.lines)
    if (orders.length > orderIds.size * READ_ANEW_SHARE || grown > ORDER_LINES_MAX * (1 + READ_ANEW_SHARE)) {
      return readAll(shopId, stored)
    }
    for (const { orderId } of orders) orderIds.add(orderId)
    const touched = history.add(orders)
    keep(shopId, { history, orderIds, readTo: stored })
    return { history, touched }
  }

  function keep(shopId: string, shop: Kept): void {
    kept.delete(shopId)
    kept.set(shopId, shop)
    let lines = [...kept.values()].reduce((sum, { history }) => sum + history.lines, 0)
    for (const [oldest, { history }] of kept) {
      if (lines <= KEPT_LINES_MAX || oldest === shopId) break
      kept.delete(oldest)
      lines -= history.lines
    }
  }

  return async function ordersOf(shopId: string): Promise<ShopOrders> {
    // Before the orders are read: what is stored meanwhile is read again, and known by its id.
    const stored = (await log.committed(SINK_GROUP)).filter(({ topic }) => topic === 'transactions')
    const known = kept.get(shopId)
    return known ? readNew(shopId, known, stored) : readAll(shopId, stored)
  }
}
