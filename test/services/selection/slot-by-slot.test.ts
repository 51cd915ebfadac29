import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDisplayWorld } from './display/display-world.ts'
import { type Ad, createWorld, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
  for (const campaign of [world.campaign(), world.campaign()]) world.offer([campaign])
})
afterEach(() => world.close())

interface Entry {
  slotHash: string
  ads: Ad[]
  error?: { code: string; message: string }
}
const good = (changes: object = {}) => ({ slotHash: world.unit('BESTSELLERS'), adCount: 2, ...changes })
const entriesOf = (response: { json(): { data: Entry[] } }) => response.json().data

describe('one bad slot never costs the others their ads', () => {
  it.each<[string, string, () => unknown]>([
    ['an unknown slot', 'UNKNOWN_SLOT', () => good({ slotHash: '00000000-0000-4000-8000-000000000000' })],
    ['a slot of the other kind', 'WRONG_KIND', () => good({ slotHash: world.unit('DISPLAY') })],
    ['no slotHash', 'INVALID', () => ({ adCount: 1 })],
    ['a slotHash that is none', 'INVALID', () => good({ slotHash: '"\u2028' })],
    ['no adCount', 'INVALID', () => good({ adCount: undefined })],
    ['what its algorithm lacks', 'INVALID', () => good({ slotHash: world.unit('CONTEXT_MATCH') })],
    ['a price that is text', 'INVALID', () => good({ priceMin: '3' })],
    ['101 productIds', 'INVALID', () => good({ productIds: Array(101).fill('p') })],
    ['the business slot of another', 'INVALID', () => good({ businessSlotId: randomUUID() })],
    ['null', 'INVALID', () => null],
    ['a list', 'INVALID', () => [good()]],
  ])('%s', async (_what, code, bad) => {
    const sent = bad() as { slotHash?: string } | null
    const response = await world.ask([good(), sent as object, good()])
    expect(response.statusCode).toBe(200)
    const [first, refused, last] = entriesOf(response)
    expect(first).toMatchObject({ slotHash: world.unit('BESTSELLERS'), ads: [{}, {}] })
    expect(last).toEqual({ slotHash: world.unit('BESTSELLERS'), ads: [] })
    expect(first).not.toHaveProperty('error')
    expect(refused).toEqual({
      slotHash: sent?.slotHash ?? '',
      ads: [],
      error: { code, message: expect.stringMatching(/^\/targeting\/1/) },
    })
    const [emission] = await world.emissions()
    expect(emission!.slots).toHaveLength(2)
  })

  it('and only when every slot is bad, the request is', async () => {
    const response = await world.ask([good({ adCount: 0 }), good({ slotHash: world.unit('CONTEXT_MATCH') })])
    expect(response.statusCode).toBe(400)
    expect(response.json().errors.map(({ path }: { path: string }) => path)).toEqual([
      '/targeting/0/adCount',
      '/targeting/1/searchData',
    ])
    expect(await world.emissions()).toEqual([])
  })

  it('of display ads neither', async () => {
    const display = await createDisplayWorld()
    display.display()
    const slot = { slotHash: display.slot(), adCount: 1, country: 'DE' }
    const asked = [{ ...slot, country: 'Germany' }, slot, { ...slot, country: undefined, slotHash: randomUUID() }]
    const response = await display.askDisplay(asked)
    expect(response.statusCode).toBe(200)
    expect(entriesOf(response)).toMatchObject([
      { ads: [], error: { code: 'INVALID', message: expect.stringContaining('/targeting/0/country') } },
      { ads: [{ slotHash: slot.slotHash }] },
      { ads: [], error: { code: 'UNKNOWN_SLOT' } },
    ])
    await display.close()
  })
})

describe('slots of two shops in one request', () => {
  it('are answered each for its own shop, with requests and emissions of their own', async () => {
    const otherShop = world.put('Shop', world.shop)
    const otherUnit = world.unit('BESTSELLERS', { shopId: otherShop })
    const campaign = world.campaign({ shopId: otherShop })
    world.offer([campaign], { shopId: otherShop, id: 'p1' })
    const asked = [good({ adCount: 1 }), good({ slotHash: otherUnit }), good({ adCount: 1 })]
    const response = await world.ask(asked, { headers: { cid: 'c' } })
    expect(response.statusCode).toBe(200)
    const [first, other, last] = entriesOf(response)
    expect([first!.ads[0]!.shopProductId, last!.ads[0]!.shopProductId].sort()).toEqual(['p1', 'p2'])
    // The same id in another shop is another product.
    expect(other!.ads).toMatchObject([{ shopProductId: 'p1', shopId: otherShop }])
    expect(world.showIds.open(other!.ads[0]!.showId)).toMatchObject({ shopId: otherShop, cid: 'c' })

    const emissions = await world.emissions()
    expect(emissions.map(({ shopId, slots }) => [shopId, slots.length])).toEqual([
      [world.shopId, 2],
      [otherShop, 1],
    ])
    const requestIds = emissions.map(({ requestId }) => requestId)
    expect(new Set(requestIds).size).toBe(2)
    expect([first, other].map((entry) => entry!.ads[0]!.requestId)).toEqual(requestIds)
    expect(last!.ads[0]!.requestId).toBe(requestIds[0])
    expect(response.headers['request-id']).toBe(requestIds[0])
  })
})

describe('what is over a limit of ours is cut to it, and the answer says so', () => {
  it.each<[string, object, string | undefined]>([
    ['adCount', { adCount: 101 }, 'targeting[0].adCount=100'],
    ['adCount', { adCount: 1e300 }, 'targeting[0].adCount=100'],
    [
      'excludedShopProductIds',
      { excludedShopProductIds: Array(1_001).fill('x') },
      'targeting[0].excludedShopProductIds=1000',
    ],
    ['attributes', { attributes: Array(51).fill({ name: 'x', value: '' }) }, undefined],
    ['categoryPaths', { categoryPaths: Array(101).fill(' ') }, 'targeting[0].categoryPaths=100'],
    ['categoryIds', { categoryIds: Array(101).fill('') }, 'targeting[0].categoryIds=100'],
    ['searchData', { searchData: ' '.repeat(1_001) }, 'targeting[0].searchData=1000'],
    ['productTitle', { productTitle: ' '.repeat(1_001) }, 'targeting[0].productTitle=1000'],
    ['nothing', { adCount: 100, excludedShopProductIds: Array(1_000).fill('x') }, undefined],
  ])('%s', async (name, changes, limit) => {
    const response = await world.ask([good(changes)])
    expect(response.statusCode).toBe(200)
    const expected = name === 'attributes' ? 'targeting[0].attributes=50' : limit
    expect(response.headers['endcap-limits']).toBe(expected)
    if (name !== 'attributes') expect(entriesOf(response)[0]!.ads).toHaveLength(2)
  })

  it('the least number of ads like the greatest, which it could not reach', async () => {
    const campaign = world.campaign()
    for (let i = 0; i < 100; i++) world.offer([campaign], { id: `q${i}` })
    const response = await world.ask([good({ adCount: 150, minAdCount: 120 }), good({ minAdCount: 120 })])
    const [first] = entriesOf(response)
    expect(first!.ads).toHaveLength(100)
    expect(response.headers['endcap-limits']).toBe(
      'targeting[0].adCount=100, targeting[0].minAdCount=100, targeting[1].minAdCount=100',
    )
  })

  it('slots beyond the twentieth', async () => {
    const response = await world.ask(Array(21).fill(good({ adCount: 1 })))
    expect(response.statusCode).toBe(200)
    expect(response.headers['endcap-limits']).toBe('targeting=20')
    expect(entriesOf(response)).toHaveLength(20)
  })

  it('in a header that stays short', async () => {
    const many = good({ adCount: 101, searchData: ' '.repeat(2_000), categoryIds: Array(200).fill('') })
    const response = await world.ask(Array(30).fill(many))
    expect(String(response.headers['endcap-limits']).length).toBeLessThan(1_000)
  })

  it('profiles and formats of display ads too', async () => {
    const display = await createDisplayWorld()
    display.display()
    const slot = { slotHash: display.slot(), adCount: 500, country: 'DE' }
    const response = await display.askDisplay([
      { ...slot, profiles: Array(1_001).fill('x'), adFormatIds: Array(101).fill('') },
    ])
    expect(response.headers['endcap-limits']).toBe(
      'targeting[0].adCount=100, targeting[0].profiles=1000, targeting[0].adFormatIds=100',
    )
    expect(entriesOf(response)[0]!.ads).toHaveLength(1)
    await display.close()
  })
})

it('takes null for missing, in every optional member and in lists', async () => {
  const optional = [
    ...['minAdCount', 'searchData', 'excludedShopProductIds', 'priceMin', 'priceMax', 'currency', 'brand', 'country'],
    ...['productTitle', 'shopProductId', 'productId', 'productIds', 'attributes', 'categoryIds', 'categoryPaths'],
    ...['adType', 'businessSlotId', 'lang'],
  ]
  const nulls = Object.fromEntries(optional.map((name) => [name, null]))
  const [ads] = await world.ads([good(nulls)])
  expect(ads).toHaveLength(2)
  const [others] = await world.ads([good({ excludedShopProductIds: [null, 'p1'], categoryPaths: [null] })])
  expect(others!.map((ad) => ad.shopProductId)).toEqual(['p2'])
  expect((await world.ask([good({ slotHash: null })])).statusCode).toBe(400)
})

it('lets later requests through between the slots of a large one', async () => {
  const slots = Array.from({ length: 20 }, () => good())
  // From then on the candidates are cached, and nothing waits for the index.
  await world.ask(slots)
  let elapsedMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (elapsedMs += 10))
  const answered: string[] = []
  const large = world.ask(slots).then(() => answered.push('large'))
  const small = world.ask([good()]).then(() => answered.push('small'))
  await Promise.all([large, small]).finally(() => clock.mockRestore())
  expect(answered).toEqual(['small', 'large'])
})

describe('while the copy of the registry lacks what a newer version wrote', () => {
  const unknown = () => good({ slotHash: '00000000-0000-4000-8000-000000000000' })

  it('answers what it knows, and of the rest that it is not known yet', async () => {
    world.snapshot.staleReason = 'The copy ends at offset 7'
    const entries = entriesOf(await world.ask([good(), unknown()]))
    expect(entries).toMatchObject([{ ads: [{}, {}] }, { ads: [], error: { code: 'UNAVAILABLE' } }])
  })

  it('answers 503 with Retry-After, and not that there is no such ad unit', async () => {
    world.snapshot.staleReason = 'The copy ends at offset 7'
    const response = await world.ask([unknown(), good({ adCount: 0 })])
    expect(response.statusCode).toBe(503)
    expect(response.headers['retry-after']).toBe('5')
    expect(response.json()).toMatchObject({ code: 'UNAVAILABLE' })
    world.snapshot.staleReason = null
    expect((await world.ask([unknown()])).json()).toMatchObject({ status: 400, code: 'UNKNOWN_SLOT' })
  })
})
