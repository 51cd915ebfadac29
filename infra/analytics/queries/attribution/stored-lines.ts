import { INSERT_SETTINGS } from './lookups.ts'
import type { Scratch } from './scratch.ts'

/** The columns of `attributed_lines`, and of the scratch table `credited`. */
export const ATTRIBUTED_COLUMNS = `shopId, kind, eventId, line, occurredAt, cid, uid, shopProductId, quantity, priceMicros,
  currency, outcome, match, touchType, touchEventId, touchAt, campaignId, accountId, adId, slotHash, adUnitId, algorithm,
  country, itemGroups, proof, receivedAt, trust, returnedQuantity, returnedMicros, clickWindowHours,
  viewWindowHours, version, deleted`

/** Those of `credited_lines`. */
export const CREDITED_COLUMNS = `shopId, occurredAt, kind, eventId, line, match, campaignId, accountId, adId, adUnitId, algorithm, country,
  currency, priceMicros, returnedMicros, cid, uid, shopProductId, quantity, returnedQuantity, touchType, touchEventId, touchAt, slotHash,
  version`

/**
 * Stores the lines of `credited`: all in `attributed_lines`, and in `credited_lines` for what asks for a span of time. There a line that is
 * not credited counts as deleted. Repeating it changes nothing, because a row replaces the row of the same line with an older or equal version.
 */
export const storeLinesStatements = ({ credited }: Scratch): string[] => [
  `INSERT INTO attributed_lines (${ATTRIBUTED_COLUMNS}) ${INSERT_SETTINGS}
SELECT ${ATTRIBUTED_COLUMNS} FROM ${credited}`,
  `INSERT INTO credited_lines (${CREDITED_COLUMNS}, deleted) ${INSERT_SETTINGS}
SELECT ${CREDITED_COLUMNS}, outcome != 'CREDITED' FROM ${credited}`,
]

/**
 * Deletes what displaced versions of the transactions in `lines`, which may have counted before, have left: the lines beyond those that
 * count now and, in `credited_lines`, those of other times too. Parameter version.
 */
export const deleteDisplacedStatements = ({ lines, credited }: Scratch): string[] => [
  `INSERT INTO attributed_lines (shopId, kind, eventId, line, version, deleted)
SELECT DISTINCT shopId, kind, eventId, arrayJoin(range(countedLines, mostLines)), {version:Int64}, 1
FROM ${lines} WHERE mostLines > countedLines`,
  `INSERT INTO credited_lines (shopId, occurredAt, kind, eventId, line, version, deleted)
SELECT shopId, at, kind, eventId, number, {version:Int64}, 1
FROM (
  SELECT DISTINCT shopId, kind, eventId, arrayJoin(arrayPushBack(displacedAt, occurredAt)) AS at,
    toUInt32(arrayJoin(range(mostLines))) AS number
  FROM ${lines} WHERE mostLines > countedLines OR notEmpty(displacedAt))
WHERE (shopId, kind, eventId, number, at) NOT IN (SELECT shopId, kind, eventId, line, occurredAt FROM ${credited})`,
]

/**
 * Condition on `attributed_lines`: the lines of those `transactions` that a condition holds for. Lines are sorted by the id of their
 * transaction, so a query for a time or a person names the transactions first. These are found by their time or by a column or two,
 * while FINAL reads all columns of all lines of the shop before it looks at any.
 */
export const isOfTransactionsSql = (transactions: string): string =>
  `(shopId, kind, eventId) IN (SELECT shopId, kind, eventId FROM transactions WHERE ${transactions})`
