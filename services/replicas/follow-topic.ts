import type { EventLog } from '../../infra/event-log/port.ts'
import type { RecordTypes } from '../../schemas/records/records.ts'
import type { RecordName, TopicName } from '../../schemas/topics.ts'
import { decode, unknownSchemaOf } from '../../schemas/wire/codec.ts'

export interface FollowLogger {
  error(details: object, message: string): void
}

export interface Follower {
  /** Why it has stopped: a newer version writes records that this one cannot decode. Null while it follows the topic. */
  staleReason(): string | null
  close(): Promise<void>
}

export interface FollowedTopic<R extends RecordName> {
  log: Pick<EventLog, 'tail'>
  /** A compacted topic. */
  topic: TopicName
  record: R
  /** The beginning of the message that is logged when following stops: `${known} until here: …`. */
  known: string
  logger: FollowLogger
}

/** Passes on the records of a topic, those that it holds and those that come, until closed. The value of a removed key is null. */
export async function followTopic<R extends RecordName>(
  { log, topic, record, known, logger }: FollowedTopic<R>,
  apply: (key: string, value: RecordTypes[R] | null) => void,
): Promise<Follower> {
  let staleReason: string | null = null
  const tail = await log.tail(topic, (records) => {
    for (const { key, value, partition, offset } of records) {
      if (staleReason !== null) return
      const unknown = value && unknownSchemaOf(record, value)
      if (unknown) {
        staleReason = unknown.message
        logger.error({ topic, partition, offset }, `${known} until this record: ${staleReason}`)
        return
      }
      apply(key!, value && decode(record, value))
    }
  })
  return { staleReason: () => staleReason, close: () => tail.close() }
}
