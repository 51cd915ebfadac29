import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  BATCH_MAX_BYTES,
  notePositions,
  partitionBatchesOf,
} from '../../../../../infra/event-log/kafka/produce/partition-batches.ts'
import { partitionOf } from '../../../../../infra/event-log/partitioner.ts'
import type { NewRecord, Position } from '../../../../../infra/event-log/port.ts'
import type { TopicName } from '../../../../../schemas/topics.ts'
import { tries } from '../../../../effort.ts'

const partitions = new Map<TopicName, number>([
  ['page-views', 4],
  ['transactions', 3],
])
const anyRecords: fc.Arbitrary<NewRecord[]> = fc.array(
  fc.record({
    topic: fc.constantFrom<TopicName>('page-views', 'transactions'),
    key: fc.option(fc.string({ maxLength: 3 })),
    value: fc.option(fc.integer({ min: 0, max: 700_000 }).map((length) => Buffer.alloc(length))),
  }),
  { maxLength: 30 },
)

it('packs every record once, in order, for the partition of its key, in batches below the limit', () => {
  fc.assert(
    fc.property(anyRecords, fc.nat(100), (records, spread) => {
      const batches = partitionBatchesOf(records, partitions, spread)
      expect(batches.flatMap(({ indexes }) => indexes).sort((a, b) => a - b)).toEqual(records.map((_, index) => index))
      for (const batch of batches) {
        const { topic, partition, indexes, bytes } = batch
        expect(indexes).toEqual(indexes.toSorted((a, b) => a - b))
        expect(bytes <= BATCH_MAX_BYTES || indexes.length === 1).toBe(true)
        for (const index of indexes) {
          const { key } = records[index]!
          const count = partitions.get(topic)!
          expect(partition).toBe(key === null ? spread % count : partitionOf(Buffer.from(key), count))
        }
      }
    }),
    { numRuns: tries(50, 500) },
  )
})

it('notes the position of every record once its batch is stored', () => {
  const records: NewRecord[] = ['a', 'b', 'a', 'c'].map((key) => ({ topic: 'page-views', key, value: null }))
  const batches = partitionBatchesOf(records, partitions, 0)
  const positions = new Array<Position>(records.length)
  for (const batch of batches) notePositions(positions, batch, 1_000)
  for (const [index, { key }] of records.entries()) {
    expect(positions[index]).toMatchObject({ topic: 'page-views', partition: partitionOf(Buffer.from(key!), 4) })
  }
  expect(positions[2]!.offset).toBeGreaterThan(positions[0]!.offset)
})
