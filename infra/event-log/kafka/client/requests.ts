import type { Broker, Protocol } from 'kafkajs/internals'
import Decoder from 'kafkajs/src/protocol/decoder.js'
import Encoder from 'kafkajs/src/protocol/encoder.js'
import errors from 'kafkajs/src/protocol/error.js'

/** Requests that kafkajs does not have, or not in the version that we need. Layouts: https://kafka.apache.org/protocol */

export type KafkaError = ReturnType<typeof errors.createErrorFromCode>

export interface ProducerIdentity {
  transactionalId: string | null
  producerId: bigint
  producerEpoch: number
}

/** Sends over the connection for everything but fetches. */
export async function send<T>(broker: Broker, protocol: Protocol<T>): Promise<T> {
  try {
    return await broker.connectionPool.send(protocol)
  } catch (error) {
    if ((error as Error).name === 'KafkaJSConnectionClosedError') await broker.disconnect()
    throw error
  }
}

export function errorOf(code: number): KafkaError | null {
  return errors.failure(code) ? errors.createErrorFromCode(code) : null
}

/** Header and body of versions that are not flexible, or with a header of its own. */
function protocol<T>(
  [apiKey, apiVersion, apiName]: [number, number, string],
  encode: () => Encoder,
  decode: (from: Decoder) => T,
): Protocol<T> {
  return {
    request: { apiKey, apiVersion, apiName, encode: async () => encode() },
    response: { decode: async (raw) => decode(new Decoder(raw)), parse: async (decoded) => decoded },
  }
}

export interface ProducedPartition {
  topic: string
  partition: number
  error: KafkaError | null
  baseOffset: number
}

/** Produce v7, acks from all replicas in sync: one batch for each partition. @param timeoutMs of the replicas. */
export function produceRequest(
  transactionalId: string | null,
  batches: readonly { topic: string; partition: number; bytes: Buffer }[],
  timeoutMs: number,
): Protocol<ProducedPartition[]> {
  const byTopic = Map.groupBy(batches, ({ topic }) => topic)
  return protocol(
    [0, 7, 'Produce'],
    () =>
      new Encoder()
        .writeString(transactionalId)
        .writeInt16(-1)
        .writeInt32(timeoutMs)
        .writeArray(
          [...byTopic].map(([topic, of]) =>
            new Encoder()
              .writeString(topic)
              .writeArray(of.map(({ partition, bytes }) => new Encoder().writeInt32(partition).writeBytes(bytes))),
          ),
        ),
    (from) =>
      from
        .readArray((from) => {
          const topic = from.readString()
          return from.readArray((from) => {
            const partition = from.readInt32()
            const error = errorOf(from.readInt16())
            const baseOffset = Number(from.readInt64().toString())
            from.readInt64()
            from.readInt64()
            return { topic, partition, error, baseOffset }
          })
        })
        .flat(),
  )
}

/**
 * InitProducerId v3: unlike the older versions it takes the identity that it renews, and refuses it when another has
 * taken over since (KIP-360).
 */
export function renewProducerRequest(
  { transactionalId, producerId, producerEpoch }: ProducerIdentity,
  transactionTimeoutMs: number,
): Protocol<{ producerId: bigint; producerEpoch: number }> {
  return protocol(
    [22, 3, 'InitProducerId'],
    () =>
      new Encoder()
        .writeUVarInt(0)
        .writeUVarIntString(transactionalId)
        .writeInt32(transactionTimeoutMs)
        .writeInt64(producerId.toString())
        .writeInt16(producerEpoch)
        .writeUVarInt(0),
    (from) => {
      from.readTaggedFields()
      from.readInt32()
      const error = errorOf(from.readInt16())
      if (error) throw error
      return { producerId: BigInt(from.readInt64().toString()), producerEpoch: from.readInt16() }
    },
  )
}

export interface TransactionalOffset {
  group: string
  generation: number
  memberId: string
  topic: string
  partition: number
  offset: number
  metadata: string
}

/** TxnOffsetCommit v3: unlike the older versions it names member and generation, so that who has left is refused (KIP-447). */
export function commitOffsetRequest(
  { transactionalId, producerId, producerEpoch }: ProducerIdentity,
  { group, generation, memberId, topic, partition, offset, metadata }: TransactionalOffset,
): Protocol<object> {
  return protocol(
    [28, 3, 'TxnOffsetCommit'],
    () =>
      new Encoder()
        .writeUVarInt(0)
        .writeUVarIntString(transactionalId)
        .writeUVarIntString(group)
        .writeInt64(producerId.toString())
        .writeInt16(producerEpoch)
        .writeInt32(generation)
        .writeUVarIntString(memberId)
        .writeUVarIntString(null)
        .writeUVarInt(2)
        .writeUVarIntString(topic)
        .writeUVarInt(2)
        .writeInt32(partition)
        .writeInt64(offset)
        .writeInt32(-1)
        .writeUVarIntString(metadata)
        .writeUVarInt(0)
        .writeUVarInt(0)
        .writeUVarInt(0),
    (from) => {
      from.readTaggedFields()
      from.readInt32()
      from.readUVarIntArray((from) => {
        from.readUVarIntString()
        from.readUVarIntArray((from) => {
          from.readInt32()
          const error = errorOf(from.readInt16())
          if (error) throw error
          from.readTaggedFields()
        })
        from.readTaggedFields()
      })
      return {}
    },
  )
}

const TOPIC_RESOURCE = 2
const SET = 0

/** IncrementalAlterConfigs v0 of topics (KIP-339): what is not named stays as it is. */
export function alterTopicsRequest(
  changes: readonly { topic: string; settings: readonly { name: string; value: string }[] }[],
): Protocol<object> {
  return protocol(
    [44, 0, 'IncrementalAlterConfigs'],
    () =>
      new Encoder()
        .writeArray(
          changes.map(({ topic, settings }) =>
            new Encoder()
              .writeInt8(TOPIC_RESOURCE)
              .writeString(topic)
              .writeArray(
                settings.map(({ name, value }) => new Encoder().writeString(name).writeInt8(SET).writeString(value)),
              ),
          ),
        )
        .writeBoolean(false),
    (from) => {
      from.readInt32()
      from.readArray((from) => {
        const error = errorOf(from.readInt16())
        if (error) throw error
        from.readString()
        from.readInt8()
        from.readString()
      })
      return {}
    },
  )
}
