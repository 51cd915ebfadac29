import { describe, expect, test } from 'vitest'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { type IndexWorld, offerWrite, removal } from './world.ts'

/** Reads that are not searches. */
export function readingSuite(world: IndexWorld): void {
  const { given } = world
  describe('reading', () => {
    test('get finds by feed id, in the shop alone, in the order of the keys', async () => {
      await given(
        ...['z', 'a', 'B'].flatMap((id) => ['f2', 'f1'].map((feedId) => ({ id, feedId, productId: 'g' }))),
        { id: 'b', productId: 'g' },
        { id: 'c', shopId: 'other' },
      )
      const found = async (...wanted: string[]) =>
        (await world.index.get('shop', wanted)).map(({ offer }) => `${offer.feedId}/${offer.id}`)
      expect(await found('a')).toEqual(['f1/a', 'f2/a'])
      expect(await found('z', 'a', 'B')).toEqual(['f1/B', 'f1/a', 'f1/z', 'f2/B', 'f2/a', 'f2/z'])
      expect(await found('g')).toEqual([])
      expect(await found('c', 'nothing')).toEqual([])
    })

    test('scan finds by feed id and by product id, up to its limit', async () => {
      await given({ id: 'z', productId: 'g' }, { id: 'a', productId: 'g' }, { id: 'g' }, { id: 'b' })
      const request = { shopId: 'shop', filters: [{ kind: 'ids' as const, ids: ['g'] }], limit: 2 }
      const found = async (after: string | null) => {
        const page = await world.index.scan({ ...request, after })
        return page.map(({ offer }) => `${offer.feedId}/${offer.id}`)
      }
      const [, second] = await found(null)
      expect((await found(null)).map((key) => key.slice(-2))).toEqual(['/a', '/g'])
      expect((await found(second!)).map((key) => key.slice(-2))).toEqual(['/z'])
    })

    test('scan goes through all pages in the order of the key, each offer once', async () => {
      const offers = ['z', 'a/1', 'a', 'm', 'B'].flatMap((id) => [
        anOffer({ id, feedId: 'f1' }),
        anOffer({ id, feedId: 'f2' }),
      ])
      await given(...offers, { id: 'x', feedId: 'f1', isAvailable: false })
      const seen: string[] = []
      for (let after: string | null = null; ; ) {
        const page = await world.index.scan({ shopId: 'shop', filters: [{ kind: 'available' }], after, limit: 3 })
        if (page.length === 0) break
        seen.push(...page.map(({ offer }) => `${offer.feedId}/${offer.id}`))
        after = seen.at(-1)!
      }
      expect(seen).toEqual(offers.map((offer) => `${offer.feedId}/${offer.id}`).sort())
    })

    test('scan tells the version of each offer', async () => {
      await world.index.write([offerWrite(anOffer({ id: 'a' }), 3), offerWrite(anOffer({ id: 'b' }), 7)])
      await world.index.refresh()
      await world.index.write([offerWrite(anOffer({ id: 'a' }), 8)])
      await world.index.refresh()
      const page = await world.index.scan({ shopId: 'shop', filters: [], after: null, limit: 10 })
      expect(page.map(({ offer, offerVersion }) => [offer.id, offerVersion])).toEqual([
        ['a', 8],
        ['b', 7],
      ])
    })

    test('sellers are counted by their offers, through every change of them', async () => {
      const sellers = (contains = '', anyOf: string[] | null = null, limit = 10) =>
        world.index.sellers({ shopId: 'shop', contains, anyOf, limit })
      await given(
        { id: 'a', externalSellerId: 'Nord.1' },
        { id: 'b', externalSellerId: 'Nord.1' },
        { id: 'c', externalSellerId: 'Süd' },
        { id: 'd', externalSellerId: 'nordx1' },
        { id: 'e', externalSellerId: null },
        { id: 'f', externalSellerId: 'Elsewhere', shopId: 'other' },
      )
      const [nord, sued, nordx] = [
        { sellerId: 'Nord.1', offers: 2 },
        { sellerId: 'Süd', offers: 1 },
        { sellerId: 'nordx1', offers: 1 },
      ]
      expect(await sellers()).toEqual([nord, sued, nordx])
      expect(await sellers('', null, 1)).toEqual([nord])
      expect(await sellers('NORD')).toEqual([nord, nordx])
      expect(await sellers('d.1')).toEqual([nord])
      expect(await sellers('', ['Süd', 'Nobody'])).toEqual([sued])
      expect(await sellers('', [])).toEqual([])

      const moved = anOffer({ id: 'a', externalSellerId: 'Süd' })
      await world.index.write([offerWrite(moved, 2), offerWrite(moved, 2), removal('b', 2), removal('d', 2)])
      await world.index.refresh()
      expect(await sellers()).toEqual([{ sellerId: 'Süd', offers: 2 }])
      await world.index.write([offerWrite(anOffer({ id: 'b', externalSellerId: 'Nord.1' }), 1), offerWrite(moved, 3)])
      await world.index.refresh()
      expect(await sellers()).toEqual([{ sellerId: 'Süd', offers: 2 }])
      await world.reopen()
      expect(await sellers()).toEqual([{ sellerId: 'Süd', offers: 2 }])
      await world.index.clear()
      await world.index.refresh()
      expect(await sellers()).toEqual([])
    })

    test('similar terms are told for those that no offer has, nearest first', async () => {
      const titles = ['zeppelin red', 'zeppelin blue', 'zeppelen', 'lamp', 'lamb', 'notebook']
      await given(...titles.map((title, at) => ({ id: `p${at}`, title })))
      const similar = async (...terms: string[]) =>
        (await world.index.similarTerms(terms)).map((found) => found.map(({ term }) => term))
      expect(await similar('zepelin', 'lamp', 'lamo', 'notbok', 'seppelin', 'xyz', 'la')).toEqual([
        ['zeppelin', 'zeppelen'],
        [],
        ['lamb', 'lamp'],
        ['notebook'],
        [],
        [],
        [],
      ])
      expect(await world.index.similarTerms([])).toEqual([])
    })

    test('digests page through one feed by id', async () => {
      await given({ id: 'b' }, { id: 'a' }, { id: 'c' }, { id: 'd', feedId: 'other' })
      const first = await world.index.digests('shop', 'feed', null, 2)
      expect(first).toEqual([
        { id: 'a', digest: 'digest of a' },
        { id: 'b', digest: 'digest of b' },
      ])
      expect(await world.index.digests('shop', 'feed', 'b', 2)).toEqual([{ id: 'c', digest: 'digest of c' }])
      expect(await world.index.digests('shop', 'feed', 'c', 2)).toEqual([])
    })
  })
}
