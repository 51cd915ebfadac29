import type { Protocol } from 'kafkajs/internals'
import Decoder from 'kafkajs/src/protocol/decoder.js'
import Encoder from 'kafkajs/src/protocol/encoder.js'
import errors from 'kafkajs/src/protocol/error.js'
import { namingTheRight } from '../rights.ts'

/** Requests that kafkajs lacks, or has in an older version only. Layouts: https://kafka.apache.org/protocol */

export type KafkaError = ReturnType<typeof errors.createErrorFromCode>

/** The replica id of a client that is not a replica. */
export const CONSUMER = -1

/** A producer as brokers know it. A higher epoch of the same id fences the lower ones. */
export interface ProducerIdentity {
  transactionalId: string | null
  producerId: bigint
  producerEpoch: number
}

export const readInt64 = (from: Decoder) => Number(from.readInt64().toString())

export function readError(from: Decoder): KafkaError | null {
  const code = from.readInt16()
  return errors.failure(code) ? errors.createErrorFromCode(code) : null
}

export function throwError(from: Decoder): void {
  const error = readError(from)
  if (error) throw error
}

/** @param request a request of kafkajs, or the key, version, name and body of one that kafkajs cannot encode. */
export function protocolOf<T>(
  request: Protocol<T>['request'] | [apiKey: number, apiVersion: number, apiName: string, body: () => Encoder],
  decode: (from: Decoder) => T,
): Protocol<T> {
  const response = { decode: async (raw: Buffer) => decode(new Decoder(raw)), parse: async (decoded: T) => decoded }
  if (!Array.isArray(request)) return { request, response }
  const [apiKey, apiVersion, apiName, body] = request
  return { request: { apiKey, apiVersion, apiName, encode: async () => body() }, response }
}

/** FindCoordinator v1, for a group (0) or a transactional id (1). @returns the coordinator's node id. */
export function findCoordinatorRequest(key: string, keyType: 0 | 1): Protocol<number> {
  const body = () => new Encoder().writeString(key).writeInt8(keyType)
  return protocolOf([10, 1, 'FindCoordinator', body], (from) => {
    from.readInt32() // throttle time
    const error = readError(from)
    from.readString() // error message
    if (error) throw error
    return from.readInt32()
  })
}

export interface ProducedPartition {
  topic: string
  partition: number
  error: KafkaError | null
  baseOffset: number
}

/** Produce v7, acknowledged by all replicas in sync: one batch for each partition. @param timeoutMs how long replicas may take. */
export function produceRequest(
  transactionalId: string | null,
  batches: readonly { topic: string; partition: number; bytes: Buffer }[],
  timeoutMs: number,
): Protocol<ProducedPartition[]> {
  const body = () => {
    const topics = [...Map.groupBy(batches, ({ topic }) => topic)].map(([topic, of]) => {
      const partitions = of.map(({ partition, bytes }) => new Encoder().writeInt32(partition).writeBytes(bytes))
      return new Encoder().writeString(topic).writeArray(partitions)
    })
    return new Encoder().writeString(transactionalId).writeInt16(-1).writeInt32(timeoutMs).writeArray(topics)
  }
  return protocolOf([0, 7, 'Produce', body], (from) =>
    readTopics(from, (from, topic) => {
      const partition = from.readInt32()
      const error = readError(from)
      const baseOffset = readInt64(from)
      from.readInt64() // log append time
      from.readInt64() // log start offset
      return { topic, partition, error, baseOffset }
    }),
  )
}

/** Whether to look at records of all transactions, or only of committed ones. */
type IsolationLevel = 'READ_UNCOMMITTED' | 'READ_COMMITTED'
const ISOLATION_LEVELS: Readonly<Record<IsolationLevel, number>> = { READ_UNCOMMITTED: 0, READ_COMMITTED: 1 }
const TIMESTAMPS = { EARLIEST: -2, LATEST: -1 }

export interface OffsetQuestion {
  /** EARLIEST: the first record that is held. LATEST: after the last one. */
  at: keyof typeof TIMESTAMPS
  isolationLevel: IsolationLevel
}

export interface ListedOffset {
  partition: number
  error: KafkaError | null
  offset: number
}

/** ListOffsets v2, of partitions that one broker leads. kafkajs has it, but fails as a whole when one partition has moved. */
export function listOffsetsRequest(
  topic: string,
  partitions: readonly number[],
  { at, isolationLevel }: OffsetQuestion,
): Protocol<ListedOffset[]> {
  const body = () => {
    const asked = partitions.map((partition) => new Encoder().writeInt32(partition).writeInt64(TIMESTAMPS[at]))
    return new Encoder()
      .writeInt32(CONSUMER)
      .writeInt8(ISOLATION_LEVELS[isolationLevel])
      .writeArray([new Encoder().writeString(topic).writeArray(asked)])
  }
  return protocolOf([2, 2, 'ListOffsets', body], (from) => {
    from.readInt32() // throttle time
    return readTopics(from, (from) => {
      const partition = from.readInt32()
      const error = readError(from)
      from.readInt64() // timestamp
      return { partition, error, offset: readInt64(from) }
    })
  })
}

/** An array of topics, each with an array of partitions. */
export function readTopics<T>(from: Decoder, readPartition: (from: Decoder, topic: string) => T): T[] {
  const topics = from.readArray((from) => {
    const topic = from.readString()
    return from.readArray((from) => readPartition(from, topic))
  })
  return topics.flat()
}

/**
 * InitProducerId v3 names the identity that it renews, and is refused when another producer has taken over since (KIP-360).
 * kafkajs has v1, which always takes over.
 */
export function renewProducerRequest(
  { transactionalId, producerId, producerEpoch }: ProducerIdentity,
  transactionTimeoutMs: number,
): Protocol<{ producerId: bigint; producerEpoch: number }> {
  const body = () =>
    new Encoder()
      .writeUVarInt(0)
      .writeUVarIntString(transactionalId)
      .writeInt32(transactionTimeoutMs)
      .writeInt64(producerId.toString())
      .writeInt16(producerEpoch)
      .writeUVarInt(0)
  return protocolOf([22, 3, 'InitProducerId', body], (from) => {
    from.readTaggedFields()
    from.readInt32() // throttle time
    throwError(from)
    return { producerId: BigInt(from.readInt64().toString()), producerEpoch: from.readInt16() }
  })
}

/** The offset that a transaction commits for a group. Names are full names. */
export interface TransactionalOffset {
  group: string
  generation: number
  memberId: string
  topic: string
  partition: number
  offset: number
  metadata: string
}

/**
 * TxnOffsetCommit v3 names the member and its generation, so that a member that has left is refused (KIP-447). kafkajs has
 * v1, which names neither.
 */
export function commitOffsetRequest(
  { transactionalId, producerId, producerEpoch }: ProducerIdentity,
  { group, generation, memberId, topic, partition, offset, metadata }: TransactionalOffset,
): Protocol<object> {
  const body = () =>
    new Encoder()
      .writeUVarInt(0)
      .writeUVarIntString(transactionalId)
      .writeUVarIntString(group)
      .writeInt64(producerId.toString())
      .writeInt16(producerEpoch)
      .writeInt32(generation)
      .writeUVarIntString(memberId)
      .writeUVarIntString(null)
      .writeUVarInt(2) // a compact array of one topic …
      .writeUVarIntString(topic)
      .writeUVarInt(2) // … and of one partition
      .writeInt32(partition)
      .writeInt64(offset)
      .writeInt32(-1)
      .writeUVarIntString(metadata)
      .writeUVarInt(0)
      .writeUVarInt(0)
      .writeUVarInt(0)
  return protocolOf([28, 3, 'TxnOffsetCommit', body], (from) => {
    from.readTaggedFields()
    from.readInt32() // throttle time
    return from.readUVarIntArray((from) => {
      from.readUVarIntString()
      from.readUVarIntArray((from) => {
        from.readInt32()
        throwError(from)
        from.readTaggedFields()
      })
      from.readTaggedFields()
    })
  })
}

/** DeleteGroups v0, of one group. kafkajs has it, but returns an error of the group as a value, which is then not retried. */
export function deleteGroupRequest(group: string): Protocol<object> {
  return protocolOf([42, 0, 'DeleteGroups', () => new Encoder().writeArray([group])], (from) => {
    from.readInt32() // throttle time
    return from.readArray((from) => {
      from.readString()
      const error = readError(from)
      if (error && error.type !== 'GROUP_ID_NOT_FOUND') throw error
    })
  })
}

/** Metadata v6, of no topic: kafkajs reads the cluster's id but does not expose it. @returns null when the brokers report none. */
export function clusterIdRequest(): Protocol<string | null> {
  const body = () => new Encoder().writeArray([]).writeBoolean(false)
  return protocolOf([3, 6, 'Metadata', body], (from) => {
    from.readInt32() // throttle time
    from.readArray((from) => {
      from.readInt32() // node
      from.readString() // host
      from.readInt32() // port
      from.readString() // rack
    })
    return from.readString() || null
  })
}

const TOPIC_RESOURCE = 2
const SET = 0

/** IncrementalAlterConfigs v0 of topics (KIP-339). kafkajs has AlterConfigs, which resets every setting that it does not name. */
export function alterTopicsRequest(
  changes: readonly { topic: string; settings: readonly { name: string; value: string }[] }[],
): Protocol<object> {
  const body = () => {
    const resources = changes.map(({ topic, settings }) => {
      const configs = settings.map(({ name, value }) =>
        new Encoder().writeString(name).writeInt8(SET).writeString(value),
      )
      return new Encoder().writeInt8(TOPIC_RESOURCE).writeString(topic).writeArray(configs)
    })
    return new Encoder().writeArray(resources).writeBoolean(false)
  }
  return protocolOf([44, 0, 'IncrementalAlterConfigs', body], (from) => {
    from.readInt32() // throttle time
    return from.readArray((from) => {
      const error = readError(from)
      from.readString() // error message
      from.readInt8()
      const topic = from.readString()
      if (error) throw namingTheRight(error, 'IncrementalAlterConfigs', { topic })
    })
  })
}
