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
  /** Only transactions with a line of this product; a line that is credited, where the list `isOfCredited`. */
  purchasedProductId: string | undefined
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
  const ofAnyProduct = { ...spec, purchasedProductId: undefined }
  const conditions = [
    ...[...transactionsThat(spec), 'NOT imported'],
    ...(spec.kind === undefined ? [] : ['kind = {kind:String}']),
    ...(spec.credited === false ? [`(shopId, kind, eventId) NOT IN (${creditedSql(ofAnyProduct)})`] : []),
  ]
  const sql = `
SELECT if(count() < {latest:UInt32}, {from:Int64}, min(occurredAt)) AS since FROM (
  SELECT occurredAt FROM transactions
  WHERE ${conditions.join(' AND ')}
  ORDER BY occurredAt DESC LIMIT {latest:UInt32}
)
SETTINGS max_execution_time = ${EXECUTION_MAX_SECONDS}`
  return { sql, params: { ...paramsOf(spec), latest } }
}

/** Whether the list has only transactions with a credited line. */
export const isOfCredited = ({ credited, accountId, campaignId }: TransactionListSpec): boolean =>
  credited === true || accountId !== undefined || campaignId !== undefined

/**
 * Transactions as attribution has stored them, the latest first.
 * @param found how the lines are found, since they are not stored in the order of time. CREDITED, for lists that are `isOfCredited`:
 * those of the page, by what is credited; TRANSACTIONS: those of the transactions in the range, which should be few; ALL: all lines of
 * the shops are read.
 */
export function transactionListQuery(
  spec: TransactionListSpec,
  found: 'CREDITED' | 'TRANSACTIONS' | 'ALL',
): { sql: string; params: QueryParams } {
  const isCredited = "outcome = 'CREDITED'"
  const having = [
    ...(spec.credited === undefined ? [] : [`creditedLineCount ${spec.credited ? '>' : '='} 0`]),
    ...(spec.campaignId === undefined ? [] : ['has(campaignIds, {campaignId:String})']),
    ...(spec.purchasedProductId === undefined ? [] : ['countIf(shopProductId = {purchasedProductId:String}) > 0']),
  ]
  const among = {
    CREDITED: [
      `(shopId, kind, eventId) IN (${creditedSql(spec)}
  ${LATEST_FIRST} LIMIT 1 BY shopId, kind, eventId LIMIT ${Math.trunc(spec.limit)})`,
    ],
    TRANSACTIONS: [isOfTransactionsSql(transactionsThat(spec).join(' AND '))],
    ALL: [],
  }
  const sql = `
SELECT shopId, toString(kind) AS kind, eventId, min(attributed_lines.occurredAt) AS occurredAt, toString(any(currency)) AS currency,
  toInt64(count()) AS lineCount, toInt64(countIf(${isCredited})) AS creditedLineCount,
  toString(sum(toInt128(priceMicros))) AS amountMicros,
  toString(sumIf(toInt128(priceMicros), ${isCredited})) AS creditedMicros,
  toString(sum(toInt128(attributed_lines.returnedMicros))) AS returnedMicros,
  arraySort(groupUniqArrayIf(campaignId, ${isCredited})) AS campaignIds,
  toString(any(proof)) AS proof, toString(any(trust)) AS trust
FROM attributed_lines FINAL
WHERE ${[...conditions('attributed_lines', spec), ...among[found]].join(' AND ')}
GROUP BY shopId, kind, eventId
${having.length > 0 ? `HAVING ${having.join(' AND ')}` : ''}
${LATEST_FIRST}
LIMIT ${Math.trunc(spec.limit)}
SETTINGS max_execution_time = ${EXECUTION_MAX_SECONDS}`
  return { sql, params: paramsOf(spec) }
}

const LATEST_FIRST = 'ORDER BY occurredAt DESC, shopId DESC, kind DESC, eventId DESC'

/** The transactions of the range with a credited line of the account, campaign and product. */
function creditedSql(spec: TransactionListSpec): string {
  const given = [
    ...(spec.campaignId === undefined ? [] : ['campaignId = {campaignId:String}']),
    ...(spec.purchasedProductId === undefined ? [] : ['shopProductId = {purchasedProductId:String}']),
  ]
  return `
  SELECT shopId, kind, eventId FROM credited_lines FINAL
  WHERE ${[...conditions('credited_lines', spec), ...given].join(' AND ')}`
}

function paramsOf({ shopIds, from, to, after, ...given }: TransactionListSpec) {
  const { kind = '', accountId = '', campaignId = '', purchasedProductId = '' } = given
  const [afterAt, afterShopId, afterKind, afterEventId] = after ?? [0, '', '', '']
  const end = after === null ? to : Math.min(to, afterAt + 1)
  return {
    shopIds,
    from,
    to: end,
    kind,
    accountId,
    campaignId,
    purchasedProductId,
    afterAt,
    afterShopId,
    afterKind,
    afterEventId,
  }
}

const rangeSql = (occurredAt: string): string =>
  `shopId IN {shopIds:Array(String)} AND ${occurredAt} >= {from:Int64} AND ${occurredAt} < {to:Int64}`

/** The transactions that a page may have, as conditions on `transactions`. */
const transactionsThat = ({ purchasedProductId }: TransactionListSpec): string[] => [
  rangeSql('occurredAt'),
  ...(purchasedProductId === undefined ? [] : ['has(lines.shopProductId, {purchasedProductId:String})']),
]

/** The lines that a page may have, as conditions on a table of lines. */
function conditions(
  table: 'attributed_lines' | 'credited_lines',
  { kind, accountId, after }: TransactionListSpec,
): string[] {
  const isCredited = table === 'attributed_lines' ? "outcome = 'CREDITED' AND " : ''
  return [
    rangeSql(`${table}.occurredAt`),
    ...(kind === undefined ? [] : [`${table}.kind = {kind:String}`]),
    ...(accountId === undefined ? [] : [`${isCredited}accountId = {accountId:String}`]),
    ...(after === null
      ? []
      : [
          `(${table}.occurredAt, shopId, toString(${table}.kind), eventId)
            < ({afterAt:Int64}, {afterShopId:String}, {afterKind:String}, {afterEventId:String})`,
        ]),
  ]
}
