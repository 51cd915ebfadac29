import { expect, test } from 'vitest'
import type { BrokerClient } from '../../../../../infra/event-log/kafka/client/broker-client.ts'
import { namesIn } from '../../../../../infra/event-log/kafka/names.ts'
import {
  PARTITIONS_KNOWN_MAX_MS,
  partitionsNow,
} from '../../../../../infra/event-log/kafka/produce/known-partitions.ts'
import { LogUnavailable } from '../../../../../infra/event-log/port.ts'
import type { TopicName } from '../../../../../schemas/topics.ts'

/** Brokers whose topics have these numbers of partitions. The client knows those of the last refresh of the metadata. */
function brokersWith(counts: Partial<Record<TopicName, number>>) {
  let known = { ...counts }
  const client: Pick<BrokerClient, 'leaders' | 'refresh'> = {
    refresh() {
      known = { ...counts }
    },
    leaders: async (topic) =>
      new Map(Array.from({ length: known[topic.slice(2) as TopicName] ?? 4 }, (_, i) => [i, 0])),
  }
  let nowMs = 0
  const clients = { appends: client as BrokerClient, background: client as BrokerClient }
  const partitions = partitionsNow(clients, namesIn('n'), () => nowMs)
  return {
    later(ms: number) {
      nowMs += ms
    },
    of: async (topic: TopicName) => (await partitions([topic], Number.POSITIVE_INFINITY)).get(topic),
  }
}

test('appends go by the number of partitions that a topic has, and never by one that is older than the limit', async () => {
  const counts: Partial<Record<TopicName, number>> = { emissions: 4 }
  const { of, later } = brokersWith(counts)
  expect(await of('emissions')).toBe(4)
  counts.emissions = 12
  later(PARTITIONS_KNOWN_MAX_MS + 1)
  expect(await of('emissions')).toBe(12)
})

test('a topic takes nothing while another of its unit has more partitions, and goes on once it has as many', async () => {
  const counts: Partial<Record<TopicName, number>> = {}
  const { of, later } = brokersWith(counts)
  expect(await of('ad-events')).toBe(4)
  counts['spend-checkpoints'] = 12
  later(PARTITIONS_KNOWN_MAX_MS + 1)
  await expect(of('ad-events')).rejects.toBeInstanceOf(LogUnavailable)
  await expect(of('corrections')).rejects.toBeInstanceOf(LogUnavailable)
  expect(await of('spend-checkpoints')).toBe(12)
  expect(await of('emissions')).toBe(4)
  for (const topic of ['ad-events', 'judged-events', 'corrections'] as const) counts[topic] = 12
  later(PARTITIONS_KNOWN_MAX_MS + 1)
  expect(await of('ad-events')).toBe(12)
})
