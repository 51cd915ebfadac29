import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seriousFindings } from '../harness.ts'
import { openScriptWorld, type ScriptWorld } from './shop.ts'
import { addScript, type ScriptSite } from './site.ts'

let world: ScriptWorld
let site: ScriptSite
beforeAll(async () => {
  world = await openScriptWorld()
  site = world.site
})
afterAll(() => world?.stop())

const SPACE = '#ads { min-height: calc(2em + 18em) }'

describe('the emission script on a page of another origin with a strict policy', () => {
  it('shows row x col ads as a list of links, in the element and without a policy violation', async () => {
    const visit = await site.open(`<h1>Lamps</h1><div id="ads"></div><p>Below</p>${site.tag('ads', 2, 3)}`, {
      css: '#ads { min-height: calc(2em + 2 * 18em + 0.75em) } li { display: none } a { color: red !important }',
    })
    await visit.rendered(1)
    const list = visit.page.getByRole('list', { name: 'Sponsored' })
    const links = list.getByRole('listitem').getByRole('link')
    expect(await links.count()).toBe(6)
    expect(await links.first().getAttribute('href')).toMatch(/^https:\/\/shop\.example\/p\/\d$/)
    expect(await links.first().textContent()).toMatch(/^SolvikDesk lamp \w+€2\d\.50$/)
    await expect
      .poll(() =>
        links.locator('img').evaluateAll((all) => all.every((one) => (one as HTMLImageElement).naturalWidth > 0)),
      )
      .toBe(true)
    expect(await visit.layoutShift()).toBe(0)
    expect(await seriousFindings(visit.page)).toEqual([])
    expect(visit.errors).toEqual([])
    await visit.close()
  })

  it('loads where the policy demands trusted types', async () => {
    const policy = "require-trusted-types-for 'script'; trusted-types endcap"
    const visit = await site.open(`<div id="ads"></div>${site.tag('ads', 1, 1)}${site.tag('none', 1, 1)}`, { policy })
    await visit.rendered(1)
    expect(visit.errors).toEqual([])
    await visit.close()
  })

  it('adds one global name to the page, also when an element has the same id', async () => {
    const names = () => page.evaluate(() => Object.keys(window).sort())
    const { page, ...visit } = await site.open(`<div id="endcap"></div>${site.tag('endcap', 1, 1)}`)
    await visit.rendered(1)
    const empty = await site.open('')
    const before = await empty.page.evaluate(() => Object.keys(window).sort())
    expect((await names()).filter((name) => !before.includes(name))).toEqual(['endcap'])
    expect(await page.evaluate(() => Object.keys((window as never as { endcap: object }).endcap))).toEqual([
      'slots',
      'rescan',
      'cid',
    ])
    await empty.close()
    await visit.close()
  })

  it.each([
    ['de-AT', 'Gesponsert', '€ 1.234,50', 'Angebotspreis'],
    ['pl', 'Sponsorowane', '1234,50 €', 'Cena promocyjna'],
    ['fr', 'Sponsorisé', '1 234,50 €', 'Prix promotionnel'],
    ['nl', 'Gesponsord', '€ 1.234,50', 'Actieprijs'],
    ['cy', 'Sponsored', '€1,234.50', 'Sale price'],
  ])('writes the words and prices of ads in the language of the page: %s', async (lang, label, price, read) => {
    const visit = await site.open(
      `<div lang="${lang}"><div id="ads"></div></div>${site.tag('ads', 1, 1, { searchData: 'chandelier' })}`,
    )
    await visit.rendered(1)
    const link = visit.page.getByRole('list', { name: label }).getByRole('link')
    const text = (await link.textContent())!.replaceAll(/[\u00a0\u202f]/g, ' ')
    expect(text).toContain(price)
    expect(await link.locator('.sale').textContent()).toContain(read)
    expect(await link.locator('s').count()).toBe(1)
    await visit.close()
  })

  it('mirrors the ads in a page that is written from right to left', async () => {
    const visit = await site.open(
      `<div lang="ar" dir="rtl"><div id="ads"></div></div>${site.tag('ads', 1, 2, { searchData: 'desk lamp' })}`,
    )
    await visit.rendered(1)
    const list = visit.page.getByRole('list', { name: 'إعلان ممول' })
    const [first, second] = await Promise.all([0, 1].map((n) => list.getByRole('listitem').nth(n).boundingBox()))
    expect(first!.x).toBeGreaterThan(second!.x + second!.width)
    const offsetOf = (selector: string) =>
      list
        .locator(selector)
        .first()
        .evaluate((each) => {
          const range = document.createRange()
          range.selectNodeContents(each)
          return Math.round(each.getBoundingClientRect().right - range.getBoundingClientRect().right)
        })
    expect([await offsetOf('.title'), await offsetOf('.price')]).toEqual([0, 0])
    await visit.close()
  })

  beforeAll(() =>
    world.addProducts(
      [
        {
          id: 'c1',
          title: 'Chandelier',
          link: 'https://shop.example/p/c1',
          imageLink: 'https://shop.example/i/c1.jpg',
          price: 1999,
          salePrice: 1234.5,
        },
      ],
      'chandelier',
    ),
  )

  it('shows hostile feed content as text', async () => {
    const title = '</script><img src=x onerror=alert(1)> \u2028 "><b>Grand candelabra'
    const image = 'https://shop.example/i/"><script>alert(1)</script>.jpg'
    await world.addProducts(
      [
        {
          id: '"><script>alert(1)</script>',
          title,
          link: 'https://shop.example/p/?q="><script>alert(1)</script>',
          imageLink: image,
        },
      ],
      'candelabra',
    )
    const elementId = '"><script>alert(1)</script>\u2028'
    const html = `<div id="${elementId.replaceAll('"', '&quot;')}"></div>${site.tag(elementId, 1, 2, { searchData: 'candelabra' })}`
    const visit = await site.open(html)
    await visit.rendered(1)
    const link = visit.page.getByRole('link')
    // The feed's parser removes markup; the rest is shown as text.
    expect(await link.locator('.title').textContent()).toBe('"> Grand candelabra')
    expect(await visit.page.locator('b, script[src=x], [onerror]').count()).toBe(0)
    expect(visit.errors).toEqual([])
    await visit.close()
  })

  it('links ads only to http addresses', async () => {
    const visit = await site.open('<div id="ads"></div>')
    await visit.page.route('**/v1/dsa/raw/batch', async (route) => {
      const answer = await route.fetch()
      const body = await answer.json()
      const [first, second, third] = body.data[0].ads
      first.productHref = 'javascript:alert(1)'
      second.productHref = 'data:text/html,<script>alert(1)</script>'
      third.productImageUrl = 'javascript:alert(1)'
      await route.fulfill({ response: answer, json: body })
    })
    await addScript(visit.page, site.script('ads', 1, 4))
    await visit.rendered(1)
    const addresses = await visit.page
      .getByRole('link')
      .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).protocol))
    expect(addresses).toEqual(['https:', 'https:'])
    expect(await visit.page.locator('#ads img').count()).toBe(1)
    await visit.close()
  })
})

describe('the emission script without ads', () => {
  const without = { searchData: 'submarine' }

  it('keeps the space of missing ads while the content below is visible, and releases it afterwards', async () => {
    const html = `<div id="top">Top</div><div id="ads"></div><p id="below">Below</p><div id="end">End</div>`
    const css = `${SPACE} #top, #end { height: 150vh }`
    const visit = await site.open(html, { css, viewport: { width: 800, height: 600 } })
    await visit.page.locator('#ads').scrollIntoViewIfNeeded()
    await addScript(visit.page, site.script('ads', 1, 2, without))
    await visit.rendered(1)
    const height = () => visit.page.locator('#ads').evaluate((element) => element.getBoundingClientRect().height)
    const seen = await height()
    await visit.page.evaluate(() => scrollTo(0, 0))
    await expect.poll(height).toBe(0)
    expect([seen, await visit.layoutShift()]).toEqual([320, 0])
    await visit.close()
  })

  it('shows the page’s own content of the element when there are no ads', async () => {
    const visit = await site.open(`<div id="ads"><p>Free delivery</p></div>${site.tag('ads', 1, 2, without)}`)
    await visit.rendered(1)
    expect(await visit.page.getByText('Free delivery').isVisible()).toBe(true)
    expect(await visit.page.getByText('Sponsored').count()).toBe(0)
    await visit.close()
  })

  it('shows the own content of a list too, which cannot hold a shadow tree itself', async () => {
    const visit = await site.open(`<ul id="ads"><li>Free delivery</li></ul>${site.tag('ads', 1, 2, without)}`)
    await visit.rendered(1)
    expect(await visit.page.getByText('Free delivery').isVisible()).toBe(true)
    await visit.close()
  })
})

describe('the client id', () => {
  it('keeps the client id, and uses one that the shop has stored', async () => {
    const visit = await site.open(`<div id="ads"></div>${site.tag('ads', 1, 1)}`, {
      before: () => localStorage.setItem('endcap-cid', 'shop-7'),
    })
    await visit.rendered(1)
    expect(visit.requests.map(({ cid }) => cid)).toEqual(['shop-7'])
    await visit.close()

    const other = await site.open(`<div id="ads"></div>${site.tag('ads', 1, 1)}`)
    await other.rendered(1)
    await other.page.reload()
    await other.rendered(1)
    const [first, second] = other.requests.map(({ cid }) => cid)
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(second).toBe(first)
    await other.close()
  })

  it.each([
    ['in a cookie', 'cookie', true],
    ['for the life of the page', 'none', false],
  ])('keeps the client id %s where storage is refused', async (_where, allowed, kept) => {
    const visit = await site.open(`<div id="ads"></div>${site.tag('ads', 1, 1)}`, {
      before:
        allowed === 'cookie'
          ? () =>
              Object.defineProperty(window, 'localStorage', {
                get: () => {
                  throw new DOMException('no', 'SecurityError')
                },
              })
          : () => {
              const refuse = () => {
                throw new DOMException('no', 'SecurityError')
              }
              Object.defineProperty(window, 'localStorage', { get: refuse })
              Object.defineProperty(Document.prototype, 'cookie', { get: refuse, set: refuse })
            },
    })
    await visit.rendered(1)
    await visit.page.reload()
    await visit.rendered(1)
    const [first, second] = visit.requests.map(({ cid }) => cid)
    expect([first === second, visit.errors]).toEqual([kept, []])
    await visit.close()
  })
})
