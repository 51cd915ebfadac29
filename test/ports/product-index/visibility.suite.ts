import { describe, expect, test } from 'vitest'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { type IndexWorld, offerWrite, promotion, removal, signalsWrite } from './world.ts'

/** When writes become visible, and that they survive a restart. */
export function visibilitySuite(world: IndexWorld): void {
  const { given, find } = world
  describe('visibility', () => {
    test('a write is visible within a second without a refresh', async () => {
      await world.index.write([offerWrite(anOffer()), promotion('p1', ['c'])])
      await expect.poll(() => find(), { interval: 50 }).toEqual(['p1'])
    })

    test('what was written is there after a restart, words, promotions, signals and versions', async () => {
      await given({ title: 'lamp', labels: ['Sale'] })
      await world.index.write([signalsWrite('p1', { popularity: 2 }), removal('gone', 8)])
      await world.reopen()
      await world.index.refresh()
      expect(
        await find(
          { kind: 'text', text: 'lamp', lang: null, minShare: 1, in: 'TITLE' },
          { kind: 'labels', anyOf: ['Sale'] },
        ),
      ).toEqual(['p1'])
      expect((await world.index.get('shop', ['p1']))[0]!.signals!.popularity).toBe(2)
      expect(await world.index.write([offerWrite(anOffer({ id: 'gone' }), 7)])).toBe(0)
      await world.index.write([offerWrite(anOffer({ title: 'chair' }), 2)])
      await world.index.refresh()
      expect(await find({ kind: 'text', text: 'lamp', lang: null, minShare: 1, in: 'TITLE' })).toEqual([])
    })

    test('shops are those that have offers, in order', async () => {
      await world.index.write([
        ...['b', 'a', 'c'].map((shopId) => offerWrite(anOffer({ shopId, feedId: 'feed', id: '1' }))),
        { kind: 'remove', version: 2, shopId: 'c', feedId: 'feed', id: '1' },
        { kind: 'promotions', version: 1, offerVersion: 1, shopId: 'd', feedId: 'feed', id: '1', campaignIds: ['x'] },
      ])
      await world.index.refresh()
      expect(await world.index.shops()).toEqual(['a', 'b'])
    })

    test('clear removes everything, versions too', async () => {
      await given({ title: 'lamp' }, { id: 'p2' })
      await world.index.write([signalsWrite('p1')])
      await world.index.clear()
      expect(await world.index.count('shop', [])).toBe(0)
      expect(await find()).toEqual([])
      expect(await world.index.write([offerWrite(anOffer({ title: 'chair' }), 1), promotion('p1', ['c'])])).toBe(2)
      await world.index.refresh()
      expect(await find()).toEqual(['p1'])
      expect(await find({ kind: 'text', text: 'lamp', lang: null, minShare: 1, in: 'TITLE' })).toEqual([])
      expect((await world.index.get('shop', ['p1']))[0]!.signals).toBeNull()
    })
  })
}
