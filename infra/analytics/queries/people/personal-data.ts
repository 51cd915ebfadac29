import type { QueryParams } from '../../port.ts'
import { isOfTransactionsSql } from '../attribution/stored-lines.ts'

/** Where a row lies in the log. With the time it tells every row of a table from the others. */
const LOGGED = { _topic: 'String', _partition: 'Int32', _offset: 'Int64' } as const
/** The key of a line. */
const LINE = { kind: 'String', eventId: 'String', line: 'UInt32' } as const

/**
 * Parts of the export of a person's data, by the names that they have there. Rows are in the order of their time, and those of the
 * same time in that of the columns `ties`.
 */
const parts = {
  adRequests: { from: 'emissions', ties: LOGGED },
  adEvents: { from: 'judged_events', ties: LOGGED },
  transactions: { from: 'transactions', ties: LOGGED },
  pageViews: { from: 'page_views', ties: LOGGED },
  credits: { from: 'attributed_lines FINAL', ties: LINE },
  corrections: { from: 'event_corrections', ties: LOGGED },
} as const
export type PersonalDataPart = keyof typeof parts
export const personalDataParts = Object.keys(parts) as PersonalDataPart[]

/** Columns that are not data of the person: positions in the log, and what is kept about a computation. */
const LEFT_OUT: Readonly<Record<PersonalDataPart, readonly string[]>> = {
  adRequests: Object.keys(LOGGED),
  adEvents: [...Object.keys(LOGGED), 'sourcePartition', 'sourceOffset'],
  transactions: Object.keys(LOGGED),
  pageViews: Object.keys(LOGGED),
  credits: ['version', 'deleted'],
  corrections: Object.keys(LOGGED),
}

/** The identifier must not stay in the store's log of queries. */
const SETTINGS = 'SETTINGS log_queries = 0, max_execution_time = 30'

export interface PersonSpec {
  shopId: string
  identifier: 'cid' | 'uid'
  value: string
}

/** A row as it is stored. */
export type PersonalRow = Record<string, unknown>

/** At most `limit` rows, from the first one that comes after the row `after`. */
export interface PageSpec<Row> {
  after: Row | null
  limit: number
}

/** A page of one part. */
export function personalDataQuery(part: PersonalDataPart, person: PersonSpec, page: PageSpec<PersonalRow>) {
  const { from, ties } = parts[part]
  // An event is also data of the person whom the ad was served to, even when somebody else acted on it.
  const given = { cid: 'emittedCid', uid: 'emittedUid' }[person.identifier]
  const names = part === 'adEvents' ? [person.identifier, given] : [person.identifier]
  const isNobody = part === 'corrections' && person.identifier === 'uid'
  const isOfPerson = isNobody ? 'false' : names.map((name) => `${name} = {value:String}`).join(' OR ')
  const condition = `shopId = {shopId:String} AND (${isOfPerson})`
  const found = part === 'credits' ? `AND ${isOfTransactionsSql(condition)}` : ''
  const order = { occurredAt: 'Int64', ...ties }
  const { sql, params } = following(order, page)
  // By itself, the comparison of several columns would not keep the store from reading all rows that come before.
  const later = page.after === null ? '' : `AND occurredAt >= {after_occurredAt:Int64} AND ${sql}`
  return {
    sql: `SELECT * FROM ${from}
WHERE ${condition} ${found} ${later}
ORDER BY ${Object.keys(order).join(', ')} LIMIT {limit:UInt32} ${SETTINGS}`,
    params: { ...paramsOf(person, page), ...params },
  }
}

/** What of a stored row is data of the person. */
export function personalDataOf(part: PersonalDataPart, row: PersonalRow): object {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !LEFT_OUT[part].includes(column)))
}

export interface LinkedRow {
  cid: string
  uid: string
  firstSeenAt: number
}

/** A page of the identifiers that were seen together with the person's, in the order in which they first were. */
export function linkedIdentifiersQuery(person: PersonSpec, page: PageSpec<LinkedRow>) {
  const by = person.identifier
  const { sql, params } = following({ firstSeenAt: 'Int64', cid: 'String', uid: 'String' }, page)
  return {
    sql: `SELECT cid, uid, min(seenAt) AS firstSeenAt FROM links_by_${by}
WHERE ${by}Key = murmurHash3_32({shopId:String}, {value:String}) AND shopId = {shopId:String} AND ${by} = {value:String}
GROUP BY cid, uid HAVING ${sql} ORDER BY firstSeenAt, cid, uid LIMIT {limit:UInt32} ${SETTINGS}`,
    params: { ...paramsOf(person, page), ...params },
  }
}

const paramsOf = ({ shopId, value }: PersonSpec, { limit }: { limit: number }): QueryParams => ({
  shopId,
  value,
  limit,
})

/** The condition that rows of this order come after a row. */
function following<Row extends object>(
  order: Readonly<Record<string, string>>,
  { after }: PageSpec<Row>,
): { sql: string; params: QueryParams } {
  if (after === null) return { sql: 'true', params: {} }
  const columns = Object.keys(order)
  const values = columns.map((column) => `{after_${column}:${order[column]}}`)
  return {
    sql: `(${columns.join(', ')}) > (${values.join(', ')})`,
    params: Object.fromEntries(columns.map((column) => [`after_${column}`, (after as QueryParams)[column]!])),
  }
}
