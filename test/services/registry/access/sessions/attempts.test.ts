import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Problem } from '../../../../../services/domain/errors.ts'
import type { Passwords } from '../../../../../services/registry/access/users/passwords.ts'
import { discard, type Office, openOffice, quickPasswords } from '../../office.ts'
import { makeUser, openBrowser, PASSWORD, signIn, userBody } from '../users/people.ts'

const PATH = '/v1/panel/session'
const ADA = 'ada@shop.example'
const WRONG = 'not the password'

describe('trying out passwords', () => {
  let office: Office
  let hashed: string[]
  let isBusy: boolean
  beforeEach(async () => {
    hashed = []
    isBusy = false
    const passwords: Passwords = {
      hash: async (password) => {
        hashed.push(password)
        return quickPasswords.hash(password)
      },
      async matches(password, hash, caller) {
        if (isBusy && !caller?.isKnown)
          throw new Problem('UNAVAILABLE', 'Too many requests of this kind are in progress')
        hashed.push(password)
        // Gives other attempts time to start.
        await new Promise((resolve) => setImmediate(resolve))
        return quickPasswords.matches(password, hash)
      },
    }
    office = await openOffice({ passwords })
    await makeUser(office, ADA)
    hashed = []
  })
  afterEach(() => discard(office))

  const tried = async (email: string, password: string, remoteAddress: string, cookie = '') => {
    const headers = { cookie }
    return office.server.inject({ method: 'POST', url: PATH, payload: { email, password }, headers, remoteAddress })
  }
  const statuses = async (answers: Promise<{ statusCode: number }>[]) =>
    (await Promise.all(answers)).map(({ statusCode }) => statusCode)
  const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))

  it('ends after ten for one person from one address, known or not, until it has waited', async () => {
    for (const email of [ADA, 'eve@shop.example']) {
      for (let i = 0; i < 10; i++) expect((await tried(email, WRONG, '10.0.0.1')).statusCode).toBe(401)
      const answer = await tried(email.toUpperCase(), PASSWORD, '10.0.0.1')
      expect([answer.statusCode, answer.json().code, answer.headers['retry-after']]).toEqual([
        429,
        'RATE_LIMITED',
        '30',
      ])
    }
    office.clock.now += 30_000
    expect((await tried(ADA, PASSWORD, '10.0.0.1')).statusCode).toBe(201)
  })

  it('counts those that are under way: forty at once get ten tries at most, and no queue is filled', async () => {
    const answers = await statuses(times(40, () => tried(ADA, WRONG, '10.0.0.1')))
    expect(answers.filter((status) => status === 401)).toHaveLength(hashed.length)
    expect(hashed.length).toBeLessThanOrEqual(10)
    expect(new Set(answers)).toEqual(new Set([401, 429]))
  })

  it('locks nobody out: who signs in from elsewhere still can', async () => {
    for (let i = 0; i < 30; i++) await tried(ADA, WRONG, '10.0.0.1')
    expect((await tried(ADA, PASSWORD, '10.0.0.2')).statusCode).toBe(201)
  })

  it('never takes the right ones for tries', async () => {
    for (let i = 0; i < 100; i++) expect((await tried(ADA, PASSWORD, '10.0.0.1')).statusCode).toBe(201)
  })

  it('counts none that could not be checked', async () => {
    isBusy = true
    for (let i = 0; i < 70; i++) expect((await tried(ADA, PASSWORD, '10.0.0.1')).statusCode).toBe(503)
    isBusy = false
    for (let i = 0; i < 10; i++) expect((await tried(ADA, WRONG, '10.0.0.1')).statusCode).toBe(401)
    expect((await tried(ADA, WRONG, '10.0.0.1')).statusCode).toBe(429)
  })

  it('by strangers, even so many that no more can be checked, keeps out nobody who signed in with the browser before', async () => {
    const { device } = await signIn(office, ADA)
    const browser = openBrowser(office)
    browser.device = device
    isBusy = true
    expect((await tried(ADA, PASSWORD, '10.0.0.1')).statusCode).toBe(503)
    expect((await browser.call('POST', PATH, { email: ADA, password: PASSWORD })).status).toBe(201)
    expect((await browser.call('POST', `${PATH}/reauthentication`, { password: PASSWORD })).status).toBe(200)
  })

  it('is slow from thousands of addresses together, and leaves the browser alone that signed in before', async () => {
    const { device } = await signIn(office, ADA)
    for (let i = 0; i < 100; i++) expect((await tried(ADA, WRONG, `10.1.0.${i}`)).statusCode).toBe(401)
    expect((await tried(ADA, WRONG, '10.2.0.1')).statusCode).toBe(429)
    expect((await tried(ADA, PASSWORD, '10.2.0.2')).statusCode).toBe(429)
    expect((await tried(ADA, PASSWORD, '10.2.0.2', device!)).statusCode).toBe(201)
    expect((await tried('other@shop.example', WRONG, '10.2.0.2', device!)).statusCode).toBe(401)
    for (let i = 0; i < 10; i++) await tried(ADA, WRONG, '10.2.0.3', device!)
    expect((await tried(ADA, PASSWORD, '10.2.0.3', device!)).statusCode).toBe(429)
    office.clock.now += 36_000
    expect((await tried(ADA, PASSWORD, '10.2.0.2')).statusCode).toBe(201)
  })

  it('ends after sixty from one address or network, whoever they are for', async () => {
    const invalid = await statuses(times(61, () => tried('no address', WRONG, '2001:db8::1')))
    expect(new Set(invalid)).toEqual(new Set([400]))
    for (let i = 0; i < 60; i++) await tried(`${i % 7}@shop.example`, WRONG, `2001:db8::${i}`)
    expect((await tried('new@shop.example', WRONG, '2001:db8::ffff')).statusCode).toBe(429)
    expect((await tried('new@shop.example', WRONG, '2001:db8:0:1::1')).statusCode).toBe(401)
  })

  it('hashes nothing that is too short to be a password', async () => {
    expect((await tried(ADA, 'short', '10.0.0.1')).statusCode).toBe(401)
    expect(hashed).toEqual([])
  })

  it('cannot be told from other browsers by a device cookie that was made up', async () => {
    const browser = openBrowser(office)
    browser.device = 'endcap_device=device.ada.1.9999999999999.c2lnbmF0dXJl'
    for (let i = 0; i < 10; i++) await browser.call('POST', PATH, { email: ADA, password: WRONG })
    expect((await browser.call('POST', PATH, { email: ADA, password: PASSWORD })).status).toBe(429)
    browser.device = null
    expect((await browser.call('POST', PATH, { email: ADA, password: PASSWORD })).status).toBe(429)
  })

  it('of a user who cannot be made costs no hash', async () => {
    const before = hashed.length
    const taken = await Promise.all(times(34, () => office.call('POST', '/v1/panel/users', userBody(ADA))))
    expect(new Set(taken.map(({ status }) => status))).toEqual(new Set([409]))
    const foreign = userBody('new@shop.example', { role: 'PUBLISHER', accountId: crypto.randomUUID() })
    expect((await office.call('POST', '/v1/panel/users', foreign)).status).toBe(400)
    expect(hashed).toHaveLength(before)
  })
})
