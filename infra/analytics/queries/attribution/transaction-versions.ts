import {
  DEFAULT_TRUST,
  RETURN_PRECEDENCE,
  TRANSACTION_PRECEDENCE,
  UNPROVEN,
  type VersionCriterion,
} from '../../../../services/domain/attribution/transactions.ts'

/** `services/domain/attribution/transactions.ts` as SQL: which version of an id counts, and what a sender's proof is worth. */

/** Columns by which the versions of a transaction or return are ordered; the least counts. */
function versionOrderSql(criteria: readonly VersionCriterion<string>[]): string {
  return criteria.flatMap((criterion) => columnsOf(criterion)).join(', ')
}

function columnsOf(criterion: VersionCriterion<string>): string[] {
  const { field } = criterion
  if ('last' in criterion) return [criterion.last === true ? field : `${field} = '${criterion.last}'`]
  switch (criterion.least) {
    case 'VALUE':
      return [field]
    case 'TEXT':
      return [`toString(${field})`]
    case 'NULL_LAST':
      return [`isNull(${field})`, `ifNull(${field}, '')`]
    case 'NULL_AS_EMPTY':
      return [`ifNull(${field}, '')`]
  }
}

/** The order of the versions of a transaction, in columns of `transactions`. */
export const TRANSACTION_ORDER = versionOrderSql(TRANSACTION_PRECEDENCE)

/** The criteria that decide when a transaction happened: its versions that are first by these are of one time. */
export const TRANSACTION_TIME_ORDER = versionOrderSql(
  TRANSACTION_PRECEDENCE.slice(0, TRANSACTION_PRECEDENCE.findIndex(({ field }) => field === 'occurredAt') + 1),
)

/** The order of the versions of a return, in columns of `transaction_returns`. */
export const RETURN_ORDER = versionOrderSql(RETURN_PRECEDENCE)

/** The trust settings of a shop in the order of their versions, as `trustAtSql` reads them. */
export const trustsSql = 'arraySort(groupArray((version, updatedAt, toString(transactionTrust))))'

/** The trust that a shop had when something was received. */
export const trustAtSql = (trusts: string, receivedAt: string): string =>
  `if(arrayExists(each -> each.2 <= ${receivedAt}, ${trusts}), arrayLast(each -> each.2 <= ${receivedAt}, ${trusts}).3, '${DEFAULT_TRUST}')`

/** Whether `UNPROVEN` holds for a line. */
export const unprovenSql = Object.entries(UNPROVEN)
  .map(([field, value]) => `${field} = '${value}'`)
  .join(' AND ')
