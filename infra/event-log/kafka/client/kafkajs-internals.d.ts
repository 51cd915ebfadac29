/**
 * What we use of kafkajs 2.2.4 below its public API: its network, authentication, metadata and the plain requests of the
 * protocol. The public consumer only pushes, has no reading outside a group and cannot fence a commit by its generation;
 * the public producer gives up after minutes and may take a new batch for a repetition of one that failed.
 */
declare module 'kafkajs/src/cluster/index.js' {
  import type { Broker, ClusterOptions, PartitionMetadata } from 'kafkajs/internals'
  export default class Cluster {
    constructor(options: ClusterOptions)
    readonly targetTopics: Set<string>
    readonly brokerPool: { metadata: { controllerId: number } | null }
    connect(): Promise<void>
    disconnect(): Promise<void>
    refreshMetadata(): Promise<void>
    refreshMetadataIfNecessary(): Promise<void>
    addMultipleTargetTopics(topics: readonly string[]): Promise<void>
    findTopicPartitionMetadata(topic: string): PartitionMetadata[]
    getNodeIds(): string[]
    findBroker(options: { nodeId: string | number }): Promise<Broker>
    findControllerBroker(): Promise<Broker>
    findGroupCoordinator(options: { groupId: string; coordinatorType: 0 | 1 }): Promise<Broker>
  }
}

/** Not a module of kafkajs: only the types that the others share. */
declare module 'kafkajs/internals' {
  import type { ISocketFactory, SASLOptions } from 'kafkajs'

  export interface ClusterOptions {
    brokers: readonly string[]
    clientId: string
    ssl?: boolean | object
    sasl?: SASLOptions
    socketFactory: ISocketFactory
    logger: unknown
    connectionTimeout: number
    requestTimeout: number
    enforceRequestTimeout: boolean
    metadataMaxAge: number
    allowAutoTopicCreation: boolean
    retry: { retries: number }
    isolationLevel: 0 | 1
  }

  export interface PartitionMetadata {
    partitionId: number
    leader: number
  }

  /** A request in the making, and how its answer is read. */
  export interface Protocol<T> {
    request: { apiKey: number; apiVersion: number; apiName: string; encode(): Promise<unknown> }
    response: { decode(raw: Buffer): Promise<T>; parse(decoded: T): Promise<T> }
    requestTimeout?: number
  }

  export interface TopicPartitions<P> {
    topic: string
    partitions: P[]
  }

  export interface Broker {
    readonly nodeId: number
    readonly connectionPool: { send<T>(protocol: Protocol<T>): Promise<T> }
    disconnect(): Promise<void>
    initProducerId(options: { transactionalId: string | null; transactionTimeout: number }): Promise<{
      producerId: string
      producerEpoch: number
    }>
    addPartitionsToTxn(options: {
      transactionalId: string
      producerId: string
      producerEpoch: number
      topics: TopicPartitions<number>[]
    }): Promise<unknown>
    addOffsetsToTxn(options: {
      transactionalId: string
      producerId: string
      producerEpoch: number
      groupId: string
    }): Promise<unknown>
    endTxn(options: {
      transactionalId: string
      producerId: string
      producerEpoch: number
      transactionResult: boolean
    }): Promise<unknown>
    joinGroup(options: {
      groupId: string
      sessionTimeout: number
      rebalanceTimeout: number
      memberId: string
      groupProtocols: { name: string; metadata: Buffer }[]
    }): Promise<{
      generationId: number
      leaderId: string
      memberId: string
      members: { memberId: string; memberMetadata: Buffer }[]
    }>
    syncGroup(options: {
      groupId: string
      generationId: number
      memberId: string
      groupAssignment: { memberId: string; memberAssignment: Buffer }[]
    }): Promise<{ memberAssignment: Buffer }>
    heartbeat(options: { groupId: string; groupGenerationId: number; memberId: string }): Promise<unknown>
    leaveGroup(options: { groupId: string; memberId: string }): Promise<unknown>
    offsetCommit(options: {
      groupId: string
      groupGenerationId: number
      memberId: string
      topics: TopicPartitions<{ partition: number; offset: number; metadata: string }>[]
    }): Promise<unknown>
    offsetFetch(options: { groupId: string; topics: TopicPartitions<{ partition: number }>[] }): Promise<{
      responses: TopicPartitions<{ partition: number; offset: string; metadata: string | null }>[]
    }>
    listOffsets(options: {
      isolationLevel: 0 | 1
      topics: TopicPartitions<{ partition: number; timestamp: number }>[]
    }): Promise<{ responses: TopicPartitions<{ partition: number; offset: string }>[] }>
    deleteGroups(groupIds: readonly string[]): Promise<{ results: { error?: Error & { type?: string } }[] }>
  }
}

declare module 'kafkajs/src/protocol/encoder.js' {
  export default class Encoder {
    readonly buffer: Buffer
    writeBoolean(value: boolean): this
    writeInt8(value: number): this
    writeInt16(value: number): this
    writeInt32(value: number): this
    writeInt64(value: number | string): this
    writeString(value: string | null): this
    writeUVarInt(value: number): this
    writeUVarIntString(value: string | null): this
    writeBuffer(value: Buffer): this
    writeBytes(value: Buffer): this
    writeArray(values: readonly (Encoder | number | string)[]): this
    writeEncoder(value: Encoder): this
  }
}

declare module 'kafkajs/src/protocol/decoder.js' {
  export default class Decoder {
    constructor(buffer: Buffer)
    readInt8(): number
    readInt16(): number
    readInt32(): number
    readInt64(): { toString(): string }
    readString(): string
    readUVarInt(): number
    readUVarIntString(): string
    readTaggedFields(): unknown
    readBytes(length?: number): Buffer | null
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

declare module 'kafkajs/src/protocol/requests/fetch/v11/request.js' {
  const request: (options: {
    replicaId: number
    isolationLevel: 0 | 1
    maxWaitTime: number
    minBytes: number
    maxBytes: number
    topics: { topic: string; partitions: { partition: number; fetchOffset: number; maxBytes: number }[] }[]
  }) => import('kafkajs/internals').Protocol<never>['request']
  export default request
}

declare module 'kafkajs/src/consumer/assignerProtocol.js' {
  const protocol: {
    MemberMetadata: {
      encode(metadata: { version: number; topics: readonly string[]; userData: Buffer }): Buffer
      decode(buffer: Buffer): { topics: string[]; userData: Buffer | null }
    }
    MemberAssignment: {
      encode(options: { version: number; assignment: Record<string, number[]> }): Buffer
      decode(buffer: Buffer): { assignment: Record<string, number[]> } | null
    }
  }
  export default protocol
}

declare module 'kafkajs/src/loggers/index.js' {
  const loggers: {
    LEVELS: { WARN: number }
    createLogger(options: {
      level: number
      logCreator: () => (entry: {
        namespace: string
        label: string
        log: { message: string } & Record<string, unknown>
      }) => void
    }): unknown
  }
  export default loggers
}

declare module 'kafkajs/src/network/connection.js' {
  export default class Connection {
    constructor(options: object)
    chunks: Buffer[]
    bytesBuffered: number
    /** To read on. */
    bytesNeeded: number
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

/** For tests that hold our codec of record batches against theirs. */
declare module 'kafkajs/src/protocol/recordBatch/v0/decoder.js' {
  const decode: (decoder: import('kafkajs/src/protocol/decoder.js').default) => Promise<{
    producerId: string
    producerEpoch: number
    firstSequence: number
    records: { key: Buffer | null; value: Buffer | null }[]
  }>
  export default decode
}

declare module 'kafkajs/src/protocol/recordBatch/v0/index.js' {
  const recordBatch: { RecordBatch(options: object): Promise<{ buffer: Buffer }> }
  export default recordBatch
}

declare module 'kafkajs/src/protocol/recordBatch/record/v0/index.js' {
  const encode: (options: object) => unknown
  export default encode
}

declare module 'kafkajs/src/protocol/recordBatch/crc32C/index.js' {
  const crc32c: (bytes: Buffer) => number
  export default crc32c
}
