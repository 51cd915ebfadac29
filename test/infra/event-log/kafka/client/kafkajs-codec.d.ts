/** The codec of kafkajs 2.2.4, with which the tests compare Endcap's own. */
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
