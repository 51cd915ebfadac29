import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, discard, NOW, type Office, openAccount, openOffice, openPublisher, paths } from '../office.ts'
import { makeUser, signIn } from './users/people.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describe('tokens', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  const call = (...args: Parameters<Office['call']>): Promise<Answer> => office.call(...args)

  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
  })
  afterAll(() => discard(office))

  it('are shown once and kept as a hash', async () => {
    const body = { accountId: publisher.id, name: 'CI', scopes: ['feed'], expiresAt: '2027-01-01T00:00:00Z' }
    const made = await call('POST', '/v1/panel/tokens', body)
    expect(made.status).toBe(201)
    expect(made.headers['cache-control']).toBe('no-store')
    expect(made.body.token).toMatch(/^endcap_[\w-]{43}$/)
    const read = await call('GET', `/v1/panel/tokens/${made.body.id}`)
    expect(read.body).toEqual({ ...made.body, token: undefined, expiresAt: '2027-01-01T00:00:00.000Z' })
    const stored = office.registry.snapshot.body('Token', made.body.id)
    expect(JSON.stringify(stored)).not.toContain(made.body.token)
  })

  it('belong to the caller where no account is named', async () => {
    const made = await office.make('/v1/panel/tokens', { name: 'mine', scopes: ['slots'] }, publisher.token)
    expect(made.accountId).toBe(publisher.id)
    expect(paths(await call('POST', '/v1/panel/tokens', { name: 'whose', scopes: ['slots'] }))).toEqual(['/accountId'])
  })

  it('can be renamed, and no longer work once revoked or expired', async () => {
    const soon = new Date(NOW + 1000).toISOString()
    const make = (extra: object) =>
      office.make('/v1/panel/tokens', { accountId: publisher.id, name: 't', scopes: ['panel'], ...extra })
    const [revoked, expiring] = [await make({}), await make({ expiresAt: soon })]
    const path = `/v1/panel/tokens/${revoked.id}`
    expect((await call('PATCH', path, { name: 'renamed' }, revoked.token)).body.name).toBe('renamed')
    expect((await call('DELETE', path, undefined, revoked.token)).status).toBe(204)
    expect((await call('GET', '/v1/panel/shops', undefined, revoked.token)).status).toBe(401)
    expect(office.registry.snapshot.getEver('Token', revoked.id)).toMatchObject({ body: { revokedAt: NOW } })
    expect((await call('GET', '/v1/panel/shops', undefined, expiring.token)).status).toBe(200)
    office.clock.now += 1000
    expect((await call('GET', '/v1/panel/shops', undefined, expiring.token)).status).toBe(401)
    office.clock.now = NOW
  })

  it('are of who made them, tell their last use to the hour, and fall with that user', async () => {
    const maker = await makeUser(office, 'maker@shop.example', { role: 'PUBLISHER', accountId: publisher.id })
    const browser = await signIn(office, 'maker@shop.example')
    const made = await browser.call('POST', '/v1/panel/tokens', { name: 'hers', scopes: ['panel', 'slots'] })
    expect(made.body).toMatchObject({
      createdBy: { id: maker.id, name: 'Ada' },
      createdAt: new Date(NOW).toISOString(),
      lastUsedAt: null,
    })
    const path = `/v1/panel/tokens/${made.body.id}`
    const use = async (at: number) => {
      office.clock.now = at
      expect((await call('GET', '/v1/panel/shops', undefined, made.body.token)).status).toBe(200)
      await office.tokenUse.close()
      return (await call('GET', path)).body.lastUsedAt
    }
    expect(await use(NOW + 60_000)).toBe(new Date(NOW + 60_000).toISOString())
    expect(await use(NOW + 3_600_000)).toBe(new Date(NOW + 60_000).toISOString())
    expect(await use(NOW + 3_660_000)).toBe(new Date(NOW + 3_660_000).toISOString())
    office.clock.now = NOW
    const child = await call('POST', '/v1/panel/tokens', { name: 'child', scopes: ['panel'] }, made.body.token)
    expect(child.body.createdBy).toEqual({ id: maker.id, name: 'Ada' })

    const works = async () =>
      Promise.all(
        [made, child].map(async ({ body }) => (await call('GET', '/v1/panel/shops', undefined, body.token)).status),
      )
    await call('PATCH', `/v1/panel/users/${maker.id}`, { disabled: true })
    expect(await works()).toEqual([401, 401])
    await call('PATCH', `/v1/panel/users/${maker.id}`, { disabled: false })
    expect(await works()).toEqual([200, 200])
    await call('DELETE', `/v1/panel/users/${maker.id}`)
    expect(await works()).toEqual([401, 401])
  })

  it('are revoked with all sessions of their maker when that is asked for', async () => {
    await makeUser(office, 'leaves@shop.example', { role: 'PUBLISHER', accountId: publisher.id })
    const browser = await signIn(office, 'leaves@shop.example')
    const { body } = await browser.call('POST', '/v1/panel/tokens', { name: 'hers', scopes: ['panel'] })
    const other = await signIn(office, 'leaves@shop.example')
    await other.call('DELETE', '/v1/panel/session?everywhere=true')
    expect((await call('GET', '/v1/panel/shops', undefined, body.token)).status).toBe(200)
    const last = await signIn(office, 'leaves@shop.example')
    await last.call('DELETE', '/v1/panel/session?everywhere=true&tokens=true')
    expect((await call('GET', '/v1/panel/shops', undefined, body.token)).status).toBe(401)
    expect((await call('GET', '/v1/panel/shops', undefined, publisher.token)).status).toBe(200)
  })

  it('make tokens of no more than they have themselves', async () => {
    const expiresAt = new Date(NOW + 60_000).toISOString()
    const body = { accountId: publisher.id, name: 'narrow', scopes: ['panel'], expiresAt }
    const { token } = await office.make('/v1/panel/tokens', body)
    const made = (extra: object) =>
      call('POST', '/v1/panel/tokens', { name: 'n', scopes: ['panel'], expiresAt, ...extra }, token)
    expect(paths(await made({ scopes: ['panel', 'feed'] }))).toEqual(['/scopes/1'])
    expect(paths(await made({ expiresAt: null }))).toEqual(['/expiresAt'])
    expect(paths(await made({ expiresAt: new Date(NOW + 60_001).toISOString() }))).toEqual(['/expiresAt'])
    expect((await made({})).status).toBe(201)
  })

  it('list all that is wrong with a new one', async () => {
    const advertiser = await openAccount(office, 'ADVERTISER')
    const body = {
      accountId: advertiser.id,
      name: 't',
      scopes: ['feed', 'panel', 'slots'],
      expiresAt: '2020-01-01T00:00:00Z',
    }
    const answer = await call('POST', '/v1/panel/tokens', body)
    expect(answer.status).toBe(400)
    expect(paths(answer)).toEqual(['/scopes/0', '/scopes/2', '/expiresAt'])
    expect(paths(await call('POST', '/v1/panel/tokens', { ...body, accountId: UNKNOWN }))).toContain('/accountId')
  })

  it('are limited per account', async () => {
    const account = await openAccount(office, 'PUBLISHER')
    const body = { accountId: account.id, name: 't', scopes: ['feed'] }
    for (let i = 1; i < 100; i++) await office.make('/v1/panel/tokens', body)
    expect(await call('POST', '/v1/panel/tokens', body)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  })
})
