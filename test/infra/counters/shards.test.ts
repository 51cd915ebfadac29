import { expect, test } from 'vitest'
import { personShard, shardOf } from '../../../infra/counters/shards.ts'

test('a campaign counts in the shard of the partition that Kafka gives its key', () => {
  // Kafka's own partitioner of the same keys, as in partitioner.test.ts: murmur2 of 'abc' is 479470107.
  expect(shardOf('abc', 12)).toBe(479470107 % 12)
})

test('people spread over all shards', () => {
  const shards = Array.from({ length: 1_200 }, (_, i) => personShard(`person ${i}`, 12))
  for (let shard = 0; shard < 12; shard++) {
    expect(shards.filter((each) => each === shard).length).toBeGreaterThan(50)
  }
})
