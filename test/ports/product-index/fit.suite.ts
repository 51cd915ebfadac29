import { describe, expect, test } from 'vitest'
import type { SearchResult } from '../../../infra/product-index/port.ts'
import { type IndexWorld, query, signalsWrite } from './world.ts'

/** How well offers fit a query. */
export function fitSuite(world: IndexWorld): void {
  const { given, ranked } = world
  describe('fit', () => {
    test('text: more of the words, rarer words and the title come first; relevance is 1 at the top and above 0', async () => {
      await given(
        { id: 'both', title: 'wireless mouse' },
        { id: 'one', title: 'wireless keyboard' },
        { id: 'deep', title: 'keyboard', description: 'works with a wireless mouse' },
        { id: 'none', title: 'desk' },
      )
      const rank = { by: 'text', text: 'wireless mouse', lang: 'en' } as const
      const [{ hits }] = (await world.index.search([query({ rank })])) as [SearchResult]
      expect(hits.map((hit) => hit.product.offer.id)).toEqual(['both', 'deep', 'one', 'none'])
      expect(hits[0]!.relevance).toBe(1)
      for (const { relevance } of hits) expect(relevance).toBeGreaterThan(0)
    })

    test('text: words that follow one another fit better than the same words apart', async () => {
      await given(
        { id: 'apart', title: 'phone with leather strap case' },
        { id: 'together', title: 'leather strap with phone case' },
      )
      expect(await ranked({ rank: { by: 'text', text: 'phone case', lang: 'en' } })).toEqual(['together', 'apart'])
    })

    test('categories: the longer the common path, the better', async () => {
      await given(
        { id: 'far', productTypes: ['A'] },
        { id: 'near', productTypes: ['X', 'A > B > D'] },
        { id: 'same', productTypes: ['A > B > C'] },
      )
      const [{ hits }] = (await world.index.search([
        query({ rank: { by: 'categories', paths: ['a > b > c', 'X'] } }),
      ])) as [SearchResult]
      expect(hits.map((hit) => hit.product.offer.id)).toEqual(['same', 'near', 'far'])
      expect(hits.map((hit) => hit.relevance)).toEqual([1, 2 / 3, 1 / 3])
    })

    test('text: offers with the words as typed come before those that say the same otherwise', async () => {
      await given(
        { id: 'other', title: 'Smartwatch' },
        { id: 'typed', title: 'Strap of leather for a very thin smart watch in black' },
        { id: 'name', title: 'Television' },
        { id: 'tv', title: 'Wall mount for a flat and large tv' },
        { id: 'others', title: 'Solid drive of a state' },
        { id: 'ssd', title: 'Adapter cable in black for ssd' },
      )
      const found = (text: string) =>
        ranked({
          filters: [{ kind: 'text', text, lang: 'en', minShare: 1, in: 'ALL_FIELDS' }],
          rank: { by: 'text', text, lang: 'en' },
        })
      expect(await found('smart watch')).toEqual(['typed', 'other'])
      expect(await found('tv')).toEqual(['tv', 'name'])
      expect(await found('ssd')).toEqual(['ssd', 'others'])
    })

    test('text and categories weigh equally', async () => {
      await given(
        { id: 'text', title: 'lamp', productTypes: ['B'] },
        { id: 'both', title: 'lamp', productTypes: ['A'] },
        { id: 'neither', title: 'desk' },
      )
      expect(await ranked({ rank: { by: 'textAndCategories', text: 'lamp', lang: null, paths: ['A'] } })).toEqual([
        'both',
        'text',
        'neither',
      ])
    })

    test('popularity: what sells more comes first', async () => {
      await given({ id: 'a' }, { id: 'b' }, { id: 'c' })
      await world.index.write([signalsWrite('b', { popularity: 9 }), signalsWrite('c', { popularity: 5 })])
      await world.index.refresh()
      expect(await ranked({ rank: { by: 'popularity' } })).toEqual(['b', 'c', 'a'])
    })
  })
}
