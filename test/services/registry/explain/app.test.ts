import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AnalyticsGaveUp } from '../../../../infra/analytics/port.ts'
import { createHttpServer } from '../../../../services/http/server.ts'
import { explainApp } from '../../../../services/registry/explain/app.ts'
import { createPseudonyms } from '../../../../services/registry/explain/pseudonyms.ts'
import { openWorld, tokens, type Who, type World } from '../reports/world.ts'
import { bought, storeRequest, storeSale } from './request-and-sale.ts'

const pseudonyms = createPseudonyms(Buffer.alloc(32, 7))

let world: World
beforeAll(async () => {
  world = await openWorld()
  world.server.register(explainApp({ ...world, pseudonyms, now: () => bought }))
  await storeRequest(world.analytics)
  await storeSale(world.analytics)
})
afterAll(() => world.close())

const explain = (path: string, who?: Who) => world.get(`/v1/panel/explain/${path}`, who)

describe('GET /v1/panel/explain/emission/{requestId}', () => {
  it('tells what was shown and dropped, why, and what came of it', async () => {
    const { status, body } = await explain('emission/r1')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      requestId: 'r1',
      shopName: 'Shop warsaw',
      kind: 'SPONSORED',
      clientId: 'me',
      elapsedMs: 3.5,
    })
    const [slot] = body.slots
    expect(slot).toMatchObject({
      adUnitName: 'Unit u-warsaw-1',
      candidates: 7,
      shortfall: 'NO_CANDIDATES',
      why: expect.any(String),
    })
    expect(slot.ads[0]).toMatchObject({
      campaignName: 'Campaign c-warsaw-1',
      bid: 0.4,
      price: 0.25,
      rankScore: 0.5 * 0.02 * 0.4,
      lift: 1.8,
    })
    expect(slot.ads[0].events).toEqual([
      {
        eventId: 'e1',
        type: 'VIEW',
        occurredAt: '2026-07-15T08:00:00.000Z',
        verdict: 'VALID',
        why: 'It counts',
        billed: 0,
      },
      {
        eventId: 'e2',
        type: 'CLICK',
        occurredAt: '2026-07-15T09:00:00.000Z',
        verdict: 'VALID',
        why: 'It counts',
        billed: 0.25,
      },
    ])
    expect(slot.ads[1].events.map((event: { verdict: string }) => event.verdict)).toEqual(['DUPLICATE', 'BOT', 'VALID'])
    expect(slot.dropped).toMatchObject([
      { adId: 'sku-9', bid: 0.1, reason: 'CAPPED', why: expect.stringContaining('as often as') },
    ])
  })

  it('shows advertisers their own ads only', async () => {
    const { body } = await explain('emission/r1', 'adv-1')
    expect(body.slots[0].ads.map((ad: { campaignId: string }) => ad.campaignId)).toEqual(['c-warsaw-1'])
    expect(body.slots[0].dropped).toEqual([])
    expect(body.clientId).toBe(pseudonyms.person('adv-1', 'warsaw', 'me'))
  })

  it.each([
    ['operator', 'unknown'],
    ['pub-b', 'r1'],
  ] as [Who, string][])('answers %s 404 for %s, and says that storing takes a moment', async (who, id) => {
    const { status, body } = await explain(`emission/${id}`, who)
    expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
    expect(body.detail).toContain('may not be stored yet')
  })
})

describe('GET /v1/panel/explain/attribution/{eventId}', () => {
  it('tells who was credited with each line, and why every other touch lost', async () => {
    const { body } = await explain('attribution/o1?shopId=warsaw')
    expect(body.transactions).toHaveLength(1)
    const [sku, other] = body.transactions[0].lines
    expect(body.transactions[0].windows).toEqual({ clickWindowHours: 336, viewWindowHours: 24 })
    expect(sku).toMatchObject({
      outcome: 'CREDITED',
      price: 9.99,
      credit: { campaignId: 'c-warsaw-1', match: 'DIRECT', touchEventId: 'e2' },
    })
    expect(sku.touches.map((touch: { eventId: string; result: string }) => [touch.eventId, touch.result])).toEqual([
      ['e2', 'WON'],
      ['e3', 'CLICK_GOES_BEFORE_VIEW'],
      ['e1', 'CLICK_GOES_BEFORE_VIEW'],
      ['e4', 'NOT_VALID'],
    ])
    expect(other).toMatchObject({ outcome: 'NO_MATCH', credit: null, why: expect.any(String) })
    expect(new Set(other.touches.map((touch: { result: string }) => touch.result))).toEqual(
      new Set(['OTHER_PRODUCT', 'NOT_VALID']),
    )
  })

  it('tells what came back of each line, and by which returns', async () => {
    const [transaction] = (await explain('attribution/o1?shopId=warsaw')).body.transactions
    expect(transaction.lines).toMatchObject([
      { returnedQuantity: 0, returnedAmount: 0 },
      { returnedQuantity: 1, returnedAmount: 9.99 },
    ])
    expect(transaction.returns).toEqual([
      {
        ...{ returnId: 'r1', shopId: 'warsaw', eventId: 'o1', reason: 'broken' },
        ...{ occurredAt: '2026-07-15T12:00:00.000Z', receivedAt: '2026-07-15T12:00:00.000Z' },
        lines: [{ shopProductId: 'other', quantity: 1 }],
      },
    ])
  })

  it('shows every shop that used the id, to who may see it', async () => {
    const shopsOf = async (who: Who) =>
      (await explain('attribution/o1', who)).body.transactions.map((each: { shopId: string }) => each.shopId)
    expect(await shopsOf('operator')).toEqual(['lordHowe', 'warsaw'])
    expect(await shopsOf('pub-a')).toEqual(['warsaw'])
    expect(await shopsOf('pub-b')).toEqual(['lordHowe'])
  })

  describe('to an advertiser', () => {
    const orderOf = (accountId: string) =>
      pseudonyms.order(accountId, { shopId: 'warsaw', eventId: 'o1', occurredAt: bought })

    it('shows an order that credited it, by pseudonyms of its own, and the lines of what it advertised', async () => {
      const { body, status } = await explain(`attribution/${orderOf('adv-1')}`, 'adv-1')
      expect(status).toBe(200)
      expect(body.eventId).toBe(orderOf('adv-1'))
      const [transaction] = body.transactions
      expect(transaction.lines).toHaveLength(1)
      expect(transaction.lines[0]).toMatchObject({ shopProductId: 'sku', outcome: 'CREDITED' })
      expect(transaction.versions).toBeUndefined()
      const person = pseudonyms.person('adv-1', 'warsaw', 'me')
      expect(transaction.clientId).toBe(person)
      expect(transaction.lines[0].touches).toMatchObject([{ clientId: person }, { clientId: person }])
      for (const secret of ['"me"', '"o1"', 'mallory']) expect(JSON.stringify(body)).not.toContain(secret)
    })

    it.each([
      ['adv-2', 'its number', 'o1'],
      ['adv-2', 'what would be its own pseudonym, but it was not credited', orderOf('adv-2')],
      ['adv-2', "a rival's pseudonym", orderOf('adv-1')],
      ['adv-1', 'its number, though it was credited', 'o1'],
      ['adv-1', 'a pseudonym of that moment that is none', `${bought.toString(36)}-${'x'.repeat(22)}`],
    ] as [Who, string, string][])('%s finds nothing by %s', async (who, _what, id) => {
      expect((await explain(`attribution/${id}`, who)).status).toBe(404)
    })
  })

  it("opens an order by an advertiser's pseudonym for the publisher who is asked about it, under its number", async () => {
    const pseudonym = pseudonyms.order('adv-1', { shopId: 'warsaw', eventId: 'o1', occurredAt: bought })
    for (const who of ['pub-a', 'operator'] as const) {
      const { body } = await explain(`attribution/${pseudonym}`, who)
      expect(body).toEqual((await explain('attribution/o1?shopId=warsaw', who)).body)
      expect(body.eventId).toBe('o1')
    }
    expect((await explain(`attribution/${pseudonym}`, 'pub-b')).status).toBe(404)
    const ofNobody = pseudonyms.order('adv-2', { shopId: 'warsaw', eventId: 'o1', occurredAt: bought })
    expect((await explain(`attribution/${ofNobody}`, 'pub-a')).status).toBe(404)
  })

  it('tells the publisher under which pseudonym each credited advertiser sees the order', async () => {
    const orderOf = (accountId: string) =>
      pseudonyms.order(accountId, { shopId: 'warsaw', eventId: 'o1', occurredAt: bought })
    for (const id of ['o1', orderOf('adv-1')]) {
      const [transaction] = (await explain(`attribution/${id}`, 'pub-a')).body.transactions
      expect(transaction.pseudonyms).toEqual([
        { accountId: 'adv-1', accountName: 'Account adv-1', eventId: orderOf('adv-1') },
      ])
    }
    expect((await explain('attribution/waiting')).body.transactions[0].pseudonyms).toEqual([])
    const own = await explain(`attribution/${orderOf('adv-1')}`, 'adv-1')
    expect(own.body.transactions[0].pseudonyms).toBeUndefined()
  })

  it('lists the versions of a transaction, why they count or not, and whom they came from', async () => {
    const versionsOf = async (id: string) =>
      (await explain(`attribution/${id}?shopId=warsaw`)).body.transactions[0].versions
    expect(await versionsOf('o1')).toMatchObject([
      { counts: true, reason: 'COUNTS', proof: 'ANONYMOUS', clientId: 'me', lines: [{ price: 9.99 }, {}] },
      { counts: false, reason: 'RECEIVED_LATER', clientId: 'mallory', receivedAt: '2026-07-15T12:00:00.001Z' },
      { counts: false, reason: 'LIVE_GOES_BEFORE_IMPORTED', proof: 'TOKEN' },
    ])
    expect(await versionsOf('waiting')).toMatchObject([
      { counts: true, proof: 'SIGNED', currency: 'EUR' },
      { counts: false, reason: 'PROVEN_GOES_BEFORE', why: expect.stringContaining('unknown') },
    ])
  })

  it('says when a transaction waits for attribution, and that imported ones do not', async () => {
    const outcomeOf = async (id: string) => (await explain(`attribution/${id}`)).body.transactions[0].lines[0].outcome
    expect(await outcomeOf('waiting')).toBe('PENDING')
    expect(await outcomeOf('past')).toBe('IMPORTED')
  })

  it('gives up an explanation that takes too long, and says why', async () => {
    // Like a store that takes longer than any limit that it is given.
    const query: World['analytics']['query'] = (sql, params) =>
      sql.includes('max_execution_time')
        ? Promise.reject(new AnalyticsGaveUp('Code: 159'))
        : world.analytics.query(sql, params)
    const server = createHttpServer({ logger: false })
    server.register(explainApp({ ...world, analytics: { ...world.analytics, query }, pseudonyms, now: () => bought }))
    const headers = { authorization: `Bearer ${tokens['pub-a']}` }
    const answer = await server.inject({ url: '/v1/panel/explain/attribution/o1', headers })
    expect([answer.statusCode, answer.json().code, answer.headers['retry-after']]).toEqual([
      503,
      'REPORT_TOO_SLOW',
      '30',
    ])
    expect(answer.json().detail).toContain('lines with the touches')
  })

  it.each([
    ['operator', 'unknown', 404],
    ['operator', 'o1?shopId=nowhere', 404],
    ['pub-b', 'o1?shopId=warsaw', 404],
    ['pub-b', 'waiting', 404],
    ['operator', 'o1?shop=warsaw', 400],
  ] as [Who, string, number][])('answers %s for %s with %i', async (who, path, status) => {
    expect((await explain(`attribution/${path}`, who)).status).toBe(status)
  })
})
