import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alsoBought, createOrderHistory, LIST_LENGTH_MAX } from '../../../streams/signals/also-bought.ts'
import { tries } from '../../effort.ts'

const NOW = Date.UTC(2026, 0, 1)
const DAY = 86_400_000
const lists = (baskets: string[][], ages: number[] = []) =>
  Object.fromEntries(
    [
      ...alsoBought(
        baskets.map((items, at) => ({ items, occurredAt: NOW - (ages[at] ?? 0) * DAY })),
        NOW,
      ),
    ].map(({ id, alsoBought: list }) => [id, list.map((entry) => entry.id)]),
  )

describe('also bought', () => {
  test('what is bought together more often comes first', () => {
    expect(
      lists([
        ['a', 'b'],
        ['a', 'b'],
        ['a', 'c'],
      ]).a,
    ).toEqual(['b', 'c'])
  })

  test('a small basket says more of its pairs than a large one', () => {
    const large = ['a', 'c', ...Array.from({ length: 30 }, (_, n) => `x${n}`)]
    expect(lists([['a', 'b'], large]).a![0]).toBe('b')
  })

  test('a fresh basket says more than an old one', () => {
    expect(
      lists(
        [
          ['a', 'old'],
          ['a', 'new'],
        ],
        [700, 0],
      ).a![0],
    ).toBe('new')
  })

  test('the list as a whole reaches the most baskets: after a pick, what stands with it counts less', () => {
    const together = Array.from({ length: 10 }, () => ['a', 'b1', 'b2'])
    const apart = Array.from({ length: 8 }, () => ['a', 'c', 'd'])
    expect(lists([...together, ...apart]).a!.slice(0, 2)).toEqual(['b1', 'c'])
  })

  test('a product that was always bought alone gets what is popular', () => {
    expect(lists([['alone'], ['x', 'y'], ['x', 'z']]).alone![0]).toBe('x')
  })

  test('no basket, no list; a product bought with nothing else in the shop has an empty one', () => {
    expect(lists([])).toEqual({})
    expect(lists([['only']])).toEqual({ only: [] })
  })

  test('a list names other products once each, best first, scores in (0, 1], and no more than it may hold', () => {
    const baskets = fc.array(
      fc.record({
        items: fc.array(fc.integer({ min: 0, max: 80 }).map(String), { maxLength: 120 }),
        occurredAt: fc.integer({ min: NOW - 900 * DAY, max: NOW + DAY }),
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(baskets, (history) => {
        const known = new Set(history.flatMap(({ items }) => items.slice(0, 1)))
        const found = [...alsoBought(history, NOW)]
        for (const id of known) expect(found.some((list) => list.id === id)).toBe(true)
        for (const { id, alsoBought: list } of found) {
          expect(list.length).toBeLessThanOrEqual(LIST_LENGTH_MAX)
          expect(new Set(list.map((entry) => entry.id)).size).toBe(list.length)
          expect(list.map((entry) => entry.id)).not.toContain(id)
          list.forEach(({ score }, at) => {
            expect(score).toBeGreaterThan(0)
            expect(score).toBeLessThanOrEqual(at === 0 ? 1 : list[at - 1]!.score + 1e-12)
          })
        }
      }),
      { numRuns: tries(50, 500) },
    )
  })

  test('orders that are added change the lists of their products as if all had been read at once', () => {
    const order = fc.record({
      items: fc.uniqueArray(fc.integer({ min: 0, max: 12 }).map(String), { minLength: 1, maxLength: 4 }),
      ageMs: fc.integer({ min: 0, max: 900 * DAY }),
    })
    fc.assert(
      fc.property(fc.array(order, { maxLength: 20 }), fc.array(order, { minLength: 1, maxLength: 5 }), (old, fresh) => {
        // The newer orders are all of the last day.
        const ordersOf = (list: typeof old, scale: number) =>
          list.map(({ items, ageMs }) => ({ items, occurredAt: NOW - ageMs * scale }))
        const before = ordersOf(old, 1).map((each) => ({ ...each, occurredAt: each.occurredAt - DAY }))
        const after = ordersOf(fresh, 1 / 900)
        const latest = Math.max(...after.map(({ occurredAt }) => occurredAt))
        const grown = createOrderHistory(before, Math.max(0, ...before.map(({ occurredAt }) => occurredAt)))
        const touched = grown.add(after)
        const whole = createOrderHistory([...before, ...after], latest)
        expect([...touched].map((product) => grown.ids[product]).sort()).toEqual(
          [...new Set(after.flatMap(({ items }) => items))].sort(),
        )
        for (const product of touched) {
          const scores = grown.listOf(product).map(({ score }) => score)
          const expected = whole.listOf(whole.ids.indexOf(grown.ids[product]!)).map(({ score }) => score)
          expect(scores.length).toBe(expected.length)
          for (const [at, score] of scores.entries()) expect(score).toBeCloseTo(expected[at]!, 6)
        }
      }),
      { numRuns: tries(100, 1_000) },
    )
  })
})
