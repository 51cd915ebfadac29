import { DAY_MS } from '../../../../schemas/durations.ts'
import type { Emission, Verdict } from '../../../../schemas/records/events.ts'
import { isVoidedInSql, VOIDED } from '../corrections.ts'

/** Events listed for one request, the earliest first. */
const EMISSION_EVENTS_MAX = 1_000
/** For how long before a request the clocks of senders may date its events: the intake takes none that are older on arrival. */
const EVENTS_BEFORE_MS = 7 * DAY_MS
/** For how long after a request its events are listed. Clicks count for 30 days; later ones are expired, and rare. */
const EVENTS_AFTER_MS = 60 * DAY_MS

export type EmissionRow = Omit<Emission, 'phrases'>

export interface EmissionEventRow {
  eventId: string
  type: 'VIEW' | 'CLICK'
  verdict: Verdict | typeof VOIDED
  billedMicros: number
  occurredAt: number
  slotHash: string
  campaignId: string
  adId: string
}

/**
 * The ad request as it was answered, if it is of one of the shops. Rows are `EmissionRow`, at most one.
 * @param spec.from UTC epoch milliseconds; earlier requests are not found.
 */
export function emissionQuery(spec: { requestId: string; shopIds: readonly string[]; from: number }) {
  const sql = `
SELECT requestId, shopId, kind, cid, uid, occurredAt, country, elapsedMicros, slots, lifts
FROM emissions WHERE requestId = {requestId:String} AND shopId IN {shopIds:Array(String)} AND occurredAt >= {from:Int64}
LIMIT 1`
  return { sql, params: spec }
}

/** Views and clicks of the request's ads. Rows are `EmissionEventRow`; of records with the same event id, the valid one. */
export function emissionEventsQuery({
  requestId,
  shopId,
  occurredAt,
}: Pick<Emission, 'requestId' | 'shopId' | 'occurredAt'>) {
  const sql = `
SELECT eventId, type, if(isVoided, '${VOIDED}', judged) AS verdict, if(isVoided, 0, billedMicros) AS billedMicros, occurredAt,
  slotHash, campaignId, adId
FROM (
  SELECT * EXCEPT verdict, verdict AS judged, ${isVoidedInSql('shopId = {shopId:String}')} AS isVoided FROM judged_events
  WHERE shopId = {shopId:String} AND occurredAt >= {from:Int64} AND occurredAt < {to:Int64} AND requestId = {requestId:String}
  ORDER BY eventId, verdict != 'VALID' LIMIT 1 BY eventId
)
ORDER BY occurredAt, eventId LIMIT ${EMISSION_EVENTS_MAX}`
  return { sql, params: { requestId, shopId, from: occurredAt - EVENTS_BEFORE_MS, to: occurredAt + EVENTS_AFTER_MS } }
}
