import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, makeUser, signIn } from '../access/users/people.ts'
import { picture, upload } from '../images/pictures.ts'
import {
  BOOTSTRAP_TOKEN,
  campaignBody,
  discard,
  displayBody,
  formatBody,
  type Office,
  openAccount,
  openOffice,
  openPublisher,
} from '../office.ts'

/** Publisher A and its shop, advertiser A in that shop, and a publisher and an advertiser who have nothing to do with them. */
type Caller = 'operator' | 'publisherA' | 'publisherB' | 'advertiserA' | 'advertiserB'
const CALLERS: readonly Caller[] = ['operator', 'publisherA', 'publisherB', 'advertiserA', 'advertiserB']

interface Row {
  path: string
  /** The callers who see it. All others get a 404, whatever they try. */
  seenBy: readonly Caller[]
  /** The callers who may change and remove it. Others who see it get a 403. */
  changedBy: readonly Caller[]
  /** The status that they get for a change, if it is not 200. */
  changeAnswers?: number
  /** The callers who may remove it, if they are not those who may change it. */
  removedBy?: readonly Caller[]
  /** There is no way to change or remove it. */
  isReadOnly?: boolean
}

const OF_PUBLISHER: readonly Caller[] = ['operator', 'publisherA']
const OF_ADVERTISER: readonly Caller[] = ['operator', 'advertiserA']
const rowsOfKinds: Record<string, Row> = {
  'the account of a publisher': {
    path: 'accounts',
    seenBy: OF_PUBLISHER,
    changedBy: OF_PUBLISHER,
    removedBy: ['operator'],
  },
  'the account of an advertiser': {
    path: 'accounts',
    seenBy: OF_ADVERTISER,
    changedBy: OF_ADVERTISER,
    removedBy: ['operator'],
  },
  'a token of a publisher': { path: 'tokens', seenBy: OF_PUBLISHER, changedBy: OF_PUBLISHER },
  'a token of an advertiser': { path: 'tokens', seenBy: OF_ADVERTISER, changedBy: OF_ADVERTISER },
  'a user of a publisher': { path: 'users', seenBy: OF_PUBLISHER, changedBy: OF_PUBLISHER },
  'a user of an advertiser': { path: 'users', seenBy: OF_ADVERTISER, changedBy: OF_ADVERTISER },
  'an operator': { path: 'users', seenBy: ['operator'], changedBy: ['operator'] },
  'a shop': { path: 'shops', seenBy: [...OF_PUBLISHER, 'advertiserA', 'advertiserB'], changedBy: OF_PUBLISHER },
  'a placement': { path: 'placements', seenBy: OF_PUBLISHER, changedBy: OF_PUBLISHER },
  'an ad unit': { path: 'ad-units', seenBy: OF_PUBLISHER, changedBy: OF_PUBLISHER },
  'a feed': { path: 'feeds', seenBy: OF_PUBLISHER, changedBy: OF_PUBLISHER },
  // A format never changes, so its owner gets a 409.
  'an ad format': {
    path: 'ad-formats',
    seenBy: [...OF_PUBLISHER, 'advertiserA', 'advertiserB'],
    changedBy: OF_PUBLISHER,
    changeAnswers: 409,
  },
  "an advertiser's sponsored campaign": {
    path: 'campaigns',
    seenBy: [...OF_PUBLISHER, 'advertiserA'],
    changedBy: OF_ADVERTISER,
  },
  "an advertiser's display campaign": {
    path: 'campaigns',
    seenBy: [...OF_PUBLISHER, 'advertiserA'],
    changedBy: OF_ADVERTISER,
  },
  "the publisher's own campaign": { path: 'campaigns', seenBy: OF_PUBLISHER, changedBy: OF_PUBLISHER },
  'an image of an advertiser': { path: 'images', seenBy: OF_ADVERTISER, changedBy: [], isReadOnly: true },
}

describe('ownership', () => {
  let office: Office
  const callers = { operator: BOOTSTRAP_TOKEN } as Record<Caller, string>
  /** Signed-in users, because tokens cannot change users. */
  const people = {} as Record<Caller, Browser>
  const ids: Record<string, string> = {}
  let shopId: string
  let placementId: string
  let accountId: string

  beforeAll(async () => {
    office = await openOffice()
    const a = await openPublisher(office, { displayEnabled: true })
    const b = await openPublisher(office)
    const adA = await openAccount(office, 'ADVERTISER', { sellerIds: ['a'], displayEnabled: true })
    const adB = await openAccount(office, 'ADVERTISER', { sellerIds: ['b'], displayEnabled: true })
    Object.assign(callers, { publisherA: a.token, publisherB: b.token, advertiserA: adA.token, advertiserB: adB.token })
    const accounts = { operator: null, publisherA: a.id, publisherB: b.id, advertiserA: adA.id, advertiserB: adB.id }
    for (const [caller, accountId] of Object.entries(accounts)) {
      const role = caller.replace(/[AB]$/, '').toUpperCase()
      await makeUser(office, `${caller}@who.example`, { role, accountId })
      people[caller as Caller] = await signIn(office, `${caller}@who.example`)
    }
    shopId = a.shopId
    placementId = a.placementId
    accountId = a.id
    const campaign = async (body: object, token: string) => (await office.make('/v1/panel/campaigns', body, token)).id
    const tokenOf = async (id: string) =>
      (await office.call('GET', `/v1/panel/tokens?accountId=${id}`)).body.items[0].id
    const userOf = async (role: string, id?: string) =>
      (await makeUser(office, `${role}@x.example`, { role, accountId: id })).id
    const imageId = (await upload(office, adA.token, await picture('jpeg', { width: 40, height: 20 }))).body.id
    Object.assign(ids, {
      'the account of a publisher': a.id,
      'the account of an advertiser': adA.id,
      'a token of a publisher': await tokenOf(a.id),
      'a token of an advertiser': await tokenOf(adA.id),
      'a user of a publisher': await userOf('PUBLISHER', a.id),
      'a user of an advertiser': await userOf('ADVERTISER', adA.id),
      'an operator': await userOf('OPERATOR'),
      'a shop': a.shopId,
      'a placement': a.placementId,
      'an ad unit': a.unitId,
      'a feed': a.feedId,
      'an ad format': a.formatId,
      "an advertiser's sponsored campaign": await campaign(campaignBody(shopId), adA.token),
      "an advertiser's display campaign": await campaign(
        displayBody({ shopId, formatId: a.formatId, imageId }),
        adA.token,
      ),
      "the publisher's own campaign": await campaign(campaignBody(shopId), a.token),
      'an image of an advertiser': imageId,
    })
  })
  afterAll(() => discard(office))

  const cases = Object.entries(rowsOfKinds).flatMap(([what, row]) =>
    CALLERS.map((caller) => ({ what, row, caller, seen: row.seenBy.includes(caller) })),
  )
  const call = (method: string, { path }: Row, what: string, caller: Caller, body?: object) =>
    path === 'users'
      ? people[caller].call(method, `/v1/panel/${path}/${ids[what]}`, body)
      : office.call(method, `/v1/panel/${path}/${ids[what]}`, body, callers[caller])
  const refusal = (seen: boolean) => (seen ? 403 : 404)

  it.each(cases)('$caller reading $what', async ({ what, row, caller, seen }) => {
    expect((await call('GET', row, what, caller)).status).toBe(seen ? 200 : 404)
    const { body } = await office.call('GET', `/v1/panel/${row.path}?limit=1000`, undefined, callers[caller])
    expect(body.items.some((item: { id: string }) => item.id === ids[what])).toBe(seen)
  })

  it.each(cases.filter(({ row }) => !row.isReadOnly))('$caller changing $what', async ({ what, row, caller, seen }) => {
    const { status } = await call('PATCH', row, what, caller, { name: caller })
    expect(status).toBe(row.changedBy.includes(caller) ? (row.changeAnswers ?? 200) : refusal(seen))
  })

  it.each(cases.filter(({ row, caller }) => !row.isReadOnly && !(row.removedBy ?? row.changedBy).includes(caller)))(
    '$caller removing $what, which is not theirs to remove',
    async ({ what, row, caller, seen }) => {
      expect((await call('DELETE', row, what, caller)).status).toBe(refusal(seen))
      expect((await call('GET', row, what, 'operator')).status).toBe(200)
    },
  )

  it('tells a publisher how to stop the campaign of an advertiser', async () => {
    const tries = ["an advertiser's display campaign", "an advertiser's sponsored campaign"].map((what) =>
      call('PATCH', rowsOfKinds[what]!, what, 'publisherA', { status: 'PAUSED' }),
    )
    const details = (await Promise.all(tries)).map(({ body }) => body.detail)
    expect(details).toEqual([expect.stringContaining('moderation'), expect.stringContaining('operator')])
    const moderation = `/v1/panel/moderation/${ids["an advertiser's display campaign"]}`
    expect((await office.call('POST', `${moderation}/accept`, {}, callers.publisherA)).status).toBe(200)
    expect((await office.call('POST', `${moderation}/reject`, { reason: 'No' }, callers.publisherA)).status).toBe(200)
    for (const [caller, status] of [
      ['publisherB', 404],
      ['advertiserA', 403],
      ['advertiserB', 403],
    ] as const) {
      expect((await office.call('POST', `${moderation}/accept`, {}, callers[caller])).status, caller).toBe(status)
    }
  })

  it('of a campaign stays where it is', async () => {
    const what = "an advertiser's sponsored campaign"
    for (const change of [{ accountId }, { shopId }]) {
      expect((await call('PATCH', rowsOfKinds[what]!, what, 'advertiserA', change)).status).toBe(400)
    }
  })

  it.each([
    ['placements', () => ({ shopId, name: 'x', kind: 'PRODUCT' }), '/shopId'],
    ['feeds', () => ({ shopId, name: 'x' }), '/shopId'],
    ['ad-formats', () => formatBody(shopId), '/shopId'],
    ['ad-units', () => ({ placementId, name: 'x', algorithm: 'BESTSELLERS' }), '/placementId'],
    ['campaigns', () => campaignBody(shopId), '/shopId'],
    ['shops', () => ({ accountId, name: 'x', currency: 'EUR', lang: 'de', country: 'DE' }), '/accountId'],
    ['tokens', () => ({ accountId, name: 'x', scopes: ['panel'] }), '/accountId'],
    [
      'users',
      () => ({ accountId, name: 'x', email: 'x@y.example', password: 'x'.repeat(10), role: 'PUBLISHER' }),
      '/accountId',
    ],
  ])('keeps another publisher from making %s under it', async (path, body, field) => {
    const answer =
      path === 'users'
        ? await people.publisherB.call('POST', `/v1/panel/${path}`, body())
        : await office.call('POST', `/v1/panel/${path}`, body(), callers.publisherB)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].path).toBe(field)
  })

  it('lets advertisers set up nothing in a shop that they see', async () => {
    const bodies = {
      placements: { shopId, name: 'x', kind: 'PRODUCT' },
      feeds: { shopId, name: 'x' },
      'ad-formats': formatBody(shopId),
      'ad-units': { placementId, name: 'x', algorithm: 'BESTSELLERS' },
      accounts: { kind: 'ADVERTISER', name: 'x' },
    }
    for (const [path, body] of Object.entries(bodies)) {
      expect((await office.call('POST', `/v1/panel/${path}`, body, callers.advertiserA)).status, path).toBe(403)
    }
  })

  it('judges the role before the body', async () => {
    const broken = '{"name":'
    for (const path of ['accounts', 'shops', 'placements', 'feeds', 'ad-formats', 'ad-units']) {
      expect((await office.call('POST', `/v1/panel/${path}`, broken, callers.advertiserA)).status, path).toBe(403)
    }
    expect((await office.call('PATCH', `/v1/panel/shops/${shopId}`, broken, callers.advertiserA)).status).toBe(403)
    expect((await office.call('PATCH', `/v1/panel/feeds/${randomUUID()}`, broken, callers.advertiserA)).status).toBe(
      404,
    )
  })

  it('shows advertisers only what a campaign needs of a shop', async () => {
    const { body } = await office.call('GET', `/v1/panel/shops/${shopId}`, undefined, callers.advertiserB)
    expect(Object.keys(body).toSorted()).toEqual(
      ['id', 'version', 'updatedAt', 'name', 'currency', 'lang', 'country', 'timeZone', 'reserveCpc'].toSorted(),
    )
  })
})
