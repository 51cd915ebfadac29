import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWorld, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

const bestsellers = (changes: object = {}) => ({ slotHash: world.unit('BESTSELLERS'), adCount: 2, ...changes })
const names = (slots: { shopProductId: string }[][]) => slots.map((ads) => ads.map((ad) => ad.shopProductId))

describe('the auction of a slot', () => {
  it('is won by relevance x click rate x bid, and paid at the second price', async () => {
    world.offer([world.campaign({ cpcMicros: 400_000 })], { id: 'plain' })
    world.offer([world.campaign({ cpcMicros: 300_000 })], { id: 'clicked' }, { views: 10_000, clicks: 100 })
    world.offer([world.campaign({ cpcMicros: 100_000 })], { id: 'cheap' })
    expect(await world.ids('EXACT_PRODUCT_ID', { productIds: ['plain', 'clicked', 'cheap'] })).toEqual([
      'clicked',
      'plain',
      'cheap',
    ])
    const [emission] = await world.emissions()
    const rate = (100 + 2) / (10_000 + 500)
    expect(emission!.slots[0]!.ads).toMatchObject([
      { adId: 'clicked', predictedClickRate: rate, priceMicros: Math.ceil((0.004 * 400_000) / rate), position: 1 },
      { adId: 'plain', predictedClickRate: 0.004, priceMicros: 100_000, position: 2 },
      { adId: 'cheap', priceMicros: 10_000, position: 3 },
    ])
  })

  it('takes what nobody has seen to be clicked as often as the shop’s other ads', async () => {
    await world.close()
    world = await createWorld({ clickRate: 0.04 })
    world.offer([world.campaign({ cpcMicros: 300_000 })], { id: 'seen' }, { views: 10_000, clicks: 400 })
    world.offer([world.campaign({ cpcMicros: 310_000 })], { id: 'new' })
    expect(await world.ids('EXACT_PRODUCT_ID', { productIds: ['seen', 'new'] })).toEqual(['new', 'seen'])
    const [emission] = await world.emissions()
    expect(emission!.slots[0]!.ads.map((ad) => ad.predictedClickRate)).toEqual([0.04, 0.04])
  })

  it('costs what its competitor bids however many products of the winner fit better', async () => {
    const [large, small] = [world.campaign({ cpcMicros: 500_000 }), world.campaign({ cpcMicros: 300_000 })]
    for (let i = 0; i < 100; i++) world.offer([large], {}, { popularity: 10 })
    world.offer([small], { id: 'rival' }, { popularity: 4 })
    const bought = bestsellers({ searchData: 'product', adType: 'SPONSORED' })
    const prices = async () => (await world.emissions()).at(-1)!.slots[0]!.ads.map(({ priceMicros }) => priceMicros)
    await world.ads([bought])
    expect(await prices()).toEqual([120_000, 120_000])
    // The rival has many variants, one of which is already shown.
    for (let i = 0; i < 100; i++) world.offer([small], { itemGroupId: 'g' }, { popularity: 4 })
    Object.assign(world.products.find(({ offer }) => offer.id === 'rival')!.offer, { itemGroupId: 'g' })
    world.offer([world.campaign({ cpcMicros: 200_000 })], {}, { popularity: 2 })
    world.now += 2_000
    const exact = { slotHash: world.unit('EXACT_PRODUCT_ID'), adCount: 1, productIds: ['rival'] }
    await world.ads([exact, bought])
    const [, after] = (await world.emissions()).at(-1)!.slots
    expect(after!.ads.map(({ priceMicros }) => priceMicros)).toEqual([40_000, 40_000])
  })

  it('shows one product of several campaigns once, for the best of them', async () => {
    const [low, high] = [world.campaign({ cpcMicros: 200_000 }), world.campaign({ cpcMicros: 300_000 })]
    world.offer([low, high])
    const ad = (await world.ads([bestsellers()]))[0]![0]!
    expect(world.showIds.open(ad.showId)).toMatchObject({ campaignId: high, priceMicros: 200_000 })
    expect((await world.emissions())[0]!.slots[0]!.dropped).toMatchObject([{ campaignId: low, reason: 'DUPLICATE' }])
  })

  it('shares the first place between equals', async () => {
    for (let i = 0; i < 4; i++) world.offer([world.campaign()])
    const first = new Map<string, number>()
    for (let i = 0; i < 400; i++) {
      const [id] = await world.ids('BESTSELLERS', { adCount: 1 })
      first.set(id!, (first.get(id!) ?? 0) + 1)
    }
    expect([...first.values()].every((count) => count > 50)).toBe(true)
    expect(first.size).toBe(4)
  })
})

describe('slots of one request', () => {
  it('never show a product twice, by item group, product id, gtin or id', async () => {
    const campaign = world.campaign()
    world.offer([campaign], { id: 'red', itemGroupId: 'lamp' }, { popularity: 9 })
    world.offer([campaign], { id: 'blue', itemGroupId: 'lamp' }, { popularity: 8 })
    world.offer([campaign], { id: 'shop-a', productId: 'chair' }, { popularity: 7 })
    world.offer([campaign], { id: 'shop-b', productId: 'chair' }, { popularity: 6 })
    world.offer([campaign], { id: 'ean-a', gtin: '4006381333931' }, { popularity: 5 })
    world.offer([campaign], { id: 'ean-b', gtin: '4006381333931' }, { popularity: 4 })
    const slots = await world.ads([bestsellers(), bestsellers(), bestsellers()])
    expect(names(slots)).toEqual([['red', 'shop-a'], ['ean-a'], []])
  })

  it('are filled in the order given', async () => {
    const campaign = world.campaign()
    for (let i = 1; i <= 5; i++) world.offer([campaign], {}, { popularity: 10 - i })
    expect(names(await world.ads([bestsellers(), bestsellers({ adCount: 1 }), bestsellers()]))).toEqual([
      ['p1', 'p2'],
      ['p3'],
      ['p4', 'p5'],
    ])
  })

  it('find what is left however many variants stand before it', async () => {
    const campaign = world.campaign()
    for (let i = 0; i < 300; i++) world.offer([campaign], { itemGroupId: 'one' }, { popularity: 10 })
    world.offer([campaign], { id: 'last' }, { popularity: 1 })
    const [ads] = await world.ads([bestsellers()])
    expect(ads!.map((ad) => ad.shopProductId)).toContain('last')
  })

  it('are empty below minAdCount, and then take nothing from the next slot', async () => {
    const campaign = world.campaign()
    world.offer([campaign])
    expect(names(await world.ads([bestsellers({ minAdCount: 2 }), bestsellers({ minAdCount: 1 })]))).toEqual([
      [],
      ['p1'],
    ])
    const [emission] = await world.emissions()
    expect(emission!.slots[0]).toMatchObject({
      shortfall: 'MIN_AD_COUNT',
      ads: [],
      dropped: [{ reason: 'MIN_AD_COUNT' }],
    })
    expect(names(await world.ads([bestsellers({ adCount: 2, minAdCount: 50 })]))).toEqual([[]])
  })
})

describe('adType', () => {
  beforeEach(() => {
    world.offer([world.campaign()], { id: 'paid' })
    world.offer([world.campaign({ autoPromo: true, cpcMicros: 0, budgetMicros: 0 })], { id: 'own' }, { popularity: 99 })
  })

  it('ALL, and none, show paid ads first and fill with self-promotion, which is free', async () => {
    const [ads] = await world.ads([bestsellers({ adType: 'ALL' })])
    expect(ads!.map(({ shopProductId, autoPromo }) => [shopProductId, autoPromo])).toEqual([
      ['paid', false],
      ['own', true],
    ])
    expect(world.showIds.open(ads![1]!.showId)).toMatchObject({ priceMicros: 0, autoPromo: true, position: 2 })
    expect(names(await world.ads([bestsellers()]))).toEqual([['paid', 'own']])
    expect(names(await world.ads([bestsellers({ adCount: 1 })]))).toEqual([['paid']])
  })

  it('SPONSORED and AUTOPROMO show one kind only', async () => {
    expect(names(await world.ads([bestsellers({ adType: 'SPONSORED' })]))).toEqual([['paid']])
    expect(names(await world.ads([bestsellers({ adType: 'AUTOPROMO' })]))).toEqual([['own']])
  })

  it('does not show a product once paid and once for free', async () => {
    world.products.forEach(({ offer }) => {
      offer.itemGroupId = 'same'
    })
    expect(names(await world.ads([bestsellers()]))).toEqual([['paid']])
  })
})
