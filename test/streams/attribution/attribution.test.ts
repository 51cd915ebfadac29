import { describe, expect, it } from 'vitest'
import { EXPLAINED_TOUCHES_MAX } from '../../../infra/analytics/queries/explain/line.ts'
import { CIDS_PER_UID_MAX, UIDS_PER_CID_MAX } from '../../../services/domain/attribution/credit.ts'
import { HOUR, T0 } from './events.ts'
import { type Happening, happened } from './happenings.ts'
import { openWorlds } from './world.ts'

const world = openWorlds()

describe('attribution', () => {
  it('a purchase is credited to the click before it, whichever of them is stored first', async () => {
    const click = happened.touch({ eventId: 'e1', cid: 'a', at: T0, adId: 'p1' })
    const sale = happened.purchase({ eventId: 'o1', cid: 'a', at: T0 + HOUR, products: ['p1', 'p2'] })
    for (const order of [
      [click, sale],
      [sale, click],
    ]) {
      const { store, attribute, lines } = await world()
      for (const each of order) {
        await store([each])
        await attribute()
      }
      expect(await lines()).toMatchObject([
        { line: 0, shopProductId: 'p1', outcome: 'CREDITED', match: 'DIRECT', touchType: 'CLICK', touchEventId: 'e1' },
        { line: 1, shopProductId: 'p2', outcome: 'NO_MATCH', touchEventId: '' },
      ])
    }
  })

  it('attribution joins two devices when a page view shows that one user has both, even after the purchase', async () => {
    const { store, attribute, lines } = await world()
    await store([happened.touch({ eventId: 'e1', cid: 'phone', at: T0, adId: 'p1' })])
    await store([happened.purchase({ eventId: 'o1', cid: 'laptop', uid: 'u', at: T0 + 1, products: ['p1'] })])
    await attribute()
    expect(await lines()).toMatchObject([{ outcome: 'NO_TOUCH' }])
    await store([happened.pageView({ id: 'v', cid: 'phone', uid: 'u', at: T0 + 2 })])
    await attribute()
    expect(await lines()).toMatchObject([{ outcome: 'CREDITED', touchEventId: 'e1' }])
  })

  describe('links of a uid', () => {
    const phone = happened.touch({ eventId: 'e1', cid: 'phone', uid: 'u', at: T0, adId: 'p1' })
    const sale = happened.purchase({ eventId: 'o1', cid: 'laptop', uid: 'u', at: T0 + 1, products: ['p1'] })
    const strangers = (count: number, at: number) =>
      Array.from({ length: count }, (_, i) =>
        happened.pageView({ id: `v${at}-${i}`, cid: `stranger${at}-${i}`, uid: 'u', at }),
      )

    it('links of a uid stay when any number of strangers claim it, stored in any order', async () => {
      for (const order of [
        [[phone, sale], strangers(CIDS_PER_UID_MAX + 1, T0 + 2)],
        [strangers(CIDS_PER_UID_MAX + 1, T0 + 2), [phone], [sale]],
      ]) {
        const { store, attribute, lines } = await world()
        for (const each of order) {
          await store(each)
          await attribute()
        }
        expect(await lines()).toMatchObject([{ outcome: 'CREDITED', touchEventId: 'e1' }])
      }
    })

    it('a cid that comes after the places of a uid are taken stays a person apart', async () => {
      const { store, attribute, lines, explain } = await world()
      await store([...strangers(CIDS_PER_UID_MAX, T0 - 1), phone, sale])
      await attribute()
      expect(await lines()).toMatchObject([{ outcome: 'NO_TOUCH' }])
      expect(await explain('o1')).toEqual([])
    })

    it('links that the shop proved have places of their own', async () => {
      const { store, attribute, lines } = await world()
      await store([...strangers(CIDS_PER_UID_MAX, T0 - 1), phone, sale])
      await attribute()
      const proven = { uid: 'u', at: T0 + HOUR, proof: 'SIGNED' as const }
      await store([happened.pageView({ ...proven, id: 'v1', cid: 'phone' })])
      await attribute()
      expect(await lines()).toMatchObject([{ outcome: 'NO_TOUCH' }])
      await store([happened.pageView({ ...proven, id: 'v2', cid: 'laptop' })])
      await attribute()
      expect(await lines()).toMatchObject([{ outcome: 'CREDITED', touchEventId: 'e1' }])
    })
  })

  it('a cid that names one uid after another is not joined with all of their people', async () => {
    const { store, attribute, lines } = await world()
    const count = UIDS_PER_CID_MAX + 5
    const victims = Array.from({ length: count }, (_, i) => ({ cid: `c${i}`, uid: `u${i}` }))
    await store([
      happened.touch({ eventId: 'e1', cid: 'grabber', at: T0, adId: 'p1' }),
      ...victims.map(({ uid }, i) => happened.pageView({ id: uid, cid: 'grabber', uid, at: T0 + 1 + i })),
      ...victims.map((each, i) => happened.purchase({ ...each, eventId: `o${i}`, at: T0 + HOUR, products: ['p1'] })),
    ])
    await attribute()
    expect((await lines()).filter(({ outcome }) => outcome === 'CREDITED')).toHaveLength(UIDS_PER_CID_MAX)
  })

  it('credit follows a change of a window, an item group and an attribution list, in what-if reports and explanations, too', async () => {
    const { store, attribute, lines, whatIf, explain } = await world()
    await store([
      happened.touch({ eventId: 'e1', type: 'VIEW', cid: 'a', at: T0, adId: 'p1', itemGroupId: 'g' }),
      happened.purchase({ eventId: 'o1', cid: 'a', at: T0 + 30 * HOUR, products: ['p2'] }),
    ])
    const outcome = async (...more: Happening[]) => {
      await store(more)
      await attribute()
      const matches = (await lines()).flatMap(({ match }) => match || [])
      expect((await whatIf('LAST_TOUCH')).map(({ match }) => match)).toEqual(matches)
      expect((await explain('o1')).flatMap(({ match, result }) => (result === 'WON' ? match : []))).toEqual(matches)
      return (await lines()).map(({ outcome, match }) => `${outcome} ${match}`.trim())
    }
    expect(await outcome(happened.grouping('p9', 'g9'))).toEqual(['NO_TOUCH'])
    expect(await outcome(happened.shop({ version: 1, clickWindowHours: 1, viewWindowHours: 31 }))).toEqual(['NO_MATCH'])
    expect(await outcome(happened.campaign({ version: 1, at: T0, list: ['p2'] }))).toEqual(['CREDITED HALO'])
    expect(await outcome(happened.grouping('p2', 'g'))).toEqual(['CREDITED DIRECT'])
    expect(await outcome(happened.grouping('p2', 'h'))).toEqual(['CREDITED HALO'])
    expect(await outcome(happened.campaign({ version: 2, at: T0 + HOUR, list: [] }))).toEqual(['NO_MATCH'])
  })

  it('a view earns nothing where views are never credited, even if it was received together with the purchase', async () => {
    const { store, attribute, lines, whatIf } = await world()
    await store([
      happened.shop({ version: 1, clickWindowHours: 1, viewWindowHours: 0 }),
      happened.touch({ eventId: 'e1', type: 'VIEW', cid: 'a', at: T0, adId: 'p1' }),
      happened.purchase({ eventId: 'o1', cid: 'a', at: T0, products: ['p1'] }),
    ])
    await attribute()
    expect((await lines()).map(({ outcome }) => outcome)).toEqual(['NO_TOUCH'])
    expect(await whatIf('LINEAR', { viewWindowHours: 1 })).toMatchObject([{ touchEventId: 'e1' }])
  })

  it('credit follows an attribution list that is in force earlier, because the clock was set back', async () => {
    const { store, attribute, lines } = await world()
    await store([
      happened.campaign({ version: 1, at: T0, list: [] }),
      happened.campaign({ version: 2, at: T0 + 2 * HOUR, list: ['p2'] }),
      happened.touch({ eventId: 'k1', cid: 'c1', at: T0, adId: 'p1' }),
      happened.purchase({ eventId: 't1', cid: 'c1', at: T0 + HOUR, products: ['p2'] }),
    ])
    await attribute()
    expect((await lines())[0]).toMatchObject({ outcome: 'NO_MATCH' })
    await store([happened.campaign({ version: 3, at: T0 + HOUR, list: ['p2'] })])
    await attribute()
    expect((await lines())[0]).toMatchObject({ outcome: 'CREDITED', match: 'HALO' })
  })

  it('attribution says when the sink has stored nothing new', async () => {
    const { store, attribute } = await world()
    expect(await attribute()).toBeNull()
    await store([happened.purchase({ eventId: 'o1', cid: 'a', at: T0, products: ['p1'] })])
    expect(await attribute()).toBe(1)
    expect(await attribute()).toBeNull()
  })

  it('a what-if report shares the credit of a line by the model asked for', async () => {
    const { store, attribute, whatIf } = await world()
    const days = 24 * HOUR
    await store([
      happened.touch({ eventId: 'e1', cid: 'a', at: T0 - 7 * days, adId: 'p1' }),
      happened.touch({ eventId: 'e2', cid: 'a', at: T0 - 3 * days, adId: 'p1' }),
      happened.touch({ eventId: 'e2', cid: 'a', at: T0 - 3 * days, adId: 'p1' }),
      happened.touch({ eventId: 'e3', cid: 'a', at: T0 - 2 * days, adId: 'p1' }),
      happened.touch({ eventId: 'e4', cid: 'a', at: T0, type: 'VIEW', adId: 'p1' }),
      happened.touch({ eventId: 'e5', cid: 'a', at: T0, adId: 'p2' }),
      happened.purchase({ eventId: 'o1', cid: 'a', at: T0, products: ['p1'] }),
    ])
    await attribute()
    const weights = async (...args: Parameters<typeof whatIf>) =>
      Object.fromEntries(
        (await whatIf(...args)).map(({ touchEventId, weight }) => [touchEventId, Number(weight.toFixed(4))]),
      )
    expect(await weights('LAST_TOUCH')).toEqual({ e3: 1 })
    expect(await weights('FIRST_TOUCH')).toEqual({ e1: 1 })
    expect(await weights('LINEAR')).toEqual({ e1: 0.25, e2: 0.25, e3: 0.25, e4: 0.25 })
    expect(await weights('POSITION')).toEqual({ e1: 0.4, e2: 0.1, e3: 0.1, e4: 0.4 })
    const shares = [7, 3, 2, 0].map((age) => 2 ** (-age / 7))
    const sum = shares.reduce((a, b) => a + b)
    const [e1, e2, e3, e4] = shares.map((share) => Number((share / sum).toFixed(4)))
    expect(await weights('TIME_DECAY')).toEqual({ e1, e2, e3, e4 })
    expect(await weights('LINEAR', { clickWindowHours: 72, viewWindowHours: 1 })).toEqual({
      e2: 0.3333,
      e3: 0.3333,
      e4: 0.3333,
    })
    expect(await weights('LINEAR', { clickWindowHours: 72, viewWindowHours: 0 })).toEqual({ e2: 0.5, e3: 0.5 })
  })

  it('an explanation gives the result of each touch of the person', async () => {
    const { store, explain } = await world()
    const p1 = { cid: 'a', adId: 'p1' }
    await store([
      happened.campaign({ version: 1, at: T0, list: ['p1'] }),
      happened.touch({ ...p1, eventId: 'won', at: T0 + HOUR }),
      happened.touch({ ...p1, eventId: 'same time', at: T0 + HOUR }),
      happened.touch({ ...p1, eventId: 'earlier', at: T0 }),
      happened.touch({ ...p1, eventId: 'halo', at: T0 + 2 * HOUR, adId: 'p9' }),
      happened.touch({ ...p1, eventId: 'view', at: T0 + 2 * HOUR, type: 'VIEW' }),
      happened.touch({ ...p1, eventId: 'other', at: T0 + 2 * HOUR, adId: 'p9', campaignId: 'k2' }),
      happened.touch({ ...p1, eventId: 'bot', at: T0 + 2 * HOUR, verdict: 'BOT' }),
      happened.touch({ ...p1, eventId: 'old view', at: T0 - 24 * HOUR, type: 'VIEW' }),
      happened.touch({ ...p1, eventId: 'later', at: T0 + 4 * HOUR }),
      happened.touch({ ...p1, eventId: 'stranger', cid: 'b', at: T0 }),
      happened.purchase({ eventId: "o'1", cid: 'a', at: T0 + 3 * HOUR, products: ['p1'] }),
    ])
    const explained = await explain("o'1")
    expect(Object.fromEntries(explained.map(({ touchEventId, result }) => [touchEventId, result]))).toEqual({
      won: 'WON',
      'same time': 'GREATER_EVENT_ID_GOES_BEFORE',
      earlier: 'LATER_TOUCH_GOES_BEFORE',
      halo: 'DIRECT_GOES_BEFORE_HALO',
      view: 'CLICK_GOES_BEFORE_VIEW',
      other: 'OTHER_PRODUCT',
      bot: 'NOT_VALID',
      'old view': 'OUT_OF_WINDOW',
      later: 'AFTER_THE_TRANSACTION',
    })
    expect(explained[0]).toMatchObject({ line: 0, shopProductId: 'p1', match: 'DIRECT', inWindow: true, touchCid: 'a' })
  })

  it('an explanation of many lines and touches names the touch that won each line', async () => {
    const { store, explain } = await world()
    const ids = Array.from({ length: 80 }, (_, i) => `p${i}`)
    await store([
      ...ids.map((adId, i) => happened.touch({ eventId: adId, cid: 'a', at: T0 + i, adId })),
      happened.purchase({ eventId: 'o1', cid: 'a', at: T0 + HOUR, products: ids }),
    ])
    const explained = await explain('o1')
    expect(explained).toHaveLength(EXPLAINED_TOUCHES_MAX)
    const won = explained.filter(({ result }) => result === 'WON').sort((a, b) => a.line - b.line)
    expect(won.map(({ touchEventId }) => touchEventId)).toEqual(ids)
  })

  it('an explanation of more lines and touches than it can tell tells the strongest of each line', async () => {
    const { store, attribute, explain } = await world()
    const listed = ['p0', 'p1', 'p2', 'p3']
    const products = Array.from({ length: 150 }, (_, i) => `p${i % 40}`)
    const at = T0 + 60 * HOUR
    const touches = Array.from({ length: 120 }, (_, i) => ({
      ...{ eventId: `e${i}`, cid: i % 2 === 0 ? 'a' : 'b', type: i % 3 === 0 ? ('CLICK' as const) : ('VIEW' as const) },
      ...{ at: T0 + ((i * 37) % 64) * HOUR, adId: `p${(i * 7) % 60}`, campaignId: i % 4 === 0 ? 'campaign' : 'k2' },
      verdict: i % 11 === 0 ? ('BOT' as const) : ('VALID' as const),
      // Somebody else, whose touches are weaker than most others.
      ...(i % 4 === 3 && { cid: 'c', type: 'VIEW' as const, at: T0 - i }),
    }))
    await store([
      happened.campaign({ version: 1, at: T0, list: listed }),
      ...touches.map((each) => happened.touch(each)),
      ...['a', 'b'].map((cid) => happened.pageView({ id: cid, cid, uid: 'u', at: T0 })),
      happened.purchase({ eventId: 'o1', cid: 'a', at, products }),
      happened.purchase({ eventId: 'o1', cid: 'c', at, products: products.slice(0, 90), kind: 'CART' }),
    ])
    await attribute()
    const strongestOf = (product: string, isSeenBy: (cid: string) => boolean) =>
      touches
        .filter(({ cid }) => isSeenBy(cid))
        .map((touch) => {
          const isHalo = touch.campaignId === 'campaign' && listed.includes(product)
          const match = touch.adId === product ? 'DIRECT' : isHalo ? 'HALO' : ''
          const hours = touch.type === 'CLICK' ? 336 : 24
          const isInTime = touch.at <= at && at - touch.at <= hours * HOUR
          const mayWin = touch.verdict === 'VALID' && isInTime && match !== ''
          return { touch, match, rank: [+mayWin, +(touch.type === 'CLICK'), +(match === 'DIRECT'), touch.at] }
        })
        .sort((a, b) => {
          const differing = a.rank.findIndex((value, i) => value !== b.rank[i])
          return differing < 0 ? (a.touch.eventId < b.touch.eventId ? 1 : -1) : b.rank[differing]! - a.rank[differing]!
        })
    const cart = products.slice(0, 90).map((product) => strongestOf(product, (cid) => cid === 'c'))
    const purchase = products.map((product) => strongestOf(product, (cid) => cid !== 'c'))
    const expected = Array.from({ length: 30 }, (_, place) => [
      ...cart.map((strongest, line) => ['CART', line, strongest[place]!.touch.eventId, strongest[place]!.match]),
      ...purchase.map((strongest, line) => [
        'PURCHASE',
        line,
        strongest[place]!.touch.eventId,
        strongest[place]!.match,
      ]),
    ]).flat()
    const told = (await explain('o1')).map(({ kind, line, touchEventId, match }) => [kind, line, touchEventId, match])
    expect(told).toEqual(expected.slice(0, EXPLAINED_TOUCHES_MAX))
  })

  it('an explanation is of the sender whose version counts, however many strangers have sent others', async () => {
    const { store, attribute, explain } = await world()
    // Each is the longest that the intake takes, and the same person as all others.
    const strangers = Array.from({ length: 120 }, (_, i) => '🛒'.repeat(250) + i)
    await store([
      happened.touch({ eventId: 'click', cid: 'a', at: T0, adId: 'p1' }),
      happened.touch({ eventId: "a stranger's", cid: strangers[0]!, at: T0, adId: 'p1' }),
      happened.purchase({ eventId: 'o1', cid: 'a', at: T0 + HOUR, products: ['p1'] }),
      ...strangers.flatMap((cid, i) => [
        happened.pageView({ id: `view ${i}`, cid, uid: 'u', at: T0 }),
        happened.purchase({ eventId: 'o1', cid, at: T0 + HOUR, receivedAt: T0 + 2 * HOUR, products: ['p1'] }),
      ]),
    ])
    await attribute()
    expect((await explain('o1')).map(({ touchEventId, result }) => [touchEventId, result])).toEqual([['click', 'WON']])
  })
})
