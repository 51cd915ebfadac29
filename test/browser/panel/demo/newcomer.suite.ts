import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { dateIn } from '../../../date-in.ts'
import { waitFor } from '../../../wait-for.ts'
import { seriousFindings, watchErrors } from '../../harness.ts'
import { type Given, PASSWORD, shopIdOf, untilStored } from './given.ts'

interface Explained {
  transactions?: { lines: { shopProductId: string; outcome: string; credit: { touchType: string } | null }[] }[]
}

const signIn = async (page: Page, email: string) => {
  await page.getByLabel('E-mail').fill(email)
  await page.locator('input[type=password]').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const PAGES = ['/', '/c/outdoor', '/search?q=kettle', '/p/P0001', '/cart', '/checkout'].flatMap((path) =>
  (['light', 'dark'] as const).map((scheme) => ({ path, scheme })),
)

/** What somebody does who has just started the demo. */
export function newcomerSuite(given: Given): void {
  it('lets a newcomer search, click a sponsored product, buy it, and find the sale attributed', async () => {
    // The user agent of a headless browser says so, and its events would be judged as a bot's.
    const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${given.browser.version()} Safari/537.36`
    const page = await given.browser.newPage({ viewport: { width: 1280, height: 900 }, userAgent })
    const errors = watchErrors(page)
    await page.goto(given.demo.shopUrl)
    await page.locator('.card.ad').first().waitFor()
    await page.locator('[data-banner] a[data-banner]').waitFor()

    await page.getByLabel('Search').first().fill('noise cancelling headphones')
    await page.keyboard.press('Enter')
    const ad = page.locator('.card.ad a').first()
    await ad.waitFor()
    expect(await ad.locator('.tag').textContent()).toBe('Sponsored')
    const productId = await ad.getAttribute('data-ad')
    await ad.click()

    await page.waitForURL(`**/p/${productId}`)
    await page.locator('#similar-products').waitFor({ state: 'attached' })
    // The click left the page before any answer came, so it is listed on the next page.
    await page.getByRole('button', { name: 'Your last events' }).click()
    const click = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Click ·' })
    await click.getByText('Sent', { exact: true }).waitFor()
    expect(await page.getByText('Not delivered').count()).toBe(0)
    await page.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('button', { name: 'Add to cart' }).press('Enter')
    await page.getByRole('status').getByText('Added to cart, which now has 1 item.').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Add to cart')
    await page.getByRole('link', { name: 'Cart, 1 item', exact: true }).click()
    await page.getByRole('link', { name: 'Go to checkout' }).click()
    await page.getByRole('button', { name: 'Buy now' }).click()
    const order = (await page.locator('[data-order]').textContent())!

    const shopId = await shopIdOf(given)
    let sale: Explained = {}
    await waitFor(async () => {
      sale = await given.demo.api<Explained>(`/v1/panel/explain/attribution/${order}?shopId=${shopId}`)
      return sale.transactions?.[0]?.lines[0]?.outcome === 'CREDITED'
    })
    const [line] = sale.transactions![0]!.lines
    expect(line).toMatchObject({ shopProductId: productId, credit: { touchType: 'CLICK' } })
    expect(errors).toEqual([])

    const [panel] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'See which ad earned it' }).click(),
    ])
    await signIn(panel, 'shop@demo.example')
    await panel.getByRole('heading', { name: 'Why this credit' }).waitFor()
    await panel.getByText(order).first().waitFor()
  })

  it('keeps both of two additions to the cart, however quickly they follow each other', async () => {
    const page = await given.browser.newPage()
    await page.goto(`${given.demo.shopUrl}/p/P0001`)
    await page.evaluate(`for (const _ of [1, 2]) document.querySelector('[data-add]').requestSubmit()`)
    await page.getByRole('status').getByText('which now has 2 items').waitFor()
    await page.close()
  })

  const figuresOf = (from: number, until: number) =>
    given.demo.api<{ rows: Record<string, number>[]; totals: Record<string, number> }>(
      `/v1/panel/reports?from=${dateIn(from)}&to=${dateIn(until)}&groupBy=day&metrics=views,clicks,ctr,spend,purchases,revenue,roas`,
    )
  it('shows the shop eight weeks of demo figures, and a gentle growth between four weeks and the four before', async () => {
    await untilStored(given)
    await waitFor(async () => (await figuresOf(-27, 1)).totals.roas! > 1)
    const [latest, before] = [await figuresOf(-27, 1), await figuresOf(-55, -27)]
    expect(before.rows.length).toBe(28)
    expect(latest.rows.length).toBeGreaterThanOrEqual(27)
    for (const row of [...before.rows, ...latest.rows.slice(0, -1)]) expect(row.views).toBeGreaterThan(100)
    for (const { totals } of [latest, before]) {
      expect(totals.ctr).toBeGreaterThan(0.01)
      expect(totals.ctr).toBeLessThan(0.025)
      expect(totals.roas).toBeGreaterThan(1)
      expect(totals.roas).toBeLessThan(12)
    }
    for (const key of ['views', 'clicks', 'spend']) {
      const change = latest.totals[key]! / before.totals[key]! - 1
      expect(change, key).toBeGreaterThan(-0.3)
      expect(change, key).toBeLessThan(0.6)
    }
  })

  it('lets every demo user open the panel', async () => {
    for (const email of ['shop@demo.example', 'lumbra@demo.example', 'operator@demo.example']) {
      const page = await (await given.browser.newContext()).newPage()
      await page.goto(`${given.demo.adServer}/panel/`)
      await signIn(page, email)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.context().close()
    }
  })

  it('lets somebody of an agency go from one advertiser to another', async () => {
    const page = await (await given.browser.newContext()).newPage()
    await page.goto(`${given.demo.adServer}/panel/`)
    await signIn(page, 'agency@demo.example')
    for (const name of ['Peak & Pace Sports', 'Fernhill & Daughters']) {
      await page.getByRole('combobox', { name: 'Account' }).click()
      await page.getByRole('option', { name }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
    }
    await page.context().close()
  })

  it.concurrent.each(PAGES)(
    'serves an accessible shop page without layout shift or sideways scrolling at $path in $scheme, with all menus open',
    async ({ path, scheme }) => {
      const page = await given.browser.newPage({
        viewport: { width: 360, height: 780 },
        colorScheme: scheme,
        baseURL: given.demo.shopUrl,
      })
      await page.request.post('/cart/add', { form: { id: 'P0001' } })
      await page.addInitScript(() => {
        const shifts: number[] = []
        Object.assign(globalThis, { shifts })
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
        }).observe({ type: 'layout-shift', buffered: true })
      })
      await page.goto(path, { waitUntil: 'networkidle' })
      const shift = await page.evaluate('shifts.reduce((sum, value) => sum + value, 0)')
      expect(shift).toBeLessThan(0.01)
      for (const menu of await page.locator('summary').all()) await menu.click()
      expect(await seriousFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Your last events' }).click()
      expect(await seriousFindings(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await page.close()
    },
  )
}
