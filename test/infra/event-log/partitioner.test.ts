import fc from 'fast-check'
import { Partitioners } from 'kafkajs'
import { expect, it } from 'vitest'
import { murmur2, partitionOf, partitionOfKey } from '../../../infra/event-log/partitioner.ts'

// Values from UtilsTest of Apache Kafka.
it.each([
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
])('hashes %s as Kafka does', (key, hash) => {
  expect(murmur2(Buffer.from(key))).toBe(hash)
})

it("chooses the partition that Kafka's client chooses", () => {
  const choose = Partitioners.DefaultPartitioner()
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 50 }),
      (key, n) => {
        const partitionMetadata = Array.from({ length: n }, (_, partitionId) => ({ partitionId, leader: 0 }))
        const message = { key: Buffer.from(key), value: null }
        const chosen = choose({ topic: 't', partitionMetadata: partitionMetadata as never, message })
        expect(partitionOf(Buffer.from(key), n)).toBe(chosen)
      },
    ),
  )
})

it('gives a key as text the partition of its bytes, however long it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', size: 'large' }), fc.integer({ min: 1, max: 50 }), (key, n) => {
      expect(partitionOfKey(key, n)).toBe(partitionOf(Buffer.from(key), n))
    }),
  )
})
