import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDisplayWorld, type DisplayWorld, FORMAT_ID } from './display-world.ts'

let world: DisplayWorld
beforeEach(async () => {
  world = await createDisplayWorld()
})
afterEach(() => world.close())

const image = (imageId: string, width = 300, height = 250) => ({ imageId, width, height })
const urlOf = (imageId: string) => `https://ads.example/v1/images/${imageId}`

describe('an answer with display ads', () => {
  it('has the fields of the contract', async () => {
    const banner = world.banner({
      images: [image('wide'), image('small', 40, 20)],
      logoImageId: 'logo',
      textFields: [
        { type: 'TITLE', value: 'Żółte "lampy" </script>' },
        { type: 'BG_COLOR', value: '#fff' },
      ],
      lang: 'pl',
    })
    world.display({ banners: [banner], mobileDeepLink: 'brand://lamps' })
    const slotHash = world.slot()
    const asked = [{ slotHash, adCount: 1, country: 'de' }]
    const response = await world.askDisplay(asked, { headers: { cid: 'browser-1' } })
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    const [ad] = response.json().data[0].ads
    expect(response.json()).toEqual({
      data: [
        {
          slotHash,
          ads: [
            {
              bannerId: banner.id,
              bannerUrl: 'https://brand.example/lamps',
              mobileDeepLink: 'brand://lamps',
              showId: ad.showId,
              requestId: ad.requestId,
              slotHash,
              shopId: world.shopId,
              lang: 'pl',
              currency: 'EUR',
              autoPromo: false,
              bannerLogoUrl: urlOf('logo'),
              bannerImageUrl: urlOf('wide'),
              adFormatId: FORMAT_ID,
              bannerProducts: null,
              images: [
                { ...image('wide'), imageUrl: urlOf('wide') },
                { ...image('small', 40, 20), imageUrl: urlOf('small') },
              ],
              textFields: banner.textFields,
            },
          ],
        },
      ],
      meta: null,
      clientId: 'browser-1',
    })
  })

  it('says null of what a banner lacks, and leads apps to the target URL where there is no deep link', async () => {
    world.display()
    const [ad] = await world.adsOf()
    const nothing = { lang: null, bannerLogoUrl: null, bannerImageUrl: null, images: [], textFields: [] }
    expect(ad).toMatchObject({ ...nothing, mobileDeepLink: 'https://brand.example/lamps' })
  })

  it('has showIds that open to what was decided: the price is that of 1000 views', async () => {
    const campaignId = randomUUID()
    world.display({ cpmMicros: 3_000_000 })
    const bannerId = world.display({ cpmMicros: 2_500_001 }, campaignId)
    const slotHash = world.slot()
    const asked = [{ slotHash, adCount: 2, country: 'DE' }]
    const response = await world.askDisplay(asked, { headers: { cid: 'c', uid: 'u' } })
    const [first, second] = response.json().data[0].ads
    expect(first.requestId).toBe(second.requestId)
    expect(world.showIds.open(second.showId)).toEqual({
      kind: 'DISPLAY',
      requestId: second.requestId,
      shopId: world.shopId,
      slotHash,
      adUnitId: slotHash,
      campaignId,
      accountId: world.advertiserId,
      adId: bannerId,
      itemGroupId: null,
      cid: 'c',
      uid: 'u',
      algorithm: 'DISPLAY',
      position: 2,
      priceMicros: 2_500_001,
      currency: 'EUR',
      autoPromo: false,
      country: 'DE',
      emittedAt: world.now,
    })
  })

  it('assigns a client id when none is sent, and echoes the one that is', async () => {
    const ask = async (headers: Record<string, string>) =>
      (await world.askDisplay([{ slotHash: world.slot(), adCount: 1, country: 'DE' }], { headers })).json().clientId
    expect(await ask({})).toMatch(/^[0-9a-f-]{36}$/)
    expect(await ask({ cid: 'x "y"' })).toBe('x "y"')
  })

  it('is recorded as an emission, with what was not shown and why', async () => {
    const winner = world.display({ cpmMicros: 3_000_000 })
    const loser = world.display({ cpmMicros: 1_000_000 })
    const broke = world.display({ cpmMicros: 2_000_000, budgetMicros: 0 })
    const [ad] = await world.adsOf({ adCount: 1 })
    const [emission] = await world.world.emissions()
    expect(emission).toMatchObject({ requestId: ad!.requestId, kind: 'DISPLAY', country: 'DE', shopId: world.shopId })
    const [slot] = emission!.slots
    expect(slot).toMatchObject({ algorithm: 'DISPLAY', candidates: 3, shortfall: null })
    expect(slot!.ads).toMatchObject([{ adId: winner, position: 1, bidMicros: 3_000_000, priceMicros: 3_000_000 }])
    expect(slot!.dropped.map(({ adId, reason }) => [adId, reason])).toEqual([
      [broke, 'BUDGET'],
      [loser, 'OUTRANKED'],
    ])
    expect(world.selections).toMatchObject([{ kind: 'DISPLAY', shortfalls: [] }])
  })
})

describe('emission info', () => {
  it('of a display ad names who pays, and no seller', async () => {
    world.display()
    const [ad] = await world.adsOf()
    const answer = await world.displayEmissionInfo({ showId: ad!.showId })
    expect(answer.json()).toEqual({
      sellerName: '',
      advertiserName: 'Brand',
      companyName: 'Lamps and Company GmbH',
      taxNumber: 'DE123',
      sellerIds: ['s1', 's2'],
    })
  })

  it('refuses the showIds of the other kind, and what is none', async () => {
    world.display()
    world.offer([world.campaign()])
    const [display] = await world.adsOf()
    const [products] = await world.ads([{ slotHash: world.unit('BESTSELLERS'), adCount: 1 }])
    for (const answer of [
      await world.displayEmissionInfo({ showId: products![0]!.showId }),
      await world.emissionInfo({ showId: display!.showId }),
    ]) {
      expect(answer.statusCode).toBe(400)
      expect(answer.json()).toMatchObject({ code: 'WRONG_KIND', errors: [{ path: '/showId' }] })
    }
    expect((await world.displayEmissionInfo({ showId: 'none' })).json().code).toBe('INVALID_SHOW_ID')
  })
})
