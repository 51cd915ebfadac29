import { returnedMicrosSql, returnedQuantitySql, returnedSql } from '../attribution/returned-lines.ts'
import { TRANSACTION_ORDER, TRANSACTION_TIME_ORDER } from '../attribution/transaction-versions.ts'

/** Purchases as they came. Ids are compared by a hash, which takes less memory; ids that share one do no harm. */
const sentPurchasesSql = `(SELECT *, cityHash64(eventId) AS idHash FROM transactions WHERE kind = 'PURCHASE')`

/** Holds for the versions `sent` whose id came more than once, or shares its hash with one that did. */
const sentAgainSql = `
  (SELECT shopId, idHash FROM ${sentPurchasesSql} GROUP BY shopId, idHash HAVING count() > 1) AS again
  ON again.shopId = sent.shopId AND again.idHash = sent.idHash`

const purchaseColumns = ['shopId', 'eventId', 'occurredAt', 'cid', 'uid', 'currency', 'lines', 'imported', 'proof']
  .map((column) => `sent.${column} AS ${column}`)
  .join(', ')

/**
 * One row per purchase: its version that counts. Most ids came once. Of the others, the version that counts is found in two steps: all
 * versions tell when the purchase happened, and those of that time tell the rest. A filter on the time gets through the LIMIT BY to the
 * table, but not through a GROUP BY, so only narrow columns may be grouped, or all that the shop ever sold would be read for each day.
 */
const countedPurchasesSql = `
SELECT ${purchaseColumns}
FROM ${sentPurchasesSql} AS sent
LEFT ANTI JOIN ${sentAgainSql}
UNION ALL
SELECT * FROM (
  SELECT ${purchaseColumns}
  FROM ${sentPurchasesSql} AS sent
  INNER JOIN (
    SELECT sent.shopId AS shopId, eventId, min(tuple(${TRANSACTION_TIME_ORDER})) AS first
    FROM ${sentPurchasesSql} AS sent
    INNER JOIN ${sentAgainSql}
    GROUP BY shopId, eventId
  ) AS several ON several.shopId = sent.shopId AND several.eventId = sent.eventId
  WHERE tuple(${TRANSACTION_TIME_ORDER}) = several.first
  ORDER BY shopId, occurredAt, eventId, ${TRANSACTION_ORDER} LIMIT 1 BY shopId, occurredAt, eventId)`

const returnedUnits = returnedQuantitySql({ lines: 'lines', number: 'number' })
const returnedMicros = returnedMicrosSql('lines[number].priceMicros', 'returned', 'lines[number].quantity')

/** Every purchase that shops reported or imported, whether an ad had a part in it or not. */
export const ordersSql = `
SELECT shopId, occurredAt, eventId AS orderId, cid, uid, toString(currency) AS currency, lines, imported AS isImported,
  toString(proof) AS proof,
  toInt64(arraySum(lines.quantity)) AS units, toInt64(arraySum(lines.priceMicros)) AS revenueMicros,
  arrayMap(number -> ${returnedUnits}, arrayEnumerate(lines)) AS returnedUnitsOfLines,
  toInt64(arraySum(returnedUnitsOfLines)) AS returnedUnits,
  toInt64(arraySum((number, returned) -> ${returnedMicros}, arrayEnumerate(lines), returnedUnitsOfLines)) AS returnedMicros,
  revenueMicros - returnedMicros AS netRevenueMicros
FROM (${countedPurchasesSql}) AS purchases
LEFT JOIN (${returnedSql('1')}) AS r ON r.shopId = purchases.shopId AND r.eventId = purchases.eventId`
