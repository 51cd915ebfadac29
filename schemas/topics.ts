import { DAY_MS } from './durations.ts'
import { EVENT_LIFE_MS, RECEIVED_AFTER_MAX_MS } from './event-times.ts'

/** Every topic of the log: what it holds, how it is partitioned and how long it is kept. */
export interface Topic {
  /** Avro record of the values, by its name in `schemas/`. */
  readonly record: RecordName
  /** In an embedded log. A topic of one partition has one in every log; in Kafka, all others start with KAFKA_PARTITIONS. */
  readonly partitions: number
  /** `compacted` keeps the latest value per key for ever; `retained` keeps every record for `retentionMs`. */
  readonly kind: 'compacted' | 'retained'
  readonly retentionMs: number
  /** No setting may shorten the retention below this, because a promise depends on it. */
  readonly retentionMinMs: number
}

export const KAFKA_PARTITIONS = 12

export type RecordName =
  | 'RegistryEntry'
  | 'ProductOffer'
  | 'ItemGroup'
  | 'ProductSignals'
  | 'ShopTraffic'
  | 'PhraseLifts'
  | 'SpendCheckpoint'
  | 'Emission'
  | 'AdEvent'
  | 'JudgedEvent'
  | 'EventCorrection'
  | 'Transaction'
  | 'TransactionReturn'
  | 'PageView'
  | 'FeedIssue'
  | 'SecurityEvent'
  | 'EmptySearch'
  | 'Image'
  | 'DeadLetter'
  | 'LogEpoch'
  | 'Erasure'

const FOR_EVER_MS = -1

/** For this long the repeat of a click must be recognised. The judge gets a day more. */
const REPEATS_KNOWN_DAYS = (EVENT_LIFE_MS.CLICK + RECEIVED_AFTER_MAX_MS) / DAY_MS + 1

const retained = (record: RecordName, partitions: number, days: number, daysMin = 1): Topic => ({
  record,
  partitions,
  kind: 'retained',
  retentionMs: days * DAY_MS,
  retentionMinMs: daysMin * DAY_MS,
})
const compacted = (record: RecordName, partitions: number): Topic => ({
  record,
  partitions,
  kind: 'compacted',
  retentionMs: FOR_EVER_MS,
  retentionMinMs: FOR_EVER_MS,
})

export const topics = {
  /** Key: kind/id, or kind/id/version where every version must stay. One partition: the registry is one ordered history. */
  registry: compacted('RegistryEntry', 1),
  /** Key: kind/id. The latest version of each entity up to some offset of `registry`, from which a starting process reads on. */
  'registry-checkpoint': compacted('RegistryEntry', 1),
  /** Key: shopId/feedId/id. A null value removes the offer. */
  products: compacted('ProductOffer', 4),
  /** Key: shopId/feedId/id. Groups are never removed: past purchases are credited by them when the offer is long gone. */
  'item-groups': compacted('ItemGroup', 4),
  /** Key: shopId/id. */
  'product-signals': compacted('ProductSignals', 4),
  /** Key: shopId. */
  'shop-traffic': compacted('ShopTraffic', 1),
  /** Key: shopId/phrase. A null value means that the phrase no longer has lifts. */
  'phrase-lifts': compacted('PhraseLifts', 1),
  /** Key: cid. One record per ad request. */
  emissions: retained('Emission', 4, 400),
  /** Key: campaignId, so that all events of a budget, cap or showId go to one consumer, in one order. */
  'ad-events': retained('AdEvent', 4, 400),
  /** Key: campaignId. Lost counters are counted again from here. */
  'judged-events': retained('JudgedEvent', 4, 400, REPEATS_KNOWN_DAYS),
  /** Key: campaignId, so that a partition corrects verdicts on the events of the same partition of ad-events. */
  corrections: retained('EventCorrection', 4, 400, REPEATS_KNOWN_DAYS),
  /** Key: campaignId, so that a partition sums up verdicts on the events of the same partition of ad-events. */
  'spend-checkpoints': compacted('SpendCheckpoint', 4),
  /** Key: cid. */
  transactions: retained('Transaction', 4, 400),
  /** Key: shopId/eventId of the purchase. */
  'transaction-returns': retained('TransactionReturn', 4, 400),
  /** Key: cid. A click may earn credit for 90 days, and an event may come `RECEIVED_AFTER_MAX_MS` late. */
  'page-views': retained('PageView', 4, 100),
  /** Key: feedId/runId. */
  'feed-issues': retained('FeedIssue', 1, 30),
  /** Key: accountId. Analytics forgets each event at the time that the event states. */
  'security-events': retained('SecurityEvent', 1, 400),
  /** Key: id. Content-addressed: a key never gets another value. */
  images: compacted('Image', 1),
  /** Key: topic/partition/offset of the record that could not be processed. */
  'dead-letters': retained('DeadLetter', 1, 400),
  /** Key: epoch. The last restore of the log: which epoch its offsets belong to. */
  'log-epoch': compacted('LogEpoch', 1),
  /** Key: shopId. Kept only for a short time, because it holds what shoppers searched for. */
  'empty-searches': retained('EmptySearch', 1, 30),
  /** Key: id. People whose identifiers are replaced wherever they are read. */
  erasures: compacted('Erasure', 1),
} as const satisfies Record<string, Topic>

export type TopicName = keyof typeof topics
export const topicNames = Object.keys(topics) as TopicName[]

/**
 * Units of topics. A key lies in the same partition of each topic of a unit, so these topics have the same number of partitions. A
 * shard of the counters belongs to the partitions with its number in all of them.
 */
export const partitionedAlike: readonly (readonly TopicName[])[] = [
  ['ad-events', 'judged-events', 'corrections', 'spend-checkpoints'],
]

/** Topics of the events that pages and shops report. */
export const reportedTopics = ['ad-events', 'transactions', 'page-views'] as const satisfies readonly TopicName[]
export type ReportedTopic = (typeof reportedTopics)[number]

/** Topics whose records name people by cid or uid. */
export const personalTopics = [
  'emissions',
  'ad-events',
  'judged-events',
  'corrections',
  'transactions',
  'page-views',
  'dead-letters',
] as const satisfies readonly TopicName[]
export type PersonalTopic = (typeof personalTopics)[number]

/** The topics of the unit that a topic belongs to, itself included. */
export const unitOf = (topic: TopicName): readonly TopicName[] =>
  partitionedAlike.find((unit) => unit.includes(topic)) ?? [topic]
