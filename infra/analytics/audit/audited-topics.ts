import type { TopicName } from '../../../schemas/topics.ts'

/** A topic whose records have one row each, the columns that name a record, and which dead letters are about it. */
export interface AuditedTopic {
  topic: TopicName
  /** The consumer group that processes and counts its records. */
  group: 'sink' | 'judge'
  /** Keys of the records that have a row; null when all records have one. */
  keys: RegExp | null
  /** The table or subquery that has the rows. */
  table: string
  partition: string
  offset: string
  /** The table has as many rows as the group has counted, unless some have expired. */
  isTableOfTopic: boolean
  /** Its offsets have no gaps, so that a record that the group has not read shows as missing. */
  isDense: boolean
  letters: { stream: string; topic: TopicName }[]
}

const stored = (topic: TopicName, table: string): AuditedTopic => ({
  topic,
  group: 'sink',
  keys: null,
  table,
  partition: '_partition',
  offset: '_offset',
  isTableOfTopic: true,
  isDense: false,
  letters: [{ stream: 'sink', topic }],
})

/** A topic that is appended to outside transactions only, so that Kafka puts no markers between its records. */
const dense = (topic: TopicName, table: string): AuditedTopic => ({ ...stored(topic, table), isDense: true })

/**
 * Every topic that the sink stores, and `ad-events`. An ad event counts as stored once its judgement is in the log; when a range is
 * checked, once its judgement is in the table. Three topics are left out: the table of `item-groups` keeps only the latest row of
 * each product, as the log does, and rows of `security-events` and `empty-searches` expire.
 */
export const auditedTopics: readonly AuditedTopic[] = [
  dense('emissions', 'emissions'),
  {
    topic: 'ad-events',
    group: 'judge',
    keys: null,
    table: 'judged_events',
    partition: 'sourcePartition',
    offset: 'sourceOffset',
    isTableOfTopic: false,
    // After partitions were added, the judge forwards events to the partition that they belong to now, in a transaction.
    isDense: false,
    letters: [
      { stream: 'judge', topic: 'ad-events' },
      { stream: 'sink', topic: 'judged-events' },
    ],
  },
  stored('judged-events', 'judged_events'),
  stored('corrections', 'event_corrections'),
  dense('transactions', 'transactions'),
  dense('transaction-returns', 'transaction_returns'),
  dense('page-views', 'page_views'),
  // Feed runs append their issues together with the offers, in transactions.
  stored('feed-issues', 'feed_issues'),
  {
    ...stored(
      'registry',
      '(SELECT _partition, _offset FROM campaign_versions UNION ALL SELECT _partition, _offset FROM shop_versions)',
    ),
    // Rows of the same version are merged into one.
    isTableOfTopic: false,
    keys: /^(Campaign|Shop)\//,
  },
]
