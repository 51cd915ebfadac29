import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Snapshot } from '../../../../../services/domain/snapshot.ts'
import { viewOfUser } from '../../../../../services/registry/access/users/users.ts'
import { discard, type Json, type Office, openAccount, openOffice, openPublisher } from '../../office.ts'
import { type Browser, makeUser, openBrowser, PASSWORD, signIn } from './people.ts'

const USERS = '/v1/panel/users'
const SESSION = '/v1/panel/session'
const ACCEPT = `${SESSION}/invitation`
const NEW_PASSWORD = 'another long password'

type Account = Awaited<ReturnType<typeof openAccount>>

const tokenOf = (url: string) => url.split('#')[1]!
const inAccount = ({ id }: { id: string }) => ({ 'endcap-account': id })

describe('a login for several accounts', () => {
  let office: Office
  let lamps: Account
  let chairs: Account
  let people = 0
  beforeAll(async () => {
    office = await openOffice()
    lamps = await openAccount(office, 'ADVERTISER')
    chairs = await openAccount(office, 'ADVERTISER')
  })
  afterAll(() => discard(office))

  const userIn = (account: Account, email: string, extra: object = {}) =>
    makeUser(office, email, { role: 'ADVERTISER', accountId: account.id, ...extra })
  const manager = async (account: Account) => {
    const email = `manager-${people++}@brand.example`
    await userIn(account, email)
    return signIn(office, email)
  }
  const invite = async (account: Account, email: string) =>
    (await (await manager(account)).call('POST', USERS, { email, name: 'Agnes', role: 'ADVERTISER' })).body
  const accept = (browser: Browser, { passwordLink }: Json) =>
    browser.call('POST', ACCEPT, { token: tokenOf(passwordLink.url) })
  /** Somebody who works for both accounts, first for the lamps. */
  async function openAgency() {
    const email = `agency-${people++}@agency.example`
    const first = await userIn(lamps, email)
    const second = await invite(chairs, email)
    const browser = await signIn(office, email)
    expect(await accept(browser, second)).toMatchObject({ status: 200, body: { accountId: chairs.id } })
    return { email, first, second, browser }
  }

  it('lets into each account once its invitation is accepted, and a request acts for the account that it names', async () => {
    const email = 'agnes@agency.example'
    await userIn(lamps, email)
    const second = await invite(chairs, email)
    const browser = await signIn(office, email)
    expect((await browser.call('GET', USERS, undefined, inAccount(chairs))).body.code).toBe('ACCOUNT_REQUIRED')
    expect((await accept(browser, second)).status).toBe(200)

    const accountsSeen = async (account: Account) =>
      (await browser.call('GET', '/v1/panel/accounts', undefined, inAccount(account))).body.items.map(
        ({ id }: Json) => id,
      )
    expect(await accountsSeen(lamps)).toEqual([lamps.id])
    expect(await accountsSeen(chairs)).toEqual([chairs.id])
    const { body } = await browser.call('GET', SESSION, undefined, inAccount(chairs))
    expect(body).toMatchObject({ user: { id: second.id, accountId: chairs.id }, account: { id: chairs.id } })
    expect(body.accounts.map(({ id }: Json) => id)).toEqual([lamps.id, chairs.id])
    const made = await browser.call('POST', '/v1/panel/tokens', { name: 't', scopes: ['panel'] }, inAccount(chairs))
    expect(made).toMatchObject({ status: 201, body: { accountId: chairs.id, createdBy: { id: second.id } } })
  })

  it('does nothing in a request that names no account, or one of others', async () => {
    const { browser } = await openAgency()
    const other = await openAccount(office, 'ADVERTISER')
    const empty = { 'endcap-account': '' }
    for (const headers of [undefined, inAccount(other), empty]) {
      const { status, body } = await browser.call('GET', '/v1/panel/campaigns', undefined, headers)
      expect([status, body.code]).toEqual([403, 'ACCOUNT_REQUIRED'])
    }
    const { email } = await userIn(other, 'single@brand.example')
    const single = await signIn(office, email)
    expect((await single.call('GET', '/v1/panel/campaigns')).status).toBe(200)
    expect((await single.call('GET', '/v1/panel/campaigns', undefined, inAccount(lamps))).status).toBe(403)
  })

  it('is invited by the same answer as an address without a login', async () => {
    await userIn(lamps, 'known@agency.example')
    const [known, unknown] = [await invite(chairs, 'known@agency.example'), await invite(chairs, 'new@agency.example')]
    const shape = ({ id, email, passwordLink, ...rest }: Json) => ({ ...rest, link: { ...passwordLink, url: null } })
    expect(shape(known)).toEqual(shape(unknown))
    const check = async (made: Json) =>
      (await openBrowser(office).call('POST', `${SESSION}/password-link`, { token: tokenOf(made.passwordLink.url) }))
        .body
    expect({ ...(await check(known)), email: '' }).toEqual({ ...(await check(unknown)), email: '' })
    const clerk = await manager(chairs)
    const listed = async (id: string) => (await clerk.call('GET', `${USERS}/${id}`)).body
    expect((await listed(known.id)).hasPassword).toBe(false)
    const again = await clerk.call('POST', USERS, { email: 'known@agency.example', name: 'A', role: 'ADVERTISER' })
    expect([again.status, again.body.errors]).toEqual([409, [{ path: '/email', message: 'already in use' }]])
  })

  it('keeps its password from those who invite it, and is accepted by nobody else', async () => {
    await userIn(lamps, 'own@agency.example')
    const invited = await invite(chairs, 'own@agency.example')
    const token = tokenOf(invited.passwordLink.url)
    const set = await openBrowser(office).call('POST', `${SESSION}/password`, { token, password: NEW_PASSWORD })
    expect([set.status, set.body.code]).toEqual([409, 'CONFLICT'])
    const stranger = await manager(chairs)
    expect((await accept(stranger, invited)).status).toBe(409)
    expect((await openBrowser(office).call('POST', ACCEPT, { token })).status).toBe(401)
    const own = await signIn(office, 'own@agency.example')
    expect((await own.call('POST', ACCEPT, { token: `${invited.id}.wrong` })).status).toBe(400)
    office.clock.now += 600_000
    expect((await accept(own, invited)).body.code).toBe('REAUTHENTICATION_REQUIRED')
    office.clock.now -= 600_000
    expect((await accept(own, invited)).status).toBe(200)
    expect((await accept(own, invited)).status).toBe(400)
  })

  it('is taken over by no account: only the person and operators set its password', async () => {
    const { email, first, second } = await openAgency()
    for (const [account, { id }] of [
      [lamps, first],
      [chairs, second],
    ] as const) {
      const clerk = await manager(account)
      const refused = [
        await clerk.call('PATCH', `${USERS}/${id}`, { password: NEW_PASSWORD }),
        await clerk.call('POST', `${USERS}/${id}/password-link`, {}),
        await clerk.call('POST', USERS, {
          email: 'x@agency.example',
          name: 'X',
          role: 'ADVERTISER',
          password: PASSWORD,
        }),
      ]
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
    }
    const { url } = await office.make(`${USERS}/${second.id}/password-link`, {})
    const set = await openBrowser(office).call('POST', `${SESSION}/password`, {
      token: tokenOf(url),
      password: NEW_PASSWORD,
    })
    expect(set.status).toBe(204)
    await expect(signIn(office, email)).rejects.toThrow('401')
    await signIn(office, email, NEW_PASSWORD)
  })

  it('changes its password in any of the accounts, and stays signed in where it did', async () => {
    const { email, second, browser } = await openAgency()
    const other = await signIn(office, email)
    const change = { password: NEW_PASSWORD }
    expect((await browser.call('PATCH', `${USERS}/${second.id}`, change, inAccount(chairs))).status).toBe(200)
    expect((await browser.call('GET', USERS, undefined, inAccount(lamps))).status).toBe(200)
    expect((await other.call('GET', SESSION)).status).toBe(401)
    await signIn(office, email, NEW_PASSWORD)
  })

  it.each([
    ['first', 'removed', (clerk: Browser, id: string) => clerk.call('DELETE', `${USERS}/${id}`)],
    ['first', 'disabled', (clerk: Browser, id: string) => clerk.call('PATCH', `${USERS}/${id}`, { disabled: true })],
    ['second', 'removed', (clerk: Browser, id: string) => clerk.call('DELETE', `${USERS}/${id}`)],
    ['second', 'disabled', (clerk: Browser, id: string) => clerk.call('PATCH', `${USERS}/${id}`, { disabled: true })],
  ] as const)(
    'that is of the %s account and %s there loses it at once, with its tokens, and keeps the other',
    async (which, _how, end) => {
      const { email, first, second, browser } = await openAgency()
      const [lost, kept, user] = which === 'first' ? [lamps, chairs, first] : [chairs, lamps, second]
      const asked = { name: 't', scopes: ['panel'] }
      const { body: lostToken } = await browser.call('POST', '/v1/panel/tokens', asked, inAccount(lost))
      const { body: keptToken } = await browser.call('POST', '/v1/panel/tokens', asked, inAccount(kept))
      expect((await end(await manager(lost), user.id)).status).toBeLessThan(300)
      const statusIn = async (account: Account) =>
        (await browser.call('GET', USERS, undefined, inAccount(account))).status
      expect([await statusIn(lost), await statusIn(kept)]).toEqual([403, 200])
      const byToken = async (token: string) =>
        (await office.call('GET', '/v1/panel/campaigns', undefined, token)).status
      expect([await byToken(lostToken.token), await byToken(keptToken.token)]).toEqual([401, 200])
      const again = await signIn(office, email)
      expect((await again.call('GET', '/v1/panel/campaigns')).status).toBe(200)
      expect((await again.call('GET', SESSION)).body.accounts.map(({ id }: Json) => id)).toEqual([kept.id])
    },
  )

  it('keeps its password and its signed-out sessions when the user who kept it is deleted', async () => {
    const { email, first, browser } = await openAgency()
    const left = await signIn(office, email)
    const copy = left.cookie
    expect((await left.call('DELETE', SESSION)).status).toBe(204)
    const stored = () => [...office.registry.snapshot.all('User')].filter(({ body }) => body.email === email)
    const before = stored().find(({ id }) => id === first.id)!.body
    await office.call('DELETE', `/v1/panel/users/${first.id}`)
    const [heir, ...others] = stored()
    expect(others).toEqual([])
    expect(heir!.body).toMatchObject({
      passwordHash: before.passwordHash,
      endedSessions: before.endedSessions,
      loginId: first.id,
    })
    left.cookie = copy
    expect((await left.call('GET', SESSION)).status).toBe(401)
    expect((await browser.call('GET', SESSION)).status).toBe(200)
  })

  it('is the same in whatever order its users are read from the log', async () => {
    const { email } = await openAgency()
    const entries = [...office.registry.snapshot.allEver('User')]
    const read = (order: typeof entries) => {
      const snapshot = new Snapshot()
      for (const entry of order) snapshot.apply(entry)
      return [...snapshot.all('User')].map((user) => viewOfUser(snapshot, user)).sort((a, b) => (a.id < b.id ? -1 : 1))
    }
    expect(read(entries.toReversed())).toEqual(read(entries))
    expect(read(entries).filter((user) => user.email === email && user.hasPassword)).toHaveLength(2)
  })

  it('must have a second factor where the role of its account requires one, and only there', async () => {
    const strict = await openOffice({ requireMfa: ['PUBLISHER'] })
    const [publisher, brand] = [await openPublisher(strict), await openAccount(strict, 'ADVERTISER')]
    const email = 'agnes@agency.example'
    await makeUser(strict, email, { role: 'ADVERTISER', accountId: brand.id })
    const invited = await strict.make(USERS, { email, name: 'Agnes', role: 'PUBLISHER', accountId: publisher.id })
    const browser = await signIn(strict, email)
    expect((await accept(browser, invited)).status).toBe(200)
    const codeIn = async (account: { id: string }) =>
      (await browser.call('GET', '/v1/panel/shops', undefined, inAccount(account))).body.code
    expect([await codeIn(publisher), await codeIn(brand)]).toEqual(['SECOND_FACTOR_MISSING', undefined])
    await discard(strict)
  })

  it('is of at most 100 accounts', async () => {
    const { email, browser } = await openAgency()
    const loginId = [...office.registry.snapshot.all('User')].find(({ body }) => body.email === email)!.id
    const { body } = office.registry.snapshot.get('User', loginId)!
    const more = Array.from({ length: 98 }, () => crypto.randomUUID())
    await office.registry.write(
      () =>
        more.map((id) => ({
          kind: 'User',
          id,
          version: 1,
          deleted: false,
          body: { ...body, passwordHash: '', loginId, accountId: id },
        })),
      { by: 'test' },
    )
    const publisher = await openPublisher(office)
    const invited = await office.make(USERS, { email, name: 'A', role: 'PUBLISHER', accountId: publisher.id })
    const refused = await accept(browser, invited)
    expect([refused.status, refused.body.detail]).toEqual([409, 'A login can be used for at most 100 accounts'])
  })
})
