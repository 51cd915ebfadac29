import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Campaign } from '../../../../schemas/records/entities.ts'
import { viewsKey } from '../../../../services/domain/money/counter-keys.ts'
import { DAY_MS, NOW } from '../world.ts'
import { ALL_KINDS, type Changes, createDisplayWorld, type DisplayWorld, FORMAT_ID } from './display-world.ts'

let world: DisplayWorld
beforeEach(async () => {
  world = await createDisplayWorld()
})
afterEach(() => world.close())

const judged = (state: 'ACCEPTED' | 'REJECTED' | 'IN_MODERATION'): Campaign['moderation'] => ({
  ...{ state, reason: null, decidedAt: null, decidedBy: null, submittedAt: null },
  history: [],
})

describe('a banner is shown', () => {
  it.each<[string, Changes]>([
    ['in moderation', { moderation: judged('IN_MODERATION') }],
    ['rejected', { moderation: judged('REJECTED') }],
    ['a draft', { status: 'DRAFT' }],
    ['paused', { status: 'PAUSED' }],
    ['not begun', { startAt: NOW + 1 }],
    ['over', { endAt: NOW }],
    ['spent', { budgetMicros: 0 }],
    ['of another country', { country: 'AT' }],
  ])('unless its campaign is %s', async (_state, changes) => {
    world.display(changes)
    expect(await world.shown()).toEqual([])
  })

  it('as soon as its campaign is accepted, and no more once it is paused or has ended', async () => {
    const id = randomUUID()
    world.display({ moderation: judged('IN_MODERATION') }, id)
    expect(await world.shown()).toEqual([])
    const accepted = world.display({}, id)
    expect(await world.shown()).toEqual([accepted])
    world.display({ status: 'PAUSED' }, id)
    expect(await world.shown()).toEqual([])
    const ending = world.display({ endAt: NOW + DAY_MS }, id)
    expect(await world.shown()).toEqual([ending])
    world.world.now = NOW + DAY_MS
    expect(await world.shown()).toEqual([])
  })

  it('again once a clock that was ahead is set back to before its end', async () => {
    const banner = world.display({ endAt: NOW + DAY_MS })
    expect(await world.shown()).toEqual([banner])
    world.world.now = NOW + 2 * DAY_MS
    expect(await world.shown()).toEqual([])
    world.world.now = NOW
    await world.refreshed()
    expect(await world.shown()).toEqual([banner])
  })

  it('unless either account is switched off for display, or deleted', async () => {
    const banner = world.display()
    const { publisher, advertiserId, accountId } = world
    for (const id of [advertiserId, accountId]) {
      world.put('Account', { ...publisher, displayEnabled: false }, id)
      expect(await world.shown()).toEqual([])
      world.put('Account', publisher, id)
      expect(await world.shown()).toEqual([banner])
    }
    world.remove('Account', advertiserId)
    expect(await world.shown()).toEqual([])
  })

  it("in the formats of the ad unit, narrowed by the technical ad unit's and the request's", async () => {
    const [f1, f2, f3] = [randomUUID(), randomUUID(), randomUUID()]
    const banners = [f1, f2, f3].map((adFormatId) => world.banner({ adFormatId }))
    world.display({ banners })
    const idOf = (id: string) => banners.find(({ adFormatId }) => adFormatId === id)!.id
    const slotHash = world.slot('DISPLAY', { adFormatIds: [f1, f2] })
    const technical = world.put('TechnicalSlot', {
      ...{ accountId: world.accountId, publisherSlotId: 'top', shopId: world.shopId, name: 'Top', status: 'ACTIVE' },
      ...{ businessSlotId: slotHash, adFormatIds: [f2, f3] },
      ...{ country: 'DE', street: null, city: null, postalCode: null },
    })
    expect((await world.shown({ slotHash: world.slot() })).length).toBe(3)
    expect((await world.shown({ slotHash })).toSorted()).toEqual([idOf(f1), idOf(f2)].toSorted())
    expect(await world.shown({ slotHash, adFormatIds: [f2.toUpperCase(), f3] })).toEqual([idOf(f2)])
    expect(await world.shown({ slotHash, adFormatIds: [f3] })).toEqual([])
    // The country is that of the technical ad unit.
    expect(await world.shown({ slotHash: technical, country: undefined })).toEqual([idOf(f2)])
    expect(await world.shown({ slotHash: technical, country: 'AT' })).toEqual([])
  })

  it('in an inactive slot never', async () => {
    world.display()
    const slotHash = world.slot('DISPLAY', { status: 'INACTIVE' })
    expect(await world.shown({ slotHash })).toEqual([])
    expect((await world.world.emissions())[0]!.slots[0]!.shortfall).toBe('INACTIVE')
  })

  it('as often a day as its campaign allows, and each banner of it by itself', async () => {
    const id = randomUUID()
    const banners = [world.banner(), world.banner()]
    world.display({ capping: 2, banners }, id)
    const seen = viewsKey(
      world.counters.shardOf(id),
      'uid',
      { campaignId: id, adId: banners[0]!.id },
      '2026-05-01',
      'ann',
    )
    world.counters.set(seen, 2)
    expect(await world.shown({}, { headers: { cid: 'x', uid: 'ann' } })).toEqual([banners[1]!.id])
    expect(await world.shown({}, { headers: { cid: 'y', uid: 'bob' } })).toHaveLength(2)
  })

  it('at most once in a request, and other banners of its campaign beside it', async () => {
    const banners = [world.banner(), world.banner(), world.banner()]
    world.display({ banners })
    const slot = { slotHash: world.slot(), adCount: 2, country: 'DE' }
    const answer = await world.askDisplay([slot, slot])
    const shown: string[][] = answer
      .json()
      .data.map(({ ads }: never) => (ads as { bannerId: string }[]).map((ad) => ad.bannerId))
    expect(shown.map((ids) => ids.length)).toEqual([2, 1])
    expect(shown.flat().toSorted()).toEqual(banners.map(({ id }) => id).toSorted())
  })

  it('not at all when there are fewer than minAdCount', async () => {
    world.display()
    expect(await world.shown({ minAdCount: 2 })).toEqual([])
    world.display()
    expect(await world.shown({ minAdCount: 2 })).toHaveLength(2)
  })

  it('only when the currency of the page is that of the shop, where the algorithm takes one', async () => {
    world.display()
    expect(await world.shown({ currency: 'eur' })).toHaveLength(1)
    expect(await world.shown({ currency: 'PLN' })).toEqual([])
    const slotHash = world.slot('DISPLAY_PHRASE_OR_CATEGORY')
    expect(await world.shown({ slotHash, currency: 'PLN' })).toHaveLength(1)
  })
})

describe('targeting', () => {
  it('counts only what was chosen on the ad unit: a campaign that needs more is not shown', async () => {
    const targeted = world.display({ targeting: { brands: ['Solvik'] } })
    expect(await world.shown({ brand: 'solvik' })).toEqual([targeted])
    const slotHash = world.slot('DISPLAY', { targeting: ALL_KINDS.filter((kind) => kind !== 'brand') })
    expect(await world.shown({ slotHash, brand: 'solvik' })).toEqual([])
  })

  it('by phrase needs all its words in the search or in the title, never some in each', async () => {
    const banner = world.display({ targeting: { phrases: ['desk lamps', 'chair'] } })
    expect(await world.shown({ searchData: 'Lamp for a DESK' })).toEqual([banner])
    expect(await world.shown({ productTitle: 'Lámp, desk, 16 GB' })).toEqual([banner])
    expect(await world.shown({ searchData: 'desk', productTitle: 'lamp' })).toEqual([])
    const slotHash = world.slot('DISPLAY_PHRASE_OR_CATEGORY')
    expect(await world.shown({ slotHash, productTitle: 'desk lamp' })).toEqual([])
    expect(await world.shown({ slotHash, searchData: 'desk lamp' })).toEqual([banner])
  })

  it('by a phrase without words fits nothing', async () => {
    world.display({ targeting: { phrases: ['!?'] } })
    expect(await world.shown({ searchData: 'lamp !?' })).toEqual([])
  })

  it('changes with the language of the shop', async () => {
    const banner = world.display({ targeting: { phrases: ['lamps'] } })
    expect(await world.shown({ searchData: 'lamp' })).toEqual([banner])
    world.put('Shop', { ...world.shop, lang: 'pl' }, world.shopId)
    expect(await world.shown({ searchData: 'lamp' })).toEqual([])
    expect(await world.shown({ searchData: 'lamps' })).toEqual([banner])
  })
})

describe('the auction', () => {
  it('goes by cpm, and those who bid the same share the places', async () => {
    const dear = world.display({ cpmMicros: 3_000_000 })
    const equals = [world.display(), world.display(), world.display()]
    const wins = new Map<string, number>()
    for (let request = 0; request < 300; request++) {
      const [first, second] = await world.shown({ adCount: 2 })
      expect(first).toBe(dear)
      wins.set(second!, (wins.get(second!) ?? 0) + 1)
    }
    for (const id of equals) expect(wins.get(id)).toBeGreaterThan(60)
  })

  it('finds the best of many, whatever they aim at and in whichever order they came', async () => {
    const aims = [{}, { brands: ['Solvik'] }, { profiles: ['a', 'b'] }, { phrases: ['lamp', 'desk'] }]
    const bids = Array.from({ length: 200 }, (_, i) => 1_000_000 + ((i * 73) % 200))
    const ids = bids.map((cpmMicros, i) => world.display({ cpmMicros, targeting: aims[i % aims.length]! }))
    const page = { brand: 'solvik', profiles: ['a', 'b'], searchData: 'desk lamp' }
    const best = ids.toSorted((a, b) => bids[ids.indexOf(b)]! - bids[ids.indexOf(a)]!)
    expect(await world.shown({ ...page, adCount: 5 })).toEqual(best.slice(0, 5))
  })

  it('leaves to self-promotion what paid banners leave, free and marked', async () => {
    const own = world.display({ accountId: world.accountId, autoPromo: true, cpmMicros: 0, budgetMicros: 0 })
    const paid = world.display({ cpmMicros: 1 })
    expect(await world.shown({ adCount: 1 })).toEqual([paid])
    const ads = await world.adsOf()
    expect(ads.map(({ bannerId, autoPromo }) => [bannerId, autoPromo])).toEqual([
      [paid, false],
      [own, true],
    ])
    expect(world.showIds.open(ads[1]!.showId)).toMatchObject({ priceMicros: 0, autoPromo: true })
    expect(await world.shown({ adType: 'SPONSORED' })).toEqual([paid])
    expect(await world.shown({ adType: 'AUTOPROMO' })).toEqual([own])
  })

  it('goes on to lower bids when caps leave the best out', async () => {
    const ids = Array.from({ length: 60 }, () => randomUUID())
    for (const id of ids) {
      const adId = world.display({ capping: 1, cpmMicros: 2_000_000 }, id)
      world.counters.set(viewsKey(world.counters.shardOf(id), 'cid', { campaignId: id, adId }, '2026-05-01', 'ann'), 1)
    }
    const low = world.display({ cpmMicros: 1_000_000 })
    expect(await world.shown({ adCount: 1 }, { headers: { cid: 'ann' } })).toEqual([low])
  })
})

describe('a bad display ad request is a 400 that names the field', () => {
  const ask = (changes: object) => world.askDisplay([{ slotHash: world.slot(), adCount: 1, country: 'DE', ...changes }])
  const pathsOf = (answer: { json(): { errors: { path: string }[] } }) => answer.json().errors.map(({ path }) => path)

  it.each<[string, object]>([
    ['country', { country: undefined }],
    ['country', { country: 'DEU' }],
    ['slotHash', { slotHash: 'none' }],
    ['adCount', { adCount: 0 }],
    ['minAdCount', { minAdCount: 0 }],
    ['searchData', { searchData: 7 }],
    ['profiles/0', { profiles: [5] }],
    ['adFormatIds', { adFormatIds: FORMAT_ID }],
    ['productId', { productId: 'x'.repeat(751) }],
    ['adType', { adType: 'PAID' }],
  ])('%s of %j', async (field, changes) => {
    const answer = await ask(changes)
    expect(answer.statusCode).toBe(400)
    expect(pathsOf(answer)).toEqual([`/targeting/0/${field}`])
  })

  it('a slot that is unknown or of the other kind, at both endpoints', async () => {
    expect((await ask({ slotHash: randomUUID() })).json()).toMatchObject({ code: 'UNKNOWN_SLOT' })
    const wrong = { code: 'WRONG_KIND', errors: [{ path: '/targeting/0/slotHash' }] }
    expect((await ask({ slotHash: world.unit('BESTSELLERS') })).json()).toMatchObject(wrong)
    expect((await world.ask([{ slotHash: world.slot(), adCount: 1 }])).json()).toMatchObject(wrong)
  })

  it('a cid that is too long', async () => {
    const asked = [{ slotHash: world.slot(), adCount: 1, country: 'DE' }]
    const answer = await world.askDisplay(asked, { headers: { cid: 'x'.repeat(257) } })
    expect(pathsOf(answer)).toEqual(['header/cid'])
  })
})
