import type { TransactionPlace } from '../../../infra/analytics/queries/explain/transactions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import type { Pseudonyms } from './pseudonyms.ts'

/** Where a page of transactions ended, as its caller holds it. Sealed: it names an order. */
export function writeCursor(place: TransactionPlace, { seal }: Pseudonyms): string {
  return seal(JSON.stringify(place))
}

/** @throws Problem INVALID when it is not one that `writeCursor` made. */
export function readCursor(cursor: string, { open }: Pseudonyms): TransactionPlace {
  const text = open(cursor)
  const fieldErrors = new FieldErrors()
  fieldErrors.check(text !== null, 'querystring/cursor', 'is not the nextCursor of a page')
  fieldErrors.throwIfAny()
  return JSON.parse(text!)
}
