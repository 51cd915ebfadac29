import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Top } from '../../../../../infra/product-index/embedded/search/ranking/top.ts'
import { inAtLeast, intersect, union } from '../../../../../infra/product-index/embedded/search/sorted-sets.ts'

const docs = (max: number, length: number) =>
  fc.uniqueArray(fc.integer({ min: 0, max }), { maxLength: length }).map((list) => Int32Array.from(list).sort())
/** Sets that are short and long, dense and sparse, so that each algorithm is used. */
const anyDocs = fc.oneof(docs(50, 40), docs(100_000, 10), docs(2_000, 1_000))

describe('sorted sets', () => {
  test('intersect and union are those of sets', () => {
    fc.assert(
      fc.property(anyDocs, anyDocs, (a, b) => {
        expect([...intersect(a, b)]).toEqual([...a].filter((doc) => b.includes(doc)))
        expect([...union([a, b])]).toEqual([...new Set([...a, ...b])].sort((x, y) => x - y))
      }),
    )
  })

  test('in at least n lists is what counting says', () => {
    fc.assert(
      fc.property(fc.array(anyDocs, { maxLength: 5 }), fc.integer({ min: 1, max: 5 }), (lists, least) => {
        const counts = new Map<number, number>()
        for (const doc of lists.flatMap((list) => [...list])) counts.set(doc, (counts.get(doc) ?? 0) + 1)
        const expected = [...counts].filter(([, count]) => count >= least).map(([doc]) => doc)
        expect([...inAtLeast(least, lists)]).toEqual(expected.sort((x, y) => x - y))
      }),
    )
  })

  test('the top is the start of the whole order', () => {
    const scored = fc.record({ key: fc.integer({ min: 0, max: 5 }), tie: fc.integer({ min: 0, max: 5 }) })
    fc.assert(
      fc.property(fc.array(scored), fc.integer({ min: 1, max: 12 }), (list, limit) => {
        const all = list.map((each, doc) => ({ ...each, doc, relevance: 1 }))
        const order = all.toSorted((a, b) => b.key - a.key || a.tie - b.tie || a.doc - b.doc)
        const top = new Top(limit)
        for (const each of all) {
          top.add(each)
          expect(top.least).toBeLessThanOrEqual(order[limit - 1]?.key ?? 0)
        }
        expect(top.sorted()).toEqual(order.slice(0, limit))
        expect(top.least).toBe(order[limit - 1]?.key ?? 0)
      }),
    )
  })
})
