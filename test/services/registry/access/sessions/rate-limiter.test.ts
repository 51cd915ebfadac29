import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRateLimiter } from '../../../../../services/registry/access/sessions/rate-limiter.ts'

const BURST = 5
const WINDOW_MS = 1_000

/** The same rule as a leaky bucket: it holds up to BURST drops, and loses one every WINDOW_MS / BURST. */
function leakyBucket() {
  let drops = 0
  let at = 0
  const leak = (now: number) => {
    drops = Math.max(0, drops - ((now - at) * BURST) / WINDOW_MS)
    at = now
  }
  return {
    mayTake(now: number) {
      leak(now)
      return drops + 1 <= BURST + 1e-9
    },
    take(now: number) {
      leak(now)
      drops += 1
    },
  }
}

it('lets through what a leaky bucket lets through, for each key by itself', () => {
  const steps = fc.array(fc.record({ afterMs: fc.nat(400), key: fc.constantFrom('a', 'b') }), { maxLength: 200 })
  fc.assert(
    fc.property(steps, (taken) => {
      let now = 0
      const rateLimiter = createRateLimiter({ burst: BURST, windowMs: WINDOW_MS, keysMax: 10, now: () => now })
      const oracle = { a: leakyBucket(), b: leakyBucket() }
      for (const { afterMs, key } of taken) {
        now += afterMs
        const isDue = rateLimiter.key(key).waitMs() === 0
        expect(isDue).toBe(oracle[key].mayTake(now))
        if (!isDue) continue
        rateLimiter.key(key).take()
        oracle[key].take(now)
      }
    }),
  )
})

it('says exactly how long to wait', () => {
  let now = 0
  const key = createRateLimiter({ burst: BURST, windowMs: WINDOW_MS, keysMax: 10, now: () => now }).key('a')
  for (let i = 0; i < BURST; i++) key.take()
  expect(key.waitMs()).toBe(200)
  now += 199
  expect(key.waitMs()).toBe(1)
  now += 1
  expect(key.waitMs()).toBe(0)
})

it('delays nobody by more than the next attempt once the clock has been set back', () => {
  let now = 1_000_000
  const key = createRateLimiter({ burst: BURST, windowMs: WINDOW_MS, keysMax: 10, now: () => now }).key('a')
  for (let i = 0; i < BURST; i++) key.take()
  now -= 500_000
  expect(key.waitMs()).toBe(WINDOW_MS / BURST)
})

it('takes back', () => {
  const key = createRateLimiter({ burst: 1, windowMs: WINDOW_MS, keysMax: 10, now: () => 0 }).key('a')
  key.take()
  expect(key.waitMs()).toBe(1_000)
  key.refund()
  expect(key.waitMs()).toBe(0)
})

it('remembers a key that may try nothing more, however many others come', () => {
  const rateLimiter = createRateLimiter({ burst: BURST, windowMs: WINDOW_MS, keysMax: 10, now: () => 0 })
  for (let i = 0; i < BURST; i++) rateLimiter.key('tried').take()
  for (let i = 0; i < 100; i++) rateLimiter.key(`other ${i}`).take()
  expect(rateLimiter.key('tried').waitMs()).toBe(WINDOW_MS / BURST)
  expect(rateLimiter.key('other 0').waitMs()).toBe(0)
})

it('remembers a bounded number of keys, the latest ones', () => {
  const rateLimiter = createRateLimiter({ burst: 1, windowMs: WINDOW_MS, keysMax: 3, now: () => 0 })
  for (const key of 'abcd') rateLimiter.key(key).take()
  expect([...'abcd'].map((key) => rateLimiter.key(key).waitMs() > 0)).toEqual([false, true, true, true])
})
