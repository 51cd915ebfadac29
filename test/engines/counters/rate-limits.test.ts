import { Redis } from 'ioredis'
import { afterAll, expect, it } from 'vitest'
import { connectRedisBuckets } from '../../../infra/rate-limits/redis/rate-limits.ts'
import { createTokenBuckets } from '../../../services/callers/token-buckets.ts'
import { waitFor } from '../../wait-for.ts'
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

it('draws from buckets that all processes share, below zero too, and refills them evenly', async () => {
  const other = open()
  const startedAt = performance.now()
  const draws = [
    { key: 'a', amount: 10, perMinute: 60 },
    { key: 'b', amount: 100, perMinute: 60 },
    { key: 'a', amount: 0.5, perMinute: 60 },
  ]
  const first = await buckets.draw(draws)
  const second = await other.draw([{ key: 'a', amount: 10, perMinute: 60 }])
  const refilled = ((performance.now() - startedAt) * 60) / MINUTE_MS
  const expected = [50, -40, 49.5, 39.5]
  for (const [index, level] of [...first, ...second].entries()) {
    expect(level).toBeGreaterThanOrEqual(expected[index]! - 0.01)
    expect(level).toBeLessThanOrEqual(expected[index]! + refilled + 0.1)
  }
  await other.close()
})

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

it('lets one process refuse what came to another', async () => {
  const remote = { buckets, hashKey: Buffer.alloc(32, 7) }
  const processes = [1, 2].map(() => createTokenBuckets({ shared: remote, now: Date.now, onError: () => {} }))
  const draw = (amount: number) => [{ key: 'addressKibPerMinute 8.8.8.8/32', amount, perMinute: 100 }]
  expect(processes[0]!.draw(draw(1_000)).tag).toBe('DRAWN')
  await waitFor(() => {
    processes[1]!.draw(draw(5))
    return processes[1]!.draw(draw(0)).tag === 'EMPTY'
  })
  expect((await redis.keys(`${namespace}:rate:*`)).some((key) => key.includes('8.8.8.8'))).toBe(false)
  for (const process of processes) process.close()
})
