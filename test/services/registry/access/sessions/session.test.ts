import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../../../infra/event-log/embedded/event-log.ts'
import { Snapshot } from '../../../../../services/domain/snapshot.ts'
import { createSessions, SESSION_LIFE_MS } from '../../../../../services/registry/access/sessions/sessions.ts'
import { freshUser } from '../../../../../services/registry/access/users/users.ts'
import { discard, NOW, type Office, openOffice, openPublisher, PUBLIC_URL, quickPasswords } from '../../office.ts'
import { makeUser, openBrowser, PASSWORD, signIn } from '../users/people.ts'

const PATH = '/v1/panel/session'
const HOUR_MS = 3_600_000

describe('a session', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let ada: { id: string }

  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
    ada = await makeUser(office, 'Ada@Shop.Example', { role: 'PUBLISHER', accountId: publisher.id })
    await makeUser(office, 'root@ads.example')
  })
  afterAll(() => discard(office))

  it('begins with e-mail and password, in a cookie that scripts and other sites never get', async () => {
    const browser = openBrowser(office)
    const answer = await browser.call('POST', PATH, { email: 'ADA@shop.example', password: PASSWORD })
    expect(answer.status).toBe(201)
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-endcap_session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
      expect.stringMatching(
        /^endcap_device=[^;]+; Max-Age=7776000; Path=\/v1\/panel; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.body).toMatchObject({
      user: { id: ada.id, email: 'ada@shop.example', role: 'PUBLISHER', accountId: publisher.id, disabledAt: null },
      account: { id: publisher.id, kind: 'PUBLISHER' },
      expiresAt: new Date(NOW + SESSION_LIFE_MS).toISOString(),
    })
    expect((await browser.call('GET', PATH)).body).toEqual(answer.body)
  })

  it('acts as its user, for the account of the user, in the scope panel only', async () => {
    const browser = await signIn(office, 'ada@shop.example')
    const { body } = await browser.call('GET', '/v1/panel/shops')
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([publisher.shopId])
    const change = await browser.call('PATCH', `/v1/panel/shops/${publisher.shopId}`, { name: 'Mine' })
    expect(change.status).toBe(200)
    expect(office.registry.snapshot.get('Shop', publisher.shopId)?.updatedBy).toBe(ada.id)
    expect((await browser.call('GET', '/v1/panel/audit-of-nothing')).status).toBe(404)
    expect((await browser.call('GET', '/v1/slots/technical/a')).status).toBe(403)
    expect((await (await signIn(office, 'root@ads.example')).call('GET', PATH)).body.account).toBeNull()
  })

  it('needs the right password, and tells nothing of who exists', async () => {
    const refusal = (email: string, password: string) => openBrowser(office).call('POST', PATH, { email, password })
    const [wrong, unknown] = [await refusal('ada@shop.example', 'not it'), await refusal('eve@shop.example', PASSWORD)]
    expect(wrong.status).toBe(401)
    expect(wrong.headers['set-cookie']).toBeUndefined()
    expect(unknown).toMatchObject({ status: 401, body: wrong.body })
  })

  it.each([
    ['GET', '/v1/panel/shops', undefined],
    ['GET', PATH, undefined],
    ['PATCH', '/v1/panel/shops/x', { name: 'x' }],
  ])('is needed for %s %s', async (method, path, body) => {
    expect((await openBrowser(office).call(method, path, body)).status).toBe(401)
    const forged = openBrowser(office)
    forged.cookie = `__Host-endcap_session=${ada.id}.0.s-1.${NOW}.${NOW}.${NOW + HOUR_MS}.c2lnbmF0dXJl`
    expect((await forged.call(method, path, body)).status).toBe(401)
  })

  it('lasts 12 hours after its last use, and 7 days in all', async () => {
    const browser = await signIn(office, 'ada@shop.example')
    const signedIn = browser.cookie
    office.clock.now = NOW + 60_000
    await browser.call('GET', '/v1/panel/shops')
    expect(browser.cookie).toBe(signedIn)
    for (let hours = 11; hours < 7 * 24; hours += 11) {
      office.clock.now = NOW + hours * HOUR_MS
      expect((await browser.call('GET', '/v1/panel/shops')).status, `after ${hours} hours`).toBe(200)
    }
    expect(browser.cookie).not.toBe(signedIn)
    office.clock.now = NOW + 7 * 24 * HOUR_MS
    expect((await browser.call('GET', PATH)).status).toBe(401)
    office.clock.now = NOW
    const idle = await signIn(office, 'ada@shop.example')
    office.clock.now = NOW + SESSION_LIFE_MS
    expect((await idle.call('GET', PATH)).status).toBe(401)
    office.clock.now = NOW
  })

  it('ends at the server in this browser, or everywhere', async () => {
    const [here, there] = [await signIn(office, 'ada@shop.example'), await signIn(office, 'ada@shop.example')]
    const copy = openBrowser(office)
    copy.cookie = here.cookie
    const out = await here.call('DELETE', PATH)
    expect(out.status).toBe(204)
    expect(here.cookie).toBeNull()
    expect((await here.call('GET', PATH)).status).toBe(401)
    expect((await copy.call('GET', PATH)).status).toBe(401)
    expect((await here.call('DELETE', PATH)).status).toBe(204)
    const third = await signIn(office, 'ada@shop.example')
    expect((await there.call('DELETE', `${PATH}?everywhere=true`)).status).toBe(204)
    expect((await third.call('GET', PATH)).status).toBe(401)
  })

  it.each([
    ['in this browser', PATH],
    ['everywhere', `${PATH}?everywhere=true`],
  ])('that is signed out %s while it changes the password changes nothing, and stays ended', async (_, signOut) => {
    const [hashing, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hash = async (password: string) => {
      if (password !== PASSWORD) {
        hashing.resolve()
        await held.promise
      }
      return quickPasswords.hash(password)
    }
    const office = await openOffice({ passwords: { ...quickPasswords, hash } })
    const { id } = await makeUser(office, 'ada@ads.example')
    const browser = await signIn(office, 'ada@ads.example')
    const copy = Object.assign(openBrowser(office), { cookie: browser.cookie })
    const changing = copy.call('PATCH', `/v1/panel/users/${id}`, { password: 'another long passphrase' })
    await hashing.promise
    await browser.call('DELETE', signOut)
    held.resolve()
    expect((await changing).status).toBe(401)
    expect((await copy.call('GET', PATH)).status).toBe(401)
    await signIn(office, 'ada@ads.example')
    await discard(office)
  })

  it('that was signed out stays so in a process that starts anew', async () => {
    const log = await openEmbeddedEventLog({ folder: await mkdtemp(join(tmpdir(), 'endcap-sessions-')) })
    const first = await openOffice({ log })
    await makeUser(first, 'ada@ads.example')
    const [out, stays] = [await signIn(first, 'ada@ads.example'), await signIn(first, 'ada@ads.example')]
    const copy = out.cookie
    await out.call('DELETE', PATH)
    await discard(first)
    const second = await openOffice({ log })
    const asked = (cookie: string | null) => Object.assign(openBrowser(second), { cookie }).call('GET', PATH)
    expect([(await asked(copy)).status, (await asked(stays.cookie)).status]).toEqual([401, 200])
    await discard(second)
    await log.close()
  })

  it('remembers a bounded number of those that were signed out, and then ends them all', async () => {
    const { id } = await makeUser(office, 'many@ads.example')
    const stays = await signIn(office, 'many@ads.example')
    for (let i = 0; i < 100; i++) await (await signIn(office, 'many@ads.example')).call('DELETE', PATH)
    expect((await stays.call('GET', PATH)).status).toBe(200)
    expect(office.registry.snapshot.body('User', id)?.endedSessions).toHaveLength(100)
    await (await signIn(office, 'many@ads.example')).call('DELETE', PATH)
    expect((await stays.call('GET', PATH)).status).toBe(401)
    expect(office.registry.snapshot.body('User', id)?.endedSessions).toEqual([])
  })

  it('is proved again with the password, whose wrong ones are counted', async () => {
    const browser = await signIn(office, 'ada@shop.example')
    const again = (password: string) => browser.call('POST', `${PATH}/reauthentication`, { password })
    const wrong = await again('not the password')
    expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, '/password'])
    expect((await again(PASSWORD)).status).toBe(200)
    for (let i = 1; i < 10; i++) await again('not the password')
    expect((await again(PASSWORD)).status).toBe(429)
    expect((await openBrowser(office).call('POST', `${PATH}/reauthentication`, { password: PASSWORD })).status).toBe(
      401,
    )
    const foreign = await browser.call(
      'POST',
      `${PATH}/reauthentication`,
      { password: PASSWORD },
      { origin: 'https://evil.example' },
    )
    expect(foreign.status).toBe(403)
  })

  it.each([
    ['a page of the server, as https and localhost say it', { 'sec-fetch-site': 'same-origin', origin: '' }, 200],
    ['a page of the server, by its address', { origin: PUBLIC_URL }, 200],
    ['a page of the server, by the name it was called with', { origin: 'http://box:8080', host: 'box:8080' }, 200],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: PUBLIC_URL }, 403],
    ['a neighbour of the domain', { 'sec-fetch-site': 'same-site', origin: PUBLIC_URL }, 403],
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['no origin at all', { origin: 'null' }, 403],
  ])('changes something when asked by %s: %j', async (_name, headers, expected) => {
    const browser = await signIn(office, 'ada@shop.example')
    const change = await browser.call('PATCH', `/v1/panel/shops/${publisher.shopId}`, { name: 'New' }, headers as never)
    expect(change.status).toBe(expected)
    expect((await browser.call('GET', '/v1/panel/shops', undefined, headers as never)).status).toBe(200)
    const out = await browser.call('DELETE', PATH, undefined, headers as never)
    expect(out.status).toBe(expected === 200 ? 204 : 403)
  })

  it('changes nothing for a caller that hides where it comes from', async () => {
    const { cookie } = await signIn(office, 'ada@shop.example')
    const headers = { cookie: cookie! }
    const url = `/v1/panel/shops/${publisher.shopId}`
    const answer = await office.server.inject({ method: 'PATCH', url, headers, payload: { name: 'x' } })
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'FORBIDDEN'])
  })

  it('cannot be begun by another site', async () => {
    const given = { email: 'ada@shop.example', password: PASSWORD }
    const answer = await openBrowser(office).call('POST', PATH, given, { origin: 'https://evil.example' })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
  })

  it('does not stand in for a token that is refused', async () => {
    const browser = await signIn(office, 'ada@shop.example')
    expect((await browser.call('GET', '/v1/panel/shops', undefined, { authorization: 'Bearer x' })).status).toBe(401)
  })
})

describe('the keys of sessions', () => {
  const user = {
    kind: 'User' as const,
    id: 'u-1',
    version: 1,
    updatedAt: 0,
    updatedBy: '',
    deletedAt: null,
    body: freshUser({ email: 'a@b.c', passwordHash: 'hash', role: 'OPERATOR', accountId: null, name: 'A' }),
  }
  const sessionsOf = (...keys: Buffer[]) => {
    const snapshot = new Snapshot()
    snapshot.apply(user)
    return createSessions({ snapshot, keys, publicUrl: 'http://localhost:8080', now: () => NOW, uuid: () => 's-1' })
  }
  const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const reads = (sessions: ReturnType<typeof sessionsOf>, setCookie: string) =>
    sessions.read({ method: 'GET', headers: { cookie: setCookie.split(';')[0] } })?.keeper.id ?? null

  it('rotate: any of them opens, the first one signs', () => {
    const { setCookie } = sessionsOf(older).open(user)
    expect(reads(sessionsOf(newer, older), setCookie)).toBe('u-1')
    expect(reads(sessionsOf(newer), setCookie)).toBeNull()
    expect(reads(sessionsOf(newer), sessionsOf(newer, older).open(user).setCookie)).toBe('u-1')
  })

  it('leave the cookie without Secure where the server is reached by http', () => {
    expect(sessionsOf(older).open(user).setCookie).not.toContain('Secure')
  })
})
