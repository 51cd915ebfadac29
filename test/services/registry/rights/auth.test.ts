import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeUser, signIn } from '../access/users/people.ts'
import {
  BOOTSTRAP_TOKEN,
  discard,
  type Office,
  openAccount,
  openOffice,
  openPublisher,
  PUBLIC_URL,
  shopBody,
} from '../office.ts'

describe('authorization', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
  })
  afterAll(() => discard(office))

  it.each([
    ['nothing', undefined],
    ['an unknown token', 'Bearer endcap_unknown'],
    ['another scheme', `Basic ${BOOTSTRAP_TOKEN}`],
    ['no token', 'Bearer'],
    ['two tokens', `Bearer ${BOOTSTRAP_TOKEN} ${BOOTSTRAP_TOKEN}`],
    ['a token with a wrong end', `Bearer ${BOOTSTRAP_TOKEN.slice(0, -1)}x`],
  ])('refuses %s with 401 on every secured API', async (_name, authorization) => {
    const headers = authorization === undefined ? {} : { authorization }
    for (const url of ['/v1/panel/shops', '/v1/slots/technical/a', '/v1/panel/shops/x']) {
      const answer = await office.server.inject({ method: 'GET', url, headers })
      expect(answer.statusCode).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      expect(answer.headers['content-type']).toContain('application/problem+json')
      expect(answer.json().code).toBe('UNAUTHENTICATED')
    }
    const update = await office.server.inject({ method: 'POST', url: '/v1/feed/product', headers, payload: {} })
    expect(update.statusCode).toBe(401)
  })

  it('takes the scheme in any case', async () => {
    const headers = { authorization: `bearer ${publisher.token}` }
    expect((await office.server.inject({ method: 'GET', url: '/v1/panel/shops', headers })).statusCode).toBe(200)
  })

  it('refuses a token without the scope with 403', async () => {
    const { token } = await office.make('/v1/panel/tokens', { name: 'f', scopes: ['feed'] }, publisher.token)
    expect(await office.call('GET', '/v1/panel/shops', undefined, token)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN', detail: 'The token lacks the scope panel' },
    })
    expect((await office.call('GET', '/v1/slots/technical/a', undefined, token)).status).toBe(403)
    expect((await office.call('POST', '/v1/feed/product', { entries: [] }, token)).status).toBe(400)
    const panel = await office.make('/v1/panel/tokens', { name: 'p', scopes: ['panel'] }, publisher.token)
    expect((await office.call('POST', '/v1/feed/product', { entries: [] }, panel.token)).status).toBe(403)
  })

  it('records whose change it was', async () => {
    const shop = office.registry.snapshot.get('Shop', publisher.shopId)
    const account = office.registry.snapshot.get('Account', publisher.id)
    expect([shop?.updatedBy, account?.updatedBy]).toEqual([publisher.id, 'bootstrap'])
  })

  describe('that ends while a body arrives', () => {
    let port: number
    beforeAll(async () => {
      port = Number(new URL(await office.server.listen({ port: 0, host: '127.0.0.1' })).port)
    })

    /** Sends the first byte of a body, and the others after `meanwhile`. @returns everything that was answered. */
    async function interrupted(path: string, headers: string[], body: string, meanwhile: () => Promise<unknown>) {
      const socket = connect(port, '127.0.0.1')
      let told = ''
      socket.on('data', (chunk) => {
        told += chunk
      })
      socket.on('error', () => {})
      const closed = new Promise((resolve) => socket.once('close', resolve))
      const length = `content-length: ${Buffer.byteLength(body)}`
      const head = [`POST ${path} HTTP/1.1`, 'host: x', length, 'expect: 100-continue', 'connection: close', ...headers]
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      await expect.poll(() => told).toContain('100 Continue')
      socket.write(body[0]!)
      await meanwhile()
      socket.write(body.slice(1))
      await closed
      return told
    }

    const newToken = (scopes: string[]) => office.make('/v1/panel/tokens', { name: 'leaked', scopes }, publisher.token)
    const revoke = (id: string) => office.call('DELETE', `/v1/panel/tokens/${id}`, undefined, publisher.token)
    const tokenNames = async () =>
      (await office.call('GET', '/v1/panel/tokens?limit=1000', undefined, publisher.token)).body.items.map(
        ({ name }: { name: string }) => name,
      )

    it('makes no token any more', async () => {
      const { id, token } = await newToken(['panel'])
      const headers = ['content-type: application/json', `authorization: Bearer ${token}`]
      const body = JSON.stringify({ name: 'kept', scopes: ['panel'] })
      const told = await interrupted('/v1/panel/tokens', headers, body, () => revoke(id))
      expect(told).toContain('401 Unauthorized')
      expect(told).toContain('UNAUTHENTICATED')
      expect(await tokenNames()).not.toContain('kept')
    })

    it('does not end the requests of other tokens', async () => {
      const [one, other] = [await newToken(['panel']), await newToken(['panel'])]
      const headers = ['content-type: application/json', `authorization: Bearer ${other.token}`]
      const body = JSON.stringify({ name: 'other', scopes: ['panel'] })
      const told = await interrupted('/v1/panel/tokens', headers, body, () => revoke(one.id))
      expect(told).toContain('201 Created')
      expect(await tokenNames()).toContain('other')
    })

    it('makes nothing in an account that the login has lost, and goes on in the other', async () => {
      const brand = await openAccount(office, 'ADVERTISER')
      const email = 'agnes@agency.example'
      await makeUser(office, email, { role: 'ADVERTISER', accountId: brand.id })
      const invitation = { email, name: 'Agnes', role: 'PUBLISHER', accountId: publisher.id }
      const { id, passwordLink } = await office.make('/v1/panel/users', invitation)
      const browser = await signIn(office, email)
      await browser.call('POST', '/v1/panel/session/invitation', { token: passwordLink.url.split('#')[1] })
      const headersIn = (accountId: string) => [
        ...['content-type: application/json', `origin: ${PUBLIC_URL}`],
        ...[`cookie: ${browser.cookie}`, `endcap-account: ${accountId}`],
      ]
      const body = JSON.stringify({ name: 'of Agnes', scopes: ['panel'] })
      const remove = () => office.call('DELETE', `/v1/panel/users/${id}`)
      const [lost, kept] = await Promise.all([
        interrupted('/v1/panel/tokens', headersIn(publisher.id), body, remove),
        interrupted('/v1/panel/tokens', headersIn(brand.id), body, remove),
      ])
      expect(lost).toContain('The token or session has ended')
      expect(kept).toContain('201 Created')
      expect(await tokenNames()).not.toContain('of Agnes')
    })
  })

  it('makes nothing more with a token once it is revoked, whatever came in before', async () => {
    const { id, token } = await office.make('/v1/panel/tokens', { name: 't', scopes: ['panel'] }, publisher.token)
    const [, made, shop] = await Promise.all([
      office.call('DELETE', `/v1/panel/tokens/${id}`, undefined, publisher.token),
      office.call('POST', '/v1/panel/tokens', { name: 'next', scopes: ['panel'] }, token),
      office.call('POST', '/v1/panel/shops', shopBody, token),
    ])
    expect([made.status, shop.status]).toEqual([401, 401])
  })
})
