import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeUser, signIn } from '../access/users/people.ts'
import {
  BOOTSTRAP_TOKEN,
  campaignBody,
  discard,
  type Json,
  type Office,
  openAccount,
  openOffice,
  openPublisher,
} from '../office.ts'

describe('a change with If-Match', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
  })
  afterAll(() => discard(office))

  async function send(method: 'GET' | 'PATCH' | 'DELETE', path: string, ifMatch?: string, body?: object) {
    const answer = await office.server.inject({
      method,
      url: `/v1/panel/${path}`,
      headers: { authorization: `Bearer ${BOOTSTRAP_TOKEN}`, ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
      ...(body && { payload: body }),
    })
    return { status: answer.statusCode, etag: answer.headers.etag, body: answer.body ? (answer.json() as Json) : null }
  }

  it('is made to the version that was read, whose tag every answer has, and to no other', async () => {
    const brand = await openAccount(office, 'ADVERTISER', { sellerIds: ['s'] })
    const made = await office.call('POST', '/v1/panel/campaigns', campaignBody(publisher.shopId), brand.token)
    const path = `campaigns/${made.body.id}`
    expect(made.headers.etag).toBe('"1"')
    expect((await send('GET', path)).etag).toBe('"1"')
    expect(await send('PATCH', path, '"1"', { name: 'First' })).toMatchObject({ status: 200, etag: '"2"' })

    const late = await send('PATCH', path, '"1"', { name: 'Second' })
    expect(late).toMatchObject({ status: 412, body: { code: 'PRECONDITION_FAILED' } })
    expect((await send('DELETE', path, '"1"')).status).toBe(412)
    expect((await send('GET', path)).body).toMatchObject({ name: 'First', version: 2 })
    expect((await send('DELETE', path, '"2"')).status).toBe(204)
  })

  it.each([
    ['no header', undefined],
    ['any version', '*'],
    ['one of several versions', '"7", "1"'],
    ['a tag that a proxy has weakened', 'W/"1"'],
  ])('is made with %s', async (_, ifMatch) => {
    const { id } = await office.make('/v1/panel/accounts', { kind: 'ADVERTISER', name: 'Brand' })
    expect((await send('PATCH', `accounts/${id}`, ifMatch, { name: 'Other' })).status).toBe(200)
  })

  it.each(['1', '"1', '"1" x', ''])('is refused with %o, which is no entity tag', async (ifMatch) => {
    const { id } = await office.make('/v1/panel/accounts', { kind: 'ADVERTISER', name: 'Brand' })
    const { status, body } = await send('PATCH', `accounts/${id}`, ifMatch, { name: 'Other' })
    expect({ status, path: body.errors?.[0].path }).toEqual({ status: 400, path: 'header/if-match' })
  })

  it('is refused for a user whom somebody else has renamed, and so is the deletion', async () => {
    await makeUser(office, 'boss@ads.example')
    const { id } = await makeUser(office, 'ada@ads.example')
    const boss = await signIn(office, 'boss@ads.example')
    const path = `/v1/panel/users/${id}`
    const rename = (name: string) => boss.call('PATCH', path, { name }, { 'if-match': '"1"' })
    expect(await rename('Ada L.')).toMatchObject({ status: 200, headers: { etag: '"2"' } })
    expect((await rename('Ada B.')).status).toBe(412)
    expect((await boss.call('DELETE', path, undefined, { 'if-match': '"1"' })).status).toBe(412)
    expect((await boss.call('GET', path)).body.name).toBe('Ada L.')
  })

  it('is refused with the name of a colleague, and the role alone of somebody of another account', async () => {
    const brand = await openAccount(office, 'ADVERTISER', { sellerIds: ['s'] })
    const people = { lena: 'lena@brand.example', lars: 'lars@brand.example' }
    for (const [name, email] of Object.entries(people)) {
      await makeUser(office, email, { name, role: 'ADVERTISER', accountId: brand.id })
    }
    await makeUser(office, 'olga@ads.example', { name: 'olga' })
    const [lena, lars, olga] = await Promise.all(
      [people.lena, people.lars, 'olga@ads.example'].map((email) => signIn(office, email)),
    )
    const made = await office.call('POST', '/v1/panel/campaigns', campaignBody(publisher.shopId), brand.token)
    const rename = (who: typeof lena, name: string, version: number) =>
      who!.call('PATCH', `/v1/panel/campaigns/${made.body.id}`, { name }, { 'if-match': `"${version}"` })

    expect((await rename(lena, 'First', 1)).status).toBe(200)
    expect((await rename(lars, 'Second', 1)).body.changedBy).toEqual({ role: 'ADVERTISER', name: 'lena' })
    expect((await rename(olga, 'Third', 1)).body.changedBy).toEqual({ role: 'ADVERTISER', name: 'lena' })
    expect((await rename(olga, 'Fourth', 2)).status).toBe(200)
    const refused = await rename(lars, 'Fifth', 2)
    expect(refused.body.changedBy).toEqual({ role: 'OPERATOR', name: null })
    expect(JSON.stringify(refused.body)).not.toContain('olga')
  })

  it('is made once of two that were read at the same time', async () => {
    const { id } = await office.make('/v1/panel/accounts', { kind: 'ADVERTISER', name: 'Brand' })
    const both = await Promise.all(['One', 'Two'].map((name) => send('PATCH', `accounts/${id}`, '"1"', { name })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
  })
})
