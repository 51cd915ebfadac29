/** The parts of kafkajs 2.2.4 below its public API that this folder uses; docs/kafka.md says why. */
declare module 'kafkajs/src/cluster/index.js' {
  import type { Cluster as PublicCluster } from 'kafkajs'
  import type { Broker, BrokerPool, ClusterOptions } from 'kafkajs/internals'

  interface Cluster extends Omit<PublicCluster, 'findBroker' | 'findControllerBroker'> {
    readonly targetTopics: Set<string>
    readonly brokerPool: BrokerPool
    findBroker(options: { nodeId: number }): Promise<Broker>
    findControllerBroker(): Promise<Broker>
  }
  const Cluster: new (options: ClusterOptions) => Cluster
  export default Cluster
}

/** Not a module of kafkajs: these are the types that the other declarations share. */
declare module 'kafkajs/internals' {
  import type { Socket } from 'node:net'
  import type { GroupMemberAssignment, ISocketFactory, KafkaConfig, Logger } from 'kafkajs'

  export interface ClusterOptions {
    brokers: readonly string[]
    clientId: string
    ssl?: boolean | object
    sasl?: KafkaConfig['sasl']
    socketFactory: ISocketFactory
    logger: Logger
    connectionTimeout: number
    requestTimeout: number
    enforceRequestTimeout: boolean
    metadataMaxAge: number
    allowAutoTopicCreation: boolean
    retry: { retries: number }
  }

  /** A request, and how its response is read. */
  export interface Protocol<T> {
    request: { apiKey: number; apiVersion: number; apiName: string; encode(): Promise<unknown> }
    response: { decode(raw: Buffer): Promise<T>; parse(decoded: T): Promise<T> }
  }

  type PerTopic<P> = { topic: string; partitions: P[] }[]
  type Transactional<T> = T & { transactionalId: string; producerId: string; producerEpoch: number }
  type OfMember<T> = T & { groupId: string; memberId: string }

  export interface Broker extends BrokerRequests {
    readonly nodeId: number
    readonly connectionPool: ConnectionPool
    disconnect(): Promise<void>
  }

  export interface BrokerPool {
    /** By node id. */
    readonly brokers: Readonly<Record<string, Broker>>
    readonly seedBroker?: Broker
    /** Any connected broker. */
    findConnectedBroker(): Promise<Broker>
  }

  interface ConnectionPool {
    readonly host: string
    readonly port: number
    readonly pool: readonly {
      readonly socket?: Socket | null
      readonly requestQueue: { readonly inflight: ReadonlyMap<number, { sentAt: number }> }
    }[]
    send<T>(protocol: Protocol<T>): Promise<T>
    getConnection(index: number): Promise<{ send<T>(protocol: Protocol<T>): Promise<T> }>
  }

  export interface BrokerRequests {
    initProducerId(options: {
      transactionalId: string | null
      transactionTimeout: number
    }): Promise<{ producerId: string; producerEpoch: number }>
    addPartitionsToTxn(options: Transactional<{ topics: PerTopic<number> }>): Promise<unknown>
    addOffsetsToTxn(options: Transactional<{ groupId: string }>): Promise<unknown>
    endTxn(options: Transactional<{ transactionResult: boolean }>): Promise<unknown>
    syncGroup(
      options: OfMember<{ generationId: number; groupAssignment: GroupMemberAssignment[] }>,
    ): Promise<{ memberAssignment: Buffer }>
    heartbeat(options: OfMember<{ groupGenerationId: number }>): Promise<unknown>
    leaveGroup(options: OfMember<object>): Promise<unknown>
    offsetCommit(
      options: OfMember<{
        groupGenerationId: number
        topics: PerTopic<{ partition: number; offset: number; metadata: string }>
      }>,
    ): Promise<unknown>
    offsetFetch(options: {
      groupId: string
      topics: PerTopic<{ partition: number }>
    }): Promise<{ responses: PerTopic<{ partition: number; offset: string; metadata: string | null }> }>
  }
}

declare module 'kafkajs/src/protocol/encoder.js' {
  export default class Encoder {
    constructor(initialBytes?: number)
    writeBoolean(value: boolean): this
    writeInt8(value: number): this
    writeInt16(value: number): this
    writeInt32(value: number): this
    writeInt64(value: number | string): this
    writeString(value: string | null): this
    writeUVarInt(value: number): this
    writeUVarIntString(value: string | null): this
    writeBytes(value: Buffer): this
    writeArray(values: readonly (Encoder | string)[]): this
  }
}

declare module 'kafkajs/src/protocol/decoder.js' {
  export default class Decoder {
    constructor(buffer: Buffer)
    forward(bytes: number): void
    readInt8(): number
    readInt16(): number
    readInt32(): number
    readInt64(): { toString(): string }
    readString(): string
    readUVarIntString(): string
    readTaggedFields(): unknown
    readBytes(): Buffer | null
    readArray<T>(read: (decoder: Decoder) => T): T[]
    readUVarIntArray<T>(read: (decoder: Decoder) => T): T[]
  }
}

declare module 'kafkajs/src/protocol/error.js' {
  const errors: {
    createErrorFromCode(code: number): Error & { type: string; code: number }
    failure(code: number): boolean
  }
  export default errors
}

declare module 'kafkajs/src/network/connection.js' {
  export default class Connection {
    constructor(options: object)
    chunks: Buffer[]
    bytesBuffered: number
    bytesNeeded: number
    socket?: import('node:net').Socket | null
    requestQueue: { fulfillRequest(answer: { size: number; correlationId: number; payload: Buffer }): void }
    isConnected(): boolean
    connect(): Promise<true>
    disconnect(): Promise<true>
  }
}

declare module 'kafkajs/src/network/requestQueue/index.js' {
  export default class RequestQueue {
    readonly pending: unknown[]
    scheduleCheckPendingRequests(): void
  }
}

declare module 'kafkajs/src/network/socketFactory.js' {
  const create: () => import('kafkajs').ISocketFactory
  export default create
}
