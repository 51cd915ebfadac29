import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { BrokerClient } from '../../../../../infra/event-log/kafka/client/broker-client.ts'
import type { FetchedPartition } from '../../../../../infra/event-log/kafka/client/protocol/fetch.ts'
import { namesIn } from '../../../../../infra/event-log/kafka/names.ts'
import { createFetcher, type FetcherOptions } from '../../../../../infra/event-log/kafka/read/fetcher.ts'

test('a partition is fetched that was added while leaders were asked for, even if no other is left', async () => {
  const asked = Promise.withResolvers<void>()
  const fetched: string[] = []
  const client = {
    async leaders() {
      await asked.promise
      return new Map([[0, 1]])
    },
    async send({ leaderOf }: { leaderOf: { topic: string } }) {
      fetched.push(leaderOf.topic)
      await delay(10)
      return []
    },
  } as unknown as BrokerClient
  const names = namesIn('test')
  const fetcher = createFetcher({ client, names, reader: {} as FetcherOptions['reader'] })
  fetcher.add('products', 0, 0)
  fetcher.add('emissions', 0, 0)
  fetcher.remove('products', 0)
  asked.resolve()
  await expect.poll(() => fetched.length).toBeGreaterThan(0)
  fetcher.close()
  expect(new Set(fetched)).toEqual(new Set([names.topic('emissions')]))
})

/** A broker with an endless backlog in each partition. A response has room for the first two partitions of a request. */
function brokerWithBacklog(partitions: number) {
  const BATCH_BYTES = 3 * 1024 * 1024
  async function send(_target: unknown, { request }: { request: { encode(): Promise<unknown> } }) {
    const { buffer } = (await request.encode()) as { buffer: Buffer }
    await delay(1)
    return positionsIn(buffer)
      .slice(0, 2)
      .map(({ partition, offset }): FetchedPartition => {
        const decode = () => [{ offset, key: 'key', value: null, timestamp: 0 }]
        const view = { firstOffset: offset, lastOffset: offset, records: 1, bytes: BATCH_BYTES, decode }
        const batch = { ...view, isControl: false, transactionOf: null, isAbort: false }
        return { topic: 'test.emissions', partition, error: null, batches: [batch], next: offset + 1 }
      })
  }
  const leaders = new Map(Array.from({ length: partitions }, (_, partition) => [partition, 1]))
  return { leaders: async () => leaders, send } as unknown as BrokerClient
}

/** The positions in a Fetch v11 request for one topic. */
function positionsIn(body: Buffer): { partition: number; offset: number }[] {
  const topicAt = 4 * 4 + 1 + 2 * 4 + 4
  const countAt = topicAt + 2 + body.readInt16BE(topicAt)
  return Array.from({ length: body.readInt32BE(countAt) }, (_, i) => {
    const at = countAt + 4 + 28 * i
    return { partition: body.readInt32BE(at), offset: Number(body.readBigInt64BE(at + 8)) }
  })
}

test('partitions with more than a response holds take turns, and none waits until another has nothing left', async () => {
  const PARTITIONS = 12
  const client = brokerWithBacklog(PARTITIONS)
  const fetcher = createFetcher({ client, names: namesIn('test'), reader: {} as FetcherOptions['reader'] })
  for (let partition = 0; partition < PARTITIONS; partition++) fetcher.add('emissions', partition, 0)
  const taken = new Map<number, number>()
  for (let records = 0; records < 5 * PARTITIONS; ) {
    const batch = fetcher.take(1)
    if (!batch) {
      await fetcher.arrival(100)
      continue
    }
    records += batch.records.length
    taken.set(batch.partition, (taken.get(batch.partition) ?? 0) + batch.records.length)
  }
  fetcher.close()
  expect(taken.size).toBe(PARTITIONS)
  expect(Math.max(...taken.values()) - Math.min(...taken.values())).toBeLessThanOrEqual(2)
})

test('when the partition is lost that held up the others, these are fetched', async () => {
  const client = brokerWithBacklog(5)
  const fetcher = createFetcher({ client, names: namesIn('test'), reader: {} as FetcherOptions['reader'] })
  onTestFinished(() => fetcher.close())
  fetcher.add('emissions', 0, 0)
  fetcher.add('emissions', 1, 0)
  // Take nothing until nothing more is fetched.
  await delay(50)
  fetcher.add('emissions', 2, 0)
  fetcher.remove('emissions', 0)
  fetcher.pause('emissions', 1)
  await expect.poll(() => fetcher.take(1)?.partition).toBe(2)
})
