/** Every topic of the log: what it holds, how it is cut and how long it is kept. */
export interface Topic {
  /** Avro record of the values, by its name in `schemas/`. */
  readonly record: RecordName
  readonly partitions: number
  /** `compacted` keeps the latest value per key for ever; `retained` keeps every record for `retentionMs`. */
  readonly kind: 'compacted' | 'retained'
  readonly retentionMs: number
}

export type RecordName =
  | 'RegistryEntry'
  | 'ProductOffer'
  | 'ItemGroup'
  | 'ProductSignals'
  | 'ShopTraffic'
  | 'Emission'
  | 'AdEvent'
  | 'JudgedEvent'
  | 'EventCorrection'
  | 'Transaction'
  | 'TransactionReturn'
  | 'PageView'
  | 'FeedIssue'
  | 'SecurityEvent'
  | 'Image'
  | 'DeadLetter'

const DAY_MS = 86_400_000
const FOR_EVER_MS = -1

const retained = (record: RecordName, partitions: number, days: number): Topic => ({
  record,
  partitions,
  kind: 'retained',
  retentionMs: days * DAY_MS,
})
const compacted = (record: RecordName, partitions: number): Topic => ({
  record,
  partitions,
  kind: 'compacted',
  retentionMs: FOR_EVER_MS,
})

export const topics = {
  /** Key: kind/id, or kind/id/version where every version must stay. One partition: the registry is one ordered history. */
  registry: compacted('RegistryEntry', 1),
  /** Key: shopId/feedId/id. A null value removes the offer. */
  products: compacted('ProductOffer', 4),
  /** Key: shopId/feedId/id. Nothing removes a group: past purchases are credited by it when the offer is long gone. */
  'item-groups': compacted('ItemGroup', 4),
  /** Key: shopId/id. */
  'product-signals': compacted('ProductSignals', 4),
  /** Key: shopId. */
  'shop-traffic': compacted('ShopTraffic', 1),
  /** Key: cid. One record per ad request. */
  emissions: retained('Emission', 4, 400),
  /** Key: campaignId, so that one budget, cap or showId meets one consumer in one order. */
  'ad-events': retained('AdEvent', 4, 400),
  /** Key: campaignId. */
  'judged-events': retained('JudgedEvent', 4, 400),
  /** Key: campaignId, so that a partition corrects what the same partition of ad-events was judged to be. */
  corrections: retained('EventCorrection', 4, 400),
  /** Key: cid. */
  transactions: retained('Transaction', 4, 400),
  /** Key: shopId/eventId of the purchase. */
  'transaction-returns': retained('TransactionReturn', 4, 400),
  /** Key: cid. */
  'page-views': retained('PageView', 4, 400),
  /** Key: feedId/runId. */
  'feed-issues': retained('FeedIssue', 1, 30),
  /** Key: accountId. The analytics store forgets each after its own time. */
  'security-events': retained('SecurityEvent', 1, 400),
  /** Key: id. Content-addressed: a key never gets another value. */
  images: compacted('Image', 1),
  /** Key: topic/partition/offset of what could not be processed. */
  'dead-letters': retained('DeadLetter', 1, 400),
} as const satisfies Record<string, Topic>

export type TopicName = keyof typeof topics
export const topicNames = Object.keys(topics) as TopicName[]
