import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { CounterKey, Counters, Reservation, ShardChange } from '../../infra/counters/port.ts'
import { tries } from '../effort.ts'
import { changeOf, SHARD, spendOf, viewsOf } from './counters.fixtures.ts'

/** What every implementation of Counters promises about reservations. `counters` are empty, and used only by this test. */
export function reservationsSuite(counters: () => Counters): void {
  const reserve = async (change: Partial<Reservation>) => (await counters().reserve([reservationOf(change)]))[0]
  let position = -1
  beforeEach(() => {
    position = -1
  })
  const store = (change: Partial<ShardChange>) => counters().store(changeOf({ ...change, after: position++ }))
  const raise = (key: CounterKey, amount: number) => store({ add: [{ key, amount }] })

  test('reserving nothing grants nothing', async () => {
    expect(await counters().reserve([])).toEqual([])
  })

  test('holders of a key share what its limit and its counter leave', async () => {
    await raise(spendOf('a'), 30)
    const limits = [{ key: 'k', counted: spendOf('a'), max: 100 }]
    const requests = ['a', 'b', 'c'].map((holder) => reservationOf({ holder, requested: 50, limits }))
    expect(await counters().reserve(requests)).toEqual([50, 20, 0])
    await raise(spendOf('a'), 10)
    expect(await reserve({ holder: 'b', requested: 50, limits })).toBe(10)
    expect(
      await reserve({ holder: 'd', requested: 1, limits: [{ key: 'other', counted: spendOf('a'), max: 41 }] }),
    ).toBe(1)
  })

  test('a reservation replaces the former one of its holder, and an empty one releases it', async () => {
    expect(await reserve({ holder: 'a', requested: 100 })).toBe(100)
    expect(await reserve({ holder: 'a', requested: 70 })).toBe(70)
    expect(await reserve({ holder: 'b', requested: 70 })).toBe(30)
    expect(await reserve({ holder: 'a', requested: 0 })).toBe(0)
    expect(await reserve({ holder: 'b', requested: 100 })).toBe(100)
  })

  test('a retained amount is reserved whatever the limit is, and is not granted again', async () => {
    expect(await reserve({ holder: 'a', retained: 90, requested: 20 })).toBe(10)
    expect(await reserve({ holder: 'b', retained: 40, requested: 1 })).toBe(0)
    expect(await reserve({ holder: 'a', requested: 100 })).toBe(60)
  })

  test('a request is granted nothing when less than its minimum is left', async () => {
    expect(await reserve({ holder: 'a', requested: 95 })).toBe(95)
    expect(await reserve({ holder: 'b', requested: 10, minimum: 6 })).toBe(0)
    expect(await reserve({ holder: 'b', requested: 10, minimum: 5 })).toBe(5)
  })

  test('a reservation of several keys is granted only what every one of them leaves', async () => {
    const limits = ['cid', 'uid'].map((key) => ({ key, counted: null, max: 1 }))
    expect(await reserve({ holder: 'a', requested: 1, limits: limits.slice(1) })).toBe(1)
    expect(await reserve({ holder: 'b', requested: 1, limits })).toBe(0)
    expect(await reserve({ holder: 'c', requested: 1, limits: limits.slice(0, 1) })).toBe(1)
  })

  test('a reservation lasts until just before it expires', async () => {
    expect(await reserve({ holder: 'a', requested: 100, expiresAt: 2_000 })).toBe(100)
    expect(await reserve({ holder: 'b', requested: 1, now: 1_999, expiresAt: 3_000 })).toBe(0)
    expect(await reserve({ holder: 'b', requested: 1, now: 2_000, expiresAt: 3_000 })).toBe(1)
  })

  test('a reservation ends with the store that counts it, and no other does', async () => {
    const limits = [{ key: 'k', counted: viewsOf('a'), max: 2 }]
    const reserveFor = (holder: string) => reserve({ holder, requested: 1, limits })
    expect([await reserveFor('a'), await reserveFor('b'), await reserveFor('c')]).toEqual([1, 1, 0])
    await store({
      add: [{ key: viewsOf('a'), amount: 1 }],
      released: ['a', 'nobody'].flatMap((holder) => ['k', 'another'].map((key) => ({ key, holder }))),
    })
    expect([
      await reserveFor('c'),
      await reserve({ holder: 'b', requested: 0, limits }),
      await reserveFor('c'),
    ]).toEqual([0, 0, 1])
  })

  test('reservations of several shards do not meet, and are answered in order', async () => {
    const requests = [2, 1, 2, 1].map((shard, i) => reservationOf({ shard, holder: `h${i}`, requested: 60 }))
    expect(await counters().reserve(requests)).toEqual([60, 60, 40, 40])
  })

  test('clear forgets all reservations', async () => {
    await reserve({ holder: 'a', requested: 100 })
    await counters().clear()
    expect(await reserve({ holder: 'b', requested: 100 })).toBe(100)
  })

  test('concurrent holders never reserve more than the limit between them', async () => {
    const holders = Array.from({ length: 200 }, (_, i) => `holder ${i}`)
    const granted = await Promise.all(holders.map((holder) => reserve({ holder, requested: 1, minimum: 1 })))
    expect(granted.reduce((sum: number, each) => sum + each!, 0)).toBe(100)
  })

  test('any history of reservations grants what a model that keeps the whole history grants', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 30 }), async (turns) => {
        await counters().clear()
        position = -1
        const model = new Model()
        let now = 1_000
        for (const { wait, raised, reservations } of turns) {
          now += wait
          if (raised) {
            await store({ add: [{ key: raised.key, amount: raised.add }], released: raised.released })
            model.raise(raised)
          }
          const requests = reservations.map(({ life, ...each }) => ({ ...each, now, expiresAt: now + life }))
          expect(await counters().reserve(requests)).toEqual(requests.map((each) => model.reserve(each)))
        }
      }),
      { numRuns: tries(60, 600) },
    )
  })
}

function reservationOf(change: Partial<Reservation>): Reservation {
  return {
    shard: SHARD,
    holder: 'a',
    retained: 0,
    requested: 0,
    minimum: 1,
    limits: [{ key: 'k', counted: null, max: 100 }],
    expiresAt: 61_000,
    now: 1_000,
    ...change,
  }
}

const counted = fc.constantFrom(spendOf('a'), viewsOf('a'))
const reservedKey = fc.constantFrom('k', 'l/m', 'n')
const holder = fc.constantFrom('a', 'b', 'c:d')
const turn = fc.record({
  wait: fc.integer({ min: 0, max: 20 }),
  raised: fc.option(
    fc.record({
      key: counted,
      add: fc.integer({ min: 0, max: 5 }),
      released: fc.array(fc.record({ key: reservedKey, holder }), { maxLength: 3 }),
    }),
  ),
  reservations: fc.array(
    fc.record({
      shard: fc.constant(SHARD),
      holder,
      retained: fc.integer({ min: 0, max: 10 }),
      requested: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(2 ** 50)),
      minimum: fc.integer({ min: 0, max: 4 }),
      life: fc.integer({ min: 1, max: 60 }),
      limits: fc.uniqueArray(
        fc.record({
          key: reservedKey,
          counted: fc.option(counted),
          max: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.constant(2 ** 51)),
        }),
        { minLength: 1, maxLength: 3, selector: (limit) => limit.key },
      ),
    }),
    { maxLength: 4 },
  ),
})

/** Keeps every reservation ever made. A holder's share of a key is its last reservation of it, unless that has expired. */
class Model {
  readonly #reserved: { key: string; holder: string; amount: number; expiresAt: number }[] = []
  readonly #raises: { key: CounterKey; add: number }[] = []

  raise({ key, add, released }: { key: CounterKey; add: number; released: { key: string; holder: string }[] }): void {
    this.#raises.push({ key, add })
    for (const each of released) this.#reserved.push({ ...each, amount: 0, expiresAt: 0 })
  }

  reserve({ holder, retained, requested, minimum, limits, expiresAt, now }: Reservation): number {
    const left = limits.map(({ key, counted: counter, max }) => {
      const raises = this.#raises.filter((raise) => raise.key.group.name === counter?.group.name)
      const value = raises.reduce((sum, { add }) => sum + add, 0)
      const lastWords = this.#reserved.filter(
        (each, i) =>
          each.key === key && !this.#reserved.slice(i + 1).some((l) => l.key === key && l.holder === each.holder),
      )
      const others = lastWords.filter((each) => each.holder !== holder && each.expiresAt > now)
      return max - value - retained - others.reduce((sum, { amount }) => sum + amount, 0)
    })
    const most = Math.min(requested, ...left)
    const granted = most >= minimum && most > 0 ? most : 0
    for (const { key } of limits) this.#reserved.push({ key, holder, amount: retained + granted, expiresAt })
    return granted
  }
}
