import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeUser, signIn } from '../access/users/people.ts'
import { campaignBody, discard, type Office, openAccount, openOffice, openPublisher } from '../office.ts'

/** The body of GET …/deletion when DELETE would answer 204. */
const ALLOWED = { allowed: true, blockedBy: null, blockers: [] }

describe('whether something can be deleted', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let brand: Awaited<ReturnType<typeof openAccount>>
  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office, { displayEnabled: true })
    brand = await openAccount(office, 'ADVERTISER', { sellerIds: ['s'] })
  })
  afterAll(() => discard(office))

  const asked = (path: string, token?: string) => office.call('GET', `/v1/panel/${path}/deletion`, undefined, token)
  const remove = (path: string, token?: string) => office.call('DELETE', `/v1/panel/${path}`, undefined, token)

  /** Asks whether the deletion is allowed, then deletes, and checks that both agree. @returns the reason against it, null when deleted. */
  async function announcedThenDone(path: string, token?: string): Promise<string | null> {
    const { status, body } = await asked(path, token)
    expect(status).toBe(200)
    const answer = await remove(path, token)
    expect(answer.status === 204).toBe(body.allowed)
    expect(answer.body?.detail ?? null).toBe(body.blockedBy)
    return body.blockedBy
  }

  it('is announced as it then happens, for each kind, down to the empty account', async () => {
    const { call, make } = office
    const { id, shopId, placementId, unitId, feedId, formatId, token } = publisher
    const campaign = await make('/v1/panel/campaigns', campaignBody(shopId), brand.token)
    const unit = { placementId, name: 'Second', algorithm: 'CONTEXT_MATCH' }
    const { id: secondUnitId } = await make('/v1/panel/ad-units', unit, token)
    const slot = { name: 'S', shopId, businessSlot: { id: unitId }, adFormatIds: [formatId] }
    expect((await call('PUT', '/v1/slots/technical/s', slot, token)).status).toBe(201)

    expect(await announcedThenDone(`accounts/${id}`)).toBe('The account still has 1 shop and 1 technical ad unit')
    expect(await announcedThenDone(`accounts/${brand.id}`)).toBe('The account still has 1 campaign')
    expect(await announcedThenDone(`shops/${shopId}`, token)).toBe(
      'The shop still has 1 placement, 1 feed, 1 campaign, 1 technical ad unit and 1 ad format',
    )
    expect(await announcedThenDone(`placements/${placementId}`, token)).toBe('The placement still has 2 ad units')
    expect(await announcedThenDone(`ad-units/${unitId}`, token)).toBe('The ad unit still has 1 technical ad unit')
    expect(await announcedThenDone(`ad-formats/${formatId}`, token)).toBe('The ad format still has 1 technical ad unit')

    expect((await call('DELETE', '/v1/slots/technical/s', undefined, token)).status).toBe(204)
    const key = await make('/v1/panel/signing-keys', { shopId, name: 'Key' }, token)
    const spare = await make('/v1/panel/tokens', { accountId: id, name: 'Spare', scopes: ['panel'] })
    for (const path of [
      `signing-keys/${key.id}`,
      `tokens/${spare.id}`,
      `ad-units/${unitId}`,
      `ad-units/${secondUnitId}`,
      `placements/${placementId}`,
      `ad-formats/${formatId}`,
      `feeds/${feedId}`,
    ]) {
      expect(await announcedThenDone(path, token)).toBeNull()
    }
    expect(await announcedThenDone(`shops/${shopId}`, token)).toBe('The shop still has 1 campaign')
    expect((await asked(`shops/${shopId}`, token)).body.blockers).toEqual([{ kind: 'Campaign', count: 1 }])
    expect(await announcedThenDone(`campaigns/${campaign.id}`, brand.token)).toBeNull()
    expect((await asked(`shops/${shopId}`, token)).body).toEqual(ALLOWED)
    expect(await announcedThenDone(`shops/${shopId}`, token)).toBeNull()
    expect(await announcedThenDone(`accounts/${id}`)).toBeNull()
  })

  it('is refused for an account while technical units of it are in shops of others', async () => {
    const { shopId, unitId, token } = await openPublisher(office)
    const helper = await office.make('/v1/panel/accounts', { kind: 'OPERATOR', name: 'Helper' })
    const given = { accountId: helper.id, name: 'Slots', scopes: ['slots'] }
    const { token: ofHelper } = await office.make('/v1/panel/tokens', given)
    const slot = { name: 'S', shopId, businessSlot: { id: unitId } }
    expect((await office.call('PUT', '/v1/slots/technical/s', slot, ofHelper)).status).toBe(201)
    expect(await announcedThenDone(`ad-units/${unitId}`, token)).toBe('The ad unit still has 1 technical ad unit')
    expect(await announcedThenDone(`accounts/${helper.id}`)).toBe('The account still has 1 technical ad unit')
    expect((await office.call('DELETE', '/v1/slots/technical/s', undefined, ofHelper)).status).toBe(204)
    expect(await announcedThenDone(`accounts/${helper.id}`)).toBeNull()
    expect(await announcedThenDone(`ad-units/${unitId}`, token)).toBeNull()
  })

  it('says what the caller may not delete at all, as DELETE does', async () => {
    const { shopId } = await openPublisher(office)
    expect(await announcedThenDone(`accounts/${brand.id}`, brand.token)).toBe('Only the operator can delete an account')
    for (const [path, status] of [
      [`shops/${shopId}`, 403],
      [`accounts/${publisher.id}`, 404],
    ] as const) {
      const [answer, removal] = [await asked(path, brand.token), await remove(path, brand.token)]
      expect([answer.status, removal.status]).toEqual([status, status])
      expect(answer.body.detail).toBe(removal.body.detail)
    }
    expect((await asked(`accounts/${brand.id}`, null as never)).status).toBe(401)
  })

  it('holds for users, of whom none can delete themselves, and for saved views', async () => {
    const { id: ownId } = await makeUser(office, 'olga@ads.example', {
      role: 'OPERATOR',
      accountId: null,
      name: 'Olga',
    })
    const { id } = await makeUser(office, 'otto@ads.example', { role: 'OPERATOR', accountId: null, name: 'Otto' })
    const olga = await signIn(office, 'olga@ads.example')
    const view = await olga.call('POST', '/v1/panel/report-views', { name: 'Mine', address: 'groupBy=campaign' })
    for (const [path, reason] of [
      [`users/${ownId}`, 'Users cannot delete themselves'],
      [`users/${id}`, null],
      [`report-views/${view.body.id}`, null],
    ] as const) {
      const answer = await olga.call('GET', `/v1/panel/${path}/deletion`)
      expect(answer.body).toEqual({ allowed: reason === null, blockedBy: reason, blockers: [] })
      const removal = await olga.call('DELETE', `/v1/panel/${path}`)
      expect([removal.status, removal.body?.detail ?? null]).toEqual([reason === null ? 204 : 409, reason])
    }
  })
})
