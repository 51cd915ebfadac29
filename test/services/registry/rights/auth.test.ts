import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { BOOTSTRAP_TOKEN, discard, type Office, openOffice, openPublisher } from '../office.ts'

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

  it('does not start with a bootstrap token that could be guessed', () => {
    const deps = { snapshot: new Snapshot(), now: Date.now }
    expect(() => createAuthorize({ ...deps, bootstrapToken: 'x'.repeat(31) })).toThrow('at least 32 characters')
    expect(() => createAuthorize({ ...deps, bootstrapToken: null })).not.toThrow()
  })
})
