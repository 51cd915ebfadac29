import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Counters, Hold, Step } from '../../infra/counters/port.ts'

/** What every implementation must hold of amounts that are set aside. `counters` are empty, and of this test alone. */
export function holdsSuite(counters: () => Counters): void {
  const hold = async (change: Partial<Hold>) => (await counters().hold([holdOf(change)]))[0]
  let offset = 0
  const apply = (change: Partial<Step>) =>
    counters().apply([{ source: 'events/0', offset: offset++, once: null, limits: [], now: 1_000, ...change }])
  const raise = (key: string, add: number) => apply({ limits: [{ name: key, key, add, max: null, expiresAt: null }] })

  test('nothing to hold is done', async () => {
    expect(await counters().hold([])).toEqual([])
  })

  test('holders of a key share what its limit and its counter leave', async () => {
    await raise('spend', 30)
    const limits = [{ key: 'k', counted: 'spend', max: 100 }]
    const asks = ['a', 'b', 'c'].map((holder) => holdOf({ holder, asked: 50, limits }))
    expect(await counters().hold(asks)).toEqual([50, 20, 0])
    await raise('spend', 10)
    expect(await hold({ holder: 'b', asked: 50, limits })).toBe(10)
    expect(await hold({ holder: 'd', asked: 1, limits: [{ key: 'other', counted: 'spend', max: 41 }] })).toBe(1)
  })

  test('a new hold takes the place of the former, and one of nothing gives it back', async () => {
    expect(await hold({ holder: 'a', asked: 100 })).toBe(100)
    expect(await hold({ holder: 'a', asked: 70 })).toBe(70)
    expect(await hold({ holder: 'b', asked: 70 })).toBe(30)
    expect(await hold({ holder: 'a', asked: 0 })).toBe(0)
    expect(await hold({ holder: 'b', asked: 100 })).toBe(100)
  })

  test('what is kept is held whatever the limit says, and is not granted again', async () => {
    expect(await hold({ holder: 'a', kept: 90, asked: 20 })).toBe(10)
    expect(await hold({ holder: 'b', kept: 40, asked: 1 })).toBe(0)
    expect(await hold({ holder: 'a', asked: 100 })).toBe(60)
  })

  test('rather nothing than less than the least', async () => {
    expect(await hold({ holder: 'a', asked: 95 })).toBe(95)
    expect(await hold({ holder: 'b', asked: 10, least: 6 })).toBe(0)
    expect(await hold({ holder: 'b', asked: 10, least: 5 })).toBe(5)
  })

  test('of several keys nothing is held unless all allow it', async () => {
    const limits = ['cid', 'uid'].map((key) => ({ key, counted: null, max: 1 }))
    expect(await hold({ holder: 'a', asked: 1, limits: limits.slice(1) })).toBe(1)
    expect(await hold({ holder: 'b', asked: 1, limits })).toBe(0)
    expect(await hold({ holder: 'c', asked: 1, limits: limits.slice(0, 1) })).toBe(1)
  })

  test('a hold lasts until just before it expires', async () => {
    expect(await hold({ holder: 'a', asked: 100, expiresAt: 2_000 })).toBe(100)
    expect(await hold({ holder: 'b', asked: 1, now: 1_999, expiresAt: 3_000 })).toBe(0)
    expect(await hold({ holder: 'b', asked: 1, now: 2_000, expiresAt: 3_000 })).toBe(1)
  })

  test('a hold counts no more once a step has taken the key that settles it', async () => {
    const limits = [{ key: 'k', counted: 'views', max: 2 }]
    const ask = (holder: string) => hold({ holder, asked: 1, settledBy: `seen ${holder}`, limits })
    expect([await ask('a'), await ask('b'), await ask('c')]).toEqual([1, 1, 0])
    const view = [{ name: 'views', key: 'views', add: 1, max: null, expiresAt: null }]
    await apply({ once: { key: 'seen a', expiresAt: 9_000_000_000_000 }, limits: view })
    expect([await ask('c'), await hold({ holder: 'b', asked: 0, limits }), await ask('c')]).toEqual([0, 0, 1])
  })

  test('clear forgets what is held', async () => {
    await hold({ holder: 'a', asked: 100 })
    await counters().clear()
    expect(await hold({ holder: 'b', asked: 100 })).toBe(100)
  })

  test('many at once never hold more than the limit between them', async () => {
    const holders = Array.from({ length: 200 }, (_, i) => `holder ${i}`)
    const granted = await Promise.all(holders.map((holder) => hold({ holder, asked: 1, least: 1 })))
    expect(granted.reduce((sum: number, each) => sum + each!, 0)).toBe(100)
  })

  test('any history of holds grants what a model that keeps the whole history grants', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 30 }), async (turns) => {
        await counters().clear()
        offset = 0
        const model = new Model()
        let now = 1_000
        for (const { wait, raised, holds } of turns) {
          now += wait
          if (raised) {
            const once = raised.once === null ? null : { key: raised.once, expiresAt: 4_000_000_000_000 }
            const limits = [{ name: 'n', key: raised.key, add: raised.add, max: null, expiresAt: null }]
            const [outcome] = await apply({ once, limits, now })
            if (outcome === 'APPLIED') model.raise(raised)
          }
          const asks = holds.map(({ life, ...each }) => ({ ...each, now, expiresAt: now + life }))
          expect(await counters().hold(asks)).toEqual(asks.map((each) => model.hold(each)))
        }
      }),
      { numRuns: 60 },
    )
  })
}

function holdOf(change: Partial<Hold>): Hold {
  return {
    holder: 'a',
    kept: 0,
    asked: 0,
    least: 1,
    limits: [{ key: 'k', counted: null, max: 100 }],
    settledBy: null,
    expiresAt: 61_000,
    now: 1_000,
    ...change,
  }
}

const turn = fc.record({
  wait: fc.integer({ min: 0, max: 20 }),
  raised: fc.option(
    fc.record({
      key: fc.constantFrom('spend', 'views'),
      add: fc.integer({ min: 0, max: 5 }),
      once: fc.option(fc.constantFrom('x', 'y', 'z')),
    }),
  ),
  holds: fc.array(
    fc.record({
      holder: fc.constantFrom('a', 'b', 'c:d'),
      kept: fc.integer({ min: 0, max: 10 }),
      asked: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(2 ** 50)),
      least: fc.integer({ min: 0, max: 4 }),
      life: fc.integer({ min: 1, max: 60 }),
      settledBy: fc.option(fc.constantFrom('x', 'y', 'z')),
      limits: fc.uniqueArray(
        fc.record({
          key: fc.constantFrom('k', 'l/m', 'n'),
          counted: fc.option(fc.constantFrom('spend', 'views')),
          max: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.constant(2 ** 51)),
        }),
        { minLength: 1, maxLength: 3, selector: (limit) => limit.key },
      ),
    }),
    { maxLength: 4 },
  ),
})

/** Every hold ever made; what is held of a key is the last word of each holder about it, as far as it still counts. */
class Model {
  readonly #held: { key: string; holder: string; amount: number; expiresAt: number; settledBy: string | null }[] = []
  readonly #raises: { key: string; add: number }[] = []
  readonly #taken = new Set<string>()

  raise({ key, add, once }: { key: string; add: number; once: string | null }): void {
    this.#raises.push({ key, add })
    if (once) this.#taken.add(once)
  }

  hold({ holder, kept, asked, least, limits, settledBy, expiresAt, now }: Hold): number {
    const left = limits.map(({ key, counted, max }) => {
      const value = this.#raises.filter((raise) => raise.key === counted).reduce((sum, { add }) => sum + add, 0)
      const lastWords = this.#held.filter(
        (each, i) =>
          each.key === key && !this.#held.slice(i + 1).some((l) => l.key === key && l.holder === each.holder),
      )
      const others = lastWords.filter(
        (each) =>
          each.holder !== holder && each.expiresAt > now && !(each.settledBy && this.#taken.has(each.settledBy)),
      )
      return max - value - kept - others.reduce((sum, { amount }) => sum + amount, 0)
    })
    const most = Math.min(asked, ...left)
    const granted = most >= least && most > 0 ? most : 0
    for (const { key } of limits) this.#held.push({ key, holder, amount: kept + granted, expiresAt, settledBy })
    return granted
  }
}
