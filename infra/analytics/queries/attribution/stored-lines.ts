/**
 * Condition on `attributed_lines`: the lines of those `transactions` that a condition holds for. Lines are sorted by the id of their
 * transaction, so a query for a time or a person names the transactions first. These are found by their time or by a column or two,
 * while FINAL reads all columns of all lines of the shop before it looks at any.
 */
export const isOfTransactionsSql = (transactions: string): string =>
  `(shopId, kind, eventId) IN (SELECT shopId, kind, eventId FROM transactions WHERE ${transactions})`
