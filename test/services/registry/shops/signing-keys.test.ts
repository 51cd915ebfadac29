import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { discard, type Office, openAccount, openOffice, openPublisher, paths } from '../office.ts'

describe('signing keys', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let shopId: string
  const make = (body: object, token = publisher.token) => office.call('POST', '/v1/panel/signing-keys', body, token)

  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
    const shop = { name: 'Shop', currency: 'EUR', lang: 'de', country: 'DE' }
    shopId = (await office.make('/v1/panel/shops', shop, publisher.token)).id
  })
  afterAll(() => discard(office))

  it('show their secret once', async () => {
    const made = await make({ shopId, name: 'checkout' })
    expect(made.status).toBe(201)
    expect(made.headers['cache-control']).toBe('no-store')
    expect(made.body.secret).toMatch(/^endcap_sign_[\w-]{43}$/)
    const path = `/v1/panel/signing-keys/${made.body.id}`
    const { secret, ...shown } = made.body
    expect((await office.call('GET', path, undefined, publisher.token)).body).toEqual(shown)
    const listed = await office.call('GET', `/v1/panel/signing-keys?shopId=${shopId}`, undefined, publisher.token)
    expect(listed.body.items).toEqual([shown])
    const renamed = await office.call('PATCH', path, { name: 'app' }, publisher.token)
    expect(renamed.body).toMatchObject({ name: 'app' })
    expect(JSON.stringify(renamed.body)).not.toContain(secret)
    expect(office.registry.snapshot.body('SigningKey', made.body.id)?.secret).toBe(secret)
  })

  it('leave nothing of the secret behind once deleted', async () => {
    const { body: key } = await make({ shopId, name: 'old' })
    expect((await office.call('DELETE', `/v1/panel/signing-keys/${key.id}`, undefined, publisher.token)).status).toBe(
      204,
    )
    expect(office.registry.snapshot.getEver('SigningKey', key.id)?.body.secret).toBe('')
  })

  it('are deleted with their shop, and make room', async () => {
    const full = await openOffice({ limits: { accountSigningKeys: 1 } })
    const { id: accountId } = await openPublisher(full)
    const shops = ['A', 'B'].map((name) => ({ name, accountId, currency: 'EUR', lang: 'de', country: 'DE' }))
    const [{ id: first }, { id: second }] = await Promise.all(shops.map((shop) => full.make('/v1/panel/shops', shop)))
    const { id } = await full.make('/v1/panel/signing-keys', { shopId: first, name: 'key' })
    expect((await full.call('DELETE', `/v1/panel/shops/${first}`)).status).toBe(204)
    expect((await full.call('GET', `/v1/panel/signing-keys/${id}`)).status).toBe(404)
    expect(full.registry.snapshot.getEver('SigningKey', id)?.body.secret).toBe('')
    await full.make('/v1/panel/signing-keys', { shopId: second, name: 'key' })
    await discard(full)
  })

  it('are made for a shop of one’s own, and are nobody else’s business', async () => {
    const rival = await openPublisher(office)
    const advertiser = await openAccount(office, 'ADVERTISER')
    const { body: key } = await make({ shopId, name: 'mine' })
    expect(paths(await make({ shopId, name: 'theirs' }, rival.token))).toEqual(['/shopId'])
    expect((await make({ shopId, name: 'theirs' }, advertiser.token)).status).toBe(403)
    for (const token of [rival.token, advertiser.token]) {
      expect((await office.call('GET', `/v1/panel/signing-keys/${key.id}`, undefined, token)).status).toBe(404)
      expect((await office.call('GET', '/v1/panel/signing-keys', undefined, token)).body.items).toEqual([])
    }
  })

  it('are few', async () => {
    const { id } = await office.make(
      '/v1/panel/shops',
      { name: 'B', currency: 'EUR', lang: 'de', country: 'DE' },
      publisher.token,
    )
    for (let n = 0; n < 20; n++) expect((await make({ shopId: id, name: `${n}` })).status).toBe(201)
    expect((await make({ shopId: id, name: 'more' })).status).toBe(409)
  })
})
