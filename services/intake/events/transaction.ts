import { createHash } from 'node:crypto'
import { type DeprecatedTransactionBody, EVENT_LIMITS, type TransactionBody } from '../../../schemas/http/events.ts'
import type { Transaction } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import type { FieldError } from '../../domain/errors.ts'
import { canonicalId } from '../../domain/identity/uuid.ts'
import { toMicros } from '../../domain/money/money.ts'
import { proofFor, type Sender } from '../sender.ts'
import type { Substitute } from './body-reader.ts'
import { contentOf, fingerprintOf } from './duplicate-filter.ts'
import { rejectedOtherShop, rejectedUnknownShop, type ValidationDeps, type ValidationResult } from './validation.ts'

/** A transaction body of any endpoint. */
export type TransactionReport = Omit<TransactionBody, 'products'> & {
  products: (TransactionBody['products'][number] & Partial<DeprecatedTransactionBody['products'][number]>)[]
}

export interface Buyer {
  cid: string
  uid: string | null
  /** UTC epoch milliseconds, as is `receivedAt`. */
  occurredAt: number
  receivedAt: number
  sender: Sender
}

/**
 * Replaces a malformed eventId by one that is the same when the event is sent again, so that the event still counts once. An
 * unsafe number is not replaced: it has lost digits, and may stand for another order.
 */
export const substituteEventId: Substitute = (value) => {
  if (Number.isSafeInteger(value))
    return { value: String(value), message: 'must be string: the digits of the number are used' }
  if (typeof value !== 'string') return null
  const hash = createHash('sha256').update(value).digest('hex')
  return { value: hash, message: `is longer than ${EVENT_LIMITS.idChars} characters: its SHA-256 is used instead` }
}

/**
 * Validates a purchase, or an addition to a cart or wishlist. Its record is keyed by cid. An event without an eventId gets a
 * new one, so that a duplicate of it counts again.
 */
export function validateTransaction(
  report: TransactionReport,
  buyer: Buyer,
  { snapshot, uuid }: ValidationDeps,
): ValidationResult {
  const shopId = canonicalId(report.shopId)
  const shop = snapshot.body('Shop', shopId)
  if (!shop) return rejectedUnknownShop(snapshot)
  const proof = proofFor(buyer.sender, shopId, snapshot)
  if (proof === null) return rejectedOtherShop('/shopId')

  const value: Transaction = {
    eventId: report.eventId || uuid(),
    kind: report.kind,
    shopId,
    cid: buyer.cid,
    uid: buyer.uid,
    currency: report.currency.toUpperCase(),
    locale: report.locale || null,
    occurredAt: buyer.occurredAt,
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
  const identity = `${value.kind} ${value.shopId} ${value.eventId}`
  return {
    status: 'ACCEPTED',
    record: { topic: 'transactions', key: buyer.cid, value: encode('Transaction', value) },
    shopId,
    cid: buyer.cid,
    identity,
    fingerprint: fingerprintOf([identity, contentOf(value), value.cid]),
    warnings: value.currency === shop.currency ? [] : [inAnotherCurrency(shop.currency)],
  }
}

const inAnotherCurrency = (currency: string): FieldError => ({
  path: '/currency',
  message: `is not ${currency}, the currency of the shop: reports keep this revenue apart from spend`,
})
