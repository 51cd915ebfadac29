import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  BOOTSTRAP_TOKEN,
  campaignBody,
  discard,
  formatBody,
  type Office,
  openAccount,
  openOffice,
  openPublisher,
} from './office.ts'

/**
 * The matrix: one row of every kind, made by publisher A or advertiser A, against all callers. What a caller may not see
 * is 404 to it, whatever it tries; what it may see but not change is 403.
 */
describe('ownership', () => {
  let office: Office
  const callers: Record<string, string> = { operator: BOOTSTRAP_TOKEN }
  const rows: Record<string, string> = {}

  beforeAll(async () => {
    office = await openOffice()
    const a = await openPublisher(office)
    const b = await openPublisher(office)
    const adA = await openAccount(office, 'ADVERTISER', { sellerIds: ['a'] })
    const adB = await openAccount(office, 'ADVERTISER', { sellerIds: ['b'] })
    Object.assign(callers, { publisherA: a.token, publisherB: b.token, advertiserA: adA.token, advertiserB: adB.token })
    const campaign = await office.make('/v1/panel/campaigns', campaignBody(a.shopId), adA.token)
    const house = await office.make('/v1/panel/campaigns', campaignBody(a.shopId), a.token)
    const tokens = await office.call('GET', `/v1/panel/tokens?accountId=${a.id}`)
    Object.assign(rows, {
      accounts: a.id,
      tokens: tokens.body.items[0].id,
      shops: a.shopId,
      placements: a.placementId,
      'ad-units': a.unitId,
      feeds: a.feedId,
      'ad-formats': a.formatId,
      campaigns: campaign.id,
      house: house.id,
      advertiser: adA.id,
    })
  })
  afterAll(() => discard(office))

  const none = { publisherB: 404, advertiserA: 404, advertiserB: 404 }
  const matrix: [row: string, path: string, sees: Record<string, number>, changes: Record<string, number>][] = [
    ['accounts', 'accounts', { publisherA: 200, ...none }, { publisherA: 200, ...none }],
    [
      'advertiser',
      'accounts',
      { publisherA: 404, ...none, advertiserA: 200 },
      { publisherA: 404, ...none, advertiserA: 200 },
    ],
    ['tokens', 'tokens', { publisherA: 200, ...none }, { publisherA: 200, ...none }],
    [
      'shops',
      'shops',
      { publisherA: 200, publisherB: 404, advertiserA: 200, advertiserB: 200 },
      { publisherA: 200, publisherB: 404, advertiserA: 403, advertiserB: 403 },
    ],
    ['placements', 'placements', { publisherA: 200, ...none }, { publisherA: 200, ...none }],
    ['ad-units', 'ad-units', { publisherA: 200, ...none }, { publisherA: 200, ...none }],
    ['feeds', 'feeds', { publisherA: 200, ...none }, { publisherA: 200, ...none }],
    [
      'campaigns',
      'campaigns',
      { publisherA: 200, ...none, advertiserA: 200 },
      { publisherA: 200, ...none, advertiserA: 200 },
    ],
    ['house', 'campaigns', { publisherA: 200, ...none }, { publisherA: 200, ...none }],
  ]

  it.each(matrix)('of %s holds for reading, listing, changing and removing', async (row, path, sees, changes) => {
    const id = rows[row]!
    for (const [caller, expected] of Object.entries({ operator: 200, ...sees })) {
      const read = await office.call('GET', `/v1/panel/${path}/${id}`, undefined, callers[caller]!)
      expect(read.status, `${caller} reads`).toBe(expected)
      const { body } = await office.call('GET', `/v1/panel/${path}?limit=1000`, undefined, callers[caller]!)
      const isListed = body.items.some((item: { id: string }) => item.id === id)
      expect(isListed, `${caller} lists`).toBe(expected === 200)
    }
    for (const [caller, expected] of Object.entries({ operator: 200, ...changes })) {
      const change = await office.call('PATCH', `/v1/panel/${path}/${id}`, { name: caller }, callers[caller]!)
      expect(change.status, `${caller} changes`).toBe(expected)
      if (expected === 200) continue
      const removal = await office.call('DELETE', `/v1/panel/${path}/${id}`, undefined, callers[caller]!)
      expect(removal.status, `${caller} removes`).toBe(expected)
    }
  })

  it.each([
    ['placements', () => ({ shopId: rows.shops, name: 'x', kind: 'PRODUCT' }), 400, '/shopId'],
    ['feeds', () => ({ shopId: rows.shops, name: 'x' }), 400, '/shopId'],
    ['ad-formats', () => formatBody(rows.shops!), 400, '/shopId'],
    ['ad-units', () => ({ placementId: rows.placements, name: 'x', algorithm: 'BESTSELLERS' }), 400, '/placementId'],
    ['campaigns', () => campaignBody(rows.shops!), 400, '/shopId'],
    [
      'shops',
      () => ({ accountId: rows.accounts, name: 'x', currency: 'EUR', lang: 'de', country: 'DE' }),
      400,
      '/accountId',
    ],
    ['tokens', () => ({ accountId: rows.accounts, name: 'x', scopes: ['panel'] }), 400, '/accountId'],
  ])('keeps another publisher from making %s under it', async (path, body, status, field) => {
    const answer = await office.call('POST', `/v1/panel/${path}`, body(), callers.publisherB!)
    expect(answer.status).toBe(status)
    expect(answer.body.errors[0].path).toBe(field)
  })

  it('lets advertisers set up nothing in a shop that they see', async () => {
    const token = callers.advertiserA!
    const bodies = {
      placements: { shopId: rows.shops, name: 'x', kind: 'PRODUCT' },
      feeds: { shopId: rows.shops, name: 'x' },
      'ad-formats': formatBody(rows.shops!),
      'ad-units': { placementId: rows.placements, name: 'x', algorithm: 'BESTSELLERS' },
      accounts: { kind: 'ADVERTISER', name: 'x' },
    }
    for (const [path, body] of Object.entries(bodies)) {
      expect((await office.call('POST', `/v1/panel/${path}`, body, token)).status, path).toBe(403)
    }
  })

  it('shows advertisers only what a campaign needs of a shop', async () => {
    const { body } = await office.call('GET', `/v1/panel/shops/${rows.shops}`, undefined, callers.advertiserB!)
    expect(Object.keys(body).toSorted()).toEqual(
      ['id', 'version', 'updatedAt', 'name', 'currency', 'lang', 'country', 'timeZone', 'reserveCpc'].toSorted(),
    )
  })
})
