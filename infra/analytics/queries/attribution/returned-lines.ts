/**
 * How much of each line of a purchase came back, as SQL. A return names products, not lines: where a product has several
 * lines, they come back in their order. Never more than was bought; a return waits for its purchase.
 */

/** Condition on `transaction_returns` that holds for all that has to do with some transactions (SQL: shopId, eventId). */
export const returnsOf = (transactions: string): string =>
  `(shopId, returnId) IN (SELECT shopId, returnId FROM transaction_returns WHERE (shopId, eventId) IN (${transactions}))`

/** The returns themselves: a return id that came with different contents counts as the first received, then by content. */
export const countedReturnsSql = (transaction_returns: string): string => `
      SELECT shopId, returnId, argMin(
        tuple(eventId, lines, reason, occurredAt, receivedAt),
        tuple(receivedAt, eventId, occurredAt, toString(lines), ifNull(reason, ''))) AS told
      FROM transaction_returns WHERE ${transaction_returns}
      GROUP BY shopId, returnId`

/** For each purchase with returns: `whole`, or the products and units that came back. */
export const returnedSql = (transaction_returns: string): string => `
    SELECT shopId, told.1 AS eventId, max(empty(told.2)) AS whole,
      sumMap(told.2.shopProductId, told.2.quantity) AS units, true AS known
    FROM (${countedReturnsSql(transaction_returns)})
    GROUP BY shopId, eventId`

/** Units of the line `number` of `lines` that came back, by a row `r` of `returnedSql`. */
export const returnedQuantitySql = ({ lines, number }: { lines: string; number: string }): string => {
  const line = `${lines}[${number}]`
  const before = `arraySum(arrayMap(each -> if(each.shopProductId = ${line}.shopProductId, each.quantity, 0),
        arraySlice(${lines}, 1, ${number} - 1)))`
  const units = `r.units.2[indexOf(r.units.1, ${line}.shopProductId)]`
  return `multiIf(NOT r.known, 0, r.whole, ${line}.quantity,
      least(${line}.quantity, greatest(0, toInt64(${units}) - toInt64(${before}))))`
}

/** The part of a price that came back with some of the units: pro rata, rounded down to the micro; the last unit takes the rest. */
export const returnedMicrosSql = (price: string, returned: string, quantity: string): string =>
  `if(${returned} >= ${quantity}, ${price}, toInt64(intDiv(toInt128(${price}) * ${returned}, greatest(${quantity}, 1))))`
