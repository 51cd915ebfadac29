import { Redis } from 'ioredis'
import type { EventLog } from '../../infra/event-log/port.ts'
import { personalTopics } from '../../schemas/topics.ts'
import { addresses } from './addresses.ts'

/** The number of records that contain a text, in the topics that may name a person. */
export async function recordsWith(log: EventLog, text: string): Promise<number> {
  let found = 0
  for (const topic of personalTopics) {
    for (const { partition, start, end } of await log.bounds(topic)) {
      if (start === end) continue
      const records = await log.read(topic, partition, start, 10_000)
      found += records.filter(({ key, value }) => key?.includes(text) || value?.includes(text)).length
    }
  }
  return found
}

/** Keys of a namespace in Redis that contain a text in their name or value, except reservations, which expire within an hour. */
export async function keysWith(namespace: string, text: string): Promise<string[]> {
  const redis = new Redis(addresses.redisUrl)
  const found: string[] = []
  for await (const keys of redis.scanStream({ match: `${namespace}:*`, count: 1_000 })) {
    for (const key of keys as string[]) {
      if (key.includes(':h/')) continue
      const dump = await redis.dumpBuffer(key)
      if (key.includes(text) || dump?.includes(text)) found.push(key)
    }
  }
  await redis.quit()
  return found
}
