import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOTSTRAP_TOKEN, discard, NOW, type Office, openAccount, openOffice, openPublisher, paths } from '../office.ts'
import { makeUser, PASSWORD, signIn, userBody } from './people.ts'

const PATH = '/v1/panel/users'
const NEW_PASSWORD = 'another long password'

describe('users', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let advertiser: Awaited<ReturnType<typeof openAccount>>
  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
    advertiser = await openAccount(office, 'ADVERTISER')
  })
  afterAll(() => discard(office))

  it('are made without their password ever being answered or stored', async () => {
    const body = userBody('Ada@Shop.example', { role: 'PUBLISHER', accountId: publisher.id })
    const made = await office.call('POST', PATH, body)
    expect(made.status).toBe(201)
    expect(made.headers.location).toBe(`${PATH}/${made.body.id}`)
    expect(made.body).toEqual({
      id: expect.any(String),
      version: 1,
      updatedAt: new Date(NOW).toISOString(),
      email: 'ada@shop.example',
      name: 'Ada',
      role: 'PUBLISHER',
      accountId: publisher.id,
      disabledAt: null,
    })
    const listed = await office.call('GET', `${PATH}?accountId=${publisher.id}`)
    expect(listed.body.items).toEqual([made.body])
    const stored = office.registry.snapshot.body('User', made.body.id)!
    expect(stored.passwordHash).toMatch(/^hash of/)
    expect(JSON.stringify(stored)).not.toContain(PASSWORD)
  })

  it('have an e-mail address of their own', async () => {
    await makeUser(office, 'one@shop.example')
    const again = await office.call('POST', PATH, userBody('ONE@shop.example'))
    expect([again.status, again.body.code]).toEqual([409, 'CONFLICT'])
  })

  it.each([
    ['a short password', { password: 'too short' }, '/password'],
    ['a very long password', { password: 'x'.repeat(257) }, '/password'],
    ['no e-mail address', { email: 'ada' }, '/email'],
    ['no role', { role: undefined }, '/role'],
    ['the role of another kind of account', { role: 'ADVERTISER', accountId: 'publisher' }, '/role'],
    ['no account', { role: 'PUBLISHER' }, '/accountId'],
    ['an unknown account', { role: 'PUBLISHER', accountId: '00000000-0000-4000-8000-000000000000' }, '/accountId'],
    ['a hash', { passwordHash: 'x' }, '/passwordHash'],
  ])('are refused with %s', async (_name, extra: Record<string, unknown>, path) => {
    const accountId = extra.accountId === 'publisher' ? publisher.id : extra.accountId
    const answer = await office.call('POST', PATH, userBody('bad@shop.example', { ...extra, accountId }))
    expect([answer.status, paths(answer)]).toEqual([400, [path]])
    expect(JSON.stringify(answer.body)).not.toContain(extra.password ?? PASSWORD)
  })

  it('of an account are made and seen by those of that account, and by operators', async () => {
    const made = await office.make(PATH, userBody('b@brand.example', { role: 'ADVERTISER' }), advertiser.token)
    expect(made.accountId).toBe(advertiser.id)
    const colleague = await signIn(office, 'b@brand.example')
    expect((await colleague.call('GET', `${PATH}/${made.id}`)).status).toBe(200)
    const byColleague = await colleague.call('POST', PATH, userBody('c@brand.example', { role: 'ADVERTISER' }))
    expect([byColleague.status, byColleague.body.accountId]).toEqual([201, advertiser.id])
    for (const token of [publisher.token, (await openAccount(office, 'ADVERTISER')).token]) {
      expect((await office.call('GET', `${PATH}/${made.id}`, undefined, token)).status).toBe(404)
      expect((await office.call('PATCH', `${PATH}/${made.id}`, { name: 'x' }, token)).status).toBe(404)
      expect((await office.call('DELETE', `${PATH}/${made.id}`, undefined, token)).status).toBe(404)
      const inAnother = userBody('d@brand.example', { role: 'ADVERTISER', accountId: advertiser.id })
      expect(paths(await office.call('POST', PATH, inAnother, token))).toEqual(['/accountId'])
    }
  })

  it('make operators only when they are operators', async () => {
    const answer = await office.call('POST', PATH, userBody('boss@brand.example'), advertiser.token)
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN'])
    await makeUser(office, 'root@ads.example')
    const root = await signIn(office, 'root@ads.example')
    expect((await root.call('POST', PATH, userBody('second@ads.example'))).status).toBe(201)
  })

  it('change their own password with the one they have, and stay signed in only where they did', async () => {
    const { id } = await makeUser(office, 'own@ads.example')
    const [here, there] = [await signIn(office, 'own@ads.example'), await signIn(office, 'own@ads.example')]
    const without = await here.call('PATCH', `${PATH}/${id}`, { password: NEW_PASSWORD })
    expect([without.status, paths(without)]).toEqual([400, ['/currentPassword']])
    const wrong = await here.call('PATCH', `${PATH}/${id}`, { password: NEW_PASSWORD, currentPassword: 'x' })
    expect(paths(wrong)).toEqual(['/currentPassword'])
    const right = { password: NEW_PASSWORD, currentPassword: PASSWORD }
    expect((await here.call('PATCH', `${PATH}/${id}`, right)).status).toBe(200)
    expect((await here.call('GET', '/v1/panel/session')).status).toBe(200)
    expect((await there.call('GET', '/v1/panel/session')).status).toBe(401)
    await expect(signIn(office, 'own@ads.example')).rejects.toThrow('401')
    await signIn(office, 'own@ads.example', NEW_PASSWORD)
  })

  it('can be given another password by those who manage them', async () => {
    const { id } = await makeUser(office, 'lost@ads.example')
    const browser = await signIn(office, 'lost@ads.example')
    expect((await office.call('PATCH', `${PATH}/${id}`, { password: NEW_PASSWORD })).status).toBe(200)
    expect((await browser.call('GET', '/v1/panel/session')).status).toBe(401)
    await signIn(office, 'lost@ads.example', NEW_PASSWORD)
  })

  it('are out at once when disabled, and must sign in again when enabled', async () => {
    const { id } = await makeUser(office, 'out@ads.example')
    const browser = await signIn(office, 'out@ads.example')
    const disabled = await office.call('PATCH', `${PATH}/${id}`, { disabled: true })
    expect(disabled.body.disabledAt).toBe(new Date(NOW).toISOString())
    expect((await browser.call('GET', '/v1/panel/shops')).status).toBe(401)
    await expect(signIn(office, 'out@ads.example')).rejects.toThrow('401')
    expect((await office.call('PATCH', `${PATH}/${id}`, { disabled: false })).body.disabledAt).toBeNull()
    expect((await browser.call('GET', '/v1/panel/shops')).status).toBe(401)
    await signIn(office, 'out@ads.example')
  })

  it('cannot lock themselves out', async () => {
    const { id } = await makeUser(office, 'self@ads.example')
    const browser = await signIn(office, 'self@ads.example')
    expect((await browser.call('PATCH', `${PATH}/${id}`, { disabled: true })).status).toBe(409)
    expect((await browser.call('DELETE', `${PATH}/${id}`)).status).toBe(409)
    expect((await browser.call('PATCH', `${PATH}/${id}`, { name: 'Renamed' })).body.name).toBe('Renamed')
  })

  it('are gone with their account, and leave their name to history and their address to others', async () => {
    const account = await openAccount(office, 'ADVERTISER')
    const { id } = await makeUser(office, 'gone@brand.example', { role: 'ADVERTISER', accountId: account.id })
    const browser = await signIn(office, 'gone@brand.example')
    expect((await office.call('DELETE', `/v1/panel/accounts/${account.id}`)).status).toBe(204)
    expect((await browser.call('GET', '/v1/panel/shops')).status).toBe(401)
    expect(office.registry.snapshot.getEver('User', id)).toMatchObject({ body: { name: 'Ada', passwordHash: '' } })
    const heir = await makeUser(office, 'gone@brand.example')
    expect((await office.call('DELETE', `${PATH}/${heir.id}`, undefined, BOOTSTRAP_TOKEN)).status).toBe(204)
    await expect(signIn(office, 'gone@brand.example')).rejects.toThrow('401')
  })
})
