import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Lifts } from '../../../../infra/product-index/port.ts'
import { phraseId } from '../../../../services/domain/auction/phrase-id.ts'
import { createWorld, type World } from '../world.ts'

let world: World
let learnt: Map<number, Lifts>
beforeEach(async () => {
  learnt = new Map()
  world = await createWorld({ lifts: { hasAny: () => learnt.size > 0, of: (_, phrase) => learnt.get(phrase) } })
  const campaignId = world.campaign()
  world.offer([campaignId], { id: 'plain', title: 'red lamp' })
  world.offer([campaignId], { id: 'loved', title: 'red lamp' }, { views: 1_000, clicks: 1 })
})
afterEach(() => world.close())

const learn = (text: string, lifts: Record<string, number>) =>
  learnt.set(phraseId(world.shopId, { text, lang: 'en' }), new Map(Object.entries(lifts)))
const shown = (searchData: string, algorithm: 'CONTEXT_MATCH' | 'BESTSELLERS_WIDE' = 'CONTEXT_MATCH') =>
  world.ids(algorithm, { searchData })

test('what is clicked after some words comes first after these words, in any form and order', async () => {
  expect(await shown('red lamp')).toEqual(['plain', 'loved'])
  learn('red lamps', { loved: 3 })
  world.now += 10_000
  expect(await shown('red lamp')).toEqual(['loved', 'plain'])
  expect(await shown('Lamp, RED')).toEqual(['loved', 'plain'])
  expect(await shown('lamp')).toEqual(['plain', 'loved'])
  expect(await world.ids('SIMILAR_TITLES', { productTitle: 'red lamp stand', searchData: 'red lamp' })).toEqual([
    'plain',
    'loved',
  ])
})

test('bestsellers found by a phrase are lifted, too', async () => {
  expect(await shown('red', 'BESTSELLERS_WIDE')).toEqual(['plain', 'loved'])
  learn('red', { plain: 0.1 })
  world.now += 10_000
  expect(await shown('red', 'BESTSELLERS_WIDE')).toEqual(['loved', 'plain'])
})

test('the emission tells the phrase by a number, and each ad’s lift with the click rate that has it', async () => {
  await shown('red lamp')
  learn('red lamp', { loved: 3 })
  world.now += 10_000
  await shown('red lamp')
  const [before, after] = await world.emissions()
  const phrases = [phraseId(world.shopId, { text: 'lamp red', lang: 'en' })]
  expect([before, after]).toMatchObject([
    { phrases, lifts: [] },
    { phrases, lifts: [3, 1] },
  ])
  const rateOf = (at: typeof before, id: string) =>
    at!.slots[0]!.ads.find(({ adId }) => adId === id)!.predictedClickRate
  expect(rateOf(after, 'loved')).toBeCloseTo(3 * rateOf(before, 'loved'), 10)
  expect(rateOf(after, 'plain')).toBe(rateOf(before, 'plain'))
})

test('what is no search, or may tell who somebody is, is not told', async () => {
  await world.ids('CONTEXT_MATCH_WIDE', {})
  await world.ids('CONTEXT_MATCH_WIDE', { searchData: 'ann@example.com' })
  await world.ids('SIMILAR_TITLES', { productTitle: 'red lamp', searchData: 'red lamp' })
  for (const { phrases, lifts } of await world.emissions()) expect([phrases, lifts]).toEqual([[], []])
})
