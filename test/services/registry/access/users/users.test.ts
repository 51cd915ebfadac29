import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  BOOTSTRAP_TOKEN,
  discard,
  NOW,
  type Office,
  openAccount,
  openOffice,
  openPublisher,
  paths,
} from '../../office.ts'
import { type Browser, makeUser, PASSWORD, signIn, userBody } from './people.ts'

const PATH = '/v1/panel/users'
const REAUTHENTICATION = '/v1/panel/session/reauthentication'
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
      hasPassword: true,
      hasSecondFactor: false,
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
    expect(again.body.errors).toEqual([{ path: '/email', message: 'already in use' }])
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
    const extra = { role: 'ADVERTISER', accountId: advertiser.id }
    const made = await makeUser(office, 'b@brand.example', extra)
    const colleague = await signIn(office, 'b@brand.example')
    expect((await colleague.call('GET', `${PATH}/${made.id}`)).status).toBe(200)
    const invited = userBody('c@brand.example', { role: 'ADVERTISER', password: undefined })
    const byColleague = await colleague.call('POST', PATH, invited)
    expect([byColleague.status, byColleague.body.accountId]).toEqual([201, advertiser.id])
    const another = await openAccount(office, 'ADVERTISER')
    await makeUser(office, 'x@shop.example', { role: 'PUBLISHER', accountId: publisher.id })
    await makeUser(office, 'y@brand.example', { role: 'ADVERTISER', accountId: another.id })
    for (const email of ['x@shop.example', 'y@brand.example']) {
      const stranger = await signIn(office, email)
      expect((await stranger.call('GET', `${PATH}/${made.id}`)).status).toBe(404)
      expect((await stranger.call('PATCH', `${PATH}/${made.id}`, { name: 'x' })).status).toBe(404)
      expect((await stranger.call('DELETE', `${PATH}/${made.id}`)).status).toBe(404)
      const inAnother = userBody('d@brand.example', { ...extra, password: undefined })
      expect(paths(await stranger.call('POST', PATH, inAnother))).toEqual(['/accountId'])
    }
  })

  it('are read and never changed with a token, so that one that leaks takes nobody over', async () => {
    const { id } = await makeUser(office, 'taken@brand.example', { role: 'ADVERTISER', accountId: advertiser.id })
    const made = await office.call('POST', PATH, userBody('d@brand.example', { role: 'ADVERTISER' }), advertiser.token)
    const changed = await office.call('PATCH', `${PATH}/${id}`, { password: NEW_PASSWORD }, advertiser.token)
    const removed = await office.call('DELETE', `${PATH}/${id}`, undefined, advertiser.token)
    expect([made, changed, removed].map(({ status }) => status)).toEqual([403, 403, 403])
    expect((await office.call('GET', `${PATH}/${id}`, undefined, advertiser.token)).status).toBe(200)
    await signIn(office, 'taken@brand.example')
  })

  it('are changed only by those who proved lately who they are', async () => {
    const { id } = await makeUser(office, 'late@ads.example')
    const browser = await signIn(office, 'late@ads.example')
    office.clock.now += 10 * 60_000
    const refused = [
      await browser.call('POST', PATH, userBody('d@ads.example')),
      await browser.call('PATCH', `${PATH}/${id}`, { password: NEW_PASSWORD }),
      await browser.call('DELETE', `${PATH}/${id}`),
      await browser.call('POST', '/v1/panel/tokens', { accountId: advertiser.id, name: 't', scopes: ['panel'] }),
    ]
    for (const { status, body } of refused) expect([status, body.code]).toEqual([403, 'REAUTHENTICATION_REQUIRED'])
    expect((await browser.call('GET', PATH)).status).toBe(200)
    expect((await browser.call('POST', REAUTHENTICATION, { password: PASSWORD })).status).toBe(200)
    expect((await browser.call('PATCH', `${PATH}/${id}`, { name: 'Late' })).status).toBe(200)
    office.clock.now = NOW
  })

  it('make operators only when they are operators', async () => {
    await makeUser(office, 'clerk@brand.example', { role: 'ADVERTISER', accountId: advertiser.id })
    const clerk = await signIn(office, 'clerk@brand.example')
    const answer = await clerk.call('POST', PATH, userBody('boss@brand.example'))
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN'])
    await makeUser(office, 'root@ads.example')
    const root = await signIn(office, 'root@ads.example')
    expect((await root.call('POST', PATH, userBody('second@ads.example'))).status).toBe(201)
  })

  it('change their own password, and stay signed in only where they did', async () => {
    const { id } = await makeUser(office, 'own@ads.example')
    const [here, there] = [await signIn(office, 'own@ads.example'), await signIn(office, 'own@ads.example')]
    expect((await here.call('PATCH', `${PATH}/${id}`, { password: NEW_PASSWORD })).status).toBe(200)
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

  it.each([
    ['disable', (browser: Browser, id: string) => browser.call('PATCH', `${PATH}/${id}`, { disabled: true })],
    ['delete', (browser: Browser, id: string) => browser.call('DELETE', `${PATH}/${id}`)],
  ])('cannot both %s each other, so that one remains', async (what, lockOut) => {
    const emails = ['one', 'other'].map((name) => `${name}-${what}@ads.example`) as [string, string]
    const users = await Promise.all(emails.map((email) => makeUser(office, email)))
    const [one, other] = await Promise.all(emails.map((email) => signIn(office, email)))
    await Promise.all([lockOut(one!, users[1]!.id), lockOut(other!, users[0]!.id)])
    const left = users.filter(({ id }) => office.registry.snapshot.body('User', id)?.disabledAt === null)
    expect(left).toHaveLength(1)
  })

  it('cannot delete the account that they are of, and themselves with it', async () => {
    const { id: accountId } = await office.make('/v1/panel/accounts', { kind: 'OPERATOR', name: 'Operators' })
    await makeUser(office, 'operator@shop.example', { accountId })
    const browser = await signIn(office, 'operator@shop.example')
    const refused = await browser.call('DELETE', `/v1/panel/accounts/${accountId}`)
    expect([refused.status, refused.body.detail]).toEqual([409, 'Users cannot delete their own account'])
    expect((await browser.call('GET', `/v1/panel/accounts/${accountId}/deletion`)).body).toMatchObject({
      allowed: false,
      blockedBy: 'Users cannot delete their own account',
    })
    expect((await office.call('DELETE', `/v1/panel/accounts/${accountId}`)).status).toBe(204)
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
