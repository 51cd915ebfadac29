import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedProductIndex } from '../../../../infra/product-index/embedded/product-index.ts'
import type { ProductIndex } from '../../../../infra/product-index/port.ts'
import { createAccess } from '../../../../services/registry/rights/access.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { synonymsApp } from '../../../../services/registry/shops/synonyms.ts'
import { anOffer } from '../../../infra/product-index/offer.fixture.ts'
import { discard, NOW, type Office, openAccount, openOffice, openPublisher } from '../office.ts'

describe('synonyms of a shop', () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-synonyms-'))
  let office: Office
  let index: ProductIndex
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let shopId: string
  const path = () => `/v1/panel/shops/${shopId}/synonyms`
  const save = (body: object, token = publisher.token) => office.call('PUT', path(), body, token)
  const preview = (text: string, phrases: string[], token = publisher.token) =>
    office.call('POST', `${path()}/preview`, { text, phrases }, token)

  beforeAll(async () => {
    office = await openOffice()
    index = await openEmbeddedProductIndex({ folder })
    const { registry, server } = office
    const { snapshot } = registry
    const access = createAccess(snapshot)
    const authorize = createAuthorize({ snapshot, bootstrapToken: null, now: () => NOW })
    synonymsApp(server, { registry, access, authorize, index })
    publisher = await openPublisher(office)
    const shop = { name: 'Shop', currency: 'EUR', lang: 'en', country: 'DE' }
    shopId = (await office.make('/v1/panel/shops', shop, publisher.token)).id
    const titles = ['Oak settee', 'Grey sofa', 'Red sofa', 'Garden chair']
    const offers = titles.map((title, at) => anOffer({ shopId, id: `p${at}`, title }))
    await index.write([
      ...offers.map((offer) => ({ kind: 'offer' as const, version: 1, offer })),
      { kind: 'offer', version: 1, offer: anOffer({ shopId, id: 'out', title: 'Blue sofa', isAvailable: false }) },
    ])
    await index.refresh()
  })
  afterAll(async () => {
    await index.close()
    await discard(office)
    rmSync(folder, { recursive: true })
  })

  it('are empty at first, and are kept as they were written, with the shop’s versions', async () => {
    const { body: first } = await office.call('GET', path(), undefined, publisher.token)
    expect(first).toMatchObject({ id: shopId, version: 1, text: '', rules: 0 })
    const text = '# seats\nsofa, settee\n\ndivan => sofa\n'
    const saved = await save({ text })
    expect(saved).toMatchObject({ status: 200, body: { version: 2, text, rules: 2 } })
    expect((await office.call('GET', path(), undefined, publisher.token)).body).toEqual(saved.body)
    const stale = await office.server.inject({
      ...{ method: 'PUT', url: path(), payload: { text: '' } },
      headers: { authorization: `Bearer ${publisher.token}`, 'if-match': '"1"' },
    })
    expect(stale.statusCode).toBe(412)
    const renamed = await office.call('PATCH', `/v1/panel/shops/${shopId}`, { name: 'Other' }, publisher.token)
    expect(renamed.body.synonyms).toBeUndefined()
    expect(office.registry.snapshot.body('Shop', shopId)!.synonyms).toBe(text)
  })

  it('are refused with every line that is wrong, and nothing is changed', async () => {
    const before = office.registry.snapshot.get('Shop', shopId)!.version
    const refused = await save({ text: 'sofa, settee\nlonely\na => b => c' })
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toEqual([
      { path: '/text', message: 'line 2 has only one name' },
      { path: '/text', message: 'line 3 has more than one =>' },
    ])
    expect((await preview('a,,b', [])).body.errors[0].message).toBe('line 1 has an empty name')
    expect((await save({ text: 'a'.repeat(100_001) })).body.errors[0].path).toBe('/text')
    expect(office.registry.snapshot.get('Shop', shopId)!.version).toBe(before)
  })

  it('are tried before they are saved: what each phrase finds, before and after', async () => {
    await save({ text: 'divan => sofa' })
    const { body } = await preview('davenport, settee, sofa', ['davenport', 'divan', 'chair', 'sofa'])
    const told = body.phrases.map(({ phrase, before, after }: Record<string, Side>) => [
      phrase,
      read(before!),
      read(after!),
    ])
    expect(told).toEqual([
      ['davenport', [], ['+Grey sofa', '+Oak settee', '+Red sofa']],
      ['divan', ['+Grey sofa', '+Red sofa'], []],
      ['chair', ['Garden chair'], ['Garden chair']],
      ['sofa', ['Grey sofa', 'Red sofa'], ['+Oak settee', 'Grey sofa', 'Red sofa']],
    ])
    expect(body.phrases[0].after).toMatchObject({ found: 3, more: false })
  })

  it('are the business of the shop’s publisher alone', async () => {
    const rival = await openPublisher(office)
    const advertiser = await openAccount(office, 'ADVERTISER')
    for (const [token, status] of [
      [rival.token, 404],
      [advertiser.token, 403],
    ] as const) {
      expect((await office.call('GET', path(), undefined, token)).status).toBe(status)
      expect((await save({ text: '' }, token)).status).toBe(status)
      expect((await preview('', ['sofa'], token)).status).toBe(status)
    }
  })
})

interface Side {
  products: { title: string; isNew: boolean }[]
}
const read = ({ products }: Side) => products.map(({ title, isNew }) => (isNew ? `+${title}` : title)).sort()
