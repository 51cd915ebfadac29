import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { shippingTo } from '../../../infra/product-index/offer.fixture.ts'
import { createWorld, type World } from '../world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

describe('a technical ad unit', () => {
  const technical = (changes: object) =>
    world.put('TechnicalSlot', {
      accountId: world.accountId,
      publisherSlotId: 'home',
      shopId: world.shopId,
      name: 'Home',
      status: 'ACTIVE',
      businessSlotId: world.unit('BESTSELLERS'),
      adFormatIds: [],
      country: null,
      street: null,
      city: null,
      postalCode: null,
      ...changes,
    })

  it('follows its business slot and is named in the ad', async () => {
    world.offer([world.campaign()])
    const slotHash = technical({})
    const ad = (await world.ads([{ slotHash, adCount: 1 }]))[0]![0]!
    expect(ad).toMatchObject({ slotHash, adUnitId: world.unit('BESTSELLERS') })
    expect(world.showIds.open(ad.showId)).toMatchObject({ slotHash, adUnitId: world.unit('BESTSELLERS') })
  })

  it('brings the country where the request has none', async () => {
    const campaign = world.campaign()
    world.offer([campaign], { id: 'de', shipping: [shippingTo('DE')] })
    world.offer([campaign], { id: 'pl', shipping: [shippingTo('PL')] })
    const slotHash = technical({ country: 'PL' })
    const ids = async (targeting: object) =>
      (await world.ads([{ slotHash, adCount: 4, ...targeting }]))[0]!.map((ad) => ad.shopProductId)
    expect(await ids({})).toEqual(['pl'])
    expect(await ids({ country: 'DE' })).toEqual(['de'])
  })

  it('stays empty while it or its business slot is inactive or gone', async () => {
    world.offer([world.campaign()])
    const businessSlotId = world.unit('BESTSELLERS', { status: 'INACTIVE' })
    const gone = world.unit('BESTSELLERS', { name: 'gone' })
    const slots = [
      technical({ status: 'INACTIVE' }),
      technical({ businessSlotId }),
      businessSlotId,
      technical({ businessSlotId: gone }),
    ]
    world.remove('AdUnit', gone)
    const answers = await world.ads(slots.map((slotHash) => ({ slotHash, adCount: 1 })))
    expect(answers).toEqual([[], [], [], []])
    expect((await world.emissions())[0]!.slots.map((slot) => slot.shortfall)).toEqual(Array(4).fill('INACTIVE'))
  })

  it('takes its business slot as businessSlotId, and no other', async () => {
    const slotHash = technical({})
    const businessSlotId = world.unit('BESTSELLERS')
    expect((await world.ask([{ slotHash, adCount: 1, businessSlotId }])).statusCode).toBe(200)
    expect((await world.ask([{ slotHash: businessSlotId, adCount: 1, businessSlotId }])).statusCode).toBe(200)
    const wrong = await world.ask([{ slotHash, adCount: 1, businessSlotId: randomUUID() }])
    expect(wrong.statusCode).toBe(400)
    expect(wrong.json().errors).toEqual([{ path: '/targeting/0/businessSlotId', message: expect.any(String) }])
  })
})
