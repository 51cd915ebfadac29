import { encode } from '../../schemas/codec.ts'
import type { DeprecatedTransactionBody, TransactionBody } from '../../schemas/http/events.ts'
import type { Transaction } from '../../schemas/records.ts'
import { toMicros } from '../domain/money.ts'
import { foreign, type JudgedEvent, type Rules, refused } from './event.ts'
import { occurredAt } from './occurred-at.ts'
import { proofFor, type Sender } from './sender.ts'

/** A transaction body of any endpoint. */
export type TransactionReport = Omit<TransactionBody, 'products'> & {
  products: (TransactionBody['products'][number] & Partial<DeprecatedTransactionBody['products'][number]>)[]
}

export interface Buyer {
  cid: string
  uid: string | null
  /** UTC epoch milliseconds. */
  receivedAt: number
  sender: Sender
}

/** A purchase, or a cart or wishlist addition, keyed by cid. Without an eventId it gets one, and a repeat counts again. */
export function transaction(report: TransactionReport, buyer: Buyer, { snapshot, uuid }: Rules): JudgedEvent {
  if (!snapshot.get('Shop', report.shopId)) return refused('/shopId', 'there is no such shop')
  const proof = proofFor(buyer.sender, report.shopId, snapshot)
  if (proof === null) return foreign('/shopId')
  const at = occurredAt(report.occurredAt, buyer.receivedAt)
  if (typeof at === 'string') return refused('/occurredAt', at)

  const value: Transaction = {
    eventId: report.eventId || uuid(),
    kind: report.kind,
    shopId: report.shopId,
    cid: buyer.cid,
    uid: buyer.uid,
    currency: report.currency.toUpperCase(),
    locale: report.locale || null,
    occurredAt: at,
    receivedAt: buyer.receivedAt,
    imported: false,
    lines: report.products.map((line) => ({
      shopProductId: line.shopProductId,
      priceMicros: toMicros(line.price),
      quantity: line.quantity,
      productTitle: line.productTitle || null,
      brand: line.brand || null,
      sellerId: line.sellerId || null,
    })),
    proof,
  }
  return {
    status: 'TAKEN',
    record: { topic: 'transactions', key: buyer.cid, value: encode('Transaction', value) },
    cid: buyer.cid,
    identity: `${value.kind} ${value.shopId} ${value.eventId}`,
  }
}
