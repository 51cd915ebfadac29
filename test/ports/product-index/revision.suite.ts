import { describe, expect, test } from 'vitest'
import type { IndexWrite } from '../../../infra/product-index/port.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { type IndexWorld, offerWrite, promotion, removal, signalsWrite } from './world.ts'

/** A revision that has not changed promises the same answers. An engine that cannot tell has none. */
export function revisionSuite(world: IndexWorld): void {
  const { given, find } = world
  const revision = () => world.index.revision('shop')

  describe('the revision of a shop', () => {
    test('stays the same while nothing is written, or nothing newer', async () => {
      await given({ id: 'p1', title: 'lamp' })
      await find({ kind: 'text', text: 'lmap', lang: null, minShare: 1, in: 'TITLE' })
      const before = revision()
      await world.index.write([offerWrite(anOffer({ id: 'p1', title: 'chair' }), 0)])
      await world.index.refresh()
      await find()
      expect(revision()).toBe(before)
    })

    test.each<[string, IndexWrite[]]>([
      ['an offer is new', [offerWrite(anOffer({ id: 'p2' }))]],
      ['an offer has changed', [offerWrite(anOffer({ id: 'p1', priceMicros: 5 }), 2)]],
      ['an offer has other words', [offerWrite(anOffer({ id: 'p1', title: 'chair' }), 2)]],
      ['an offer has been removed', [removal('p1', 2)]],
      ['other campaigns promote it', [promotion('p1', ['d'], 2)]],
      ['its signals have changed', [signalsWrite('p1', { clicks: 9, views: 10 })]],
    ])('changes when %s', async (_, writes) => {
      await given({ id: 'p1', title: 'lamp' })
      await find()
      const before = revision()
      expect(await world.index.write(writes)).toBe(1)
      await world.index.refresh()
      if (before === null) expect(revision()).toBeNull()
      else expect(revision()).not.toBe(before)
    })

    test('changes with a clear', async () => {
      await given({ id: 'p1' })
      await find()
      const before = revision()
      await world.index.clear()
      if (before === null) expect(revision()).toBeNull()
      else expect(revision()).not.toBe(before)
    })
  })
}
