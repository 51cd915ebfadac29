/**
 * One event id may come with different contents: a repeat by mistake, or a stranger who guessed it. Which of them counts is
 * settled here, for attribution, signals and explanations alike.
 */

/**
 * Order of the versions of one event id; the first counts. The live go before the imported, those of proven senders before
 * those of strangers, then those that the intake received first. The rest makes the order total, and says nothing of arrival.
 */
export const VERSION_ORDER = [
  'imported',
  "proof = 'ANONYMOUS'",
  'receivedAt',
  'occurredAt',
  'cid',
  'isNull(uid)',
  "ifNull(uid, '')",
  'currency',
  'toString(lines)',
].join(', ')

/** A shop's settings of trust, by the order of their versions, as `trustAtSql` reads them. */
export const trustsSql = 'arraySort(groupArray((version, updatedAt, toString(transactionTrust))))'

/** The trust that a shop had when something was received. */
export const trustAtSql = (trusts: string, receivedAt: string): string =>
  `if(arrayExists(each -> each.2 <= ${receivedAt}, ${trusts}), arrayLast(each -> each.2 <= ${receivedAt}, ${trusts}).3, 'OPEN')`

/** Whether a transaction is kept without credit, because the shop wants proof and its sender gave none. */
export const unprovenSql = (line: string): string =>
  `${line}.trust = 'SIGNED_ONLY' AND ${line}.proof = 'ANONYMOUS' AND ${line}.kind = 'PURCHASE'`
