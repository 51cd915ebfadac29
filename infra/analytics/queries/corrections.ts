/** How reports and explanations name a valid event that was voided later. */
export const VOIDED = 'VOIDED'

export const voidedEventIdsSql = 'SELECT eventId FROM event_corrections'
/** Holds for rows of `judged_events` that have been voided. */
export const isVoidedSql = `eventId IN (${voidedEventIdsSql})`
/** The same for rows of some shops: a cluster then asks only their shards. @param ofShops condition on shopId. */
export const isVoidedInSql = (ofShops: string): string => `eventId IN (${voidedEventIdsSql} WHERE ${ofShops})`
/** Rows of `judged_events` that count. */
export const countsSql = `verdict = 'VALID' AND NOT ${isVoidedSql}`

/** How many views and clicks happened since a moment, and for how many of them the client's address is known. */
export interface AddressesRow {
  events: number
  known: number
}
/** Selects one `AddressesRow`. Parameter since, UTC epoch milliseconds. */
export const addressesSql = `
SELECT toInt64(count()) AS events, toInt64(countIf(isNotNull(addressHash))) AS known
FROM judged_events WHERE occurredAt >= {since:Int64}`

/** Events that can be voided at once. A user who wants to void more narrows the criteria, or voids them in parts. */
export const VOIDED_AT_ONCE_MAX = 10_000
const VOIDS_LISTED_MAX = 200

export interface VoidCriteria {
  shopId: string
  eventIds: readonly string[] | null
  campaignId: string | null
  cid: string | null
  requestId: string | null
  /** UTC epoch milliseconds, [from, to). */
  from: number | null
  to: number | null
}

export interface VoidableRow {
  eventId: string
  type: 'VIEW' | 'CLICK'
  campaignId: string
  accountId: string
  cid: string
  occurredAt: number
  creditedMicros: number
  currency: string
}

/** Valid events that match and have not been voided, the earliest first; at most one more than may be voided at once. */
export function voidableQuery({ shopId, eventIds, campaignId, cid, requestId, from, to }: VoidCriteria) {
  const conditions = {
    eventIds: 'eventId IN {eventIds:Array(String)}',
    campaignId: 'campaignId = {campaignId:String}',
    cid: 'cid = {cid:String}',
    requestId: 'requestId = {requestId:String}',
    from: 'occurredAt >= {from:Int64}',
    to: 'occurredAt < {to:Int64}',
  }
  const criteria = { eventIds, campaignId, cid, requestId, from, to }
  const given = Object.entries(criteria).filter(([, value]) => value !== null)
  const wheres = given.map(([name]) => conditions[name as keyof typeof conditions])
  const sql = `
SELECT eventId, type, campaignId, accountId, cid, occurredAt, billedMicros AS creditedMicros, currency
FROM judged_events
WHERE ${['shopId = {shopId:String}', countsSql, ...wheres].join(' AND ')}
ORDER BY occurredAt, eventId LIMIT 1 BY eventId
LIMIT ${VOIDED_AT_ONCE_MAX + 1}`
  return {
    sql,
    params: { shopId, ...Object.fromEntries(given) } as Record<string, string | number | readonly string[]>,
  }
}

export interface VoidRow {
  correctionId: string
  shopId: string
  reason: string
  correctedBy: string
  correctedAt: number
  events: number
  clicks: number
  /** Text: a sum may be over a safe integer. */
  creditedMicros: string
  currency: string
}

/** What was voided in some shops, the latest first. Of several corrections of one event, the first counts. */
export function voidsQuery(shopIds: readonly string[]) {
  const sql = `
SELECT correctionId, shopId, any(reason) AS reason, any(correctedBy) AS correctedBy, min(correctedAt) AS correctedAt,
  toInt64(count()) AS events, toInt64(countIf(type = 'CLICK')) AS clicks,
  toString(sum(toInt128(creditedMicros))) AS creditedMicros, any(currency) AS currency
FROM (
  SELECT * FROM event_corrections WHERE shopId IN {shopIds:Array(String)}
  ORDER BY eventId, correctedAt, correctionId LIMIT 1 BY eventId
)
GROUP BY correctionId, shopId
ORDER BY correctedAt DESC, correctionId
LIMIT ${VOIDS_LISTED_MAX}`
  return { sql, params: { shopIds } }
}
