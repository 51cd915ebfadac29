import { describe, expect, test } from 'vitest'
import type { Filter, IndexWrite } from '../../../infra/product-index/port.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { type IndexWorld, offerWrite, promotion, query, removal, signalsOf, signalsWrite } from './world.ts'

/** Writes may come in any order; the latest version of each part counts. */
export function versionsSuite(world: IndexWorld): void {
  const { given, find } = world
  describe('versions', () => {
    test('nothing to write is done', async () => {
      expect(await world.index.write([])).toBe(0)
    })

    test('an older or equal version of an offer is ignored, a newer one replaces it', async () => {
      expect(await world.index.write([offerWrite(anOffer({ title: 'five' }), 5)])).toBe(1)
      expect(
        await world.index.write([offerWrite(anOffer({ title: 'same' }), 5), offerWrite(anOffer({ title: 'old' }), 4)]),
      ).toBe(0)
      await world.index.refresh()
      expect((await world.index.get('shop', ['p1']))[0]!.offer.title).toBe('five')
      expect(await world.index.write([offerWrite(anOffer({ title: 'six' }), 6)])).toBe(1)
      await world.index.refresh()
      expect((await world.index.get('shop', ['p1']))[0]!.offer.title).toBe('six')
    })

    test('the parts of a document have versions of their own', async () => {
      await world.index.write([
        offerWrite(anOffer(), 9),
        promotion('p1', ['c'], 1),
        signalsWrite('p1', { popularity: 3 }, 2),
      ])
      expect(await world.index.write([promotion('p1', ['old'], 1), signalsWrite('p1', { popularity: 1 }, 2)])).toBe(0)
      await world.index.refresh()
      const [product] = await world.index.get('shop', ['p1'])
      expect(product).toEqual({ offer: anOffer(), campaignIds: ['c'], signals: signalsOf('p1', { popularity: 3 }) })
    })

    test('of lists of campaigns that of the newest offer counts, and of its lists that of the newest registry', async () => {
      const { write, refresh, get } = world.index
      const list = (campaignId: string, version: number, offerVersion: number): IndexWrite => ({
        kind: 'promotions',
        ...{ shopId: 'shop', feedId: 'feed', id: 'p1', version, offerVersion, campaignIds: [campaignId] },
      })
      const promotedBy = async () => {
        await refresh()
        return (await get('shop', ['p1']))[0]!.campaignIds[0]
      }
      expect(await write([offerWrite(anOffer(), 5), list('first', 10, 5)])).toBe(2)
      expect(await write([list('of an older offer', 99, 4), list('again', 10, 5), list('knew less', 9, 5)])).toBe(0)
      expect(await promotedBy()).toBe('first')
      expect(await write([list('knew more', 11, 5)])).toBe(1)
      expect(await promotedBy()).toBe('knew more')
      expect(await write([offerWrite(anOffer(), 6), list('of a newer offer', 3, 6)])).toBe(2)
      expect(await promotedBy()).toBe('of a newer offer')
      expect(await write([removal('p1', 7)])).toBe(1)
      expect(await write([offerWrite(anOffer(), 8), list('back again', 4, 8)])).toBe(2)
      expect(await promotedBy()).toBe('back again')
    })

    test('promotions and signals that come before the offer are kept until it comes', async () => {
      await world.index.write([promotion('p1', ['c']), signalsWrite('p1', { popularity: 7 })])
      await world.index.refresh()
      expect(await world.index.get('shop', ['p1'])).toEqual([])
      expect(await find()).toEqual([])
      expect(await world.index.count('shop', [])).toBe(0)
      await world.index.write([offerWrite(anOffer())])
      await world.index.refresh()
      const [hit] = (await world.index.search([query()]))[0]!.hits
      expect(hit!.product.campaignIds).toEqual(['c'])
      expect(hit!.product.signals!.popularity).toBe(7)
    })

    test('signals belong to the product id in every feed of the shop', async () => {
      await world.index.write([
        offerWrite(anOffer({ feedId: 'a' })),
        offerWrite(anOffer({ feedId: 'b' })),
        signalsWrite('p1', { popularity: 7 }),
      ])
      await world.index.refresh()
      expect((await world.index.get('shop', ['p1'])).map((product) => product.signals?.popularity)).toEqual([7, 7])
    })

    test('a removed offer is found no more, and a late older one does not bring it back', async () => {
      await given({ id: 'p1', title: 'lamp' })
      await world.index.write([removal('p1', 5)])
      await world.index.write([offerWrite(anOffer({ id: 'p1', title: 'lamp' }), 4)])
      await world.index.refresh()
      expect(await find({ kind: 'text', text: 'lamp', lang: null, minShare: 1, in: 'ALL_FIELDS' })).toEqual([])
      expect(await world.index.get('shop', ['p1'])).toEqual([])
      expect(await world.index.digests('shop', 'feed', null, 10)).toEqual([])
      await world.index.write([offerWrite(anOffer({ id: 'p1', title: 'lamp' }), 6)])
      await world.index.refresh()
      expect(await find()).toEqual(['p1'])
    })

    test('a removal that comes before the offer holds too', async () => {
      await world.index.write([removal('p1', 5), offerWrite(anOffer(), 4)])
      await world.index.refresh()
      expect(await world.index.get('shop', ['p1'])).toEqual([])
    })

    test('an offer whose words change is found by the new ones only', async () => {
      await given({ title: 'green lamp', brand: 'Acme', productTypes: ['Home > Light'] })
      const text = (word: string): Filter => ({ kind: 'text', text: word, lang: null, minShare: 1, in: 'ALL_FIELDS' })
      expect(await find(text('lamp'))).toEqual(['p1'])
      await world.index.write([
        offerWrite(anOffer({ title: 'green chair', brand: 'Other', productTypes: ['Home > Seats'] }), 2),
      ])
      await world.index.refresh()
      expect(await find(text('lamp'))).toEqual([])
      expect(await find(text('chair'))).toEqual(['p1'])
      expect(await find(text('green'))).toEqual(['p1'])
      expect(await find({ kind: 'brand', anyOf: ['Acme'] })).toEqual([])
      expect(await find({ kind: 'categoryPaths', paths: ['Home > Light'] })).toEqual([])
      expect(await find({ kind: 'categoryPaths', paths: ['Home'] })).toEqual(['p1'])
    })

    test('words that offers had before, and versions of one offer, do not make a word known', async () => {
      const text = (word: string): Filter => ({ kind: 'text', text: word, lang: null, minShare: 1, in: 'ALL_FIELDS' })
      await given({ id: 'a', title: 'zeppelin' }, { id: 'b', title: 'lantern' }, { id: 'c', title: 'lantern' })
      for (const version of [2, 3]) {
        await world.index.write([offerWrite(anOffer({ id: 'a', title: 'zeppelin' }), version)])
        await world.index.refresh()
      }
      expect(await find(text('zepelin'))).toEqual([])
      await world.index.write([offerWrite(anOffer({ id: 'a', title: 'lanterm' }), 4)])
      await world.index.refresh()
      expect(await world.index.similarTerms(['zepelin'])).toEqual([[]])
      expect(await find(text('lanterm'))).toEqual(['a'])
      await world.index.write([offerWrite(anOffer({ id: 'a', title: 'zeppelin' }), 5)])
      await world.index.refresh()
      expect(await find(text('lanterm'))).toEqual(['b', 'c'])
      expect(await world.index.similarTerms(['lanterm'])).toEqual([[{ term: 'lantern', offers: 2 }]])
    })
  })
}
