import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dateIn } from '../../../date-in.ts'
import { type JourneyShop, openShop } from '../../../journey/shop.ts'
import { waitFor } from '../../../wait-for.ts'
import { openWorld, type Person, seriousFindings, type World, watchErrors } from '../../harness.ts'

const BUYER = { cid: 'buyer' }

let world: World
let shop: JourneyShop
let publisher: Person
let page: Page
let errors: string[]

beforeAll(async () => {
  world = await openWorld()
  shop = await openShop(world.program, { budget: 1_000 })
  const { accountId } = await shop.get<{ accountId: string }>(`/v1/panel/shops/${shop.shopId}`)
  publisher = await world.makeUser({ name: 'Paula', role: 'PUBLISHER', accountId })
  const [ad] = await shop.askForAds(BUYER.cid, 'desk lamp')
  await shop.post('/v1/dsa/view-event', { showId: ad!.showId }, BUYER)
  await shop.post('/v1/dsa/click-event', { showId: ad!.showId }, BUYER)
  await waitFor(async () => {
    const query = `shopId=${shop.shopId}&from=${dateIn(-2)}&to=${dateIn(2)}&metrics=views,clicks`
    const { totals } = await shop.get<{ totals: Record<string, number> }>(`/v1/panel/reports?${query}`)
    return totals.views === 1 && totals.clicks === 1
  })
  page = await world.signedIn(publisher)
  errors = watchErrors(page)
})
afterAll(() => world?.stop())

const parameter = (name: string, on = page) => new URL(on.url()).searchParams.get(name)
const chart = (on = page) => on.getByRole('img', { name: /^Chart of/ })

describe('the chart', () => {
  it('draws today as a day that is not over, and several metrics by sign and colour', async () => {
    await page.goto('/panel/reports?period=7-days&chart=views,clicks')
    await page.getByRole('img', { name: 'Chart of Views, Clicks by day; the table below has its figures' }).waitFor()
    await page.getByText(/^Today until \d/).waitFor()
    await page
      .getByRole('button', { name: /^Spend/ })
      .first()
      .click()
    await expect.poll(() => parameter('chart')).toBe('views,clicks,spend')
    await page.getByRole('img', { name: /^Chart of Views, Clicks, Spend by day/ }).waitFor()
    await page.getByText('Last touch').waitFor()
    expect(await seriousFindings(page)).toEqual([])
  })

  it('compares with the previous period until the same time of day', async () => {
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/v1/panel/reports?')) asked.push(decodeURIComponent(request.url()))
    })
    await page.getByRole('switch', { name: 'Compare with previous' }).click()
    await page.getByText(/^vs previous period: .*, until .* on the last day$/).waitFor()
    expect(asked.some((url) => /[?&]to=\d{4}-\d\d-\d\dT\d\d:\d\d/.test(url))).toBe(true)
    await page.getByText('Previous period', { exact: true }).waitFor()
  })
})

describe('the calendar', () => {
  it.each(['light', 'dark'] as const)('is named and legible in the %s scheme', async (colorScheme) => {
    const own = await world.signedIn(publisher, { colorScheme, locale: 'de-DE' })
    for (const path of ['reports', 'visitors']) {
      await own.goto(`/panel/${path}?period=28-days`)
      await own.getByRole('button', { name: /^Days: / }).click()
      const dialog = own.getByRole('dialog', { name: /^Days/ })
      await dialog.getByRole('button', { name: 'Previous month' }).click()
      // Weeks begin on Monday in Germany.
      await expect.poll(() => dialog.locator('thead th').first().textContent()).toMatch(/^Mo/)
      await dialog.getByText(/Days are in the time zone/).waitFor()
      expect(await seriousFindings(own)).toEqual([])
      const [first] = await dialog.getByRole('button', { name: /, 10\. / }).all()
      await first!.click()
      await dialog
        .getByRole('button', { name: /, 12\. / })
        .first()
        .click()
      await expect.poll(() => parameter('until', own)).toMatch(/-12$/)
    }
    await own.close()
  })
})

describe('saved views', () => {
  it('are saved by name, which cannot be given twice', async () => {
    await page.goto('/panel/reports?period=7-days&groupBy=campaign&chart=clicks')
    await chart().waitFor()
    const save = async (name: string, isDefault = false) => {
      await page.getByRole('button', { name: /^(Saved views|Lamps)/ }).click()
      await page.getByRole('menuitem', { name: 'Save view…' }).click()
      await page.getByLabel('Name').fill(name)
      if (isDefault) await page.getByLabel('Open Reports with this view').check()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
    }
    await save('Lamps by week', true)
    await page.getByRole('button', { name: 'Lamps by week' }).waitFor()
    await save('lamps BY week')
    await page.getByText('Already in use', { exact: true }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  it('open Reports in another browser, and belong to nobody else', async () => {
    const elsewhere = await world.signedIn(publisher)
    await elsewhere.goto('/panel/reports')
    await expect.poll(() => parameter('groupBy', elsewhere)).toBe('campaign')
    await elsewhere.getByRole('button', { name: 'Lamps by week' }).click()
    await expect.poll(() => elsewhere.getByRole('menuitem', { name: /Lamps by week/ }).count()).toBe(1)
    await elsewhere.close()
    const { accountId } = await shop.get<{ accountId: string }>(`/v1/panel/shops/${shop.shopId}`)
    const other = await world.signedIn(await world.makeUser({ name: 'Pia', role: 'PUBLISHER', accountId }))
    await other.goto('/panel/reports')
    await other.getByRole('button', { name: 'Saved views' }).click()
    await other.getByText('No saved views yet').waitFor()
    await other.close()
  })

  it('are renamed and deleted', async () => {
    await page.goto('/panel/reports?period=7-days')
    await page.getByRole('button', { name: 'Saved views' }).click()
    await page.getByRole('menuitem', { name: 'Manage views…' }).click()
    await page.getByRole('button', { name: 'Rename Lamps by week' }).click()
    await page.getByLabel('Name').fill('Lamps weekly')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('button', { name: 'Remove as default: Lamps weekly' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Delete Lamps weekly' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).last().click()
    await page.getByText('No saved views yet').waitFor()
  })
})

it('offers a shorter period when a report takes too long', async () => {
  const slow = { code: 'REPORT_TOO_SLOW', status: 503, title: 'x', detail: 'The report takes too long' }
  await page.route('**/v1/panel/reports?*', (route) => route.fulfill({ status: 503, json: slow }))
  await page.goto('/panel/reports?period=90-days')
  await page.getByText('This report takes too long').waitFor()
  await page.unroute('**/v1/panel/reports?*')
  await page.getByRole('button', { name: 'Show the last 7 days' }).click()
  await chart().waitFor()
})

it('has logged no script error and no violation of the content policy', () => {
  expect(errors.filter((error) => !/status of (409|503)/.test(error))).toEqual([])
})
