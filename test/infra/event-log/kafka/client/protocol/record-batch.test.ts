import { crc32c } from '@node-rs/crc32'
import fc from 'fast-check'
import Decoder from 'kafkajs/src/protocol/decoder.js'
import crc32cOfKafkajs from 'kafkajs/src/protocol/recordBatch/crc32C/index.js'
import encodeRecord from 'kafkajs/src/protocol/recordBatch/record/v0/index.js'
import decodeRecordBatch from 'kafkajs/src/protocol/recordBatch/v0/decoder.js'
import recordBatch from 'kafkajs/src/protocol/recordBatch/v0/index.js'
import { describe, expect, it } from 'vitest'
import { committedOf } from '../../../../../../infra/event-log/kafka/client/protocol/fetch.ts'
import {
  type BatchView,
  batchesIn,
  encodeBatch,
} from '../../../../../../infra/event-log/kafka/client/protocol/record-batch.ts'
import { tries } from '../../../../../effort.ts'

const anyBytes = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes))
const anyText = fc.string({ unit: 'binary', maxLength: 40 })
const anyRecord = fc.record({ key: fc.option(anyText), value: fc.option(anyBytes) })
const anyRecords = fc.array(anyRecord, { minLength: 1, maxLength: 300 })
const anyOrigin = fc.record({
  producerId: fc.bigInt({ min: -1n, max: 2n ** 62n }),
  producerEpoch: fc.integer({ min: 0, max: 32_767 }),
  firstSequence: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  transactional: fc.boolean(),
})
const anyCodec = fc.constantFrom('none', 'gzip', 'zstd')
const TIME = 1_790_000_000_000

const toBatchRecords = (records: { key: string | null; value: Buffer | null }[]) =>
  records.map(({ key, value }) => ({ key: key === null ? null : Buffer.from(key), value }))
const asBuffer = (value: Buffer | null) => value && Buffer.from(value)

describe('a record batch', () => {
  it('a record batch decodes to what was encoded, with every codec', () => {
    fc.assert(
      fc.property(anyRecords, anyOrigin, anyCodec, (records, origin, codec) => {
        const bytes = encodeBatch(toBatchRecords(records), origin, { codec, timestamp: TIME })
        const [batch, ...more] = [...batchesIn(bytes)]
        expect(more).toEqual([])
        expect(batch).toMatchObject({
          firstOffset: 0,
          lastOffset: records.length - 1,
          records: records.length,
          isControl: false,
          transactionOf: origin.transactional ? origin.producerId : null,
        })
        const read = batch!.decode()
        expect(read.map(({ key, value }) => ({ key, value: asBuffer(value) }))).toEqual(records)
        expect(read.every(({ timestamp, offset }, index) => timestamp === TIME && offset === index)).toBe(true)
      }),
      { numRuns: tries(50, 500) },
    )
  })

  it('kafkajs decodes a record batch to the same records', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, anyOrigin, fc.constantFrom('none', 'gzip'), async (records, origin, codec) => {
        const bytes = encodeBatch(toBatchRecords(records), origin, { codec, timestamp: TIME })
        const batch = await decodeRecordBatch(new Decoder(bytes))
        expect(batch).toMatchObject({
          producerId: String(origin.producerId),
          producerEpoch: origin.producerEpoch,
          firstSequence: origin.firstSequence,
          inTransaction: origin.transactional,
          maxTimestamp: String(TIME),
        })
        const read = batch.records.map(({ key, value }) => ({ key: key?.toString() ?? null, value: asBuffer(value) }))
        expect(read).toEqual(records)
        expect(bytes.readUInt32BE(17)).toBe(crc32cOfKafkajs(bytes.subarray(21)) >>> 0)
      }),
      { numRuns: tries(30, 300) },
    )
  })

  it('a record batch of kafkajs is decoded, each record with its own time', async () => {
    const anyTimes = fc.array(fc.integer({ min: 0, max: 10 ** 12 }), { minLength: 1, maxLength: 50 })
    await fc.assert(
      fc.asyncProperty(anyTimes, fc.integer({ min: 0, max: 10 ** 9 }), async (deltas, firstOffset) => {
        const records = deltas.map((timestampDelta, offsetDelta) =>
          encodeRecord({
            offsetDelta,
            timestampDelta,
            key: `k${offsetDelta}`,
            value: Buffer.from('v'),
            headers: { h: 'x' },
          }),
        )
        const lastOffsetDelta = records.length - 1
        const { buffer } = await recordBatch.RecordBatch({
          firstOffset,
          firstTimestamp: TIME,
          records,
          lastOffsetDelta,
        })
        const [batch] = [...batchesIn(buffer)]
        expect(batch!.decode().map(({ offset, key, timestamp }) => ({ offset, key, timestamp }))).toEqual(
          deltas.map((delta, n) => ({ offset: firstOffset + n, key: `k${n}`, timestamp: TIME + delta })),
        )
      }),
      { numRuns: tries(30, 300) },
    )
  })

  it('a record batch that is cut off is left out', () => {
    const origin = { producerId: 1n, producerEpoch: 0, firstSequence: 0, transactional: false }
    const one = encodeBatch([{ key: null, value: Buffer.from('one') }], origin, { codec: 'none', timestamp: TIME })
    for (let cut = 0; cut < one.length; cut++) {
      expect([...batchesIn(Buffer.concat([one, one.subarray(0, cut)]))]).toHaveLength(1)
    }
  })

  it('a record batch with a changed bit is refused', () => {
    const origin = { producerId: 1n, producerEpoch: 0, firstSequence: 0, transactional: false }
    const bytes = encodeBatch([{ key: null, value: Buffer.from('one') }], origin, { codec: 'none', timestamp: TIME })
    for (let at = 21; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes)
      damaged[at]! ^= 1
      expect(() => [...batchesIn(damaged)]).toThrow(/damaged/)
    }
  })
})

describe('crc32c', () => {
  // From RFC 3720, appendix B.4.
  it.each([
    ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
    ['32 ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
    ['rising', Buffer.from(Array.from({ length: 32 }, (_, n) => n)), 0x46dd794e],
    ['falling', Buffer.from(Array.from({ length: 32 }, (_, n) => 31 - n)), 0x113fdb5c],
  ])('the CRC-32C of %s is that of RFC 3720', (_, bytes, checksum) => {
    expect(crc32c(bytes)).toBe(checksum)
  })

  it('the CRC-32C of any bytes is what kafkajs computes', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(crc32c(bytes)).toBe(crc32cOfKafkajs(bytes) >>> 0)
      }),
    )
  })
})

describe('aborted transactions', () => {
  type Event = { writer: number; kind: 'plain' | 'data' | 'commit' | 'abort' }
  const anyEvents = fc.array(
    fc.record({ writer: fc.integer({ min: 0, max: 2 }), kind: fc.constantFrom('plain', 'data', 'commit', 'abort') }),
    { maxLength: 60 },
  ) as fc.Arbitrary<Event[]>

  it('batches of aborted transactions are left out, and no others', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { batches, aborted, expected } = logOf(events)
        expect(committedOf(batches, aborted).map(({ firstOffset }) => firstOffset)).toEqual(expected)
      }),
      { numRuns: tries(300, 3_000) },
    )
  })

  /**
   * A log with one record per batch, and the transactions that a broker reports as aborted. Transactions that are still open end
   * with a commit.
   */
  function logOf(events: Event[]) {
    const all: Event[] = [...events, ...[0, 1, 2].map((writer): Event => ({ writer, kind: 'commit' }))]
    const open = new Map<number, number[]>()
    const aborted: { producerId: bigint; firstOffset: number }[] = []
    const expected: number[] = []
    const batches = all.map(({ writer, kind }, offset): BatchView => {
      const mine = open.get(writer) ?? []
      if (kind === 'plain') expected.push(offset)
      if (kind === 'data') open.set(writer, [...mine, offset])
      if (kind === 'commit') expected.push(...mine)
      if (kind === 'abort' && mine.length > 0) aborted.push({ producerId: BigInt(writer), firstOffset: mine[0]! })
      if (kind === 'commit' || kind === 'abort') open.delete(writer)
      const isControl = kind === 'commit' || kind === 'abort'
      const place = { firstOffset: offset, lastOffset: offset, records: 1, bytes: 1, decode: () => [] }
      return { ...place, isControl, isAbort: kind === 'abort', transactionOf: kind === 'plain' ? null : BigInt(writer) }
    })
    // A broker lists aborted transactions by their ends; the order must not matter.
    return { batches, aborted: aborted.toReversed(), expected: expected.sort((a, b) => a - b) }
  }
})
