import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openCounterStore } from '../../../infra/counters/embedded/store.ts'
import { type Counters, CountersBehind, CountersUnavailable, type Step } from '../../../infra/counters/port.ts'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { tries } from '../../effort.ts'
import { countersSuite } from '../../ports/counters.suite.ts'
import { addresses, testNamespace } from '../addresses.ts'

const url = addresses.redisUrl

describe('counters on Redis', () => {
  const namespaces = new WeakMap<Counters, string>()
  const openIn = (namespace: string) => {
    const counters = connectRedis({ url, namespace })
    namespaces.set(counters, namespace)
    return counters
  }
  countersSuite({
    open: async () => openIn(testNamespace()),
    async reopen(counters) {
      await counters.close()
      return openIn(namespaces.get(counters)!)
    },
    async dispose(counters) {
      await counters.clear()
      await counters.close()
    },
  })
})

describe('what Redis keeps', () => {
  const namespace = testNamespace()
  const redis = new Redis(url)
  let counters: Counters
  beforeEach(() => {
    counters = connectRedis({ url, namespace })
  })
  afterEach(async () => {
    await counters.clear()
    await counters.close()
  })
  afterAll(async () => {
    await redis.quit()
  })
  const at = (offset: number, change: Partial<Step> = {}): Step => ({
    source: 's',
    offset,
    once: null,
    limits: [],
    now: 1,
    ...change,
  })
  const DAY_MS = 86_400_000

  test('a key with an expiry goes by itself, days after its time; one without stays', async () => {
    const counted = (key: string, expiresAt: number | null) => ({ name: key, key, add: 1, max: null, expiresAt })
    const limits = [counted('day', DAY_MS + 1), counted('ever', null)]
    await counters.apply([at(0, { limits, once: { key: 'k', expiresAt: 2 * DAY_MS + 1 } })])
    const days = async (key: string) => Math.round((await redis.pttl(`${namespace}:${key}`)) / DAY_MS)
    expect([await days('c/day'), await days('o/k')]).toEqual([4, 5])
    expect(await redis.pttl(`${namespace}:c/ever`)).toBe(-1)
  })

  test('outcomes older than the last 100,000 positions are forgotten, and asking for one is an error', async () => {
    for (let offset = 0; offset <= 300_000; offset += 50_000) await counters.apply([at(offset)])
    expect(await redis.zcard(`${namespace}:outcomes:s`)).toBe(2)
    expect(await counters.apply([at(250_000)])).toEqual(['APPLIED'])
    const forgotten = counters.apply([at(300_001, { limits: [] }), at(150_000)])
    await expect(forgotten).rejects.toThrow('No outcome is kept')
    expect(await counters.positions(['s'])).toEqual([300_000])
  })

  test('the script is sent again to a Redis that does not know it', async () => {
    await counters.apply([at(0)])
    await redis.script('FLUSH')
    expect(await counters.apply([at(1)])).toEqual(['APPLIED'])
  })

  test('a Redis that was emptied is noticed by the next step, and nothing is applied', async () => {
    await counters.apply([at(5)], { source: 's', after: -1, upTo: 5 })
    await counters.clear()
    await expect(counters.apply([at(6)], { source: 's', after: 5, upTo: 6 })).rejects.toBeInstanceOf(CountersBehind)
  })

  test('namespaces do not meet', async () => {
    const other = connectRedis({ url, namespace: `${namespace}2` })
    await counters.apply([at(5)])
    expect(await other.positions(['s'])).toEqual([-1])
    await other.apply([at(7)])
    await counters.clear()
    expect(await other.positions(['s'])).toEqual([7])
    await other.clear()
    await other.close()
  })
})

describe('the same steps on Redis and on the embedded store', () => {
  const limit = fc.record({
    name: fc.constantFrom('CAPPED', 'OVER_BUDGET'),
    key: fc.constantFrom('a', 'b', 'c/d'),
    add: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(2 ** 40)),
    max: fc.option(fc.integer({ min: 0, max: 40 })),
    expiresAt: fc.option(fc.integer({ min: 1_000, max: 1_400 })),
    carries: fc.boolean(),
    window: fc.constantFrom(undefined, ['b'], ['a', 'c/d']),
    allowances: fc.constantFrom(undefined, [{ keys: ['b', 'c/d'], gives: 2, per: 3, max: 7 }]),
    marks: fc.boolean(),
    of: fc.constantFrom(undefined, undefined, 'FIRST' as const, 'NEW' as const, 'KNOWN' as const),
    unlessTaken: fc.constantFrom(undefined, undefined, 'a'),
  })
  const drawn = fc.record({
    source: fc.constantFrom('x', 'y'),
    skip: fc.integer({ min: -2, max: 3 }),
    now: fc.integer({ min: 1_000, max: 1_200 }),
    once: fc.option(fc.record({ key: fc.constantFrom('a', 'b'), expiresAt: fc.integer({ min: 1_000, max: 1_300 }) })),
    carry: fc.option(fc.record({ key: fc.constant('rest'), thousandths: fc.integer({ min: 1, max: 999 }) })),
    limits: fc.array(limit, { maxLength: 4 }),
    actor: fc.option(
      fc.record({
        key: fc.constantFrom('who', 'who else'),
        knownAfterMs: fc.nat(100),
        expiresAt: fc.integer({ min: 1_000, max: 1_300 }),
      }),
    ),
  })

  test('give the same outcomes, values and positions, refusals and times that run back among them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counters-'))
    const store = openCounterStore({ folder })
    const redis = connectRedis({ url, namespace: testNamespace() })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(drawn, { maxLength: 6 }), { maxLength: 10 }), async (calls) => {
        store.clear()
        await redis.clear()
        const offsets = new Map<string, number>()
        for (const call of calls) {
          const steps = call.map(({ skip, ...each }) => {
            // Goes back only to an offset that was applied: others are asked of nobody.
            const last = offsets.get(each.source) ?? -1
            const offset = skip > 0 ? last + skip : Math.max(last, 0)
            offsets.set(each.source, offset)
            return { ...each, offset }
          })
          expect(await redis.apply(steps)).toEqual(store.apply(steps))
          expect(await redis.read(['a', 'b', 'c/d', 'rest', 'who', 'who else'])).toEqual(
            store.read(['a', 'b', 'c/d', 'rest', 'who', 'who else']),
          )
          expect(await redis.positions(['x', 'y'])).toEqual(store.positions(['x', 'y']))
        }
      }),
      { numRuns: tries(100, 1_000) },
    )
    await redis.clear()
    await redis.close()
    store.close()
    rmSync(folder, { recursive: true })
  })
})

describe('a Redis that is away', () => {
  test('makes every call fail as unavailable, at once after the first', async () => {
    const counters = connectRedis({ url: 'redis://127.0.0.1:1', namespace: 'n' })
    for (let i = 0; i < 3; i++) await expect(counters.read(['a'])).rejects.toBeInstanceOf(CountersUnavailable)
    await expect(counters.apply([])).resolves.toEqual([])
    await counters.close()
    await expect(counters.positions(['a'])).rejects.toBeInstanceOf(CountersUnavailable)
  })
})
