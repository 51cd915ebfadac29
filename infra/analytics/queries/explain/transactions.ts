import type { TransactionTrust } from '../../../../schemas/records/entities.ts'
import type { Proof, Transaction } from '../../../../schemas/records/events.ts'
import type { QueryParams } from '../../port.ts'
import { isOfTransactionsSql } from '../attribution/stored-lines.ts'

/** A list that takes longer is aborted, because other queries wait behind it. */
const EXECUTION_MAX_SECONDS = 30

/** Where a page of the list ends: what identifies its last transaction, in the order of the list. */
export type TransactionPlace = readonly [occurredAt: number, shopId: string, kind: string, eventId: string]

export interface TransactionListSpec {
  shopIds: readonly string[]
  /** UTC epoch milliseconds, [from, to). */
  from: number
  to: number
  kind: string | undefined
  /** Only lines credited to this account. */
  accountId: string | undefined
  /** Only transactions with a line credited to this campaign. */
  campaignId: string | undefined
  /** Only transactions with a credited line, or without one. */
  credited: boolean | undefined
  after: TransactionPlace | null
  limit: number
}

export interface TransactionListRow {
  shopId: string
  kind: Transaction['kind']
  eventId: string
  occurredAt: number
  currency: string
  lineCount: number
  creditedLineCount: number
  /** Micro-units as text: a sum may be over a safe integer. */
  amountMicros: string
  creditedMicros: string
  returnedMicros: string
  campaignIds: string[]
  proof: Proof
  trust: TransactionTrust
}

/**
 * Selects one row, `{ since }`: a time from which on there are some `latest` transactions that the list may have, in UTC epoch
 * milliseconds; the beginning of the range when there are no more.
 */
export function latestTransactionsQuery(spec: TransactionListSpec, latest: number) {
  const sql = `
SELECT if(count() < {latest:UInt32}, {from:Int64}, min(occurredAt)) AS since FROM (
  SELECT occurredAt FROM transactions
  WHERE ${RANGE} AND NOT imported${spec.kind === undefined ? '' : ' AND kind = {kind:String}'}
  ORDER BY occurredAt DESC LIMIT {latest:UInt32}
)
SETTINGS max_execution_time = ${EXECUTION_MAX_SECONDS}`
  return { sql, params: { ...paramsOf(spec), latest } }
}

/**
 * Transactions as attribution has stored them, the latest first.
 * @param isOfFew whether the range has so few transactions that their lines are better found one by one.
 */
export function transactionListQuery(
  spec: TransactionListSpec,
  { isOfFew = false } = {},
): { sql: string; params: QueryParams } {
  const { limit, ...given } = spec
  const isCredited = "outcome = 'CREDITED'"
  const having = [
    ...(given.credited === undefined ? [] : [`creditedLineCount ${given.credited ? '>' : '='} 0`]),
    ...(given.campaignId === undefined ? [] : ['has(campaignIds, {campaignId:String})']),
  ]
  const sql = `
SELECT shopId, toString(kind) AS kind, eventId, min(attributed_lines.occurredAt) AS occurredAt, toString(any(currency)) AS currency,
  toInt64(count()) AS lineCount, toInt64(countIf(${isCredited})) AS creditedLineCount,
  toString(sum(toInt128(priceMicros))) AS amountMicros,
  toString(sumIf(toInt128(priceMicros), ${isCredited})) AS creditedMicros,
  toString(sum(toInt128(attributed_lines.returnedMicros))) AS returnedMicros,
  arraySort(groupUniqArrayIf(campaignId, ${isCredited})) AS campaignIds,
  toString(any(proof)) AS proof, toString(any(trust)) AS trust
FROM attributed_lines FINAL
WHERE ${[...conditions(spec), ...(isOfFew ? [isOfTransactionsSql(RANGE)] : [])].join(' AND ')}
GROUP BY shopId, kind, eventId
${having.length > 0 ? `HAVING ${having.join(' AND ')}` : ''}
ORDER BY occurredAt DESC, shopId DESC, kind DESC, eventId DESC
LIMIT ${Math.trunc(limit)}
SETTINGS max_execution_time = ${EXECUTION_MAX_SECONDS}`
  return { sql, params: paramsOf(spec) }
}

function paramsOf({ shopIds, from, to, after, kind = '', accountId = '', campaignId = '' }: TransactionListSpec) {
  const [afterAt, afterShopId, afterKind, afterEventId] = after ?? [0, '', '', '']
  const end = after === null ? to : Math.min(to, afterAt + 1)
  return { shopIds, from, to: end, kind, accountId, campaignId, afterAt, afterShopId, afterKind, afterEventId }
}

const rangeSql = (occurredAt: string): string =>
  `shopId IN {shopIds:Array(String)} AND ${occurredAt} >= {from:Int64} AND ${occurredAt} < {to:Int64}`
/** The range of a page, as a condition on `transactions`. */
const RANGE = rangeSql('occurredAt')

function conditions({ kind, accountId, after }: TransactionListSpec): string[] {
  return [
    rangeSql('attributed_lines.occurredAt'),
    ...(kind === undefined ? [] : ['attributed_lines.kind = {kind:String}']),
    ...(accountId === undefined ? [] : ["outcome = 'CREDITED' AND accountId = {accountId:String}"]),
    ...(after === null
      ? []
      : [
          `(attributed_lines.occurredAt, shopId, toString(attributed_lines.kind), eventId)
            < ({afterAt:Int64}, {afterShopId:String}, {afterKind:String}, {afterEventId:String})`,
        ]),
  ]
}
