import { describe, expect, test } from 'vitest'
import type { Rank, SearchResult } from '../../../infra/product-index/port.ts'
import { readSynonyms } from '../../../services/domain/catalogue/shop-synonyms.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { type IndexWorld, idsOf, offerWrite, promotion, query, signalsWrite } from './world.ts'

/** How a query's campaigns, clicks and limits order its offers. */
export function rankingSuite(world: IndexWorld): void {
  const { given, find, ranked } = world
  describe('ranking', () => {
    test('only what one of the campaigns promotes is found, by the best weight among them', async () => {
      await world.index.write([
        ...['p1', 'p2', 'p3', 'p4'].map((id) => offerWrite(anOffer({ id }))),
        promotion('p1', ['low', 'high']),
        promotion('p2', ['middle']),
        promotion('p3', ['low']),
        promotion('p4', ['other']),
      ])
      await world.index.refresh()
      const campaigns = [
        { campaignIds: ['low', 'unknown'], weight: 1 },
        { campaignIds: ['high'], weight: 3 },
        { campaignIds: ['middle'], weight: 2 },
      ]
      expect(await ranked({ campaigns })).toEqual(['p1', 'p2', 'p3'])
      expect(await ranked({ campaigns, limit: 1 })).toEqual(['p1'])
      expect(await ranked({ campaigns: [] })).toEqual([])
      await world.index.write([promotion('p3', ['high'], 2), promotion('p1', [], 2)])
      await world.index.refresh()
      expect(await ranked({ campaigns })).toEqual(['p3', 'p2'])
    })

    test('what is clicked more often comes first, what nobody has seen where it is believed to', async () => {
      await given({ id: 'often', title: 'lamp' }, { id: 'seldom' }, { id: 'new', title: 'lamp' })
      const signals = { views: 1_000, popularity: 1 }
      await world.index.write([
        signalsWrite('often', { ...signals, clicks: 40 }),
        signalsWrite('seldom', { ...signals, clicks: 4, views: 10_000 }),
        promotion('seldom', ['dear'], 2),
      ])
      await world.index.refresh()
      const at = (priorClickRate: number, weight = 1) =>
        ranked({
          priorClickRate,
          campaigns: [
            { campaignIds: ['c'], weight: 1 },
            { campaignIds: ['dear'], weight },
          ],
        })
      expect(await at(0.004)).toEqual(['often', 'new', 'seldom'])
      expect(await at(0.1)).toEqual(['new', 'often', 'seldom'])
      expect(await at(0.004, 1_000)).toEqual(['seldom', 'often', 'new'])
      await world.index.write([signalsWrite('often', { ...signals, clicks: 0 }, 2)])
      await world.index.refresh()
      expect(await at(0.004)).toEqual(['new', 'often', 'seldom'])
      // Relevance does not depend on campaigns or clicks.
      const results = await world.index.search([
        query({ rank: { by: 'popularity' } }),
        query({ rank: { by: 'text', text: 'lamp', lang: null } }),
      ])
      const fits = results.map(({ hits }) => hits.map(({ relevance }) => relevance))
      expect(fits).toEqual([
        [1, expect.closeTo(0.00001 / Math.log(2), 8)],
        [1, 1],
      ])
    })

    test('a lift multiplies the click rate of a product in one query, and changes nothing of how well it fits', async () => {
      await given({ id: 'a', title: 'lamp' }, { id: 'b', title: 'lamp' }, { id: 'c', title: 'lamp for the desk' })
      await world.index.write([signalsWrite('a', { views: 1_000, clicks: 8, popularity: 1 })])
      await world.index.write([signalsWrite('b', { views: 1_000, clicks: 6, popularity: 1 })])
      await world.index.refresh()
      const rank: Rank = { by: 'text', text: 'lamp desk', lang: 'en' }
      const at = (lifts: Record<string, number>) => query({ rank, lifts: new Map(Object.entries(lifts)) })
      const [plain, up, down, other] = await world.index.search([
        at({}),
        at({ b: 2 }),
        at({ c: 0.01, a: 0.5 }),
        at({ x: 3 }),
      ])
      expect([plain, up, down, other].map(idsOf)).toEqual([
        ['c', 'a', 'b'],
        ['c', 'b', 'a'],
        ['b', 'a', 'c'],
        ['c', 'a', 'b'],
      ])
      const fitOf = ({ hits }: SearchResult) =>
        hits.map(({ product, relevance }) => [product.offer.id, expect.closeTo(relevance, 4)]).sort()
      expect(fitOf(up!)).toEqual(fitOf(plain!))
      expect(fitOf(down!)).toEqual(fitOf(plain!))
    })

    test('a list of campaigns weighs as before once everything was removed and written again', async () => {
      const campaigns = [
        { campaignIds: ['low'], weight: 1 },
        { campaignIds: ['high'], weight: 3 },
      ]
      const written = async (...promoted: [string, string][]) => {
        await world.index.clear()
        await world.index.write(promoted.flatMap(([id, by]) => [offerWrite(anOffer({ id })), promotion(id, [by])]))
        await world.index.refresh()
        return ranked({ campaigns })
      }
      expect(await written(['a', 'low'], ['b', 'high'], ['c', 'other'])).toEqual(['b', 'a'])
      expect(await written(['c', 'other'], ['a', 'high'], ['b', 'low'])).toEqual(['a', 'b'])
    })

    test('weight multiplies relevance', async () => {
      await given({ id: 'fits', title: 'lamp' }, { id: 'pays', title: 'desk', description: 'for a lamp' })
      await world.index.write([promotion('pays', ['rich'], 2)])
      await world.index.refresh()
      const rank = { by: 'text', text: 'lamp', lang: null } as const
      const at = (weight: number) =>
        ranked({
          rank,
          campaigns: [
            { campaignIds: ['c'], weight: 1 },
            { campaignIds: ['rich'], weight },
          ],
        })
      expect(await at(1)).toEqual(['fits', 'pays'])
      expect(await at(100)).toEqual(['pays', 'fits'])
    })

    test('the same fit is the same number whatever other campaigns promote', async () => {
      await given(
        { id: 'both', title: 'wireless mouse', productTypes: ['A > B'] },
        { id: 'one', title: 'wireless keyboard', productTypes: ['A'] },
        { id: 'none', title: 'desk' },
      )
      const rivals = ['one', 'none']
      await world.index.write([
        ...rivals.map((id) => promotion(id, ['c', 'rival'], 2)),
        ...['both', ...rivals].map((id, i) => signalsWrite(id, { popularity: 100 / (i + 1) })),
      ])
      await world.index.refresh()
      const text = { text: 'wireless mouse', lang: 'en' }
      const ranks: Rank[] = [
        { by: 'text', ...text },
        { by: 'categories', paths: ['a > b'] },
        { by: 'textAndCategories', ...text, paths: ['a > b'] },
        { by: 'popularity' },
        { by: 'none' },
      ]
      for (const rank of ranks) {
        const results = await world.index.search([
          query({ rank }),
          query({ rank, campaigns: [{ campaignIds: ['rival'], weight: 7 }] }),
        ])
        const fits = results.map(({ hits, bestFit }) =>
          rivals.map((id) => hits.find(({ product }) => product.offer.id === id)!.relevance * bestFit),
        )
        for (const [i, fit] of fits[0]!.entries()) expect(fits[1]![i]).toBeCloseTo(fit, 5)
        expect(Math.max(...results[1]!.hits.map(({ relevance }) => relevance))).toBe(1)
      }
      expect(await world.index.search([query({ campaigns: [] })])).toEqual([
        { hits: [], bestFit: 0, truncated: false, runnerUp: null },
      ])
    })

    test('equals turn with the seed: the same seed, the same order; each comes first at times', async () => {
      await given(...Array.from({ length: 6 }, (_, n) => ({ id: `p${n}` })))
      expect(await ranked({ tieSeed: 7 })).toEqual(await ranked({ tieSeed: 7 }))
      const firsts = new Set<string>()
      for (let tieSeed = 0; tieSeed < 60; tieSeed++) firsts.add((await ranked({ tieSeed, limit: 1 }))[0]!)
      expect(firsts.size).toBe(6)
    })

    test('a result is truncated when more matched than the limit', async () => {
      await given({ id: 'a' }, { id: 'b' }, { id: 'c' })
      const results = await world.index.search([
        query({ limit: 2 }),
        query({ limit: 3 }),
        query({ limit: 2, filters: [{ kind: 'ids', ids: ['a'] }] }),
      ])
      expect(results.map((result) => [result.hits.length, result.truncated])).toEqual([
        [2, true],
        [3, false],
        [1, false],
      ])
    })

    test.each([
      [
        'ja',
        'ワイヤレスマウス 無線2.4GHz',
        ['マウス', '無線の マウス', 'ワイヤレスマウス', '2.4 GHz マウス'],
        ['マウ', '有線マウス'],
      ],
      ['zh', '华为手机充电器 5000mAh', ['充电器', '手机充电', '5000 mah', '手机 充电器'], ['电脑', '手机壳']],
      ['th', 'เมาส์ไร้สาย Logi M185', ['เมาส์', 'ไร้สาย m185', 'เมาส์ไร้สาย'], ['หูฟัง']],
    ])('words of a script without spaces are found: %s', async (lang, title, finding, missing) => {
      await given({ id: 'a', title, lang }, { id: 'b', title: 'Plain mouse', lang })
      const asked = (text: string) => find({ kind: 'text', text, lang, minShare: 1, in: 'ALL_FIELDS' })
      for (const text of finding) expect([text, await asked(text)]).toEqual([text, ['a']])
      for (const text of missing) expect([text, await asked(text)]).toEqual([text, []])
    })

    test("the shop's synonyms are followed by filter and rank, after what was typed", async () => {
      await given({ id: 'a', title: 'red sofa' }, { id: 'b', title: 'red settee' }, { id: 'c', title: 'grey chair' })
      const asked = (text: string, lines: string, rules = readSynonyms(lines)) =>
        ranked({
          filters: [{ kind: 'text', text, lang: null, minShare: 1, in: 'ALL_FIELDS' }],
          rank: { by: 'text', text, lang: null },
          synonyms: rules,
        })
      expect(await asked('red settee', '')).toEqual(['b'])
      expect(await asked('red settee', 'sofa, settee')).toEqual(['b', 'a'])
      expect(await asked('red sofa', 'sofa, settee')).toEqual(['a', 'b'])
      expect(await asked('red sofa', 'settee => sofa')).toEqual(['a'])
      expect(await asked('davenport', 'davenport => grey chair')).toEqual(['c'])
      // A misspelt word also finds the synonyms of the word that was meant.
      await given(
        { id: 'd', title: 'blue sofa' },
        { id: 'e', title: 'blue settee' },
        { id: 'f', title: 'green settee' },
      )
      expect(await asked('setee', 'settee => chair')).toEqual(expect.arrayContaining(['b', 'c', 'e', 'f']))
    })

    test('without campaigns every offer is found, promoted or not', async () => {
      await given({ id: 'a', title: 'lamp' }, { id: 'b', title: 'lamp of oak' })
      await world.index.write([promotion('a', [], 2)])
      await world.index.refresh()
      const rank = { by: 'text', text: 'lamp', lang: null } as const
      expect(await ranked({ rank })).toEqual(['b'])
      expect(await ranked({ rank, campaigns: null })).toEqual(['a', 'b'])
      expect(await ranked({ rank, campaigns: [] })).toEqual([])
    })

    test('queries of one call are answered in order, each by itself, and shops are kept apart', async () => {
      await given({ id: 'a' }, { id: 'b', shopId: 'other' })
      await world.index.write([
        {
          kind: 'promotions',
          version: 1,
          offerVersion: 1,
          shopId: 'other',
          feedId: 'feed',
          id: 'b',
          campaignIds: ['c'],
        },
      ])
      await world.index.refresh()
      const results = await world.index.search([query(), query({ shopId: 'other' }), query({ shopId: 'nowhere' })])
      expect(results.map(idsOf)).toEqual([['a'], ['b'], []])
      expect(await world.index.search([])).toEqual([])
    })
  })
}
