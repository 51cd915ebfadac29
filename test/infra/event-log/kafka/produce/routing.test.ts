import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BATCH_MAX_BYTES, notePositions, parcelsOf } from '../../../../../infra/event-log/kafka/produce/routing.ts'
import { partitionOf } from '../../../../../infra/event-log/partitioner.ts'
import type { NewRecord, Position } from '../../../../../infra/event-log/port.ts'
import type { TopicName } from '../../../../../schemas/topics.ts'

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

it('packs every record once, in order, to the partition of its key, in parcels that fit into a batch', () => {
  fc.assert(
    fc.property(anyRecords, fc.nat(100), (records, spread) => {
      const parcels = parcelsOf(records, partitions, spread)
      expect(parcels.flatMap(({ indexes }) => indexes).sort((a, b) => a - b)).toEqual(records.map((_, index) => index))
      for (const parcel of parcels) {
        const { topic, partition, indexes, bytes } = parcel
        expect(indexes).toEqual(indexes.toSorted((a, b) => a - b))
        expect(bytes <= BATCH_MAX_BYTES || indexes.length === 1).toBe(true)
        for (const index of indexes) {
          const { key } = records[index]!
          const count = partitions.get(topic)!
          expect(partition).toBe(key === null ? spread % count : partitionOf(Buffer.from(key), count))
        }
      }
    }),
    { numRuns: 50 },
  )
})

it('says of each record where it lies once its parcel is stored', () => {
  const records: NewRecord[] = ['a', 'b', 'a', 'c'].map((key) => ({ topic: 'page-views', key, value: null }))
  const parcels = parcelsOf(records, partitions, 0)
  const positions = new Array<Position>(records.length)
  for (const parcel of parcels) notePositions(positions, parcel, 1_000)
  for (const [index, { key }] of records.entries()) {
    expect(positions[index]).toMatchObject({ topic: 'page-views', partition: partitionOf(Buffer.from(key!), 4) })
  }
  expect(positions[2]!.offset).toBeGreaterThan(positions[0]!.offset)
})
