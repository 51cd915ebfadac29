import type { TransactionTrust } from '../../../schemas/records/entities.ts'
import type { Proof, Transaction, TransactionReturn } from '../../../schemas/records/events.ts'

/**
 * Which reported transactions and returns count. One id may arrive with different contents, because it was
 * repeated by mistake or guessed by a stranger. Attribution, signals and explanations choose among these versions by the
 * same rule, and never by the order of arrival, so that a replay gives the same answers.
 */

/**
 * One criterion by which the versions of an id are ordered.
 * `last`: versions with this value are ordered last. `least`: the version with the lesser value is first. `NULL_LAST` and
 * `NULL_AS_EMPTY` say where a missing text is ordered; `TEXT` compares the values as they are printed.
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
  /** The version that the intake received first: whoever repeats an id later changes nothing. */
  { field: 'receivedAt', least: 'VALUE' },
  /** The remaining criteria make the order total. */
  { field: 'occurredAt', least: 'VALUE' },
  { field: 'currency', least: 'VALUE' },
  { field: 'lines', least: 'TEXT' },
  /** Identifiers decide only who bought, not what: they change when a person is erased. */
  { field: 'cid', least: 'VALUE' },
  { field: 'uid', least: 'NULL_LAST' },
]

/** A shop's trust setting applies to what is received while it is in force. This one applies until the shop sets one. */
export const DEFAULT_TRUST: TransactionTrust = 'OPEN'

/** A transaction with all of these values is kept without credit: the shop wants proof, and the sender gave none. */
export const UNPROVEN: { trust: TransactionTrust; proof: Proof; kind: Transaction['kind'] } = {
  trust: 'SIGNED_ONLY',
  proof: 'ANONYMOUS',
  kind: 'PURCHASE',
}

/**
 * Returns reduce the revenue of the purchase that they name, on the day of the purchase; other kinds of transactions
 * cannot be returned. A return names products and not lines: lines of one product are returned in their order. No line
 * returns more than was bought. When only some units of a line are returned, their share of its price is rounded down to
 * the micro, and the last unit takes the rest. A return without lines is for the whole purchase. A return may arrive
 * before its purchase.
 */
export const RETURNED_KIND: Transaction['kind'] = 'PURCHASE'

/** Which version of a return counts: the first by these criteria. */
export const RETURN_PRECEDENCE: readonly VersionCriterion<keyof TransactionReturn>[] = [
  { field: 'receivedAt', least: 'VALUE' },
  /** The remaining criteria make the order total. */
  { field: 'eventId', least: 'VALUE' },
  { field: 'occurredAt', least: 'VALUE' },
  { field: 'lines', least: 'TEXT' },
  { field: 'reason', least: 'NULL_AS_EMPTY' },
]
