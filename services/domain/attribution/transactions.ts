import type { TransactionTrust } from '../../../schemas/records/entities.ts'
import type { Proof, Transaction, TransactionReturn } from '../../../schemas/records/events.ts'

/**
 * What counts of the transactions and returns that shops report. One id may arrive with different contents: a repeat by
 * mistake, or a stranger who guessed it. Attribution, signals and explanations choose among them by the same rule, and
 * never by the order of arrival, so that a replay gives the same answers.
 */

/**
 * One criterion by which the versions of an id are ordered.
 * `last`: versions with this value count last. `least`: the version with the lesser value counts first; `NULL_LAST` and
 * `NULL_AS_EMPTY` say where a missing text stands, `TEXT` compares the value as it is printed.
 */
export type VersionCriterion<Field> =
  | { readonly field: Field; readonly last: true | string }
  | { readonly field: Field; readonly least: 'VALUE' | 'TEXT' | 'NULL_LAST' | 'NULL_AS_EMPTY' }

/** Which version of a transaction counts: the first by these criteria. */
export const TRANSACTION_PRECEDENCE: readonly VersionCriterion<keyof Transaction>[] = [
  /** Live reports go before imported history. */
  { field: 'imported', last: true },
  /** Nobody can displace a proven report by an anonymous one. */
  { field: 'proof', last: 'ANONYMOUS' },
  /** The first that the intake received: whoever repeats an id later changes nothing. */
  { field: 'receivedAt', least: 'VALUE' },
  /** The rest makes the order total. */
  { field: 'occurredAt', least: 'VALUE' },
  { field: 'cid', least: 'VALUE' },
  { field: 'uid', least: 'NULL_LAST' },
  { field: 'currency', least: 'VALUE' },
  { field: 'lines', least: 'TEXT' },
]

/** A shop's trust applies to what was received while it was set; before a shop said anything, this one does. */
export const DEFAULT_TRUST: TransactionTrust = 'OPEN'

/** A transaction for which all of these hold is kept without credit: the shop wants proof, and its sender gave none. */
export const UNPROVEN: { trust: TransactionTrust; proof: Proof; kind: Transaction['kind'] } = {
  trust: 'SIGNED_ONLY',
  proof: 'ANONYMOUS',
  kind: 'PURCHASE',
}

/**
 * Returns reduce the revenue of the purchase that they name, on the day of the purchase; other kinds of transactions
 * cannot be returned. A return names products and not lines: lines of one product come back in their order. No line
 * returns more than was bought. Part of a line's units takes that part of its price, rounded down to the micro, and the
 * last unit takes the rest. A return without lines is of the whole purchase. A return may arrive before its purchase.
 */
export const RETURNED_KIND: Transaction['kind'] = 'PURCHASE'

/** Which version of a return counts: the first by these criteria. */
export const RETURN_PRECEDENCE: readonly VersionCriterion<keyof TransactionReturn>[] = [
  { field: 'receivedAt', least: 'VALUE' },
  /** The rest makes the order total. */
  { field: 'eventId', least: 'VALUE' },
  { field: 'occurredAt', least: 'VALUE' },
  { field: 'lines', least: 'TEXT' },
  { field: 'reason', least: 'NULL_AS_EMPTY' },
]
