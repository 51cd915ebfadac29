import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

describe('emissionInfo', () => {
  it('names the seller of the product and the advertiser who pays', async () => {
    world.offer([world.campaign()], { externalSellerName: 'Lamp Seller' })
    const ad = (await world.ads([{ slotHash: world.unit('BESTSELLERS'), adCount: 1 }]))[0]![0]!
    const response = await world.emissionInfo({ showId: ad.showId })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({
      sellerName: 'Lamp Seller',
      advertiserName: 'Lamps & Co',
      companyName: 'Lamps and Company GmbH',
      taxNumber: 'DE123',
      sellerIds: ['s1', 's2'],
    })
    world.remove('Account', world.accountId)
    world.products.length = 0
    const later = await world.emissionInfo({ showId: ad.showId })
    expect(later.json()).toMatchObject({ sellerName: '', advertiserName: 'Lamps & Co' })
  })

  it('refuses what is tampered with, of a display ad, or missing', async () => {
    world.offer([world.campaign()])
    const ad = (await world.ads([{ slotHash: world.unit('BESTSELLERS'), adCount: 1 }]))[0]![0]!
    const claims = world.showIds.open(ad.showId)!
    const cases: [string, unknown][] = [
      ['INVALID_SHOW_ID', `${ad.showId}x`],
      ['INVALID_SHOW_ID', 'nonsense'],
      ['INVALID_SHOW_ID', 'A'.repeat(5000)],
      ['WRONG_KIND', world.showIds.seal({ ...claims, kind: 'DISPLAY' })],
      ['INVALID', undefined],
      ['INVALID', 7],
      ['INVALID', ''],
    ]
    for (const [code, showId] of cases) {
      const response = await world.emissionInfo({ showId })
      expect(response.statusCode).toBe(400)
      const told = { code, detail: expect.stringMatching(/^\/showId: /), errors: [{ path: '/showId' }] }
      expect(response.json()).toMatchObject(told)
    }
  })
})
