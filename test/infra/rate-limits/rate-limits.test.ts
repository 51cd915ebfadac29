import { afterAll, expect, it } from 'vitest'
import { connectBuckets, createEmbeddedBuckets } from '../../../infra/rate-limits/embedded/rate-limits.ts'
import { BucketsUnavailable } from '../../../infra/rate-limits/port.ts'
import { rateLimitsSuite } from '../../ports/rate-limits.suite.ts'

const buckets = createEmbeddedBuckets(Date.now)
afterAll(() => buckets.close())
rateLimitsSuite(() => connectBuckets(buckets.link()))

it('counts for its own thread as for the others', async () => {
  const other = connectBuckets(buckets.link())
  await other.draw([{ key: 'own', amount: 70, perMinute: 60 }])
  const [level] = await buckets.draw([{ key: 'own', amount: 0, perMinute: 60 }])
  expect(level).toBeLessThan(0)
  await other.close()
})

it('refills a bucket to the brim and no further, by the clock', async () => {
  const clock = { now: 0 }
  const own = createEmbeddedBuckets(() => clock.now)
  const draw = async (amount: number) => (await own.draw([{ key: 'a', amount, perMinute: 60 }]))[0]
  expect(await draw(90)).toBe(-30)
  clock.now = 45_000
  expect(await draw(0)).toBe(15)
  clock.now = 600_000
  expect(await draw(0)).toBe(60)
  // Setting the clock back refills nothing.
  clock.now = 0
  expect(await draw(1)).toBe(59)
})

it('says that it is unavailable once its thread has ended', async () => {
  const own = createEmbeddedBuckets(Date.now)
  const other = connectBuckets(own.link())
  await own.close()
  await expect(other.draw([{ key: 'a', amount: 1, perMinute: 60 }])).rejects.toThrow(BucketsUnavailable)
})
