import { Redis } from 'ioredis'
import { afterAll, expect, it } from 'vitest'
import { connectRedisBuckets } from '../../../infra/rate-limits/redis/rate-limits.ts'
import { rateLimitsSuite } from '../../ports/rate-limits.suite.ts'
import { addresses, testNamespace } from '../addresses.ts'

const namespace = testNamespace()
const open = () => connectRedisBuckets({ url: addresses.redisUrl, namespace })
const buckets = open()
const redis = new Redis(addresses.redisUrl)
afterAll(async () => {
  const keys = await redis.keys(`${namespace}:*`)
  if (keys.length > 0) await redis.del(keys)
  redis.disconnect()
  await buckets.close()
})

const MINUTE_MS = 60_000

rateLimitsSuite(open)

it('keeps a bucket until it is full again, and not longer', async () => {
  await buckets.draw([
    { key: 'half', amount: 30, perMinute: 60 },
    { key: 'untouched', amount: 0, perMinute: 60 },
    { key: 'debt', amount: 120, perMinute: 60 },
  ])
  const lastsMs = async (key: string) => redis.pttl(`${namespace}:rate:${key}`)
  expect(await lastsMs('half')).toBeLessThanOrEqual(MINUTE_MS / 2)
  expect(await lastsMs('debt')).toBeGreaterThan(MINUTE_MS)
  expect(await lastsMs('untouched')).toBe(-2)
})

it('tells Redis no address', async () => {
  const keys = await redis.keys(`${namespace}:rate:*`)
  expect(keys.length).toBeGreaterThan(0)
  expect(keys.some((key) => key.includes('8.8.8.8'))).toBe(false)
})
