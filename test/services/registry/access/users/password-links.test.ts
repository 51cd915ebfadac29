import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Problem } from '../../../../../services/domain/errors.ts'
import type { Mail } from '../../../../../services/domain/mail.ts'
import { discard, type Office, openAccount, openOffice, paths } from '../../office.ts'
import { makeUser, openBrowser, PASSWORD, signIn } from './people.ts'

const HOUR_MS = 3_600_000
const SET = '/v1/panel/session/password'
const CHECK = '/v1/panel/session/password-link'
const FORGOTTEN = '/v1/panel/session/forgotten-password'
const CHOSEN = 'a chosen password'

const tokenOf = (url: string) => url.split('#')[1]!

describe('links that set a password', () => {
  let office: Office
  let account: Awaited<ReturnType<typeof openAccount>>
  const mails: Mail[] = []
  beforeAll(async () => {
    office = await openOffice({ sendMail: async (mail) => void mails.push(mail) })
    account = await openAccount(office, 'ADVERTISER')
  })
  afterEach(() => {
    mails.length = 0
  })
  afterAll(() => discard(office))

  const invite = (email: string) =>
    office.make('/v1/panel/users', { email, name: 'Ida', role: 'ADVERTISER', accountId: account.id })
  const set = (token: string, password = CHOSEN) => openBrowser(office).call('POST', SET, { token, password })
  const linkFor = async (id: string) => (await office.make(`/v1/panel/users/${id}/password-link`, {})).url as string

  it('invite who is made without a password, once, by mail and to be handed over', async () => {
    const made = await invite('ida@brand.example')
    expect(made).toMatchObject({ hasPassword: false, passwordLink: { purpose: 'INVITATION', isMailed: true } })
    const { url, expiresAt } = made.passwordLink
    expect(url).toMatch(/^https:\/\/ads\.example\/panel\/set-password#[\w-]+\.[\w-]{43}$/)
    expect(Date.parse(expiresAt) - office.clock.now).toBe(7 * 24 * HOUR_MS)
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({ to: 'ida@brand.example', subject: 'Your invitation to Endcap' })
    expect(mails[0]!.text).toContain(url)
    expect(JSON.stringify(office.registry.snapshot.get('User', made.id))).not.toContain(tokenOf(url).split('.')[1])
    expect(JSON.stringify((await office.call('GET', '/v1/panel/users')).body)).not.toContain('set-password')

    const none = await openBrowser(office).call('POST', '/v1/panel/session', { email: made.email, password: PASSWORD })
    expect(none.status).toBe(401)
    expect((await set(tokenOf(url))).status).toBe(204)
    await signIn(office, made.email, CHOSEN)
    const again = await set(tokenOf(url), 'somebody else')
    expect([again.status, paths(again)]).toEqual([400, ['/token']])
    expect((await office.call('GET', `/v1/panel/users/${made.id}`)).body.hasPassword).toBe(true)
  })

  it('go by mail to the invited person alone, whoever but an operator made them', async () => {
    await makeUser(office, 'clerk@brand.example', { role: 'ADVERTISER', accountId: account.id })
    const clerk = await signIn(office, 'clerk@brand.example')
    const invitation = { email: 'nia@brand.example', name: 'Nia', role: 'ADVERTISER' }
    const { body: made } = await clerk.call('POST', '/v1/panel/users', invitation)
    expect(made.passwordLink).toMatchObject({ url: null, isMailed: true })
    const again = await clerk.call('POST', `/v1/panel/users/${made.id}/password-link`, {})
    expect(again.body).toMatchObject({ purpose: 'INVITATION', url: null, isMailed: true })
    const sent = mails.filter(({ to }) => to === invitation.email).at(-1)!
    expect((await set(tokenOf(sent.text.match(/https:\S+#\S+/)![0]))).status).toBe(204)
  })

  it('work once, however many use them at once', async () => {
    const { passwordLink } = await invite('many@brand.example')
    const answers = await Promise.all(Array.from({ length: 5 }, () => set(tokenOf(passwordLink.url))))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400, 400, 400, 400])
  })

  it('tell before a password is chosen whether they work and whose they are, and are not used up by that', async () => {
    const { id, passwordLink } = await invite('asks@brand.example')
    const check = (url: string) => openBrowser(office).call('POST', CHECK, { token: tokenOf(url) })
    for (let i = 0; i < 2; i++)
      expect(await check(passwordLink.url)).toMatchObject({ status: 200, body: { email: 'asks@brand.example' } })
    const later = await linkFor(id)
    const replaced = await check(passwordLink.url)
    expect([replaced.status, paths(replaced)]).toEqual([400, ['/token']])
    expect((await check(later)).status).toBe(200)
    expect((await set(tokenOf(later))).status).toBe(204)
    expect((await check(later)).status).toBe(400)
    const expiring = await linkFor(id)
    office.clock.now += 24 * HOUR_MS
    expect((await check(expiring)).status).toBe(400)
  })

  it('are not guessed by checking: wrong tokens count as tries', async () => {
    const { passwordLink } = await invite('guessed@brand.example')
    const token = tokenOf(passwordLink.url)
    const check = (tried: string) =>
      office.server.inject({ method: 'POST', url: CHECK, payload: { token: tried }, remoteAddress: '192.0.2.7' })
    const answers = []
    for (let i = 0; i < 11; i++) answers.push((await check(`${token.split('.')[0]}.wrong${i}`)).statusCode)
    expect(answers).toEqual([...Array(10).fill(400), 429])
  })

  it('end the sessions, do nothing once they expired or were replaced, and know the browser afterwards', async () => {
    const { id, email } = await makeUser(office, 'lost@brand.example', { role: 'ADVERTISER', accountId: account.id })
    const before = await signIn(office, email)
    const first = await linkFor(id)
    const second = await linkFor(id)
    expect((await set(tokenOf(first))).status).toBe(400)
    office.clock.now += 24 * HOUR_MS
    expect((await set(tokenOf(second))).status).toBe(400)
    const third = await linkFor(id)
    const browser = openBrowser(office)
    expect((await browser.call('POST', SET, { token: tokenOf(third), password: CHOSEN })).status).toBe(204)
    expect(browser.device).not.toBeNull()
    expect((await before.call('GET', '/v1/panel/session')).status).toBe(401)
    await signIn(office, email, CHOSEN)
  })

  it('end when somebody sets the password or disables the user', async () => {
    const { id } = await makeUser(office, 'set@brand.example', { role: 'ADVERTISER', accountId: account.id })
    const path = `/v1/panel/users/${id}`
    for (const change of [{ password: 'set by somebody' }, { disabled: true }]) {
      const url = await linkFor(id)
      await office.call('PATCH', path, change)
      expect((await set(tokenOf(url))).status).toBe(400)
    }
    expect((await office.call('POST', `${path}/password-link`, {})).status).toBe(409)
  })

  it.each(['', 'x', 'x.y', '00000000-0000-4000-8000-000000000000.secret', '.', 'a'.repeat(200)])(
    'that are made up do nothing: %j',
    async (token) => {
      expect((await set(token)).status).toBe(400)
    },
  )

  it('are made by nobody with a token, by no stranger, and only after a fresh proof', async () => {
    const { id, email } = await makeUser(office, 'safe@brand.example', { role: 'ADVERTISER', accountId: account.id })
    const path = `/v1/panel/users/${id}/password-link`
    expect((await office.call('POST', path, {}, account.token)).status).toBe(403)
    const other = await openAccount(office, 'ADVERTISER')
    await makeUser(office, 'stranger@brand.example', { role: 'ADVERTISER', accountId: other.id })
    expect((await (await signIn(office, 'stranger@brand.example')).call('POST', path, {})).status).toBe(404)
    const own = await signIn(office, email)
    office.clock.now += 600_000
    expect((await own.call('POST', path, {})).body.code).toBe('REAUTHENTICATION_REQUIRED')
  })

  describe('for a forgotten password', () => {
    const ask = (email: string, remoteAddress = '192.0.2.1') =>
      office.server.inject({ method: 'POST', url: FORGOTTEN, payload: { email }, remoteAddress })
    const settled = () => new Promise((resolve) => setTimeout(resolve, 50))

    it('go by mail to who exists, three an hour, and the answer tells nothing', async () => {
      const { email } = await makeUser(office, 'gone@brand.example', { role: 'ADVERTISER', accountId: account.id })
      expect((await openBrowser(office).call('GET', '/v1/panel/session/options')).body).toEqual({
        forgottenPassword: true,
      })
      const [known, unknown] = [await ask('GONE@brand.example'), await ask('nobody@brand.example')]
      expect([known.statusCode, known.body]).toEqual([202, unknown.body])
      await expect.poll(() => mails.length).toBe(1)
      const url = mails[0]!.text.match(/https:\S+#\S+/)![0]
      expect((await set(tokenOf(url))).status).toBe(204)
      await signIn(office, email, CHOSEN)
      for (let i = 0; i < 5; i++) await ask(email)
      await expect.poll(() => mails.length).toBe(3)
      await settled()
      expect(mails).toHaveLength(3)
    })

    it('leave links alone that were made for the user and work longer', async () => {
      const invited = await invite('new@brand.example')
      const user = await makeUser(office, 'helped@brand.example', { role: 'ADVERTISER', accountId: account.id })
      const made = [invited.passwordLink.url, await linkFor(user.id)]
      for (const { email } of [invited, user]) expect((await ask(email)).statusCode).toBe(202)
      await settled()
      for (const url of made) expect((await set(tokenOf(url))).status).toBe(204)
    })

    it('replace an invitation in its last hour', async () => {
      const { email } = await invite('late@brand.example')
      mails.length = 0
      office.clock.now += 7 * 24 * HOUR_MS - HOUR_MS / 2
      await ask(email)
      await expect.poll(() => mails.length).toBe(1)
      expect((await set(tokenOf(mails[0]!.text.match(/https:\S+#\S+/)![0]))).status).toBe(204)
    })

    it('count once they can be sent', async () => {
      const { email } = await makeUser(office, 'away@brand.example', { role: 'ADVERTISER', accountId: account.id })
      const away = new Problem('UNAVAILABLE', 'The registry cannot be changed at the moment')
      const write = vi.spyOn(office.registry, 'write').mockRejectedValue(away)
      for (let i = 0; i < 3; i++) expect((await ask(email, '192.0.2.3')).statusCode).toBe(202)
      write.mockRestore()
      await ask(email, '192.0.2.3')
      await expect.poll(() => mails.map(({ to }) => to)).toEqual([email])
    })

    it('are limited by source', async () => {
      const answers = []
      for (let i = 0; i < 21; i++) answers.push((await ask(`x${i}@brand.example`, '192.0.2.9')).statusCode)
      expect(answers.filter((status) => status === 202)).toHaveLength(20)
      expect(answers.at(-1)).toBe(429)
    })

    it('are not there without a mail server', async () => {
      const without = await openOffice()
      const answer = await without.call('POST', FORGOTTEN, { email: 'a@b.example' }, null)
      expect([answer.status, answer.body.code]).toEqual([409, 'CONFLICT'])
      expect((await without.call('GET', '/v1/panel/session/options', undefined, null)).body.forgottenPassword).toBe(
        false,
      )
      await discard(without)
    })
  })
})
