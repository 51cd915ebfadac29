import type { Transaction } from '../../../schemas/records.ts'

/** An id is the caller's own: it may have been used in each shop for a purchase, a cart and a wishlist. */
export const TRANSACTIONS_OF_ID_MAX = 30

export type TransactionRow = Pick<
  Transaction,
  'shopId' | 'kind' | 'occurredAt' | 'cid' | 'uid' | 'currency' | 'imported' | 'lines'
>

export interface AttributedLineRow {
  shopId: string
  kind: Transaction['kind']
  /** Counts from 0. */
  line: number
  shopProductId: string
  quantity: number
  priceMicros: number
  outcome: 'CREDITED' | 'NO_TOUCH' | 'NO_MATCH'
  match: string
  touchType: string
  touchEventId: string
  touchAt: number
  campaignId: string
  adId: string
  clickWindowHours: number
  viewWindowHours: number
}

/**
 * The transactions of an id. One that came with different contents counts as the earliest of them, the live before the
 * imported, then by content: the same choice as attribution's.
 */
export function transactionQuery({ eventId, shopIds }: { eventId: string; shopIds: readonly string[] }) {
  const sql = `
SELECT shopId, kind, occurredAt, cid, uid, currency, imported, lines
FROM transactions
WHERE eventId = {eventId:String} AND shopId IN {shopIds:Array(String)}
ORDER BY shopId, kind, imported, occurredAt, cid, isNull(uid), ifNull(uid, ''), currency, toString(lines)
LIMIT 1 BY shopId, kind
LIMIT ${TRANSACTIONS_OF_ID_MAX}`
  return { sql, params: { eventId, shopIds } }
}

/** Their lines as attribution has stored them. Rows are `AttributedLineRow`. */
export function attributedLinesQuery({ eventId, shopIds }: { eventId: string; shopIds: readonly string[] }) {
  const sql = `
SELECT shopId, kind, line, shopProductId, quantity, priceMicros, outcome, match, touchType, touchEventId, touchAt,
  campaignId, adId, clickWindowHours, viewWindowHours
FROM attributed_lines FINAL
WHERE shopId IN {shopIds:Array(String)} AND kind IN ('PURCHASE', 'CART', 'WISHLIST') AND eventId = {eventId:String}
ORDER BY shopId, kind, line`
  return { sql, params: { eventId, shopIds } }
}
