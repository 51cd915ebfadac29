import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoCatalogue } from '../../../services/demo/catalogue/products.ts'
import { UNIT_ALGORITHMS, type Units } from '../../../services/demo/load/units.ts'
import { createShopApp } from '../../../services/demo/shop/app.ts'
import { changed, countOf, readBasket, writeBasket } from '../../../services/demo/shop/basket.ts'
import { html } from '../../../services/demo/shop/html.ts'
import { createShelf } from '../../../services/demo/shop/shelf.ts'

const shelf = createShelf(demoCatalogue())
let app: Awaited<ReturnType<typeof createShopApp>>
beforeAll(async () => {
  app = await createShopApp({
    shelf,
    adServer: 'http://ads.example',
    shopId: '00000000-0000-4000-8000-000000000001',
    units: UNIT_ALGORITHMS as Units,
    uuid: () => '00000000-0000-4000-8000-0000000000ab',
  })
})
afterAll(() => app.close())

const form = (url: string, fields: Record<string, string>, cookies: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url,
    cookies,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })

describe('the shop front', () => {
  it.each(['/', '/c/kitchen', '/c/kitchen/coffee/grinders', '/search?q=lamp', '/p/P0001', '/cart'])(
    'serves %s under a strict policy and gives the visitor a client id',
    async (url) => {
      const answer = await app.inject({ url })
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-security-policy']).toContain("script-src 'self' http://ads.example;")
      expect(answer.cookies).toContainEqual(expect.objectContaining({ name: 'endcap-cid' }))
    },
  )

  it('keeps the client id that a visitor has', async () => {
    const answer = await app.inject({ url: '/', cookies: { 'endcap-cid': 'mine' } })
    expect(answer.body).toContain('"cid":"mine"')
  })

  it.each(['/c/nothing', '/p/P9999', '/orders/NW-1', '/pictures/P0001-back.svg', '/assets/x/style.css'])(
    'answers 404 at %s',
    async (url) => {
      expect((await app.inject({ url })).statusCode).toBe(404)
    },
  )

  it('writes nothing of a phrase as HTML', async () => {
    const phrase = '<script>alert(1)</script>"\'&'
    const { body } = await app.inject({ url: `/search?q=${encodeURIComponent(phrase)}` })
    expect(body).not.toContain('<script>alert')
  })

  it('draws pictures once and lets browsers keep them', async () => {
    const first = await app.inject({ url: '/pictures/P0001.svg' })
    expect(first.headers['content-type']).toBe('image/svg+xml')
    const etag = first.headers.etag as string
    const again = await app.inject({ url: '/pictures/P0001.svg', headers: { 'if-none-match': etag } })
    expect(again.statusCode).toBe(304)
  })

  it('sells: from the cart to an order that the page reports', async () => {
    const added = await form('/cart/add', { id: 'P0001' })
    const cart = added.cookies.find(({ name }) => name === 'cart')!.value
    expect(cart).toBe('P0001:1')
    const ordered = await form('/checkout', {}, { cart })
    const { body } = await app.inject({ url: ordered.headers.location as string })
    expect(body).toContain('"order":{"eventId":"NW-')
    expect(body).toContain('"shopProductId":"P0001"')
    const { shopId, eventId } = /"shopId":"(?<shopId>[^"]+)".*"eventId":"(?<eventId>[^"]+)"/.exec(body)!.groups!
    expect(body).toContain(`href="http://ads.example/panel/sales/${shopId}/${eventId}"`)
  })

  it('tells a script how many items the cart holds, instead of leading it to the cart', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    const added = await app.inject({
      method: 'POST',
      url: '/cart/add',
      headers,
      cookies: { cart: 'P0001:2' },
      payload: 'id=P0002',
    })
    expect(added.json()).toEqual({ count: 3 })
    expect(added.cookies).toContainEqual(expect.objectContaining({ name: 'cart', value: 'P0001:2,P0002:1' }))
  })

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '\t//evil.example',
    '/\n\\evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    'https://evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    '',
  ])('does not go back to %j', async (back) => {
    expect((await form('/sign-in', { uid: 'alex', back })).headers.location).toBe('/')
  })

  it('goes back to where the visitor was, also when an address stands in it', async () => {
    for (const back of ['/search?q=a%2F%2Fb', '/p/P0001?from=https://x.example', '/%2F%2Fevil.example']) {
      expect((await form('/sign-in', { uid: 'alex', back })).headers.location).toBe(back)
    }
  })

  it('labels ads in the language that a visitor asks for or has chosen, and mirrors the page for it', async () => {
    const asked = await app.inject({ url: '/?lang=ar' })
    expect(asked.body).toContain('<html lang="ar" dir="rtl">')
    expect(asked.body).toContain('<span class="tag" lang="ar">إعلان ممول</span>')
    expect(asked.cookies).toContainEqual(expect.objectContaining({ name: 'lang', value: 'ar' }))
    const chosen = await form('/language', { lang: 'de', back: '/p/P0001' })
    expect(chosen.headers.location).toBe('/p/P0001')
    const { body } = await app.inject({ url: '/p/P0001', cookies: { lang: chosen.cookies[0]!.value } })
    expect(body).toContain('<html lang="de" dir="ltr">')
    expect(body).toContain('class="scripted" lang="de"')
  })

  it.each(['xx', '"><script>', ''])('labels ads in English for the language %j', async (lang) => {
    const { body } = await app.inject({ url: `/?lang=${encodeURIComponent(lang)}` })
    expect(body).toContain('<html lang="en" dir="ltr">')
  })

  it('finds what has every word first', () => {
    const [first] = shelf.search('cast iron frying pans')
    expect(first!.title).toContain('cast iron frying pan')
    expect(shelf.search('zzzz')).toEqual([])
  })
})

describe('html', () => {
  it('escapes any text, in elements and in attributes', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const made = html`<p title="${text}">${text}</p>`.text
        expect(made.replace(/^<p title="|<\/p>$/g, '')).not.toMatch(/["'<].*["'<].*[<>'"]/s)
        const unescaped = made
          .slice(made.indexOf('>') + 1, -4)
          .replace(
            /&lt;|&gt;|&quot;|&#39;|&amp;/g,
            (e) => ({ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" })[e] ?? '&',
          )
        expect(unescaped).toBe(text)
      }),
    )
  })
})

describe('the basket', () => {
  const basket = fc
    .uniqueArray(fc.integer({ min: 1, max: 9999 }), { maxLength: 30 })
    .chain((ids) =>
      fc.tuple(
        ...ids.map((id) => fc.tuple(fc.constant(`P${String(id).padStart(4, '0')}`), fc.integer({ min: 1, max: 20 }))),
      ),
    )
    .map((lines) => new Map(lines))

  it('is read as it was written', () => {
    fc.assert(
      fc.property(basket, (each) => {
        expect(readBasket(writeBasket(each))).toEqual(each)
      }),
    )
  })

  it('takes back what was put in, and never holds less than nothing', () => {
    fc.assert(
      fc.property(basket, fc.integer({ min: 1, max: 20 }), (each, by) => {
        const fewer = changed(each, [...each.keys()][0] ?? 'P0001', -by)
        expect([...fewer.values()].every((quantity) => quantity > 0)).toBe(true)
        expect(countOf(fewer)).toBeLessThanOrEqual(countOf(each))
      }),
    )
  })

  it('reads any cookie at all', () => {
    fc.assert(fc.property(fc.string(), (cookie) => void readBasket(cookie)))
  })
})
