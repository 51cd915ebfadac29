import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, discard, type Office, openAccount, openOffice, openPublisher, paths, shopBody } from './office.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const UUID = /^[0-9a-f-]{36}$/

describe('the management API', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  const call = (...args: Parameters<Office['call']>): Promise<Answer> => office.call(...args)

  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
  })
  afterAll(() => discard(office))

  describe('accounts', () => {
    it('are made by the operator, with defaults', async () => {
      const { status, body, headers } = await call('POST', '/v1/panel/accounts', { kind: 'ADVERTISER', name: 'Lamps' })
      expect(status).toBe(201)
      expect(headers.location).toBe(`/v1/panel/accounts/${body.id}`)
      expect(body).toEqual({
        id: expect.stringMatching(UUID),
        version: 1,
        updatedAt: '2026-06-01T12:00:00.000Z',
        kind: 'ADVERTISER',
        name: 'Lamps',
        companyName: '',
        taxNumber: '',
        sellerIds: [],
        displayEnabled: false,
      })
      expect(await call('GET', `/v1/panel/accounts/${body.id}`)).toMatchObject({ status: 200, body })
    })

    it('change their names themselves, but not what they may promote', async () => {
      const path = `/v1/panel/accounts/${publisher.id}`
      const named = await call('PATCH', path, { companyName: 'Shop SE' }, publisher.token)
      expect(named).toMatchObject({ status: 200, body: { companyName: 'Shop SE', version: 2 } })
      const granted = await call('PATCH', path, { sellerIds: ['x'], displayEnabled: true }, publisher.token)
      expect(granted).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
      expect(paths(granted)).toEqual(['/sellerIds', '/displayEnabled'])
    })

    it('are removed by the operator only, once they have neither shops nor campaigns, with their tokens', async () => {
      expect((await call('DELETE', `/v1/panel/accounts/${publisher.id}`, undefined, publisher.token)).status).toBe(403)
      expect((await call('DELETE', `/v1/panel/accounts/${publisher.id}`)).status).toBe(409)
      const other = await openAccount(office, 'PUBLISHER')
      expect((await call('GET', '/v1/panel/shops', undefined, other.token)).status).toBe(200)
      expect((await call('DELETE', `/v1/panel/accounts/${other.id}`)).status).toBe(204)
      expect((await call('GET', '/v1/panel/shops', undefined, other.token)).status).toBe(401)
      expect((await call('GET', `/v1/panel/accounts/${other.id}`)).status).toBe(404)
      expect((await call('GET', `/v1/panel/tokens?accountId=${other.id}`)).body.items).toEqual([])
    })
  })

  describe('shops', () => {
    it('have defaults, and change', async () => {
      const { timeZone, ...body } = shopBody
      const shop = await office.make('/v1/panel/shops', { ...body, accountId: publisher.id })
      expect(shop).toMatchObject({
        accountId: publisher.id,
        timeZone: 'UTC',
        clickWindowHours: 336,
        viewWindowHours: 24,
        reserveCpc: 0.01,
      })
      const changed = await call('PATCH', `/v1/panel/shops/${shop.id}`, {
        timeZone,
        reserveCpc: 0.07,
        viewWindowHours: 0,
      })
      expect(changed).toMatchObject({
        status: 200,
        body: { timeZone, reserveCpc: 0.07, viewWindowHours: 0, version: 2 },
      })
      expect(office.registry.snapshot.body('Shop', shop.id)?.reserveCpcMicros).toBe(70_000)
      for (const [currency, reserveCpc] of [
        ['JPY', 1],
        ['KWD', 0.01],
      ] as const) {
        const other = { ...body, currency, accountId: publisher.id }
        expect(await office.make('/v1/panel/shops', other)).toMatchObject({ reserveCpc })
      }
      expect((await call('DELETE', `/v1/panel/shops/${shop.id}`)).status).toBe(204)
      expect((await call('GET', `/v1/panel/shops/${shop.id}`)).status).toBe(404)
    })

    it('use the codes of the standards', async () => {
      const answer = await call('POST', '/v1/panel/shops', {
        ...shopBody,
        accountId: publisher.id,
        currency: 'ABC',
        country: 'XX',
        timeZone: 'Mars/Base',
      })
      expect(answer.status).toBe(400)
      expect(paths(answer)).toEqual(['/currency', '/country', '/timeZone'])
    })

    it('belong to publishers', async () => {
      const advertiser = await openAccount(office, 'ADVERTISER')
      expect(paths(await call('POST', '/v1/panel/shops', { ...shopBody, accountId: advertiser.id }))).toEqual([
        '/accountId',
      ])
      expect((await call('POST', '/v1/panel/shops', shopBody, advertiser.token)).status).toBe(403)
    })

    it('stay while they have placements, feeds, campaigns or technical ad units', async () => {
      const answer = await call('DELETE', `/v1/panel/shops/${publisher.shopId}`)
      const detail = 'The shop still has 1 placement, 1 feed and 1 ad format'
      expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT', detail } })
    })
  })

  describe('placements and ad units', () => {
    it('narrow lists by their parents', async () => {
      const other = await office.make('/v1/panel/placements', {
        shopId: publisher.shopId,
        name: 'Home',
        kind: 'DISPLAY',
      })
      const list = (query: string) => call('GET', `/v1/panel/placements?${query}`).then(({ body }) => body.items)
      expect(await list(`shopId=${publisher.shopId}&kind=DISPLAY`)).toEqual([other])
      expect(await list(`shopId=${UNKNOWN}`)).toEqual([])
      const units = await call('GET', `/v1/panel/ad-units?placementId=${publisher.placementId}`)
      expect(units.body.items).toMatchObject([{ id: publisher.unitId, slotHash: publisher.unitId }])
    })

    it('suit each other in kind', async () => {
      const display = await office.make('/v1/panel/placements', {
        shopId: publisher.shopId,
        name: 'Top',
        kind: 'DISPLAY',
      })
      const unit = { placementId: display.id, name: 'Banner', algorithm: 'BESTSELLERS' }
      expect(paths(await call('POST', '/v1/panel/ad-units', unit))).toEqual(['/algorithm'])
      const banner = await office.make('/v1/panel/ad-units', { ...unit, algorithm: 'DISPLAY', targeting: ['brand'] })
      expect(banner).toMatchObject({ shopId: publisher.shopId, status: 'ACTIVE', targeting: ['brand'] })
      const path = `/v1/panel/ad-units/${publisher.unitId}`
      const wrong = { algorithm: 'DISPLAY' }
      expect(paths(await call('PATCH', path, wrong))).toEqual(['/algorithm'])
      expect(paths(await call('PATCH', path, { targeting: ['brand'], adFormatIds: [UNKNOWN] }))).toEqual([
        '/adFormatIds',
        '/targeting',
      ])
      expect(paths(await call('POST', '/v1/panel/ad-units', { ...unit, placementId: UNKNOWN }))).toEqual([
        '/placementId',
      ])
    })

    it('change and go, the placement last', async () => {
      const placement = await office.make('/v1/panel/placements', {
        shopId: publisher.shopId,
        name: 'P',
        kind: 'PRODUCT',
      })
      const unit = await office.make('/v1/panel/ad-units', {
        placementId: placement.id,
        name: 'U',
        algorithm: 'BESTSELLERS',
      })
      const placementPath = `/v1/panel/placements/${placement.id}`
      const unitPath = `/v1/panel/ad-units/${unit.id}`
      expect((await call('PATCH', placementPath, { name: 'Q' })).body.name).toBe('Q')
      expect((await call('PATCH', unitPath, { status: 'INACTIVE', algorithm: 'SIMILAR_TITLES' })).body).toMatchObject({
        status: 'INACTIVE',
        algorithm: 'SIMILAR_TITLES',
      })
      expect((await call('DELETE', placementPath)).status).toBe(409)
      expect((await call('DELETE', unitPath)).status).toBe(204)
      expect((await call('DELETE', placementPath)).status).toBe(204)
      expect((await call('DELETE', placementPath)).status).toBe(404)
    })
  })

  describe('feeds', () => {
    it('take their currency from the shop, and are http', async () => {
      const body = { shopId: publisher.shopId, name: 'F' }
      const feed = await office.make('/v1/panel/feeds', { ...body, url: 'https://shop.example/feed.xml' })
      expect(feed).toMatchObject({ currency: 'EUR', lang: null, url: 'https://shop.example/feed.xml' })
      expect(
        paths(await call('POST', '/v1/panel/feeds', { ...body, url: 'file:///etc/passwd', currency: 'QQQ' })),
      ).toEqual(['/currency', '/url'])
    })

    it('keep the password of their address to themselves', async () => {
      const body = { shopId: publisher.shopId, name: 'P', url: 'https://shop.example/p.xml' }
      expect(paths(await call('POST', '/v1/panel/feeds', { ...body, url: 'https://u:p@shop.example/' }))).toEqual([
        '/url',
      ])
      const feed = await office.make('/v1/panel/feeds', { ...body, username: 'shop', password: 'secret-1' })
      expect(feed).toMatchObject({ username: 'shop', hasPassword: true })
      const { body: shown } = await call('PATCH', `/v1/panel/feeds/${feed.id}`, { name: 'Q' })
      expect(JSON.stringify([feed, shown])).not.toContain('secret-1')
      expect(office.registry.snapshot.body('Feed', feed.id)).toMatchObject({ username: 'shop', password: 'secret-1' })
    })

    it('are fetched whole after a change of source', async () => {
      const body = { shopId: publisher.shopId, name: 'F', url: 'https://shop.example/a.xml' }
      const { id } = await office.make('/v1/panel/feeds', body)
      const known = office.registry.snapshot.get('Feed', id)!
      await office.registry.write(
        [{ ...known, version: 2, deleted: false, body: { ...known.body, etag: '"1"', lastModified: 'Mon' } }],
        { by: 'test' },
      )
      await call('PATCH', `/v1/panel/feeds/${id}`, { name: 'G' })
      expect(office.registry.snapshot.body('Feed', id)).toMatchObject({ name: 'G', etag: '"1"' })
      await call('PATCH', `/v1/panel/feeds/${id}`, { url: 'https://shop.example/b.xml' })
      expect(office.registry.snapshot.body('Feed', id)).toMatchObject({ etag: null, lastModified: null })
    })
  })

  it('lists in pages that join without gaps', async () => {
    const account = await openAccount(office, 'PUBLISHER')
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.push((await office.make('/v1/panel/shops', shopBody, account.token)).id)
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor ? `&cursor=${cursor}` : ''
      const page: Answer = await call('GET', `/v1/panel/shops?limit=3${query}`, undefined, account.token)
      expect(page.body.items.length).toBeLessThanOrEqual(3)
      seen.push(...page.body.items.map(({ id }: { id: string }) => id))
      cursor = page.body.nextCursor
    }
    expect(seen).toEqual(ids.toSorted())
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'cursor=%20', 'cursor=!!', 'shop=1', 'accountId=7']) {
      const answer = await call('GET', `/v1/panel/shops?${query}`)
      expect(answer.status, query).toBe(400)
      expect(paths(answer)[0], query).toBe(`querystring/${query.split('=')[0]}`)
    }
  })

  it('documents every route, with its errors and what it takes', async () => {
    const { body } = await call('GET', '/docs/json', undefined, null)
    const resources = ['accounts', 'tokens', 'shops', 'placements', 'ad-formats', 'ad-units', 'feeds', 'campaigns']
    for (const resource of resources) {
      expect(Object.keys(body.paths[`/v1/panel/${resource}`])).toEqual(['post', 'get'])
      expect(Object.keys(body.paths[`/v1/panel/${resource}/{id}`])).toEqual(['get', 'patch', 'delete'])
    }
    const create = body.paths['/v1/panel/campaigns'].post
    expect(create.security).toEqual([{ bearer: [] }, { session: [] }])
    expect(create.responses['4XX'].content['application/problem+json'].schema).toBeDefined()
    expect(create.requestBody.content['application/json'].schema.properties.cpc.description).toContain('reserveCpc')
    expect(body.paths['/v1/feed/product'].post.tags).toEqual(['Product update'])
    expect((await call('GET', '/docs', undefined, null)).status).toBe(200)
  })
})
