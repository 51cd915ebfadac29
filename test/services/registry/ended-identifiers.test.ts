import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endingSteps, endingTables } from '../../../infra/analytics/queries/people/ended-identifiers.ts'
import { markEnded } from '../../../infra/analytics/retention/ended-identifiers.ts'
import { explainApp } from '../../../services/registry/explain/app.ts'
import { createPseudonyms } from '../../../services/registry/explain/pseudonyms.ts'
import { reportsApp } from '../../../services/registry/reports/app.ts'
import { visitsApp } from '../../../services/registry/visits/app.ts'
import { personalData } from '../../streams/erasure/personal-data.ts'
import { waitFor } from '../../wait-for.ts'
import { bought, storeRequest, storeSale } from './explain/request-and-sale.ts'
import { openWorld, type Who, type World } from './reports/world.ts'

/** What the API answers where the identifiers of people have ended. */

const ENDED = '2026-08-01T00:00:00.000Z'
/** 90 days later. */
const SETTLED = '2026-10-30T00:00:00.000Z'
const pseudonyms = createPseudonyms(Buffer.alloc(32, 7))
const advertisersOrder = pseudonyms.order('adv-1', { shopId: 'warsaw', eventId: 'o1', occurredAt: bought })

let world: World
beforeAll(async () => {
  world = await openWorld()
  world.server.register(explainApp({ ...world, pseudonyms }))
  world.server.register(reportsApp(world))
  world.server.register(visitsApp({ ...world, publicUrl: 'https://ads.example' }))
  const { analytics } = world
  await storeRequest(analytics)
  await storeSale(analytics)
  await markEnded(analytics, Date.parse(ENDED))
  for (const step of endingSteps(Date.parse(ENDED))) {
    for (const { statement } of step) await analytics.command(statement)
    await waitFor(async () => (await analytics.unfinishedMutations(endingTables)) === 0)
  }
})
afterAll(() => world.close())

const saleOf = async (id: string, who?: Who) =>
  (await world.get(`/v1/panel/explain/attribution/${id}?shopId=warsaw`, who)).body.transactions[0]

describe('where the identifiers of people have ended', () => {
  it('the explanation of a sale has its credit, and says that no touches are known', async () => {
    const sale = await saleOf('o1')
    expect(sale).toMatchObject({ clientId: '', userId: null, settledUntil: SETTLED })
    expect(sale.lines).toMatchObject([
      { outcome: 'CREDITED', credit: { campaignId: 'c-warsaw-1', touchEventId: 'e2' }, touches: [] },
      { outcome: 'NO_MATCH', credit: null, returnedQuantity: 1, touches: [] },
    ])
    expect(new Set(sale.versions.map(({ clientId }: { clientId: string }) => clientId))).toEqual(new Set(['']))
  })

  it('an advertiser sees the lines that it was credited with, and nobody under a pseudonym', async () => {
    const sale = await saleOf(advertisersOrder, 'adv-1')
    expect(sale).toMatchObject({ clientId: '', settledUntil: SETTLED })
    expect(sale.lines).toMatchObject([{ shopProductId: 'sku', outcome: 'CREDITED', touches: [] }])
  })

  it('a report under another model is refused from before purchases are settled', async () => {
    const ask = (from: string, settings: string) =>
      world.get(`/v1/panel/reports?shopId=warsaw&from=${from}&to=2026-11-01&metrics=revenue&${settings}`)
    for (const settings of ['model=LINEAR', 'clickWindowHours=1', 'viewWindowHours=1']) {
      const { status, body } = await ask('2026-10-29', settings)
      expect([status, body.errors?.[0].path, body.errors?.[0].message]).toEqual([
        ...[400, 'querystring/from', expect.stringContaining(`must be ${SETTLED} or later`)],
      ])
      expect((await ask('2026-10-31', settings)).status).toBe(200)
    }
    const { status, body } = await ask('2026-07-01', '')
    expect([status, body.totals.revenue]).toEqual([200, '9.99'])
  })

  it('how visitors came is refused while page views of a month before would have to be looked up', async () => {
    const ask = (from: string) => world.get(`/v1/panel/page-views?shopId=warsaw&from=${from}&to=2026-09-15T00:00:00Z`)
    const { status, body } = await ask('2026-08-31T23:59:59Z')
    expect([status, body.errors[0].path]).toEqual([400, 'querystring/from'])
    expect(body.errors[0].message).toContain('must be 2026-09-01T00:00:00.000Z or later')
    expect((await ask('2026-09-01T00:00:00Z')).status).toBe(200)
  })

  it('ad requests are listed and explained without a person, and not searched for one', async () => {
    const list = (query: string) =>
      world.get(`/v1/panel/explain/emissions?shopId=warsaw&to=2026-08-02T00:00:00Z&${query}`)
    const { body } = await list('from=2026-07-15T00:00:00Z')
    expect(body.items).toMatchObject([{ requestId: 'r1', clientId: '', userId: null }])
    expect((await world.get('/v1/panel/explain/emission/r1')).body).toMatchObject({ clientId: '', userId: null })
    const refused = await list('from=2026-07-31T23:59:59Z&person=me')
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'querystring/from'])
    expect(refused.body.errors[0].message).toContain(`must be ${ENDED} or later with person`)
    expect((await list('from=2026-08-01T00:00:00Z&person=me')).status).toBe(200)
  })

  it('an export of data of a person says since when there is any', async () => {
    const data = await personalData(world.analytics, { shopId: 'warsaw', identifier: 'cid', value: 'me' })
    expect(data).toMatchObject({ identifiersSince: ENDED, adRequests: [], adEvents: [], transactions: [], credits: [] })
  })
})
