import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../../../infra/analytics/migrate.ts'
import type { Analytics } from '../../../../infra/analytics/port.ts'
import type { SecurityEvent } from '../../../../schemas/records/security-event.ts'
import { decode } from '../../../../schemas/wire/codec.ts'
import { createHttpServer, type HttpServer } from '../../../../services/http/server.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { securityLogApp } from '../../../../services/registry/security-log/app.ts'
import { openNewAnalytics } from '../../../new-analytics.ts'
import { makeUser, openBrowser, PASSWORD, signIn } from '../access/users/people.ts'
import {
  BOOTSTRAP_TOKEN,
  discard,
  NOW,
  type Office,
  openAccount,
  openOffice,
  openPublisher,
  shopBody,
} from '../office.ts'

const PATH = '/v1/panel/security-log'
const DAY_MS = 86_400_000

describe('the security log', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let ada: { id: string }
  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
    ada = await makeUser(office, 'ada@shop.example', { role: 'PUBLISHER', accountId: publisher.id })
  })
  afterAll(() => discard(office))

  const written = async (): Promise<SecurityEvent[]> => {
    const records = await office.log.read('security-events', 0, 0, 1_000)
    return records.map(({ value }) => decode('SecurityEvent', value!))
  }
  /** The entries written while something is done. */
  const during = async (done: () => Promise<unknown>) => {
    const before = (await written()).length
    await done()
    return (await written()).slice(before)
  }
  const kinds = (events: SecurityEvent[]) => events.map(({ kind }) => kind)

  it('tells of sign-ins, failures, limits and sign-outs, with whom and from where, and no personal data', async () => {
    const events = await during(async () => {
      const browser = await signIn(office, 'ada@shop.example')
      await browser.call('POST', '/v1/panel/session/reauthentication', { password: 'not the password' })
      await browser.call('POST', '/v1/panel/session/reauthentication', { password: PASSWORD })
      await browser.call('DELETE', '/v1/panel/session')
      const stranger = openBrowser(office)
      for (let i = 0; i < 15; i++) {
        await stranger.call('POST', '/v1/panel/session', { email: 'nobody@shop.example', password: 'not the password' })
      }
    })
    expect(kinds(events)).toEqual([
      'SIGNED_IN',
      'REAUTHENTICATION_FAILED',
      'REAUTHENTICATED',
      'SIGNED_OUT',
      ...Array(10).fill('SIGN_IN_FAILED'),
      'SIGN_IN_LIMITED',
    ])
    const subject = { subjectKind: 'User', subjectId: ada.id }
    const times = { occurredAt: NOW, expiresAt: NOW + DAY_MS }
    expect(events[0]).toMatchObject({
      actorKind: 'USER',
      actorId: ada.id,
      accountId: publisher.id,
      ...subject,
      ...times,
    })
    expect(events[4]).toMatchObject({ actorKind: 'NOBODY', actorId: null, accountId: null, subjectId: null })
    expect(events[0]!.source).toMatch(/^[\w-]{16}$/)
    expect(new Set(events.map(({ source }) => source)).size).toBe(1)
    expect(JSON.stringify(events)).not.toMatch(/127\.0\.0\.1|example|Ada/)
  })

  it('tells of what is done to users and tokens, by whom', async () => {
    const events = await during(async () => {
      const { id } = await makeUser(office, 'bob@shop.example', { role: 'PUBLISHER', accountId: publisher.id })
      const browser = await signIn(office, 'ada@shop.example')
      await browser.call('PATCH', `/v1/panel/users/${id}`, { name: 'Bob' })
      await office.call('PATCH', `/v1/panel/users/${id}`, { password: 'another long password' })
      await browser.call('PATCH', `/v1/panel/users/${id}`, { disabled: true })
      await browser.call('PATCH', `/v1/panel/users/${id}`, { disabled: false })
      await browser.call('DELETE', `/v1/panel/users/${id}`)
      const { body } = await browser.call('POST', '/v1/panel/tokens', { name: 't', scopes: ['panel', 'feed'] })
      for (let i = 0; i < 3; i++) await office.call('GET', '/v1/panel/shops', undefined, body.token)
      await browser.call('DELETE', `/v1/panel/tokens/${body.id}`)
    })
    expect(kinds(events)).toEqual([
      'USER_CREATED',
      'SIGNED_IN',
      'USER_RENAMED',
      'PASSWORD_CHANGED',
      'USER_DISABLED',
      'USER_ENABLED',
      'DELETED',
      'TOKEN_CREATED',
      'TOKEN_FIRST_USED',
      'TOKEN_REVOKED',
    ])
    expect(events[0]).toMatchObject({ actorKind: 'BOOTSTRAP', detail: 'PUBLISHER' })
    expect(events[2]).toMatchObject({ actorKind: 'USER', actorId: ada.id, subjectKind: 'User' })
    expect(events[7]).toMatchObject({ detail: 'panel, feed', subjectKind: 'Token', accountId: publisher.id })
    expect(events[8]).toMatchObject({ actorKind: 'TOKEN', actorId: events[7]!.subjectId })
  })

  it('tells each account of a login what concerns it, as done by its own user', async () => {
    const email = 'agnes@agency.example'
    const first = await makeUser(office, email, { role: 'PUBLISHER', accountId: publisher.id })
    const brand = await openAccount(office, 'ADVERTISER')
    const invited = { email, name: 'Agnes', role: 'ADVERTISER', accountId: brand.id }
    const second = await office.make('/v1/panel/users', invited)
    const browser = await signIn(office, email)
    const token = second.passwordLink.url.split('#')[1]
    const seenBy = (events: SecurityEvent[]) =>
      events.map(({ kind, accountId, actorId, subjectId }) => [kind, accountId, actorId, subjectId])

    const accepted = await during(() => browser.call('POST', '/v1/panel/session/invitation', { token }))
    expect(seenBy(accepted)).toEqual([['PASSWORD_LINK_USED', brand.id, second.id, second.id]])
    const signedIn = await during(() => signIn(office, email))
    expect(seenBy(signedIn)).toEqual([
      ['SIGNED_IN', publisher.id, first.id, first.id],
      ['SIGNED_IN', brand.id, second.id, second.id],
    ])
    const asked = { name: 't', scopes: ['panel'] }
    const made = await during(() => browser.call('POST', '/v1/panel/tokens', asked, { 'endcap-account': brand.id }))
    expect(made.map(({ kind, accountId, actorId }) => [kind, accountId, actorId])).toEqual([
      ['TOKEN_CREATED', brand.id, second.id],
    ])
  })

  it('tells of nothing that a change of a user leaves as it is', async () => {
    const { id } = await makeUser(office, 'carl@shop.example', { role: 'PUBLISHER', accountId: publisher.id })
    const { name } = (await office.call('GET', `/v1/panel/users/${id}`)).body
    const events = await during(async () => {
      for (const change of [
        { name, disabled: true },
        { disabled: true },
        { name, disabled: false },
        { disabled: false },
      ])
        await office.call('PATCH', `/v1/panel/users/${id}`, change)
    })
    expect(kinds(events)).toEqual(['USER_DISABLED', 'USER_ENABLED'])
  })

  it('tells of every deletion, for the account that it was of', async () => {
    const events = await during(async () => {
      await office.call('DELETE', `/v1/panel/ad-units/${publisher.unitId}`, undefined, publisher.token)
      const { id } = await openAccount(office, 'ADVERTISER')
      await office.call('DELETE', `/v1/panel/accounts/${id}`)
    })
    const deleted = events.filter(({ kind }) => kind === 'DELETED')
    expect(deleted.map(({ subjectKind }) => subjectKind)).toEqual(['AdUnit', 'Account'])
    expect(deleted[0]!.accountId).toBe(publisher.id)
  })

  it('tells of what is deleted with something else: users and tokens of an account, signing keys of a shop', async () => {
    const { id: accountId, token } = await openAccount(office, 'PUBLISHER')
    const { id: userId } = await makeUser(office, 'dora@shop.example', { role: 'PUBLISHER', accountId })
    const shop = await office.make('/v1/panel/shops', shopBody, token)
    const key = await office.make('/v1/panel/signing-keys', { shopId: shop.id, name: 'Key' }, token)
    const events = await during(async () => {
      await office.call('DELETE', `/v1/panel/shops/${shop.id}`)
      await office.call('DELETE', `/v1/panel/accounts/${accountId}`)
    })
    expect(events.map(({ kind, subjectKind, subjectId }) => [kind, subjectKind, subjectId])).toEqual([
      ['DELETED', 'SigningKey', key.id],
      ['DELETED', 'Shop', shop.id],
      ['TOKEN_REVOKED', 'Token', expect.any(String)],
      ['DELETED', 'User', userId],
      ['DELETED', 'Account', accountId],
    ])
    expect(new Set(events.map((event) => event.accountId))).toEqual(new Set([accountId]))
  })

  it('loses nothing that is asked for when it cannot be written', async () => {
    const { append } = office.log
    office.log.append = () => Promise.reject(new Error('away'))
    try {
      await signIn(office, 'ada@shop.example')
    } finally {
      office.log.append = append
    }
  })

  describe('as it is read', () => {
    let folder: string
    let analytics: Analytics
    let server: HttpServer
    const other = crypto.randomUUID()
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'endcap-security-log-'))
      analytics = await openNewAnalytics({ folder })
      await migrate(analytics)
      const { snapshot } = office.registry
      office.clock.now = Date.now()
      const rows = Array.from({ length: 5 }, (_, i) => ({
        ...{ _topic: 'security-events', _partition: 0, _offset: i, id: `e-${i}`, kind: 'SIGNED_IN' },
        ...{ occurredAt: office.clock.now - i * 1000, expiresAt: office.clock.now + (i === 4 ? -1 : DAY_MS) },
        ...{ actorKind: 'USER', actorId: ada.id, accountId: i % 2 ? publisher.id : other, detail: '', source: 'x' },
        ...{ subjectKind: 'User', subjectId: ada.id },
      }))
      await analytics.insert('security_events', [...rows, rows[0]!], { token: 'test' })
      const authorize = createAuthorize({ snapshot, bootstrapToken: BOOTSTRAP_TOKEN, now: () => office.clock.now })
      server = createHttpServer({ logger: false })
      server.register(securityLogApp({ snapshot, authorize, analytics, now: () => office.clock.now }))
    })
    afterAll(async () => {
      office.clock.now = NOW
      await server.close()
      await analytics.close()
      await rm(folder, { recursive: true, force: true })
    })
    const read = (query: string, token = BOOTSTRAP_TOKEN) =>
      server.inject({ url: `${PATH}${query}`, headers: { authorization: `Bearer ${token}` } })
    const ids = async (query: string, token?: string) =>
      (await read(query, token)).json().items.map(({ id }: { id: string }) => id)

    it('is of all to operators, the latest first, each event once, page by page, until it expires', async () => {
      expect(await ids('')).toEqual(['e-0', 'e-1', 'e-2', 'e-3'])
      const first = (await read('?limit=3')).json()
      expect(first.items[0]).toEqual({
        id: 'e-0',
        kind: 'SIGNED_IN',
        occurredAt: new Date(office.clock.now).toISOString(),
        actor: { kind: 'USER', id: ada.id, name: 'Ada' },
        accountId: other,
        subject: { kind: 'User', id: ada.id, name: 'Ada' },
        detail: '',
        source: 'x',
      })
      expect(await ids(`?limit=3&cursor=${first.nextCursor}`)).toEqual(['e-3'])
      expect((await read('?cursor=x')).statusCode).toBe(400)
    })

    it('is of their account to others', async () => {
      expect(await ids('', publisher.token)).toEqual(['e-1', 'e-3'])
      expect(await ids(`?userId=${ada.id}&kind=SIGNED_IN`, publisher.token)).toEqual(['e-1', 'e-3'])
      expect(await ids('?kind=DELETED')).toEqual([])
      expect(await ids(`?userId=${other}`)).toEqual([])
    })
  })
})
