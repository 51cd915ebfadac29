import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext, Script } from 'node:vm'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FormattedSlot } from '../../../../schemas/http/formatted.ts'
import type { Algorithm, EntityBodies, EntityKind, RegistryEntry } from '../../../../schemas/records/entities.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createHttpServer } from '../../../../services/http/server.ts'
import { formattedApp } from '../../../../services/selection/script/app.ts'
import { buildScripts } from '../../../../services/selection/script/build.ts'
import { tries } from '../../../effort.ts'

const SIZE_MAX_BYTES = 8_000
const SCRIPT_URL = 'https://ads.example/v1/dsa/formatted/x/y/1/1'

let folder: string
let server: ReturnType<typeof createHttpServer>
const snapshot = new Snapshot()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-script-'))
  await buildScripts(folder)
  server = createHttpServer({ logger: false })
  await server.register(formattedApp({ snapshot, folder }))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

function put<K extends EntityKind>(kind: K, body: EntityBodies[K]): string {
  const id = randomUUID()
  const entry = { kind, id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body }
  snapshot.apply(entry as unknown as RegistryEntry)
  return id
}
const shopId = put('Shop', {
  accountId: randomUUID(),
  name: 'Shop',
  currency: 'PLN',
  lang: 'pl',
  country: 'PL',
  timeZone: 'Europe/Warsaw',
  clickWindowHours: 336,
  viewWindowHours: 24,
  reserveCpcMicros: 0,
  transactionTrust: 'OPEN',
  invalidTraffic: [],
  synonyms: '',
})
const unit = (algorithm: Algorithm) =>
  put('AdUnit', {
    placementId: randomUUID(),
    shopId,
    name: algorithm,
    algorithm,
    status: 'ACTIVE',
    adFormatIds: [],
    targeting: [],
  })
const bestsellers = unit('BESTSELLERS')
const search = unit('CONTEXT_MATCH')
const display = unit('DISPLAY')

const address = (slotHash: string, elementId: string, query: Record<string, string> = {}) =>
  `/v1/dsa/formatted/${slotHash}/${encodeURIComponent(elementId)}/2/3?${new URLSearchParams(query)}`
const ask = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers })
const problems = async (url: string) =>
  (await ask(url)).json<{ errors: { path: string }[] }>().errors.map(({ path }) => path)

/** What a page gets when it runs the script: the slots, and the scripts that it adds. */
function run(text: string): { slots: FormattedSlot[]; added: { src: string; nonce: string }[] } {
  const added: { src: string; nonce: string }[] = []
  const document = {
    currentScript: { src: SCRIPT_URL, nonce: 'n1' },
    createElement: () => ({}),
    head: { append: (element: { src: string; nonce: string }) => added.push(element) },
  }
  const page: { endcap?: { slots: FormattedSlot[] } } = {}
  new Script(text).runInContext(createContext({ document, window: page }))
  // The objects belong to another realm, so copy them to compare them by value.
  return { slots: JSON.parse(JSON.stringify(page.endcap!.slots)), added }
}

describe('the answer to a script element', () => {
  it('asks for row x col ads by the parameters of the contract', async () => {
    const { body, headers } = await ask(
      address(search, 'ads', {
        searchData: 'desk lamp',
        excludedShopProductsIds: 'a, b,,c',
        priceMin: '9.5',
        priceMax: '20',
        currency: 'PLN',
        brand: 'Solvik',
        productTitle: 'Lamp',
        categoryId: 'Lamps',
        shopProductId: 'p1',
        attributes: '[{"name":"color","value":"red"}]',
      }),
    )
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': expect.stringMatching(/^public, max-age=\d+/),
    })
    const { slots, added } = run(body)
    expect(slots).toEqual([
      {
        elementId: 'ads',
        rows: 2,
        cols: 3,
        lang: 'pl',
        targeting: {
          slotHash: search,
          adCount: 6,
          searchData: 'desk lamp',
          excludedShopProductIds: ['a', 'b', 'c'],
          priceMin: 9.5,
          priceMax: 20,
          currency: 'PLN',
          brand: 'Solvik',
          productTitle: 'Lamp',
          categoryIds: ['Lamps'],
          shopProductId: 'p1',
          productId: 'p1',
          attributes: [{ name: 'color', value: 'red' }],
        },
      },
    ])
    expect(added).toMatchObject([{ src: 'https://ads.example/v1/dsa/script.js', nonce: 'n1' }])
  })

  it.each<[Algorithm, Record<string, string>, object]>([
    ['SIMILAR_PRODUCT_ID', { productId: 'g1' }, { productId: 'g1' }],
    ['SIMILAR_PRODUCT_ID_WIDE', { shopProductId: 'p1' }, { productId: 'p1' }],
    ['SIMILAR_PRODUCT_ID', { shopProductId: 'p1', productId: 'g1' }, { shopProductId: 'p1', productId: 'g1' }],
    ['ALSO_BOUGHT', { shopProductId: 'p1' }, { shopProductId: 'p1' }],
    ['EXACT_PRODUCT_ID', { productIds: 'p1, p2,' }, { productIds: ['p1', 'p2'] }],
  ])('%s works by %j', async (algorithm, query, targeting) => {
    const { statusCode, body } = await ask(address(unit(algorithm), 'ads', query))
    expect(statusCode).toBe(200)
    expect(run(body).slots[0]!.targeting).toMatchObject(targeting)
  })

  it.each<[Algorithm, string]>([
    ['CONTEXT_MATCH', 'querystring/searchData: is required unless categoryId is given'],
    ['SIMILAR_CATEGORIES', 'querystring/categoryId: is required'],
    ['SIMILAR_TITLES', 'querystring/productTitle: is required'],
    ['SIMILAR_PRODUCT_ID', 'querystring/productId: is required unless shopProductId is given'],
    ['ALSO_BOUGHT', 'querystring/shopProductId: is required'],
    ['EXACT_PRODUCT_ID', 'querystring/productIds: is required, with at least one id'],
  ])('%s says what it lacks by the parameters of the script', async (algorithm, detail) => {
    const answer = await ask(address(unit(algorithm), 'ads'))
    expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([400, detail])
  })

  it('takes what is empty for not given', async () => {
    const query = { searchData: '', priceMin: '', excludedShopProductsIds: ',', categoryId: '', attributes: '' }
    const { slots } = run((await ask(address(bestsellers, 'ads', query))).body)
    expect(slots[0]!.targeting).toEqual({ slotHash: bestsellers, adCount: 6 })
  })

  it.each([
    ['an element', `/v1/dsa/formatted/${bestsellers}/${'x'.repeat(257)}/1/1`, ['params/elementId']],
    ['rows', `/v1/dsa/formatted/${bestsellers}/ads/1.5/1`, ['params/row']],
    ['columns', `/v1/dsa/formatted/${bestsellers}/ads/1/0`, ['params/col']],
    ['too many ads', `/v1/dsa/formatted/${bestsellers}/ads/11/10`, ['params/col']],
    ['a slot', '/v1/dsa/formatted/lamp/ads/1/1', ['params/slotHash']],
    ['an unknown slot', address(randomUUID(), 'ads'), ['params/slotHash']],
    ['a display slot', address(display, 'ads'), ['params/slotHash']],
    ['what the algorithm lacks', address(search, 'ads'), ['querystring/searchData']],
    ['prices', address(bestsellers, 'ads', { priceMin: 'cheap', priceMax: '-1' }), ['priceMin', 'priceMax']],
    ['a currency', address(bestsellers, 'ads', { currency: 'EURO' }), ['currency']],
    ['no JSON', address(bestsellers, 'ads', { attributes: '[{' }), ['attributes']],
    [
      'no attribute',
      address(bestsellers, 'ads', { attributes: '[{"name":1}]' }),
      ['attributes/0/value', 'attributes/0/name'],
    ],
    [
      'long ids',
      address(bestsellers, 'ads', { excludedShopProductsIds: 'x'.repeat(101) }),
      ['excludedShopProductsIds'],
    ],
    ['two phrases', `${address(bestsellers, 'ads')}searchData=a&searchData=b`, ['searchData']],
  ])('refuses with 400 and the name of the parameter: %s', async (_what, url, paths) => {
    const { statusCode, headers } = await ask(url)
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      400,
      'application/problem+json; charset=utf-8',
      undefined,
    ])
    const expected = paths.map((path) =>
      path.includes('/') && !path.startsWith('attributes') ? path : `querystring/${path}`,
    )
    expect((await problems(url)).sort()).toEqual(expected.sort())
  })

  it('says of a slot that this process may not know yet which parameter names it, and when to ask again', async () => {
    snapshot.staleReason = 'The registry has entries of a newer version'
    const { statusCode, headers, body } = await ask(address(randomUUID(), 'ads'))
    snapshot.staleReason = null
    expect([statusCode, headers['retry-after'], headers['cache-control']]).toEqual([503, '5', undefined])
    expect(JSON.parse(body).detail).toBe('params/slotHash: is not known to this process yet')
  })

  it('hands every parameter over exactly, and runs nothing that is in one', async () => {
    const nasty = fc.constantFrom(
      '</script><script>alert(1)</script>',
      '\u2028\u2029',
      '"];alert(1);//',
      "');alert(1)//",
      '$' + '{alert(1)}',
      '`',
      '\\',
      '<!--',
      '__proto__',
      '\0',
      '*/',
    )
    const text = (maxLength: number) =>
      fc
        .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 20 })), { minLength: 1, maxLength: 4 })
        .map((parts) => parts.join('').slice(0, maxLength).toWellFormed())
        .filter((value) => value !== '')
    const property = fc.asyncProperty(
      fc.record({
        elementId: text(200).filter((id) => id !== '.' && id !== '..' && encodeURIComponent(id).length < 900),
        searchData: text(200),
        brand: text(100),
        productTitle: text(200),
        categoryId: text(100),
        shopProductId: text(100),
        attribute: fc.record({ name: text(100), value: text(100) }),
      }),
      async ({ elementId, attribute, ...query }) => {
        const { statusCode, body } = await ask(
          address(bestsellers, elementId, { ...query, attributes: JSON.stringify([attribute]) }),
        )
        expect(statusCode, body).toBe(200)
        expect(body).not.toMatch(/[\u2028\u2029]|<\/script|<!--/i)
        const { categoryId, ...same } = query
        expect(run(body).slots).toEqual([
          expect.objectContaining({
            elementId,
            targeting: expect.objectContaining({ ...same, categoryIds: [categoryId], attributes: [attribute] }),
          }),
        ])
      },
    )
    await fc.assert(property, { numRuns: tries(200, 2_000) })
  })
})

describe('the library', () => {
  it(`is, with an answer, under ${SIZE_MAX_BYTES} bytes compressed`, async () => {
    const { rawPayload } = await ask('/v1/dsa/script.js')
    const { body } = await ask(address(bestsellers, 'ads'))
    expect(gzipSync(rawPayload).length + gzipSync(body).length).toBeLessThan(SIZE_MAX_BYTES)
  })

  it('comes compressed as the browser likes it, and is not sent again when it is known', async () => {
    const plain = await ask('/v1/dsa/script.js')
    const zipped = await ask('/v1/dsa/script.js', { 'accept-encoding': 'gzip, deflate' })
    const brotli = await ask('/v1/dsa/script.js', { 'accept-encoding': 'gzip, br' })
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body)
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain.body)
    const refused = await ask('/v1/dsa/script.js', { 'accept-encoding': 'gzip;q=0, br;q=0' })
    expect(refused.headers['content-encoding']).toBeUndefined()
    const again = await ask('/v1/dsa/script.js', {
      'accept-encoding': 'gzip, br',
      'if-none-match': brotli.headers.etag as string,
    })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it('uses no eval and writes no HTML', async () => {
    const { body } = await ask('/v1/dsa/script.js')
    expect(() => new Script(body)).not.toThrow()
    expect(body).not.toMatch(/\beval\b|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write/)
  })

  it('is 503 with what to do while it is not built', async () => {
    const bare = createHttpServer({ logger: false })
    await bare.register(formattedApp({ snapshot, folder: join(folder, 'none') }))
    for (const url of ['/v1/dsa/script.js', address(bestsellers, 'ads')]) {
      const response = await bare.inject({ url })
      expect([response.statusCode, response.json<{ detail: string }>().detail]).toEqual([
        503,
        'The emission script has not been built: run `make build`',
      ])
    }
    await bare.close()
  })
})
