import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PostingLists } from '../../../../services/selection/display/posting-lists.ts'
import { tries } from '../../../effort.ts'

describe('the items under keys', () => {
  it('come once each, in groups of equal bids, by falling bid', () => {
    const posted = fc.array(
      fc.record({ bidMicros: fc.nat(5), keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }) }),
    )
    const wanted = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'))
    const property = fc.property(posted, wanted, fc.nat(), (items, keys, removed) => {
      const lists = new PostingLists<(typeof items)[number]>()
      for (const item of items) lists.add(item.keys, item)
      const gone = items[removed % items.length]
      if (gone) lists.remove(gone.keys, gone)

      const found = [...lists.under(keys)]
      const expected = items.filter((item) => item !== gone && item.keys.some((key) => keys.includes(key)))
      expect(new Set(found.flat())).toEqual(new Set(expected))
      expect(found.flat()).toHaveLength(expected.length)
      const bids = found.map((group) => [...new Set(group.map(({ bidMicros }) => bidMicros))])
      expect(bids).toEqual(
        [5, 4, 3, 2, 1, 0].filter((bid) => expected.some((item) => item.bidMicros === bid)).map((bid) => [bid]),
      )
    })
    fc.assert(property, { numRuns: tries(200, 5_000) })
  })

  it('cost a page that has the keys of thousands of campaigns little more for each than for one', () => {
    const LISTS = 2_000
    const lists = new PostingLists()
    let looks = 0
    for (let i = 0; i < LISTS; i++) {
      const item = {
        get bidMicros() {
          looks++
          return i
        },
      }
      lists.add([`key ${i}`], item)
    }
    looks = 0
    const keys = Array.from({ length: LISTS }, (_, i) => `key ${(i * 7) % LISTS}`)
    expect([...lists.under(keys)]).toHaveLength(LISTS)
    expect(looks).toBeLessThan(10 * LISTS * Math.log2(LISTS))
  })
})
