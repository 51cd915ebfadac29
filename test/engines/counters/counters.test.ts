import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../../infra/counters/fingerprint.ts'
import { type Counters, CountersBehind, CountersUnavailable } from '../../../infra/counters/port.ts'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import {
  changeOf,
  group,
  loadOf,
  SHARD,
  SHARDS,
  SOURCE,
  seenOf,
  spendOf,
  viewsOf,
} from '../../ports/counters.fixtures.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { countersSuiteOn } from './suite-on-redis.ts'

const url = addresses.redisUrl

describe('counters on Redis', () => {
  countersSuiteOn(() => url)
})

describe('what Redis keeps', () => {
  const namespace = testNamespace()
  const redis = new Redis(url)
  let counters: Counters
  beforeEach(() => {
    counters = connectRedis({ url, namespace, shards: SHARDS })
  })
  afterEach(async () => {
    await counters.clear()
    await counters.close()
  })
  afterAll(async () => {
    await redis.quit()
  })

  test('keys of a group go by themselves at its end, however they were made; others stay', async () => {
    const keptUntil = Date.now() + 3_600_000
    const keyIn = (name: string, id = 'a') => ({ shard: SHARD, group: group(name, { keptUntil, spread: 1 }), id })
    await counters.store(
      changeOf({
        note: 'n',
        add: [
          { key: keyIn('one'), amount: 1 },
          ...['a', 'b', 'c'].map((id) => ({ key: keyIn('several', id), amount: 1 })),
          ...[3, -1].map((amount) => ({ key: keyIn('taken'), amount })),
          { key: spendOf('a'), amount: 1 },
        ],
        lower: [{ key: keyIn('lowered'), value: 5 }],
        seen: [{ group: { name: 'seen', keptUntil }, fingerprint: fingerprintOf('a') }],
      }),
    )
    const keys = await redis.keys(`${namespace}:*`)
    const ending = await Promise.all(keys.filter((key) => /:(c|s)\//.test(key)).map((key) => redis.pexpiretime(key)))
    expect(ending).toEqual(Array(5).fill(keptUntil))
    const staying = await Promise.all(keys.filter((key) => !/:(c|s)\//.test(key)).map((key) => redis.pexpiretime(key)))
    expect(staying).toEqual(Array(5).fill(-1))
  })

  test.each([
    ['by one process', false],
    ['by another process', true],
  ])(
    'a group ends at the latest end that a change has named %s, in hashes and in tally blocks, narrow or wide',
    async (_, byOther) => {
      const HOUR_MS = 3_600_000
      const [first, latest] = [Date.now() + HOUR_MS, Date.now() + 2 * HOUR_MS]
      const next = byOther ? connectRedis({ url, namespace, shards: SHARDS }) : counters
      const changeUntil = (after: number, keptUntil: number, crowded: string) => {
        const keysIn = (name: string, id: string) => ({
          shard: SHARD,
          group: group(name, { keptUntil, spread: 1 }),
          id,
        })
        const { exact: _, ...ofGroup } = group('tallies', { keptUntil, spread: 1 })
        const tallyIn = (name: string, id: string) => {
          return { shard: SHARD, group: { ...ofGroup, name, counts: 1 }, fingerprint: fingerprintOf(id) }
        }
        const many = Array.from({ length: 400 }, (_, i) => tallyIn(crowded, `${i}`))
        return changeOf({
          after,
          add: ['one', 'several', 'several'].map((name, i) => ({ key: keysIn(name, `${i}`), amount: 1 })),
          lower: [{ key: keysIn('lowered', 'a'), value: 5 }],
          tally: [tallyIn('narrow', 'a'), ...many].map((key) => ({ key, amounts: [1] })),
        })
      }
      const ends = async () => {
        const keys = (await redis.keys(`${namespace}:*`)).filter((key) => /:(c|t|wide)\//.test(key))
        return Promise.all(keys.map((key) => redis.pexpiretime(key)))
      }
      await counters.store(changeUntil(-1, first, 'wide'))
      expect(await ends()).toEqual(Array(6).fill(first))
      await next.store(changeUntil(0, latest, 'wide'))
      expect(await ends()).toEqual(Array(6).fill(latest))
      await next.store(changeUntil(1, first, 'narrow'))
      expect(await ends()).toEqual(Array(7).fill(latest))
      if (byOther) await next.close()
    },
  )

  test('entries of tallies are added up at most three times as often as they are appended', async () => {
    const COUNTERS = 240
    const RAISED = 10
    const BATCHES = 250
    const ENTRY_BYTES = 8
    const { exact: _, ...ofGroup } = group('tallies', { keptUntil: Date.now() + 3_600_000, spread: 1 })
    const keys = Array.from({ length: COUNTERS }, (_, i) => {
      return { shard: SHARD, group: { ...ofGroup, counts: 1 }, fingerprint: fingerprintOf(`${i}`) }
    })
    let length = 0
    let addedUp = 0
    let falls = 0
    for (let batch = 0; batch < BATCHES; batch++) {
      const raised = Array.from({ length: RAISED }, (_, i) => keys[(batch * RAISED + i) % COUNTERS]!)
      await counters.store(changeOf({ after: batch - 1, tally: raised.map((key) => ({ key, amounts: [1] })) }))
      const [block] = await redis.keys(`${namespace}:*:t/tallies/*`)
      const before = length + RAISED * ENTRY_BYTES
      length = await redis.strlen(block!)
      if (length === before) continue
      falls++
      addedUp += before / ENTRY_BYTES
    }
    expect(falls).toBeGreaterThan(1)
    expect(addedUp / (BATCHES * RAISED)).toBeLessThanOrEqual(3)
  })

  test('a process that remembers hardly any values, or all of them, knows what others have changed', async () => {
    const each = [counters, connectRedis({ url, namespace, shards: SHARDS, knownValuesMax: 8 })]
    const keys = Array.from({ length: 12 }, (_, i) => viewsOf(`person ${i}`))
    const sums = keys.map(() => 0)
    let position = -1
    for (let turn = 0; turn < 60; turn++) {
      // Alternate in blocks, so that one process changes the shard several times before the other does.
      const { load, store } = each[Math.floor(turn / 4) % 2]!
      const [loaded] = await load([loadOf({ after: position, keys })])
      expect(loaded!.values).toEqual(sums)
      const i = (turn * 5) % keys.length
      const change = { after: position, upTo: position + 1, add: [{ key: keys[i]!, amount: turn }] }
      await store(changeOf({ ...change, lower: [{ key: keys[(i + 1) % keys.length]!, value: 7 }] }))
      position++
      sums[i]! += turn
      const lowered = (i + 1) % keys.length
      sums[lowered] = sums[lowered] === 0 ? 7 : Math.min(7, sums[lowered]!)
      if (turn === 30) {
        await counters.clear()
        sums.fill(0)
        position = -1
      }
    }
    await each[1]!.close()
  })

  test('while counters are cleared, a shard has its position and what was counted of money, or neither', async () => {
    const MANY = 20_000
    const shards = Array.from({ length: SHARDS }, (_, shard) => shard)
    for (const shard of shards) {
      await counters.store(changeOf({ shard, note: 'n', add: [{ key: spendOf('a', shard), amount: 1 }] }))
      await counters.markComplete(shard)
    }
    const others = Array.from({ length: MANY }, (_, i) => [`${namespace}:{${SHARDS}.${i % SHARDS}}:h/${i}`, 'x'])
    await redis.mset(...others.flat())
    const ledgers = shards.map((shard) =>
      [`at/${SOURCE}`, `note/${SOURCE}`, 'complete', 'e/spend/0'].map(
        (name) => `${namespace}:{${SHARDS}.${shard}}:${name}`,
      ),
    )
    const held = () => Promise.all(ledgers.map((keys) => redis.exists(...keys)))
    expect(await held()).toEqual([4, 4, 4, 4])
    const seen = new Set<number>()
    const clearing = counters.clear()
    while (!seen.has(0)) for (const count of await held()) seen.add(count)
    await clearing
    expect([...seen].sort()).toEqual([0, 4])
    expect(await redis.keys(`${namespace}:*`)).toEqual([])
  })

  test('every key is tagged with the number of shards and the shard', async () => {
    await counters.store(changeOf({ note: 'n', add: [{ key: viewsOf('a'), amount: 1 }], seen: [seenOf('a')] }))
    await counters.markComplete(SHARD)
    await counters.reserve([
      {
        shard: SHARD,
        holder: 'h',
        retained: 0,
        requested: 1,
        minimum: 1,
        limits: [{ key: 'k', counted: null, max: 1 }],
        expiresAt: 1e6,
        now: 1,
      },
    ])
    const keys = await redis.keys(`${namespace}:*`)
    expect(keys).toHaveLength(8)
    expect(keys.filter((key) => key.includes(`{${SHARDS}.${SHARD}}`))).toHaveLength(8)
  })

  test('counters of another number of shards begin empty', async () => {
    await counters.store(changeOf({ upTo: 5 }))
    const other = connectRedis({ url, namespace, shards: SHARDS + 1 })
    expect(await other.positions([{ shard: SHARD, source: SOURCE }])).toEqual([-1])
    await other.close()
  })

  test('a database that Redis does not have is refused, and the first one is not used in its place', async () => {
    const inDatabase = (number: number) => {
      return connectRedis({ url: new URL(`/${number}`, url).href, namespace, shards: SHARDS })
    }
    const [missing, third] = [inDatabase(99), inDatabase(3)]
    for (let turn = 0; turn < 2; turn++)
      await expect(missing.markComplete(SHARD)).rejects.toThrow(/refuses database 99/)
    await third.markComplete(SHARD)
    expect((await counters.complete())[SHARD]).toBe(false)
    expect((await third.complete())[SHARD]).toBe(true)
    await third.clear()
    await Promise.all([missing.close(), third.close()])
  })

  test('the script is sent again to a Redis that does not know it', async () => {
    await counters.store(changeOf({}))
    await redis.script('FLUSH')
    await counters.store(changeOf({ after: 0 }))
    expect(await counters.positions([{ shard: SHARD, source: SOURCE }])).toEqual([1])
  })

  test('a process that keeps hardly any blocks of seen keys in memory finds them all the same', async () => {
    const forgetful = connectRedis({ url, namespace, shards: SHARDS, seenCacheBytes: 6_000 })
    const ids = Array.from({ length: 9_000 }, (_, i) => seenOf(`${i}`))
    for (let i = 0; i < 9; i++) {
      await forgetful.store(changeOf({ after: i - 1, seen: ids.slice(i * 1_000, (i + 1) * 1_000) }))
    }
    const [loaded] = await forgetful.load([loadOf({ seen: [...ids, seenOf('another')] })])
    expect(loaded!.seen).toEqual([...ids.map(() => true), false])
    await forgetful.close()
  })

  test('a Redis that was emptied is noticed by the next load', async () => {
    await counters.store(changeOf({ upTo: 5 }))
    await counters.clear()
    await expect(counters.load([loadOf({ after: 5 })])).rejects.toBeInstanceOf(CountersBehind)
  })

  test('namespaces do not meet', async () => {
    const other = connectRedis({ url, namespace: `${namespace}2`, shards: SHARDS })
    await counters.store(changeOf({ upTo: 5 }))
    const source = [{ shard: SHARD, source: SOURCE }]
    expect(await other.positions(source)).toEqual([-1])
    await other.store(changeOf({ upTo: 7 }))
    await counters.clear()
    expect(await other.positions(source)).toEqual([7])
    await other.clear()
    await other.close()
  })
})

describe('a Redis that is away', () => {
  test('makes every call fail as unavailable, at once after the first', async () => {
    const counters = connectRedis({ url: 'redis://127.0.0.1:1', namespace: 'n', shards: SHARDS })
    for (let i = 0; i < 3; i++) await expect(counters.read([viewsOf('a')])).rejects.toBeInstanceOf(CountersUnavailable)
    await expect(counters.load([])).resolves.toEqual([])
    await counters.close()
    await expect(counters.positions([{ shard: 0, source: SOURCE }])).rejects.toBeInstanceOf(CountersUnavailable)
  })
})
