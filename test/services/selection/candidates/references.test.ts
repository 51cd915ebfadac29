import { expect, it } from 'vitest'
import { unknownTraffic } from '../../../../services/replicas/traffic-follower.ts'
import { createCandidateSource } from '../../../../services/selection/candidates/candidates.ts'
import { bruteForceIndex } from '../brute-force-index.ts'
import { makeOffer, NOW } from '../world.ts'

const campaigns = { handle: () => expect.unreachable(), running: () => expect.unreachable() }

/** The ids of the offers that are read as the reference `id`. */
async function referencesOf(id: string, offers: { id: string; productId: string | null }[]): Promise<string[]> {
  const products = offers.map((offer) => ({ offer: makeOffer('shop', offer), campaignIds: [], signals: null }))
  const index = bruteForceIndex(products)
  const source = createCandidateSource({
    ...{ index, campaigns, traffic: unknownTraffic, now: () => NOW, elapsedMs: () => NOW },
    deadlineMs: 100,
  })
  return (await source.reference('shop', id)).map(({ offer }) => offer.id)
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

it('of a product that most offers of a feed belong to, a few are read, and the one with the id', async () => {
  const offers = Array.from({ length: 2_000 }, (_, i) => ({ id: `${i}`, productId: '1999' }))
  const found = await referencesOf('1999', offers)
  expect(found[0]).toBe('1999')
  expect(new Set(found).size).toBe(found.length)
  expect(found.length).toBeLessThanOrEqual(101)
})
