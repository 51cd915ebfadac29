import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import type { TransactionTrust } from '../../../schemas/records/entities.ts'
import { CIDS_PER_UID_MAX, UIDS_PER_CID_MAX } from '../../../services/domain/attribution/credit.ts'
import { tries } from '../../effort.ts'
import { campaign, emission, type Happening, HOUR, pageView, purchase, returned, shop, T0, touch } from './events.ts'
import { attributedByHand } from './oracle.ts'
import { openWorld } from './world.ts'

let folder: string
let analytics: Analytics
/** More of them were run when the rule was written; each takes about a second. */
const RUNS = tries(4, 40)
let epoch = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attribution-'))
  analytics = await openEmbeddedAnalytics({ folder })
})
afterAll(async () => {
  await analytics.close()
  await rm(folder, { recursive: true })
})
const world = () => openWorld(analytics, epoch++)

const happened = {
  touch: (...args: Parameters<typeof touch>): Happening => ({ topic: 'judged-events', value: touch(...args) }),
  purchase: (...args: Parameters<typeof purchase>): Happening => ({ topic: 'transactions', value: purchase(...args) }),
  returned: (...args: Parameters<typeof returned>): Happening => ({
    topic: 'transaction-returns',
    value: returned(...args),
  }),
  pageView: (...args: Parameters<typeof pageView>): Happening => ({ topic: 'page-views', value: pageView(...args) }),
  emission: (...args: Parameters<typeof emission>): Happening => ({ topic: 'emissions', value: emission(...args) }),
  campaign: (...args: Parameters<typeof campaign>): Happening => ({ topic: 'registry', value: campaign(...args) }),
  shop: (...args: Parameters<typeof shop>): Happening => ({ topic: 'registry', value: shop(...args) }),
  grouping: (id: string, itemGroupId: string): Happening => ({
    topic: 'item-groups',
    value: { shopId: 'shop', feedId: 'feed', id, itemGroupId },
  }),
}

describe('attribution', () => {
  it('credits a purchase to the click before it, whichever of them is stored first', async () => {
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

  it('joins two devices when a page view shows that one user has both, even after the purchase', async () => {
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

    it('stay when strangers claim it too, however many and in whatever order they are stored', async () => {
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

    it('end with the places of the uid: who came later is a person apart', async () => {
      const { store, attribute, lines } = await world()
      await store([...strangers(CIDS_PER_UID_MAX, T0 - 1), phone, sale])
      await attribute()
      expect(await lines()).toMatchObject([{ outcome: 'NO_TOUCH' }])
    })

    it('have places of their own when the shop proved them', async () => {
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

  it('does not join a cid that names one uid after another with all of their people', async () => {
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

  describe('versions of one event id', () => {
    const click = happened.touch({ eventId: 'e1', cid: 'a', at: T0, adId: 'p1' })
    const real = { eventId: 'o1', cid: 'a', at: T0 + 2 * HOUR, products: ['p1', 'p2'] }
    /** Sent a minute later, said to be earlier. */
    const forged = { eventId: 'o1', cid: 'mallory', at: T0 + HOUR, receivedAt: T0 + 3 * HOUR, products: ['p9'] }

    async function linesAfter(...steps: Happening[][]) {
      const { store, attribute, lines } = await world()
      for (const each of steps) {
        await store(each)
        await attribute()
      }
      return lines()
    }
    const both = (a: Happening, b: Happening) => [
      [[click], [a], [b]],
      [[click], [b], [a]],
    ]

    it('count as the one that the intake received first', async () => {
      for (const steps of both(happened.purchase(real), happened.purchase(forged))) {
        expect(await linesAfter(...steps)).toMatchObject([
          { cid: 'a', shopProductId: 'p1', outcome: 'CREDITED' },
          { cid: 'a', shopProductId: 'p2' },
        ])
      }
    })

    it.each(['SIGNED', 'TOKEN'] as const)('count as the one that is %s, whenever it comes', async (proof) => {
      const early = { ...forged, receivedAt: T0 + 1 }
      for (const steps of both(happened.purchase({ ...real, proof }), happened.purchase(early))) {
        expect(await linesAfter(...steps)).toMatchObject([
          { cid: 'a', shopProductId: 'p1', outcome: 'CREDITED', proof },
          { cid: 'a', shopProductId: 'p2', proof },
        ])
      }
    })

    it('are taken before credit was: an import never displaces what was sent live', async () => {
      const imported = happened.purchase({ ...real, products: ['p2'], receivedAt: T0, imported: true, proof: 'TOKEN' })
      for (const steps of both(imported, happened.purchase(real))) {
        expect(await linesAfter(...steps)).toMatchObject([{ shopProductId: 'p1', outcome: 'CREDITED' }, {}])
      }
    })
  })

  it('keeps anonymous purchases without credit where the shop wants proof, from then on', async () => {
    const { store, attribute, lines, whatIf, explain } = await world()
    const shopOf = (version: number, at: number, transactionTrust: 'OPEN' | 'SIGNED_ONLY') =>
      happened.shop({ version, at, transactionTrust, clickWindowHours: 336, viewWindowHours: 24 })
    const sale = (eventId: string, hours: number, more: object = {}) =>
      happened.purchase({ eventId, cid: 'a', at: T0 + hours * HOUR, products: ['p1'], ...more })
    await store([
      shopOf(1, T0, 'OPEN'),
      happened.touch({ eventId: 'e1', cid: 'a', at: T0, adId: 'p1' }),
      sale('before', 1),
      sale('after', 3),
      sale('cart', 3, { kind: 'CART' }),
      sale('signed', 3, { proof: 'SIGNED' }),
    ])
    await attribute()
    const outcomes = async () => Object.fromEntries((await lines()).map((line) => [line.eventId, line.outcome]))
    expect(new Set(Object.values(await outcomes()))).toEqual(new Set(['CREDITED']))
    await store([shopOf(2, T0 + 2 * HOUR, 'SIGNED_ONLY')])
    await attribute()
    expect(await outcomes()).toEqual({ before: 'CREDITED', after: 'UNPROVEN', cart: 'CREDITED', signed: 'CREDITED' })
    expect((await whatIf('LINEAR')).map(({ eventId }) => eventId).sort()).toEqual(['before', 'cart', 'signed'])
    expect(await explain('after')).toEqual([])
    await store([sale('after', 3, { proof: 'TOKEN', receivedAt: T0 + 99 * HOUR })])
    await attribute()
    expect(await outcomes()).toMatchObject({ after: 'CREDITED' })
  })

  describe('returns', () => {
    const sale = happened.purchase({ eventId: 'o1', cid: 'a', at: T0, products: [['p1', 3], 'p2', ['p1', 2]] })
    const back = (returnId: string, ...lines: [string, number][]) =>
      happened.returned({ returnId, eventId: 'o1', at: T0 + HOUR, lines })
    async function returnedOf(...steps: Happening[]) {
      const { store, attribute, lines } = await world()
      for (const each of steps) {
        await store([each])
        await attribute()
      }
      return (await lines()).map(({ returnedQuantity, returnedMicros }) => [returnedQuantity, returnedMicros])
    }

    it('take units of a product from its lines in order, pro rata to the micro, whether they come before or after', async () => {
      const expected = [
        [3, 10_000_000],
        [0, 0],
        [1, 5_000_000],
      ]
      const returns = [back('r1', ['p1', 1]), back('r2', ['p1', 3])]
      expect(await returnedOf(sale, ...returns)).toEqual(expected)
      expect(await returnedOf(...returns, sale)).toEqual(expected)
      expect(await returnedOf(sale, back('r1', ['p1', 1]))).toEqual([
        [1, 3_333_333],
        [0, 0],
        [0, 0],
      ])
    })

    it('count once by their id, as they were first received', async () => {
      const again = { ...back('r1', ['p1', 1]) }
      const other = happened.returned({ returnId: 'r1', eventId: 'o1', at: T0 + 2 * HOUR })
      for (const steps of [
        [sale, other, again, again],
        [sale, again, other],
      ]) {
        expect(await returnedOf(...steps)).toEqual([
          [1, 3_333_333],
          [0, 0],
          [0, 0],
        ])
      }
    })

    it('never take back more than was bought, nor what was not', async () => {
      expect(await returnedOf(sale, back('r1', ['p1', 99], ['p9', 1]))).toEqual([
        [3, 10_000_000],
        [0, 0],
        [2, 10_000_000],
      ])
      expect(await returnedOf(sale, back('all'), back('r2', ['p2', 5]))).toEqual([
        [3, 10_000_000],
        [1, 10_000_000],
        [2, 10_000_000],
      ])
    })

    it('are of purchases only, and of this shop’s', async () => {
      const cart = happened.purchase({ eventId: 'o1', kind: 'CART', cid: 'a', at: T0, products: ['p1'] })
      const elsewhere = happened.purchase({ eventId: 'o1', shopId: 'other', cid: 'a', at: T0, products: ['p1'] })
      expect(await returnedOf(cart, elsewhere, back('all'))).toEqual([
        [0, 0],
        [0, 0],
      ])
    })
  })

  it('takes lines away again that another content of the same transaction does not have', async () => {
    const { store, attribute, lines } = await world()
    await store([happened.purchase({ eventId: 'o1', cid: 'a', at: T0 + 5, products: ['p1', 'p2'] })])
    await attribute()
    expect(await lines()).toHaveLength(2)
    await store([happened.purchase({ eventId: 'o1', cid: 'a', at: T0, products: ['p3'] })])
    await attribute()
    expect(await lines()).toMatchObject([{ line: 0, shopProductId: 'p3' }])
  })

  it('follows a change of a window, an item group and an attribution list', async () => {
    const { store, attribute, lines } = await world()
    await store([
      happened.touch({ eventId: 'e1', type: 'VIEW', cid: 'a', at: T0, adId: 'p1', itemGroupId: 'g' }),
      happened.purchase({ eventId: 'o1', cid: 'a', at: T0 + 30 * HOUR, products: ['p2'] }),
    ])
    const outcome = async (...more: Happening[]) => {
      await store(more)
      await attribute()
      return (await lines()).map(({ outcome, match }) => `${outcome} ${match}`.trim())
    }
    expect(await outcome(happened.grouping('p9', 'g9'))).toEqual(['NO_TOUCH'])
    expect(await outcome(happened.shop({ version: 1, clickWindowHours: 1, viewWindowHours: 31 }))).toEqual(['NO_MATCH'])
    expect(await outcome(happened.campaign({ version: 1, at: T0, list: ['p2'] }))).toEqual(['CREDITED HALO'])
    expect(await outcome(happened.grouping('p2', 'g'))).toEqual(['CREDITED DIRECT'])
    expect(await outcome(happened.grouping('p2', 'h'))).toEqual(['CREDITED HALO'])
    expect(await outcome(happened.campaign({ version: 2, at: T0 + HOUR, list: [] }))).toEqual(['NO_MATCH'])
  })

  it('says when there is nothing new', async () => {
    const { store, attribute } = await world()
    expect(await attribute()).toBeNull()
    await store([happened.purchase({ eventId: 'o1', cid: 'a', at: T0, products: ['p1'] })])
    expect(await attribute()).toBe(1)
    expect(await attribute()).toBeNull()
  })

  it('shares a line among its touches by the model asked for', async () => {
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
    expect(await weights('LINEAR', { clickWindowHours: 72, viewWindowHours: 0 })).toEqual({
      e2: 0.3333,
      e3: 0.3333,
      e4: 0.3333,
    })
  })

  it('explains each touch of the person', async () => {
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

  it('ends in the table that loops over all events give, for any people, order, repetition, batches, crashes and leaders', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.integer(), async (history, seed) => {
        const happenings = shuffled(history, seed)
        const { store, attribute, committed, rewind, lines, whatIf } = await world()
        await store(crowd)
        const random = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { numRuns: 200, seed })
        for (let from = 0, turn = 0; from < happenings.length; turn++) {
          const size = 1 + Math.floor(random[turn % 200]! * 30)
          await store(happenings.slice(from, from + size))
          from += size
          if (random[(turn * 3) % 200]! < 0.2) continue
          const before = await committed()
          // A leader that was frozen may wake up beside the next one.
          await Promise.all(random[(turn * 11) % 200]! < 0.2 ? [attribute(), attribute()] : [attribute()])
          if (random[(turn * 7) % 200]! < 0.3) await rewind(before)
        }
        await attribute()
        const stored = await lines()
        expect(stored).toEqual(attributedByHand([...crowd, ...happenings]))
        const credited = stored.filter(({ shopId, outcome }) => shopId === 'shop' && outcome === 'CREDITED')
        expect(await whatIf('LAST_TOUCH')).toEqual(
          credited.map(({ cid, shopProductId, outcome, proof, trust, returnedQuantity, ...line }) => ({
            ...line,
            weight: 1,
          })),
        )
        const linear = Map.groupBy(await whatIf('LINEAR'), ({ kind, eventId, line }) => `${kind}/${eventId}/${line}`)
        expect(linear.size).toBe(credited.length)
        for (const touches of linear.values()) {
          expect(touches.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9)
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })
})

const cids = fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5')
const uids = fc.option(fc.constantFrom('u1', 'u2', 'u3', ''), { freq: 2 })
const shops = fc.constantFrom('shop', 'shop', 'shop', 'other')
const products = fc.constantFrom('p1', 'p2', 'p3', 'p4')
const groups = fc.option(fc.constantFrom('g1', 'g2', ''))
/** The last is of the other shop. */
const campaigns = fc.constantFrom('k1', 'k2', 'k3')
/** Hours around the windows' edges, so that edges are met exactly. */
const times = fc
  .constantFrom(0, 0, 1, 2, 23, 24, 25, 48, 14 * 24 - 1, 14 * 24, 14 * 24 + 1, 400)
  .map((hours) => T0 + hours * HOUR)

const proofs = fc.constantFrom('ANONYMOUS' as const, 'ANONYMOUS' as const, 'SIGNED' as const, 'TOKEN' as const)

const touches = fc
  .record({
    eventId: fc.integer({ min: 0, max: 9999 }).map((n) => `e${n}`),
    type: fc.constantFrom('VIEW' as const, 'CLICK' as const),
    verdict: fc.constantFrom(
      'VALID' as const,
      'VALID' as const,
      'VALID' as const,
      'BOT' as const,
      'DUPLICATE' as const,
    ),
    cid: cids,
    uid: uids,
    shopId: shops,
    at: times,
    adId: products,
    itemGroupId: groups,
    campaignId: campaigns,
    kind: fc.constantFrom('SPONSORED' as const, 'SPONSORED' as const, 'DISPLAY' as const),
  })
  .map((fields) => happened.touch(fields))
const purchases = fc
  .record({
    eventId: fc.constantFrom('o1', 'o2', 'o3'),
    kind: fc.constantFrom('PURCHASE' as const, 'PURCHASE' as const, 'CART' as const, 'WISHLIST' as const),
    cid: cids,
    uid: uids,
    shopId: shops,
    at: times,
    receivedAt: times,
    proof: proofs,
    imported: fc.constantFrom(false, false, false, true),
    products: fc.array(fc.oneof(products, fc.tuple(products, fc.integer({ min: 1, max: 4 }))), {
      minLength: 1,
      maxLength: 3,
    }),
  })
  .map((fields) => happened.purchase(fields))
const returns = fc
  .record({
    returnId: fc.constantFrom('r1', 'r2', 'r3', 'r4'),
    eventId: fc.constantFrom('o1', 'o2', 'o3'),
    shopId: shops,
    at: times,
    lines: fc.oneof(
      { weight: 1, arbitrary: fc.constant<[string, number][]>([]) },
      {
        weight: 4,
        arbitrary: fc.array(fc.tuple(products, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 2 }),
      },
    ),
  })
  .map((fields) => happened.returned(fields))
const visits = fc
  .tuple(
    fc.boolean(),
    fc.record({ id: fc.uuid(), cid: cids, uid: uids, shopId: shops, at: times, receivedAt: times, proof: proofs }),
  )
  .map(([viewed, fields]) => (viewed ? happened.pageView(fields) : happened.emission(fields)))
const changes = fc.tuple(products, fc.constantFrom('g1', 'g2')).map(([id, group]) => happened.grouping(id, group))
const versions = fc.array(fc.record({ id: campaigns, at: times, list: fc.uniqueArray(products, { maxLength: 2 }) }), {
  maxLength: 5,
})
const windows = fc.array(
  fc.record({
    hours: fc.constantFrom([336, 24] as const, [24, 2] as const, [1, 400] as const),
    at: times,
    trust: fc.constantFrom('OPEN' as const, 'PREFER_SIGNED' as const, 'SIGNED_ONLY' as const),
  }),
  { maxLength: 3 },
)

/** They leave room for two more cids of the uid u3, and for one more uid of the cid c5: the first, and those at the same time. */
const crowd = [
  ...Array.from({ length: CIDS_PER_UID_MAX - 2 }, (_, i) =>
    happened.pageView({ id: `crowd${i}`, cid: `crowd${i}`, uid: 'u3', at: T0 + HOUR }),
  ),
  ...Array.from({ length: UIDS_PER_CID_MAX - 1 }, (_, i) =>
    happened.pageView({ id: `names${i}`, cid: 'c5', uid: `name${i}`, at: T0 + HOUR }),
  ),
]

const histories = fc
  .record({
    touches: fc.array(touches, { minLength: 5, maxLength: 40 }),
    purchases: fc.array(purchases, { minLength: 2, maxLength: 12 }),
    returns: fc.array(returns, { maxLength: 6 }),
    visits: fc.array(visits, { maxLength: 6 }),
    changes: fc.array(changes, { maxLength: 6 }),
    versions,
    windows,
    repeated: fc.array(fc.nat(), { maxLength: 8 }),
  })
  .map(({ touches, purchases, returns, visits, changes, versions, windows, repeated }) => {
    const events = uniqueTouches([...touches, ...purchases, ...returns, ...visits])
    const again = repeated.map((n) => events[n % events.length]!)
    return { events: [...events, ...again], ordered: [...changes, ...registryOf(versions, windows)] }
  })

/** A touch's id has one content; only whole events come again. */
function uniqueTouches(events: Happening[]): Happening[] {
  const ids = new Set<string>()
  return events.filter((each) => {
    if (each.topic !== 'judged-events') return true
    const fresh = !ids.has(each.value.eventId)
    ids.add(each.value.eventId)
    return fresh
  })
}

function registryOf(
  versions: { id: string; at: number; list: string[] }[],
  windows: { hours: readonly [number, number]; at: number; trust: TransactionTrust }[],
): Happening[] {
  const made = new Map<string, number>()
  const campaigns = versions.map(({ id, at, list }) => {
    const version = (made.get(id) ?? 0) + 1
    made.set(id, version)
    return happened.campaign({ id, version, at, list, shopId: id === 'k3' ? 'other' : 'shop' })
  })
  const shops = windows.map(({ hours: [clickWindowHours, viewWindowHours], at, trust }, i) =>
    happened.shop({ version: i + 1, at, clickWindowHours, viewWindowHours, transactionTrust: trust }),
  )
  return [...campaigns, ...shops]
}

/** Events in any order; what has an order in the log keeps it. */
function shuffled({ events, ordered }: { events: Happening[]; ordered: Happening[] }, seed: number): Happening[] {
  const weights = fc.sample(fc.nat(), { numRuns: events.length + ordered.length, seed })
  const places = weights.slice(0, ordered.length).sort((a, b) => a - b)
  const placed = [
    ...events.map((each, i) => ({ each, at: weights[ordered.length + i]! })),
    ...ordered.map((each, i) => ({ each, at: places[i]! })),
  ]
  return placed.sort((a, b) => a.at - b.at).map(({ each }) => each)
}
