import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  campaignBody,
  discard,
  NOW,
  type Office,
  openAccount,
  openOffice,
  openPublisher,
  paths,
  shopBody,
} from '../office.ts'

const iso = (offsetMs: number) => new Date(NOW + offsetMs).toISOString()

describe('sponsored campaigns', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let advertiser: Awaited<ReturnType<typeof openAccount>>
  const post = (extra: object, token = advertiser.token) =>
    office.call('POST', '/v1/panel/campaigns', campaignBody(publisher.shopId, extra), token)
  const patch = (id: string, body: object) => office.call('PATCH', `/v1/panel/campaigns/${id}`, body, advertiser.token)

  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
    await office.call('PATCH', `/v1/panel/shops/${publisher.shopId}`, { reserveCpc: 0.1 })
    advertiser = await openAccount(office, 'ADVERTISER', { sellerIds: ['s1', 's2'] })
  })
  afterAll(() => discard(office))

  it('are listed while one of them is deleted with its shop', async () => {
    const { shopId, token } = await openPublisher(office)
    const shop = await office.make('/v1/panel/shops', shopBody, token)
    await office.make('/v1/panel/campaigns', campaignBody(shopId), token)
    const { id } = await office.make('/v1/panel/campaigns', campaignBody(shop.id), token)
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    office.counters.whenRead = () => {
      asked.resolve()
      return mayAnswer
    }
    const listing = office.call('GET', '/v1/panel/campaigns', undefined, token)
    await asked.promise
    office.counters.whenRead = async () => {}
    for (const path of [`campaigns/${id}`, `shops/${shop.id}`]) {
      expect((await office.call('DELETE', `/v1/panel/${path}`, undefined, token)).status).toBe(204)
    }
    answer()
    const { status, body } = await listing
    expect(status).toBe(200)
    expect(new Set(body.items.map((each: { shopId: string }) => each.shopId))).toEqual(new Set([shopId, shop.id]))
  })

  it('keep no other write waiting while their spend is read', async () => {
    const { shopId, token } = await openPublisher(office)
    const { id } = await office.make('/v1/panel/campaigns', campaignBody(shopId), token)
    const path = `/v1/panel/campaigns/${id}`
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    office.counters.whenRead = () => {
      asked.resolve()
      return mayAnswer
    }
    const changes = [
      office.call('PATCH', path, { name: 'Alone' }, token),
      office.call('POST', '/v1/panel/campaign-changes', { ids: [id], change: { cpc: 0.75 } }, token),
    ]
    await asked.promise
    await office.make('/v1/panel/placements', { shopId, name: 'Quick', kind: 'PRODUCT' }, token)
    office.counters.whenRead = async () => {}
    answer()
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([200, 200])
    expect((await office.call('GET', path)).body).toMatchObject({ name: 'Alone', cpc: 0.75 })
  })

  it('have defaults and show their state and spend', async () => {
    const { status, body } = await post({})
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      version: 1,
      updatedAt: iso(0),
      kind: 'SPONSORED',
      accountId: advertiser.id,
      accountName: 'ADVERTISER account',
      shopId: publisher.shopId,
      name: 'Spring',
      status: 'ACTIVE',
      state: 'RUNNING',
      startAt: iso(0),
      endAt: null,
      archivedAt: null,
      budget: 100,
      dailyBudget: null,
      spent: 0,
      pacing: 'ASAP',
      capping: null,
      cpc: 0.5,
      autoPromo: false,
      products: { ids: ['a', 'b'] },
      attributionProductIds: [],
    })
    office.spent.set(body.id, 12_340_000)
    const read = await office.call('GET', `/v1/panel/campaigns/${body.id}`)
    expect(read.body).toMatchObject({ spent: 12.34, state: 'RUNNING' })
    office.spent.set(body.id, 99_950_000)
    const list = await office.call('GET', `/v1/panel/campaigns?accountId=${advertiser.id}`)
    expect(list.body.items).toMatchObject([{ id: body.id, spent: 99.95, state: 'EXHAUSTED' }])
  })

  it('keep what they are given, to the micro-unit', async () => {
    const given = {
      startAt: iso(3_600_000),
      endAt: iso(7_200_000),
      budget: 1234.567891,
      dailyBudget: 0.1,
      pacing: 'EVEN',
      capping: 3,
      status: 'PAUSED',
      attributionProductIds: ['x'],
      products: { rule: { brands: ['Lumbra'], sellerIds: ['s2'], priceMin: 0.01, priceMax: 19.99 } },
      cpc: 0.29,
    }
    const { body } = await post(given)
    expect(body).toMatchObject({ ...given, state: 'PAUSED' })
    expect(office.registry.snapshot.body('Campaign', body.id)).toMatchObject({
      budgetMicros: 1_234_567_891,
      dailyBudgetMicros: 100_000,
      cpcMicros: 290_000,
      productIds: null,
      productRule: { brands: ['Lumbra'], categoryPaths: [], labels: [], sellerIds: ['s2'], priceMinMicros: 10_000 },
    })
    const cleared = await patch(body.id, { endAt: null, capping: null, products: { ids: ['z'] }, status: 'ACTIVE' })
    expect(cleared).toMatchObject({
      status: 200,
      body: { endAt: null, capping: null, products: { ids: ['z'] }, state: 'SCHEDULED', dailyBudget: 0.1, version: 2 },
    })
  })

  it.each([
    ['an end before the start', { startAt: iso(10), endAt: iso(10) }, ['/endAt']],
    ['a time that does not exist', { startAt: '2026-06-30T23:59:60Z' }, ['/startAt']],
    ['a time without a zone', { endAt: '2026-12-01T00:00:00' }, ['/endAt']],
    ['a daily budget above the budget', { dailyBudget: 101 }, ['/dailyBudget']],
    ['a daily budget of nothing', { dailyBudget: 0 }, ['/dailyBudget']],
    ['no budget', { budget: 0 }, ['/budget']],
    ['a negative budget', { budget: -1 }, ['/budget']],
    ['a budget that pays no click', { budget: 0.09 }, ['/budget']],
    ['a daily budget that pays no click', { dailyBudget: 0.09 }, ['/dailyBudget']],
    ['a bid below the reserve', { cpc: 0.09 }, ['/cpc']],
    ['even pacing without an end', { pacing: 'EVEN' }, ['/pacing']],
    ['neither ids nor rule', { products: {} }, ['/products']],
    ['both ids and rule', { products: { ids: ['a'], rule: { brands: ['b'] } } }, ['/products']],
    ['an empty rule', { products: { rule: {} } }, ['/products/rule']],
    ['an empty list', { products: { ids: [] } }, ['/products/ids']],
    ['10,001 ids', { products: { ids: Array.from({ length: 10_001 }, (_, i) => `p${i}`) } }, ['/products/ids']],
    ['a repeated id', { products: { ids: ['a', 'a'] } }, ['/products/ids']],
    ['prices that cross', { products: { rule: { priceMin: 2, priceMax: 1 } } }, ['/products/rule/priceMax']],
    ['sellers of others', { products: { rule: { sellerIds: ['s3'] } } }, ['/products/rule/sellerIds']],
    ['promotion of itself by an advertiser', { autoPromo: true }, ['/autoPromo']],
    ['a cap of nothing', { capping: 0 }, ['/capping']],
    ['neither products nor a bid', { products: undefined, cpc: undefined }, ['/products', '/cpc']],
    ['a field of display campaigns', { cpm: 1 }, ['/cpm']],
    ['an unknown property', { colour: 1 }, ['/colour']],
    ['an unknown shop', { shopId: '00000000-0000-4000-8000-000000000000' }, ['/shopId']],
    ['a shop that is no id', { shopId: 'mine' }, ['/shopId']],
    ['an account of others', { accountId: '00000000-0000-4000-8000-000000000000' }, ['/accountId']],
    ['many at once', { endAt: iso(-1), cpc: 0.01, budget: 1, dailyBudget: 2 }, ['/endAt', '/dailyBudget', '/cpc']],
  ])('refuse %s', async (_name, extra, expected) => {
    const answer = await post(extra)
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('INVALID')
    expect(paths(answer)).toEqual(expected)
  })

  it('need an account that may promote something', async () => {
    const empty = await openAccount(office, 'ADVERTISER')
    expect(paths(await post({}, empty.token))).toEqual(['/accountId'])
    expect(paths(await post({ accountId: undefined }, undefined)).length).toBe(0)
    const operator = await office.make('/v1/panel/accounts', { kind: 'OPERATOR', name: 'Us' })
    const body = campaignBody(publisher.shopId, { accountId: operator.id })
    expect(paths(await office.call('POST', '/v1/panel/campaigns', body))).toEqual(['/accountId'])
  })

  it('of a publisher promote any product of its own shops, for nothing if it likes', async () => {
    const own = await post({ autoPromo: true, cpc: 0, budget: 0 }, publisher.token)
    expect(own).toMatchObject({ status: 201, body: { autoPromo: true, cpc: 0, state: 'RUNNING' } })
    const other = await openAccount(office, 'PUBLISHER')
    const foreign = campaignBody(publisher.shopId, { accountId: other.id })
    expect(paths(await office.call('POST', '/v1/panel/campaigns', foreign))).toEqual(['/shopId'])
  })

  it('cannot promise less than they have spent, nor become drafts again', async () => {
    const { body } = await post({ status: 'DRAFT' })
    expect(body.state).toBe('DRAFT')
    office.spent.set(body.id, 40_000_000)
    expect((await patch(body.id, { budget: 40, status: 'ACTIVE' })).status).toBe(200)
    const less = await patch(body.id, { budget: 39.999999, status: 'DRAFT' })
    expect(paths(less)).toEqual(['/budget', '/status'])
    expect((await patch(body.id, { endAt: iso(-1) })).status).toBe(400)
    office.clock.now += 1000
    expect((await patch(body.id, { endAt: iso(500) })).body.state).toBe('ENDED')
    office.clock.now = NOW
  })

  it('are shown and stopped while nobody knows what they have spent, but promise no less', async () => {
    const { body } = await post({ budget: 50 })
    office.spent.set(body.id, 50_000_000)
    office.counters.areThere = false
    const unknown = { ...body, spent: null, state: 'RUNNING' }
    expect(await office.call('GET', `/v1/panel/campaigns/${body.id}`)).toMatchObject({ status: 200, body: unknown })
    const { items } = (await office.call('GET', `/v1/panel/campaigns?accountId=${advertiser.id}&limit=1000`)).body
    expect(items.find(({ id }: { id: string }) => id === body.id)).toEqual(unknown)
    expect(await patch(body.id, { budget: 49.999999, name: 'Less' })).toMatchObject({
      status: 503,
      body: { code: 'UNAVAILABLE', errors: [{ path: '/budget' }] },
      headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
    })
    expect(await patch(body.id, { budget: 50, status: 'PAUSED' })).toMatchObject({
      status: 200,
      body: { name: body.name, state: 'PAUSED', spent: null },
    })
    office.counters.areThere = true
    expect((await office.call('GET', `/v1/panel/campaigns/${body.id}`)).body).toMatchObject({
      spent: 50,
      state: 'EXHAUSTED',
    })
  })

  it('cannot change hands', async () => {
    const { body } = await post({})
    const fixed = { shopId: publisher.shopId, accountId: advertiser.id, kind: 'SPONSORED', autoPromo: true }
    expect(paths(await patch(body.id, fixed)).toSorted()).toEqual(['/accountId', '/autoPromo', '/kind', '/shopId'])
  })

  it('hold their shop and account, and leave them free once removed', async () => {
    const shop = await office.make('/v1/panel/shops', shopBody, publisher.token)
    const account = await openAccount(office, 'ADVERTISER', { sellerIds: ['s'] })
    const campaign = await office.make('/v1/panel/campaigns', campaignBody(shop.id), account.token)
    const remove = (path: string) => office.call('DELETE', `/v1/panel/${path}`).then(({ status }) => status)
    expect(await remove(`shops/${shop.id}`)).toBe(409)
    expect(await remove(`accounts/${account.id}`)).toBe(409)
    expect(await remove(`campaigns/${campaign.id}`)).toBe(204)
    expect(await remove(`shops/${shop.id}`)).toBe(204)
    expect(await remove(`accounts/${account.id}`)).toBe(204)
    expect(office.registry.snapshot.getEver('Campaign', campaign.id)?.deletedAt).toBe(NOW)
  })
})
