import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Draw, SharedBuckets } from '../../../infra/rate-limits/port.ts'
import { createTokenBuckets } from '../../../services/callers/token-buckets.ts'

const MINUTE_MS = 60_000
const clock = { now: 0 }
const now = () => clock.now
beforeEach(() => {
  clock.now = 1_000_000
})
const alone = () => createTokenBuckets({ shared: null, now, onError: () => {} })
const draw = (amount: number, key = 'k', perMinute = 60): Draw => ({ key, amount, perMinute })

describe('a bucket', () => {
  it('gives what it holds at once, then as much as it refills', () => {
    const buckets = alone()
    for (let i = 0; i < 60; i++) expect(buckets.draw([draw(1)])).toEqual({ tag: 'DRAWN' })
    expect(buckets.draw([draw(1)])).toMatchObject({ tag: 'EMPTY', waitMs: 0 })
    clock.now += 1_000
    expect(buckets.draw([draw(1)]).tag).toBe('DRAWN')
    expect(buckets.draw([draw(1)]).tag).toBe('EMPTY')
  })

  it('gives more than it holds, and is then waited for', () => {
    const buckets = alone()
    expect(buckets.draw([draw(1_000)]).tag).toBe('DRAWN')
    expect(buckets.draw([draw(1)])).toMatchObject({ tag: 'EMPTY', waitMs: 940_000 })
    clock.now += 939_000
    expect(buckets.draw([draw(0)]).tag).toBe('EMPTY')
    clock.now += 2_000
    expect(buckets.draw([draw(0)]).tag).toBe('DRAWN')
  })

  it('loses nothing when another of the same draw is empty', () => {
    const buckets = alone()
    buckets.draw([draw(60, 'empty')])
    for (let i = 0; i < 100; i++) expect(buckets.draw([draw(1, 'full'), draw(1, 'empty')]).tag).toBe('EMPTY')
    expect(buckets.draw([draw(60, 'full')]).tag).toBe('DRAWN')
  })

  it('survives a clock that steps back', () => {
    const buckets = alone()
    buckets.draw([draw(60)])
    clock.now -= MINUTE_MS
    expect(buckets.draw([draw(1)]).tag).toBe('EMPTY')
    clock.now += 2_000
    expect(buckets.draw([draw(1)]).tag).toBe('DRAWN')
  })

  it('lets pass, in any span of time, what it holds and what it refills, and the last draw', () => {
    const steps = fc.array(fc.record({ waitMs: fc.nat(5_000), amount: fc.integer({ min: 1, max: 30 }) }), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(steps, (all) => {
        clock.now = 0
        const buckets = alone()
        let passed = 0
        let last = 0
        for (const { waitMs, amount } of all) {
          clock.now += waitMs
          const { tag } = buckets.draw([draw(amount)])
          const allowed = 60 + clock.now / 1_000
          if (tag === 'DRAWN') {
            passed += amount
            last = amount
          } else expect(passed).toBeGreaterThanOrEqual(Math.min(60, allowed) - 1e-6)
          expect(passed).toBeLessThanOrEqual(allowed + last + 1e-6)
        }
      }),
    )
  })
})

describe('buckets that processes share', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Buckets that work as in Redis, and the number of calls to them. */
  function shelf() {
    const levels = new Map<string, { level: number; at: number }>()
    const state = { calls: 0, away: false, keys: levels }
    const buckets: SharedBuckets = {
      async draw(draws) {
        state.calls += 1
        if (state.away) throw new Error('away')
        return draws.map(({ key, amount, perMinute }) => {
          const known = levels.get(key) ?? { level: perMinute, at: clock.now }
          const level = Math.min(perMinute, known.level + ((clock.now - known.at) * perMinute) / MINUTE_MS) - amount
          levels.set(key, { level, at: clock.now })
          return level
        })
      },
      close: async () => {},
    }
    const open = (onError: (error: unknown) => void = () => {}) =>
      createTokenBuckets({ shared: { buckets, hashKey: Buffer.alloc(32, 1) }, now, onError })
    return { state, open }
  }
  async function pass(ms: number) {
    clock.now += ms
    await vi.advanceTimersByTimeAsync(ms)
  }

  it('together give little more than one process would', async () => {
    const { open } = shelf()
    const processes = [open(), open(), open(), open()]
    const perMinute = 6_000
    let passed = 0
    const seconds = 120
    for (let at = 0; at < seconds * 1_000; at += 100) {
      for (const process of processes) {
        for (let i = 0; i < 50; i++) if (process.draw([draw(1, 'k', perMinute)]).tag === 'DRAWN') passed += 1
      }
      await pass(100)
    }
    const one = perMinute + (perMinute * seconds) / 60
    expect(passed).toBeGreaterThan(one * 0.95)
    // Each process may exceed it by what it lets through before it learns the shared level, and by what arrives in half a second.
    expect(passed).toBeLessThan(one + processes.length * perMinute * (1 / 20 + 1 / 20))
  })

  it('are asked for seldom callers not at all, and for a busy one twice a second', async () => {
    const { open, state } = shelf()
    const process = open()
    for (let i = 0; i < 1_000; i++) process.draw([draw(1, `caller-${i}`)])
    await pass(10_000)
    expect(state.calls).toBe(0)
    for (let i = 0; i < 100; i++) {
      process.draw([draw(10, 'busy', 60_000)])
      process.draw([draw(1_000, 'busier', 60_000)])
      await pass(10)
    }
    expect(state.calls).toBeLessThanOrEqual(3)
    expect(state.calls).toBeGreaterThan(0)
  })

  it('leave the process under names that tell nobody an address', async () => {
    const { open, state } = shelf()
    open().draw([draw(60, 'addressRequestsPerMinute 8.8.8.8/32')])
    await pass(1_000)
    expect([...state.keys.keys()]).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
  })

  it('are limited by each process alone while the shelf is away, and told once it is back', async () => {
    const { open, state } = shelf()
    state.away = true
    const errors: unknown[] = []
    const [one, other] = [open((error) => errors.push(error)), open()]
    expect(one.draw([draw(59)]).tag).toBe('DRAWN')
    await pass(600)
    expect(errors).toHaveLength(1)
    state.away = false
    one.draw([draw(60)])
    await pass(600)
    other.draw([draw(3)])
    await pass(600)
    expect(other.draw([draw(1)]).tag).toBe('EMPTY')
  })
})
