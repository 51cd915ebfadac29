import type { QueryParams } from '../../port.ts'

/** Parts of the export of a person's data, by the names that they have there. */
const parts = {
  adRequests: { from: 'emissions', order: 'occurredAt' },
  adEvents: { from: 'judged_events', order: 'occurredAt' },
  transactions: { from: 'transactions', order: 'occurredAt' },
  pageViews: { from: 'page_views', order: 'occurredAt' },
  credits: { from: 'attributed_lines FINAL', order: 'occurredAt' },
  corrections: { from: 'event_corrections', order: 'occurredAt' },
} as const
export type PersonalDataPart = keyof typeof parts
export const personalDataParts = Object.keys(parts) as PersonalDataPart[]

/** Columns that are not data of the person: positions in the log, and what is kept about a computation. */
const LEFT_OUT: Readonly<Record<PersonalDataPart, string>> = {
  adRequests: '_topic, _partition, _offset',
  adEvents: '_topic, _partition, _offset, sourcePartition, sourceOffset',
  transactions: '_topic, _partition, _offset',
  pageViews: '_topic, _partition, _offset',
  credits: 'version, deleted',
  corrections: '_topic, _partition, _offset',
}

/** The identifier must not stay in the store's log of queries. */
const SETTINGS = 'SETTINGS log_queries = 0, max_execution_time = 30'

export interface PersonSpec {
  shopId: string
  identifier: 'cid' | 'uid'
  value: string
}

const paramsOf = ({ shopId, value }: PersonSpec): QueryParams => ({ shopId, value })

/** Rows of one part, oldest first: one more than `max` when there are more. */
export function personalDataQuery(part: PersonalDataPart, person: PersonSpec, max: number) {
  const { from, order } = parts[part]
  // An event is also data of the person whom the ad was served to, even when somebody else acted on it.
  const given = { cid: 'emittedCid', uid: 'emittedUid' }[person.identifier]
  const names = part === 'adEvents' ? [person.identifier, given] : [person.identifier]
  const isNobody = part === 'corrections' && person.identifier === 'uid'
  const condition = isNobody ? 'false' : names.map((name) => `${name} = {value:String}`).join(' OR ')
  return {
    sql: `SELECT * EXCEPT (${LEFT_OUT[part]}) FROM ${from}
WHERE shopId = {shopId:String} AND (${condition}) ORDER BY ${order} LIMIT ${max + 1} ${SETTINGS}`,
    params: paramsOf(person),
  }
}

export interface LinkedRow {
  cid: string
  uid: string
  firstSeenAt: number
}

/** Identifiers that were seen together with the person's: one more than `max` when there are more. */
export function linkedIdentifiersQuery(person: PersonSpec, max: number) {
  const by = person.identifier
  return {
    sql: `SELECT cid, uid, min(seenAt) AS firstSeenAt FROM links_by_${by}
WHERE ${by}Key = murmurHash3_32({shopId:String}, {value:String}) AND shopId = {shopId:String} AND ${by} = {value:String}
GROUP BY cid, uid ORDER BY firstSeenAt LIMIT ${max + 1} ${SETTINGS}`,
    params: paramsOf(person),
  }
}
