/** What to do about an error of Kafka. REFRESH: learn anew where things are, then as RETRY. */
export type Remedy = 'RETRY' | 'REFRESH' | 'NONE'

/** States that pass by themselves. */
const PASSING = new Set([
  'GROUP_LOAD_IN_PROGRESS',
  'CONCURRENT_TRANSACTIONS',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'REQUEST_TIMED_OUT',
  'KAFKA_STORAGE_ERROR',
  'UNSTABLE_OFFSET_COMMIT',
  'OFFSET_NOT_AVAILABLE',
])

/** The metadata is older than the cluster, or a connection broke. */
const MOVED = new Set([
  'NETWORK_EXCEPTION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'BROKER_NOT_AVAILABLE',
  'REPLICA_NOT_AVAILABLE',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'NOT_CONTROLLER',
])
const BROKEN_CONNECTION = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
])

/** A later epoch of the same transactional id is in use: another has taken over. */
const FENCED = new Set(['INVALID_PRODUCER_EPOCH', 'INVALID_PRODUCER_ID_MAPPING', 'TRANSACTION_COORDINATOR_FENCED'])
/** The group goes on without this member. */
const EXPELLED = new Set(['UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID'])
/** The group is choosing, or has chosen, who reads what; the member may still be one of it. */
const REBALANCING = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION'])

export function remedyFor(error: unknown): Remedy {
  const code = codeOf(error)
  if (PASSING.has(code)) return 'RETRY'
  return MOVED.has(code) || BROKEN_CONNECTION.has(code) ? 'REFRESH' : 'NONE'
}

export const isFenced = (error: unknown) => FENCED.has(codeOf(error))
export const isExpelled = (error: unknown) => EXPELLED.has(codeOf(error))
export const isRebalancing = (error: unknown) => REBALANCING.has(codeOf(error))

/** Kafka's own code of an error, such as `NOT_LEADER_FOR_PARTITION`, or the name of the error of the client. */
export function codeOf(error: unknown): string {
  const { type, name } = rootOf(error) as { type?: string; name?: string }
  return type ?? name ?? ''
}

/** kafkajs wraps errors in those of its own retries. */
export function rootOf(error: unknown): Error {
  const { cause } = error as Error
  return cause instanceof Error && (error as Error).name.startsWith('KafkaJS') ? rootOf(cause) : (error as Error)
}
