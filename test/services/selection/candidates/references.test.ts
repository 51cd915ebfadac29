import { expect, it } from 'vitest'
import type { ProductOffer } from '../../../../schemas/records/records.ts'
import { unknownTraffic } from '../../../../services/replicas/traffic-follower.ts'
import { createCandidateSource } from '../../../../services/selection/candidates/candidates.ts'
import { bruteForceIndex } from '../brute-force-index.ts'
import { makeOffer, NOW } from '../world.ts'

const campaigns = { handle: () => expect.unreachable(), running: () => expect.unreachable() }

const ownFeed = makeOffer('shop', { id: '' }).feedId

type Named = Pick<ProductOffer, 'id' | 'productId'> & Partial<ProductOffer>

/** The offers that are read as the reference `id`: their ids, in front of them the feed if it is another. */
async function referencesOf(id: string, offers: readonly Named[]): Promise<string[]> {
  const products = offers.map((offer) => ({ offer: makeOffer('shop', offer), campaignIds: [], signals: null }))
  const index = bruteForceIndex(products)
  const source = createCandidateSource({
    ...{ index, campaigns, traffic: unknownTraffic, now: () => NOW, elapsedMs: () => NOW },
    deadlineMs: 100,
  })
  return (await source.reference('shop', id)).map(({ offer }) =>
    offer.feedId === ownFeed ? offer.id : `${offer.feedId}/${offer.id}`,
  )
}

it('a reference is the offer with the id, followed by those with the product id', async () => {
  const offers = [
    { id: 'a', productId: 'b' },
    { id: 'b', productId: 'b' },
    { id: 'c', productId: null },
  ]
  expect(await referencesOf('b', offers)).toEqual(['b', 'a'])
  expect(await referencesOf('c', offers)).toEqual(['c'])
  expect(await referencesOf('d', offers)).toEqual([])
})

it('offers of several feeds with the id come first, in the order of their feeds', async () => {
  const offers = ['f3', 'f1', 'f2'].map((feedId) => ({ id: 'a', productId: null, feedId }))
  expect(await referencesOf('a', [{ id: 'b', productId: 'a' }, ...offers])).toEqual(['f1/a', 'f2/a', 'f3/a', 'b'])
})

it('of a product that most offers of a feed belong to, a few are read, and the one with the id', async () => {
  const offers = Array.from({ length: 2_000 }, (_, i) => ({ id: `${i}`, productId: '1999' }))
  const found = await referencesOf('1999', offers)
  expect(found[0]).toBe('1999')
  expect(new Set(found).size).toBe(found.length)
  expect(found.length).toBeLessThanOrEqual(101)
})
