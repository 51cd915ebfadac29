import { RETURN_ORDER } from './transaction-versions.ts'

/** How much of each line of a purchase was returned, as SQL. `services/domain/attribution/transactions.ts` has the rules. */

/** Condition on `transaction_returns`: every version of every return of some transactions (SQL: shopId, eventId). */
export const returnsOf = (transactions: string): string =>
  `(shopId, returnId) IN (SELECT shopId, returnId FROM transaction_returns WHERE (shopId, eventId) IN (${transactions}))`

/** One row per return id: the version that counts. */
export const countedReturnsSql = (transaction_returns: string): string => `
      SELECT shopId, returnId, argMin(
        tuple(eventId, lines, reason, occurredAt, receivedAt),
        tuple(${RETURN_ORDER})) AS told
      FROM transaction_returns WHERE ${transaction_returns}
      GROUP BY shopId, returnId`

/** One row per purchase with returns: whether all of it was returned (`whole`), and the units returned of each product. */
export const returnedSql = (transaction_returns: string): string => `
    SELECT shopId, told.1 AS eventId, max(empty(told.2)) AS whole,
      sumMap(told.2.shopProductId, told.2.quantity) AS units, true AS known
    FROM (${countedReturnsSql(transaction_returns)})
    GROUP BY shopId, eventId`

/** Units returned of the line `number` (from 1) of `lines`, given a row `r` of `returnedSql`. */
export const returnedQuantitySql = ({ lines, number }: { lines: string; number: string }): string => {
  const line = `${lines}[${number}]`
  const before = `arraySum(arrayMap(each -> if(each.shopProductId = ${line}.shopProductId, each.quantity, 0),
        arraySlice(${lines}, 1, ${number} - 1)))`
  const units = `r.units.2[indexOf(r.units.1, ${line}.shopProductId)]`
  return `multiIf(NOT r.known, 0, r.whole, ${line}.quantity,
      least(${line}.quantity, greatest(0, toInt64(${units}) - toInt64(${before}))))`
}

/** The part of a line's price that is returned with some of its units. */
export const returnedMicrosSql = (price: string, returned: string, quantity: string): string =>
  `if(${returned} >= ${quantity}, ${price}, toInt64(intDiv(toInt128(${price}) * ${returned}, greatest(${quantity}, 1))))`
