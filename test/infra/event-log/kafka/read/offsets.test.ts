import { expect, test } from 'vitest'
import type { BrokerClient } from '../../../../../infra/event-log/kafka/client/broker-client.ts'
import type { ListedOffset, OffsetQuestion } from '../../../../../infra/event-log/kafka/client/protocol/requests.ts'
import { offsetsOf } from '../../../../../infra/event-log/kafka/read/offsets.ts'
import { LogUnavailable } from '../../../../../infra/event-log/port.ts'

const END: OffsetQuestion = { at: 'LATEST', isolationLevel: 'READ_COMMITTED' }
const soon = () => performance.now() + 1_000

/**
 * A cluster in which partition 3 moves from broker 1 to broker 2 after the client has read the metadata. Each broker answers as
 * Kafka does.
 */
function clusterThatMoves({ refusal = 'NOT_LEADER_FOR_PARTITION', retriable = true, isFound = true } = {}) {
  const leaders = new Map([0, 1, 2, 3].map((partition) => [partition, partition % 2]))
  const known = new Map(leaders)
  leaders.set(3, 2)
  const asked: { broker: number; partitions: number }[] = []
  const client = {
    leaders: async () => new Map(known),
    refresh() {
      if (isFound) for (const [partition, leader] of leaders) known.set(partition, leader)
    },
    async send({ leaderOf }: { leaderOf: { partition: number } }, { request }: { request: { encode(): unknown } }) {
      const broker = known.get(leaderOf.partition)!
      const { buffer } = (await request.encode()) as { buffer: Buffer }
      const partitions = partitionsIn(buffer)
      asked.push({ broker, partitions: partitions.length })
      return partitions.map((partition): ListedOffset => {
        if (leaders.get(partition) === broker) return { partition, error: null, offset: 100 + partition }
        const error = Object.assign(new Error('It has moved'), { type: refusal, code: 6, retriable })
        return { partition, error: error as unknown as ListedOffset['error'], offset: -1 }
      })
    },
  } as unknown as BrokerClient
  return { client, asked }
}

/** The partitions in a ListOffsets v2 request for one topic. */
function partitionsIn(body: Buffer): number[] {
  const topicEndsAt = 4 + 1 + 4 + 2 + body.readInt16BE(9)
  return Array.from({ length: body.readInt32BE(topicEndsAt) }, (_, i) => body.readInt32BE(topicEndsAt + 4 + 12 * i))
}

test('each broker is asked once about all partitions that it leads, and another about one that has moved', async () => {
  const { client, asked } = clusterThatMoves()
  const offsets = await offsetsOf(client, 'topic', [0, 1, 2, 3], END, soon())
  expect([...offsets].sort()).toEqual([0, 1, 2, 3].map((partition) => [partition, 100 + partition]))
  expect(asked).toEqual([
    { broker: 0, partitions: 2 },
    { broker: 1, partitions: 2 },
    { broker: 2, partitions: 1 },
  ])
})

test('what a retry does not help is told at once, with the right that is missing', async () => {
  const { client } = clusterThatMoves({ refusal: 'TOPIC_AUTHORIZATION_FAILED', retriable: false })
  await expect(offsetsOf(client, 'topic', [0, 3], END, soon())).rejects.toThrow(
    /lacks the right Read on the topic topic/,
  )
})

test('a partition whose leader is not found by the deadline makes the log unavailable', async () => {
  const { client } = clusterThatMoves({ isFound: false })
  await expect(offsetsOf(client, 'topic', [3], END, performance.now() + 120)).rejects.toThrow(LogUnavailable)
})
