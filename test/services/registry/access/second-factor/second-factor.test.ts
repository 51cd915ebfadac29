import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { decode } from '../../../../../schemas/wire/codec.ts'
import { Problem } from '../../../../../services/domain/errors.ts'
import { discard, type Office, openAccount, openOffice, paths } from '../../office.ts'
import { type Browser, makeUser, openBrowser, PASSWORD, signIn } from '../users/people.ts'

const SESSION = '/v1/panel/session'
const FACTOR = `${SESSION}/second-factor`
const STEP_MS = 30_000

describe('the second factor', () => {
  let office: Office
  beforeAll(async () => {
    office = await openOffice()
  })
  afterAll(() => discard(office))

  const codeOf = (secret: string, stepsLater = 0) =>
    new TOTP({ secret }).generate({ timestamp: office.clock.now + stepsLater * STEP_MS })
  const wrongCode = (secret: string) => {
    const near = [-1, 0, 1].map((steps) => codeOf(secret, steps))
    return ['000000', '000001', '000002', '000003'].find((code) => !near.includes(code))!
  }
  /** Sets up an authenticator app in a signed-in session. */
  const setUp = async (browser: Browser) => {
    const { body } = await browser.call('POST', FACTOR)
    const code = codeOf(body.secret)
    const done = await browser.call('PUT', FACTOR, { enrolment: body.enrolment, code })
    if (done.status !== 200) throw new Error(JSON.stringify(done.body))
    return { secret: body.secret as string, recoveryCodes: done.body.recoveryCodes as string[] }
  }
  const enter = (email: string, code?: string) =>
    openBrowser(office).call('POST', SESSION, { email, password: PASSWORD, ...(code !== undefined && { code }) })
  const statusOf = async (email: string, code?: string) => {
    const { status, body } = await enter(email, code)
    return status === 201 ? 201 : body.code
  }
  const protectedUser = async (email: string) => {
    const user = await makeUser(office, email)
    const browser = await signIn(office, email)
    return { ...user, browser, ...(await setUp(browser)) }
  }

  it('is set up with a code of the app, and ends the sessions that were opened without it', async () => {
    await makeUser(office, 'ada@ads.example')
    const [here, there] = [await signIn(office, 'ada@ads.example'), await signIn(office, 'ada@ads.example')]
    const begun = await here.call('POST', FACTOR)
    expect(begun.body.uri).toMatch(/^otpauth:\/\/totp\/Endcap:ada%40ads\.example\?/)
    expect(begun.headers['cache-control']).toBe('no-store')
    const wrong = { enrolment: begun.body.enrolment, code: wrongCode(begun.body.secret) }
    expect(paths(await here.call('PUT', FACTOR, wrong))).toEqual(['/code'])
    const stranger = await makeUser(office, 'stranger@ads.example').then(() => signIn(office, 'stranger@ads.example'))
    const stolen = { enrolment: begun.body.enrolment, code: codeOf(begun.body.secret) }
    expect(paths(await stranger.call('PUT', FACTOR, stolen))).toEqual(['/enrolment'])

    const done = await here.call('PUT', FACTOR, stolen)
    expect(done.body.recoveryCodes).toHaveLength(10)
    expect(new Set(done.body.recoveryCodes).size).toBe(10)
    expect((await here.call('GET', SESSION)).body.user.hasSecondFactor).toBe(true)
    expect((await there.call('GET', SESSION)).status).toBe(401)
    expect((await here.call('POST', FACTOR)).status).toBe(409)
    const logged = JSON.stringify([...office.registry.snapshot.all('User')])
    for (const secret of [begun.body.secret, ...done.body.recoveryCodes]) expect(logged).not.toContain(secret)
  })

  it('belongs to the login: it goes on for the other account when the user who had it first is deleted', async () => {
    const [one, other] = [await openAccount(office, 'ADVERTISER'), await openAccount(office, 'ADVERTISER')]
    const email = 'agnes@agency.example'
    const first = await makeUser(office, email, { role: 'ADVERTISER', accountId: one.id })
    const invitation = { email, name: 'Agnes', role: 'ADVERTISER', accountId: other.id }
    const { id, passwordLink } = await office.make('/v1/panel/users', invitation)
    const browser = await signIn(office, email)
    const { secret, recoveryCodes } = await setUp(browser)
    const token = passwordLink.url.split('#')[1]
    expect((await browser.call('POST', `${SESSION}/invitation`, { token })).status).toBe(200)
    expect((await office.call('GET', `/v1/panel/users/${id}`)).body.hasSecondFactor).toBe(true)
    expect((await office.call('DELETE', `/v1/panel/users/${first.id}`)).status).toBe(204)
    office.clock.now += STEP_MS
    expect(await statusOf(email)).toBe('SECOND_FACTOR_REQUIRED')
    expect(await statusOf(email, codeOf(secret))).toBe(201)
    expect(await statusOf(email, recoveryCodes[0])).toBe(201)
    expect((await office.call('DELETE', `/v1/panel/users/${id}/second-factor`)).status).toBe(204)
    expect(await statusOf(email)).toBe(201)
  })

  it('is asked for at every sign-in, and each code counts once', async () => {
    const { secret } = await protectedUser('bob@ads.example')
    expect(await statusOf('bob@ads.example')).toBe('SECOND_FACTOR_REQUIRED')
    expect(await statusOf('bob@ads.example', codeOf(secret))).toBe('UNAUTHENTICATED')
    expect(await statusOf('bob@ads.example', wrongCode(secret))).toBe('UNAUTHENTICATED')
    office.clock.now += STEP_MS
    const code = codeOf(secret)
    expect(await statusOf('bob@ads.example', code)).toBe(201)
    expect(await statusOf('bob@ads.example', code)).toBe('UNAUTHENTICATED')
    const early = codeOf(secret, 1)
    const twice = await Promise.all([enter('bob@ads.example', early), enter('bob@ads.example', early)])
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 401])
    expect(await statusOf('bob@ads.example', codeOf(secret, 3))).toBe('UNAUTHENTICATED')
  })

  it('tells nothing of itself to who has not the password', async () => {
    const { secret } = await protectedUser('quiet@ads.example')
    const body = { email: 'quiet@ads.example', password: 'not the password' }
    for (const extra of [{}, { code: codeOf(secret, 1) }]) {
      const answer = await openBrowser(office).call('POST', SESSION, { ...body, ...extra })
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED'])
    }
    expect(await statusOf('quiet@ads.example', codeOf(secret, 1))).toBe(201)
  })

  it('is replaced by a recovery code, each once, in any spelling, until new ones are made', async () => {
    const { recoveryCodes, secret, browser } = await protectedUser('lost@ads.example')
    expect(await statusOf('lost@ads.example', recoveryCodes[0])).toBe(201)
    expect(await statusOf('lost@ads.example', recoveryCodes[0])).toBe('UNAUTHENTICATED')
    expect(await statusOf('lost@ads.example', recoveryCodes[1]!.toUpperCase().replaceAll('-', ' '))).toBe(201)
    const { body } = await browser.call('POST', `${FACTOR}/recovery-codes`)
    expect(await statusOf('lost@ads.example', recoveryCodes[2])).toBe('UNAUTHENTICATED')
    expect(await statusOf('lost@ads.example', body.recoveryCodes[0])).toBe(201)
    const records = await office.log.read('security-events', 0, 0, 1_000)
    const kinds = records.map(({ value }) => decode('SecurityEvent', value!).kind)
    expect(kinds).toEqual(
      expect.arrayContaining(['SECOND_FACTOR_ENABLED', 'RECOVERY_CODES_CREATED', 'RECOVERY_CODE_USED']),
    )
    expect(secret).not.toBe('')
  })

  it('counts no code that the registry could not use up', async () => {
    const { secret } = await protectedUser('away@ads.example')
    office.clock.now += STEP_MS
    const away = new Problem('UNAVAILABLE', 'The registry cannot be changed at the moment')
    const write = vi.spyOn(office.registry, 'write').mockRejectedValue(away)
    for (let i = 0; i < 25; i++) expect(await statusOf('away@ads.example', codeOf(secret))).toBe('UNAVAILABLE')
    write.mockRestore()
    expect(await statusOf('away@ads.example', codeOf(secret))).toBe(201)
  })

  it('cannot be guessed: twenty wrong codes an hour, from wherever, also with the password', async () => {
    const { secret } = await protectedUser('guessed@ads.example')
    const tried = (code: string, i: number) =>
      office.server.inject({
        method: 'POST',
        url: SESSION,
        payload: { email: 'guessed@ads.example', password: PASSWORD, code },
        remoteAddress: `10.3.0.${i}`,
      })
    for (let i = 0; i < 20; i++) expect((await tried(wrongCode(secret), i)).statusCode).toBe(401)
    expect((await tried(codeOf(secret, 1), 99)).statusCode).toBe(429)
    office.clock.now += 3_600_000
    expect((await tried(codeOf(secret), 99)).statusCode).toBe(201)
  })

  it('proves again who is there, and the password alone does not', async () => {
    const { secret, browser } = await protectedUser('again@ads.example')
    office.clock.now += 600_000
    expect((await browser.call('POST', `${FACTOR}/recovery-codes`)).body.code).toBe('REAUTHENTICATION_REQUIRED')
    const again = (body: object) => browser.call('POST', `${SESSION}/reauthentication`, body)
    expect(paths(await again({ password: PASSWORD }))).toEqual(['/code'])
    expect(paths(await again({ code: wrongCode(secret) }))).toEqual(['/code'])
    expect((await again({ code: codeOf(secret) })).status).toBe(200)
    expect((await browser.call('POST', `${FACTOR}/recovery-codes`)).status).toBe(201)
  })

  it('is turned off by its user, or by an operator for one who has lost it, and by nobody else', async () => {
    const first = await protectedUser('off@ads.example')
    expect((await first.browser.call('DELETE', FACTOR)).status).toBe(204)
    expect(await statusOf('off@ads.example')).toBe(201)

    const account = await openAccount(office, 'ADVERTISER')
    const extra = { role: 'ADVERTISER', accountId: account.id }
    const { id } = await makeUser(office, 'brand@ads.example', extra)
    await setUp(await signIn(office, 'brand@ads.example'))
    await makeUser(office, 'colleague@ads.example', extra)
    const colleague = await signIn(office, 'colleague@ads.example')
    expect((await colleague.call('DELETE', `/v1/panel/users/${id}/second-factor`)).status).toBe(403)
    expect((await office.call('DELETE', `/v1/panel/users/${id}/second-factor`)).status).toBe(204)
    expect(await statusOf('brand@ads.example')).toBe(201)
  })
})

describe('a second factor that the settings want', () => {
  let office: Office
  beforeAll(async () => {
    office = await openOffice({ requireMfa: ['OPERATOR'] })
  })
  afterAll(() => discard(office))

  it('must be set up before anything else', async () => {
    const { id } = await makeUser(office, 'ada@ads.example')
    const browser = await signIn(office, 'ada@ads.example')
    expect((await browser.call('GET', SESSION)).body.mustSetUpSecondFactor).toBe(true)
    const refused = [
      await browser.call('GET', '/v1/panel/shops'),
      await browser.call('PATCH', `/v1/panel/users/${id}`, { name: 'x' }),
      await browser.call('POST', '/v1/panel/tokens', { name: 'x', scopes: ['panel'] }),
    ]
    for (const { status, body } of refused) expect([status, body.code]).toEqual([403, 'SECOND_FACTOR_MISSING'])
    const { body } = await browser.call('POST', FACTOR)
    const code = new TOTP({ secret: body.secret }).generate({ timestamp: office.clock.now })
    await browser.call('PUT', FACTOR, { enrolment: body.enrolment, code })
    expect((await browser.call('GET', '/v1/panel/shops')).status).toBe(200)
    expect((await browser.call('DELETE', FACTOR)).status).toBe(409)
    expect((await browser.call('GET', SESSION)).body).toMatchObject({
      mustSetUpSecondFactor: false,
      mayTurnOffSecondFactor: false,
    })
  })

  it('is not wanted of others', async () => {
    const account = await openAccount(office, 'ADVERTISER')
    await makeUser(office, 'b@ads.example', { role: 'ADVERTISER', accountId: account.id })
    expect((await (await signIn(office, 'b@ads.example')).call('GET', '/v1/panel/shops')).status).toBe(200)
  })
})
