import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NEVER } from '../../../../infra/analytics/queries/attribution/person-links.ts'
import { CIDS_PER_UID_MAX } from '../../../../services/domain/attribution/credit.ts'
import { reportsApp } from '../../../../services/registry/reports/app.ts'
import { tries } from '../../../effort.ts'
import { openWorld, type World } from './world.ts'

const HOUR_MS = 3_600_000
const bought = Date.parse('2026-07-15T12:00:00Z')

let world: World
beforeAll(async () => {
  world = await openWorld()
  world.server.register(reportsApp(world))
})
afterAll(() => world.close())

interface Touch {
  campaign: 1 | 2
  type: 'VIEW' | 'CLICK'
  hoursBefore: number
}

let stored = 0
async function storeJourney(touches: Touch[], pricesMicros: number[], kind: 'PURCHASE' | 'CART' = 'PURCHASE') {
  await world.clear()
  const at = (i: number) => ({ _topic: 't', _partition: 0, _offset: i })
  const rows = touches.map(({ campaign, type, hoursBefore }, i) => ({
    ...at(i),
    ...{ eventId: `e${i}`, type, verdict: 'VALID', billedMicros: 0, cid: 'me', uid: null, bot: false, requestId: 'r' },
    ...{ occurredAt: bought - hoursBefore * HOUR_MS, receivedAt: 0, sourcePartition: 0, sourceOffset: i, emittedAt: 0 },
    ...{
      kind: 'SPONSORED',
      shopId: 'warsaw',
      slotHash: 'u-warsaw-1',
      adUnitId: 'u-warsaw-1',
      campaignId: `c-warsaw-${campaign}`,
    },
    ...{
      accountId: `adv-${campaign}`,
      adId: 'sku',
      itemGroupId: null,
      emittedCid: 'me',
      emittedUid: null,
      position: 1,
    },
    ...{ algorithm: 'BESTSELLERS', priceMicros: 0, currency: 'PLN', autoPromo: false, country: 'PL' },
  }))
  const purchases = pricesMicros.map((priceMicros, i) => ({
    ...at(i),
    ...{ eventId: `o${i}`, kind, shopId: 'warsaw', cid: 'me', uid: null, currency: 'PLN', locale: null },
    ...{ occurredAt: bought, receivedAt: bought, imported: false },
    lines: [{ shopProductId: 'sku', priceMicros, quantity: 1, productTitle: null, brand: null, sellerId: null }],
  }))
  const token = `journey ${stored++}`
  await world.analytics.insert('judged_events', rows, { token })
  await world.analytics.insert('transactions', purchases, { token })
}

async function revenueBy(query: string): Promise<Record<string, string>> {
  const path = `/v1/panel/reports?from=2026-07-01&to=2026-08-01&shopId=warsaw&groupBy=campaign&metrics=revenue,purchases&${query}`
  const { body } = await world.get(path)
  return Object.fromEntries([
    ...body.rows.map((row: { campaign: string; revenue: string }) => [row.campaign, row.revenue]),
    ['total', body.totals.revenue],
  ])
}

describe('reports under other settings', () => {
  it('credit sales by the model asked for', async () => {
    await storeJourney(
      [
        { campaign: 1, type: 'VIEW', hoursBefore: 20 },
        { campaign: 2, type: 'CLICK', hoursBefore: 10 },
        { campaign: 1, type: 'VIEW', hoursBefore: 5 },
      ],
      [100_000_000],
    )
    expect(await revenueBy('model=LAST_TOUCH')).toEqual({ 'c-warsaw-2': '100', total: '100' })
    expect(await revenueBy('model=FIRST_TOUCH')).toEqual({ 'c-warsaw-1': '100', total: '100' })
    // Each of the three touches gets a third, rounded to micros so that the shares add up.
    expect(await revenueBy('model=LINEAR')).toEqual({
      'c-warsaw-1': '66.666666',
      'c-warsaw-2': '33.333334',
      total: '100',
    })
    expect(await revenueBy('model=POSITION')).toEqual({ 'c-warsaw-1': '80', 'c-warsaw-2': '20', total: '100' })
    const decayed = await revenueBy('model=TIME_DECAY')
    expect(Number(decayed['c-warsaw-1'])).toBeGreaterThan(66)
    expect(decayed.total).toBe('100')
  })

  it('credit sales in the windows asked for', async () => {
    await storeJourney(
      [
        { campaign: 1, type: 'VIEW', hoursBefore: 30 },
        { campaign: 2, type: 'CLICK', hoursBefore: 400 },
      ],
      [5_000_000],
    )
    // The shops' windows are 336 hours after a click and 24 hours after a view.
    expect(await revenueBy('model=LAST_TOUCH')).toEqual({ total: '0' })
    expect(await revenueBy('viewWindowHours=48')).toEqual({ 'c-warsaw-1': '5', total: '5' })
    expect(await revenueBy('clickWindowHours=500')).toEqual({ 'c-warsaw-2': '5', total: '5' })
  })

  it('count the units of a line once, however many touches share it', async () => {
    const touches = [1, 1, 2].map((campaign, i) => ({ campaign, type: 'CLICK', hoursBefore: i + 1 }) as Touch)
    await storeJourney(touches, [5_000_000, 5_000_000])
    const ask = (groupBy: string) =>
      world.get(
        `/v1/panel/reports?from=2026-07-01&to=2026-08-01&shopId=warsaw&groupBy=${groupBy}&metrics=units&model=LINEAR`,
      )
    expect((await ask('purchasedProduct')).body.rows).toMatchObject([{ purchasedProduct: 'sku', units: 2 }])
    const { rows, totals } = (await ask('campaign')).body
    expect([rows.map(({ units }: { units: number }) => units), totals.units]).toEqual([[2, 2], 2])
  })

  it('show a campaign that earned carts and no purchase', async () => {
    await storeJourney([{ campaign: 1, type: 'CLICK', hoursBefore: 10 }], [5_000_000], 'CART')
    const path = '/v1/panel/reports?from=2026-07-01&to=2026-08-01&shopId=warsaw&groupBy=campaign'
    for (const model of ['LAST_TOUCH', 'LINEAR']) {
      const { body } = await world.get(`${path}&metrics=carts,revenue,netRevenue&model=${model}`)
      const row = { campaign: 'c-warsaw-1', carts: 1, revenue: '0', netRevenue: '0' }
      expect(body.rows, model).toMatchObject([row])
    }
  })

  it('credit what a person saw in another browser, unless others have taken the places of the uid before', async () => {
    await storeJourney([{ campaign: 1, type: 'CLICK', hoursBefore: 10 }], [5_000_000])
    const { analytics } = world
    const link = (cid: string, seenAt: number) => ({
      shopId: 'warsaw',
      cid,
      uid: 'u',
      seenAt,
      provenAt: NEVER,
      version: 1,
    })
    await analytics.command("ALTER TABLE transactions UPDATE cid = 'other' WHERE true SETTINGS mutations_sync = 1")
    await analytics.insert(
      'links_by_cid',
      ['me', 'other'].map((cid) => link(cid, 2)),
      { token: 'links' },
    )
    expect(await revenueBy('model=FIRST_TOUCH')).toEqual({ 'c-warsaw-1': '5', total: '5' })
    const strangers = Array.from({ length: CIDS_PER_UID_MAX }, (_, i) => link(`stranger ${i}`, 1))
    await analytics.insert('links_by_cid', strangers, { token: 'strangers' })
    expect(await revenueBy('model=FIRST_TOUCH')).toEqual({ total: '0' })
    await analytics.command('TRUNCATE TABLE links_by_cid')
  })

  it('share out every sale wholly, whatever the touches and prices', async () => {
    const touch = fc.record({
      campaign: fc.constantFrom(1 as const, 2 as const),
      type: fc.constantFrom('VIEW' as const, 'CLICK' as const),
      hoursBefore: fc.integer({ min: 0, max: 24 }),
    })
    const price = fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 900_000_000_000_000 }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(touch, { minLength: 1, maxLength: 12 }),
        fc.array(price, { minLength: 1, maxLength: 5 }),
        async (touches, prices) => {
          await storeJourney(touches, prices)
          const sum = prices.reduce((total, each) => total + BigInt(each), 0n)
          for (const model of ['LINEAR', 'TIME_DECAY', 'POSITION']) {
            const { total } = await revenueBy(`model=${model}`)
            const [whole = '0', fraction = ''] = total!.split('.')
            expect(BigInt(whole + fraction.padEnd(6, '0')), model).toBe(sum)
          }
        },
      ),
      { numRuns: tries(3, 20), endOnFailure: true },
    )
  })
})
