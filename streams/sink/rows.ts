import type { RegistryEntry } from '../../schemas/records/entities.ts'
import type { JudgedEvent } from '../../schemas/records/events.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { DecodedRecord } from '../runtime/outcome.ts'

/** What a table of Analytics takes from a topic. */
export interface TableRows {
  table: string
  /** The row of a record, columns by name; null when the table has nothing to do with it. */
  rowOf(record: DecodedRecord<unknown>): object | null
}

/** Every topic that the sink stores, and the tables it goes to. Columns: `infra/analytics/migrations/*.sql`. */
export const tablesOf = {
  emissions: [{ table: 'emissions', rowOf: plain }],
  'judged-events': [{ table: 'judged_events', rowOf: judgedEvent }],
  corrections: [{ table: 'event_corrections', rowOf: plain }],
  transactions: [{ table: 'transactions', rowOf: plain }],
  'transaction-returns': [{ table: 'transaction_returns', rowOf: plain }],
  'page-views': [{ table: 'page_views', rowOf: plain }],
  'feed-issues': [{ table: 'feed_issues', rowOf: plain }],
  'security-events': [{ table: 'security_events', rowOf: plain }],
  registry: [
    { table: 'campaign_versions', rowOf: campaignVersion },
    { table: 'shop_versions', rowOf: shopVersion },
  ],
  'item-groups': [{ table: 'product_groups', rowOf: plain }],
} as const satisfies Partial<Record<TopicName, readonly TableRows[]>>

export type StoredTopic = keyof typeof tablesOf
export const storedTopics = Object.keys(tablesOf) as StoredTopic[]

function place({ topic, partition, offset }: DecodedRecord<unknown>) {
  return { _topic: topic, _partition: partition, _offset: offset }
}

/** The record's fields are the columns. None of these topics has tombstones. */
function plain(record: DecodedRecord<unknown>): object | null {
  return record.value === null ? null : { ...place(record), ...(record.value as object) }
}

/**
 * The claims of the showId become columns of their own; who was shown the ad is told from who acted. The address of the
 * day before is of use to the judge alone.
 */
function judgedEvent(record: DecodedRecord<unknown>): object | null {
  if (!record.value) return null
  const { claims, previousAddressHash, ...event } = record.value as JudgedEvent
  const { cid, uid, ...ad } = claims
  return { ...place(record), ...ad, emittedCid: cid, emittedUid: uid, ...event }
}

function campaignVersion(record: DecodedRecord<unknown>): object | null {
  const entry = record.value as RegistryEntry | null
  if (entry?.kind !== 'Campaign') return null
  const { shopId, accountId, attributionProductIds } = entry.body
  const { id, version, updatedAt } = entry
  return { ...place(record), campaignId: id, version, shopId, accountId, updatedAt, attributionProductIds }
}

function shopVersion(record: DecodedRecord<unknown>): object | null {
  const entry = record.value as RegistryEntry | null
  if (entry?.kind !== 'Shop') return null
  const { clickWindowHours, viewWindowHours, transactionTrust } = entry.body
  const { id, version, updatedAt } = entry
  return { ...place(record), shopId: id, version, updatedAt, clickWindowHours, viewWindowHours, transactionTrust }
}
