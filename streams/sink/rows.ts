import { currentSchema } from '../../schemas/avro/schemas.ts'
import type { RegistryEntry } from '../../schemas/records/entities.ts'
import { type TopicName, topics } from '../../schemas/topics.ts'
import type { DecodedRecord } from '../runtime/pipeline/outcome.ts'
import { type RowPlan, type RowShape, rowPlanOf } from './row-plan.ts'

/** A table with one row for every record of its topic. */
export interface RecordTable {
  table: string
  plan: RowPlan
}

/** A table that stores a part of some records of its topic. */
export interface ExtractTable {
  table: string
  /** The row of a record, keyed by column; null when the table does not store the record. */
  rowOf(record: DecodedRecord<unknown>): object | null
}

/** Every topic that the sink stores, and the tables it goes to. Columns: `infra/analytics/migrations/*.sql`. */
export const tablesOf = {
  emissions: [recordTable('emissions', 'emissions')],
  'judged-events': [
    // The claims of the showId become columns of their own. Its cid and uid are renamed, which tells who was shown the ad from who
    // acted. Only the judge uses the previous day's hash of the address.
    recordTable('judged-events', 'judged_events', {
      leftOut: ['previousAddressHash'],
      flattened: { claims: { cid: 'emittedCid', uid: 'emittedUid' } },
    }),
  ],
  corrections: [recordTable('corrections', 'event_corrections')],
  transactions: [recordTable('transactions', 'transactions')],
  'transaction-returns': [recordTable('transaction-returns', 'transaction_returns')],
  'page-views': [recordTable('page-views', 'page_views')],
  'feed-issues': [recordTable('feed-issues', 'feed_issues')],
  'security-events': [recordTable('security-events', 'security_events')],
  'empty-searches': [recordTable('empty-searches', 'empty_searches')],
  registry: [
    { table: 'campaign_versions', rowOf: campaignVersion },
    { table: 'shop_versions', rowOf: shopVersion },
  ],
  'item-groups': [recordTable('item-groups', 'product_groups')],
} as const satisfies Partial<Record<TopicName, readonly [RecordTable] | readonly ExtractTable[]>>

export type StoredTopic = keyof typeof tablesOf
export const storedTopics = Object.keys(tablesOf) as StoredTopic[]

/** A table whose columns are the record's fields, except where `shape` differs. */
function recordTable(topic: TopicName, table: string, shape?: RowShape): RecordTable {
  return { table, plan: rowPlanOf(currentSchema(topics[topic].record), shape) }
}

function place({ topic, partition, offset }: DecodedRecord<unknown>) {
  return { _topic: topic, _partition: partition, _offset: offset }
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
  const { clickWindowHours, viewWindowHours, transactionTrust, timeZone } = entry.body
  const { id, version, updatedAt } = entry
  const settings = { clickWindowHours, viewWindowHours, transactionTrust, timeZone }
  return { ...place(record), shopId: id, version, updatedAt, ...settings }
}
