/** What to do about an error of Kafka. REFRESH: reload the metadata, then retry. */
export type Remedy = 'RETRY' | 'REFRESH' | 'NONE'

/** An error that persists, and since when, by `performance.now()`. */
export interface Failure {
  error: Error
  since: number
}

/** Retriable without reloading the metadata: the state passes by itself. */
const TRANSIENT = new Set([
  'GROUP_LOAD_IN_PROGRESS',
  'CONCURRENT_TRANSACTIONS',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'REQUEST_TIMED_OUT',
  'KAFKA_STORAGE_ERROR',
  'UNSTABLE_OFFSET_COMMIT',
  'OFFSET_NOT_AVAILABLE',
])
/** Retriable too, though kafkajs does not mark them so. */
const ALSO_RETRIABLE = new Set([
  'BROKER_NOT_AVAILABLE',
  'ILLEGAL_SASL_STATE',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
])
/** kafkajs' message of a request to a server that has accepted the connection, but not answered which requests it knows. */
const NOT_INTRODUCED = 'Broker not connected'

/** A later epoch of the same transactional id is in use: another producer has taken over. */
const FENCED = new Set(['INVALID_PRODUCER_EPOCH', 'INVALID_PRODUCER_ID_MAPPING', 'TRANSACTION_COORDINATOR_FENCED'])
/** The group goes on without this member. */
const EXPELLED = new Set(['UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID'])
/** The group is rebalancing, or has rebalanced; the member may still belong to it. */
const REBALANCING = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION'])

export function remedyFor(error: unknown): Remedy {
  const code = codeOf(error)
  if (TRANSIENT.has(code)) return 'RETRY'
  const { retriable } = rootOf(error) as { retriable?: boolean }
  return retriable || ALSO_RETRIABLE.has(code) || isOfSilentServer(error) ? 'REFRESH' : 'NONE'
}

/** The server is frozen, or no broker of Kafka. */
export const isOfSilentServer = (error: unknown) => rootOf(error).message === NOT_INTRODUCED

/** The request arrived while the connection was signing in again. The connection can no longer be used. */
export const isBetweenSignIns = (error: unknown) => codeOf(error) === 'ILLEGAL_SASL_STATE'
export const isFenced = (error: unknown) => FENCED.has(codeOf(error))
export const isExpelled = (error: unknown) => EXPELLED.has(codeOf(error))
export const isRebalancing = (error: unknown) => REBALANCING.has(codeOf(error))

/** Kafka's code of an error, such as `NOT_LEADER_FOR_PARTITION`, or the name of the client's error. */
export function codeOf(error: unknown): string {
  const { type, name } = rootOf(error) as { type?: string; name?: string }
  return type ?? name ?? ''
}

/** The innermost cause: kafkajs wraps errors in those of its own retries. */
export function rootOf(error: unknown): Error {
  const { cause } = error as Error
  return cause instanceof Error && (error as Error).name.startsWith('KafkaJS') ? rootOf(cause) : (error as Error)
}
