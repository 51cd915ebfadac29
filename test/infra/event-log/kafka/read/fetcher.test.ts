import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { BrokerClient } from '../../../../../infra/event-log/kafka/client/broker-client.ts'
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
