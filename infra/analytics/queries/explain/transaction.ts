import type { TransactionTrust } from '../../../../schemas/records/entities.ts'
import type { Transaction, TransactionReturn } from '../../../../schemas/records/events.ts'
import type { AttributionOutcome } from '../../../../services/domain/attribution/credit.ts'
import { countedReturnsSql, returnsOf } from '../attribution/returned-lines.ts'
import { TRANSACTION_ORDER } from '../attribution/transaction-versions.ts'

/** Transactions with the same id. Callers choose the ids, and may use one for a purchase, a cart and a wishlist in each shop. */
const TRANSACTIONS_OF_ID_MAX = 30
/** Versions of one transaction that are listed, beginning with the one that counts. */
const VERSIONS_TOLD_MAX = 20
/** Returns of one purchase that are listed, beginning with the first received. */
const RETURNS_TOLD_MAX = 100

export type TransactionRow = Pick<
  Transaction,
  'shopId' | 'kind' | 'occurredAt' | 'receivedAt' | 'cid' | 'uid' | 'currency' | 'imported' | 'lines' | 'proof'
>

export interface AttributedLineRow {
  shopId: string
  kind: Transaction['kind']
  /** Counts from 0. */
  line: number
  shopProductId: string
  quantity: number
  priceMicros: number
  returnedQuantity: number
  returnedMicros: number
  outcome: AttributionOutcome
  trust: TransactionTrust
  match: string
  touchType: string
  touchEventId: string
  touchAt: number
  campaignId: string
  adId: string
  clickWindowHours: number
  viewWindowHours: number
}

/** The versions of the transactions with an id, one row per distinct content. In each shop and kind, the one that counts is first. */
export function transactionQuery({ eventId, shopIds }: { eventId: string; shopIds: readonly string[] }) {
  const sql = `
SELECT shopId, kind, occurredAt, receivedAt, cid, uid, currency, imported, proof, lines
FROM (
  SELECT * FROM transactions
  WHERE eventId = {eventId:String} AND shopId IN {shopIds:Array(String)}
  ORDER BY shopId, kind, ${TRANSACTION_ORDER}
  LIMIT 1 BY shopId, kind, imported, proof, occurredAt, cid, uid, currency, toString(lines)
)
ORDER BY shopId, kind, ${TRANSACTION_ORDER}
LIMIT ${VERSIONS_TOLD_MAX} BY shopId, kind
LIMIT ${TRANSACTIONS_OF_ID_MAX * VERSIONS_TOLD_MAX}`
  return { sql, params: { eventId, shopIds } }
}

export type ReturnRow = Pick<
  TransactionReturn,
  'returnId' | 'shopId' | 'eventId' | 'reason' | 'occurredAt' | 'receivedAt' | 'lines'
>

/** The returns of the purchases with an id, each in the version that counts, in the order of their receipt. */
export function returnsQuery({ eventId, shopIds }: { eventId: string; shopIds: readonly string[] }) {
  const ofEvent = 'SELECT shopId, eventId FROM transaction_returns WHERE eventId = {eventId:String}'
  const sql = `
SELECT shopId, returnId, told.1 AS eventId, told.2 AS lines, told.3 AS reason, told.4 AS occurredAt, told.5 AS receivedAt
FROM (${countedReturnsSql(`shopId IN {shopIds:Array(String)} AND ${returnsOf(ofEvent)}`)})
WHERE eventId = {eventId:String}
ORDER BY receivedAt, returnId
LIMIT ${RETURNS_TOLD_MAX} BY shopId`
  return { sql, params: { eventId, shopIds } }
}

export interface CreditedOrder {
  shopId: string
  eventId: string
  accountId: string
}

/** The orders that happened at a moment and have a line credited to an account; to any, where it is null. */
export function creditedOrdersQuery(of: { accountId: string | null; occurredAt: number; shopIds: readonly string[] }) {
  const { accountId, ...when } = of
  const sql = `
SELECT DISTINCT shopId, eventId, accountId FROM credited_lines FINAL
WHERE shopId IN {shopIds:Array(String)} AND occurredAt = {occurredAt:Int64}
  ${accountId === null ? '' : 'AND accountId = {accountId:String}'}`
  return { sql, params: { ...when, ...(accountId === null ? {} : { accountId }) } }
}

/** The lines of the transactions with an id, as attribution has stored them. Rows are `AttributedLineRow`. */
export function attributedLinesQuery({ eventId, shopIds }: { eventId: string; shopIds: readonly string[] }) {
  const sql = `
SELECT shopId, kind, line, shopProductId, quantity, priceMicros, returnedQuantity, returnedMicros, outcome, trust, match, touchType,
  touchEventId, touchAt, campaignId, adId, clickWindowHours, viewWindowHours
FROM attributed_lines FINAL
WHERE shopId IN {shopIds:Array(String)} AND kind IN ('PURCHASE', 'CART', 'WISHLIST') AND eventId = {eventId:String}
ORDER BY shopId, kind, line`
  return { sql, params: { eventId, shopIds } }
}
