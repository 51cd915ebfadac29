import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attributedSale, type JourneyShop, openShop } from '../../journey/shop.ts'
import { waitFor } from '../../wait-for.ts'
import { OPERATOR, openWorld, type Person, seriousFindings, type World, watchErrors } from '../harness.ts'

const PHONE = { viewport: { width: 360, height: 740 } }
const METRICS = 'views,clicks,spend,purchases,revenue'
const BUYER = { cid: 'buyer' }

interface Report {
  rows: Record<string, string | number>[]
  totals: Record<'views' | 'clicks' | 'spend' | 'purchases' | 'revenue', number>
}

let world: World
let shop: JourneyShop
let publisher: Person
let page: Page
let errors: string[]
let requestId: string
let sold: string
let soldTitle: string

beforeAll(async () => {
  world = await openWorld()
  shop = await openShop(world.program, { budget: 1_000 })
  const { accountId } = await shop.get<{ accountId: string }>(`/v1/panel/shops/${shop.shopId}`)
  publisher = await world.makeUser({ name: 'Paula', role: 'PUBLISHER', accountId })
  await buyALamp()
  page = await world.signedIn(publisher)
  errors = watchErrors(page)
})
afterAll(() => world?.stop())

/** Views two ads, clicks one of them, and buys its product. */
async function buyALamp() {
  const [clicked, other] = await shop.askForAds(BUYER.cid, 'desk lamp')
  requestId = clicked!.requestId
  sold = clicked!.shopProductId
  soldTitle = clicked!.productTitle
  for (const { showId } of [clicked!, other!]) await shop.post('/v1/dsa/view-event', { showId }, BUYER)
  await shop.post('/v1/dsa/click-event', { showId: clicked!.showId }, BUYER)
  const products = [{ shopProductId: sold, price: clicked!.productPrice, quantity: 1 }]
  const sale = { eventId: 'order/1', kind: 'PURCHASE', shopId: shop.shopId, currency: 'EUR', products }
  await shop.post('/v1/ev/transaction', sale, BUYER)
  await attributedSale(world.program, shop.shopId, encodeURIComponent(sale.eventId))
  await waitFor(async () => {
    const { views, clicks, purchases } = (await reportOfApi()).totals
    return views === 2 && clicks === 1 && purchases === 1
  })
}

function reportOfApi(): Promise<Report> {
  const at = (ms: number) => new Date(ms).toISOString()
  const days = `from=${at(Date.now() - 86_400_000)}&to=${at(Date.now() + 86_400_000)}`
  return shop.get(`/v1/panel/reports?shopId=${shop.shopId}&${days}&groupBy=campaign&metrics=${METRICS}`)
}

const euros = (amount: number) =>
  amount.toLocaleString('en-US', {
    style: 'currency',
    currency: 'EUR',
    maximumFractionDigits: 6,
    minimumFractionDigits: 2,
  })
const heading = (name: string, on = page) => on.getByRole('heading', { level: 1, name })
const table = () => page.getByRole('region', { name: 'Report', exact: true })
const cellsOf = async (name: RegExp) =>
  (await table().getByRole('row', { name }).locator('td').allInnerTexts()).map((text) => text.trim())
const parameter = (name: string) => new URL(page.url()).searchParams.get(name)

async function expectAccessible(on = page) {
  await on.waitForLoadState('networkidle')
  expect(await seriousFindings(on)).toEqual([])
}

describe('the report', () => {
  it('shows the figures of the API by row and in total, with a chart', async () => {
    await page.goto(`/panel/reports?groupBy=campaign&metrics=${METRICS}&period=7-days`)
    await heading('Reports').waitFor()
    const { totals } = await reportOfApi()
    const figures = [
      String(totals.views),
      String(totals.clicks),
      euros(totals.spend),
      String(totals.purchases),
      euros(totals.revenue),
    ]
    expect(totals).toMatchObject({ views: 2, clicks: 1, purchases: 1 })
    await table()
      .getByRole('row', { name: /^Lamps/ })
      .waitFor()
    await expect.poll(() => cellsOf(/^Lamps/)).toEqual(figures)
    await expect.poll(() => cellsOf(/^Total/)).toEqual(figures)
    await page.getByRole('img', { name: /^Chart of Views by campaign/ }).waitFor()
    await expect.poll(() => page.title()).toBe('Reports · Endcap')
    await expectAccessible()
  })

  it('charts the total and sorts by the column that is pressed in a report', async () => {
    await page
      .getByRole('group', { name: /^Totals/ })
      .getByRole('button', { name: /^Sales/ })
      .click()
    await page.getByRole('img', { name: /^Chart of Views, Sales by campaign/ }).waitFor()
    await expect.poll(() => parameter('chart')).toBe('views,revenue')
    await table().getByRole('button', { name: 'Clicks' }).click()
    await expect.poll(() => parameter('sort')).toBe('-clicks')
    await table().locator('th[aria-sort=descending]', { hasText: 'Clicks' }).waitFor()
  })

  it('drills down from a campaign to its products, and back by removing the filter', async () => {
    await table().getByRole('link', { name: 'Lamps' }).click()
    await table().getByRole('columnheader', { name: 'Product' }).waitFor()
    await expect.poll(() => parameter('campaignId')).toBe(shop.campaignId)
    await table().getByRole('link', { name: soldTitle }).waitFor()
    await table().getByTitle(`${soldTitle} (${sold})`).waitFor()
    await expect
      .poll(async () => (await cellsOf(new RegExp(`^${soldTitle}`))).slice(0, 4))
      .toEqual(['1', '1', '€0.05', '1'])
    await page.getByRole('list', { name: 'Filters' }).getByText('Lamps').waitFor()
    await expectAccessible()
    await page.getByRole('button', { name: 'Remove the filter: campaign' }).click()
    await expect.poll(() => parameter('campaignId')).toBeNull()
  })

  it('compares other windows with the shop’s settings', async () => {
    await page.goto(`/panel/reports?groupBy=campaign&metrics=${METRICS}&period=7-days`)
    await page.getByRole('button', { name: 'Compare attribution models' }).click()
    await page.getByLabel('Click window (hours)').fill('0')
    await page.getByLabel('View window (hours)').fill('0')
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('Differences are relative to the settings of Shop').waitFor()
    await expect
      .poll(() => cellsOf(/^Total/))
      .toEqual(['2', '1', expect.any(String), expect.stringMatching(/^0\s.*−1/), expect.stringMatching(/−€/)])
    await expectAccessible()
    await page.getByRole('button', { name: 'Back to the settings' }).click()
    await expect.poll(async () => (await cellsOf(/^Total/))[3]).toBe('1')
    const { clickWindowHours } = await shop.get<{ clickWindowHours: number }>(`/v1/panel/shops/${shop.shopId}`)
    expect(clickWindowHours).toBeGreaterThan(0)
  })

  it('compares a report with the previous period, and reproduces it from its address', async () => {
    await page.getByRole('switch', { name: 'Compare with previous' }).click()
    await expect.poll(async () => (await cellsOf(/^Total/))[0]).toMatch(/^2\s.*new/)
    const operator = await world.signedIn(OPERATOR)
    await operator.goto(`${page.url()}&shopId=${shop.shopId}`)
    await operator
      .getByRole('row', { name: /^Total/ })
      .getByText('new')
      .first()
      .waitFor()
    await operator.close()
  })

  async function downloaded(choice: RegExp) {
    await page.getByRole('button', { name: 'Download' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: choice }).click(),
    ])
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
    return { name: download.suggestedFilename(), content: Buffer.concat(chunks) }
  }

  it('downloads the report as a file of Parquet', async () => {
    const { name, content } = await downloaded(/Parquet/)
    expect(name).toMatch(/^report-.*-campaign\.parquet$/)
    expect([content.subarray(0, 4).toString(), content.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1'])
  })

  it('downloads the report as the API’s CSV', async () => {
    const { name, content } = await downloaded(/CSV/)
    expect(name).toMatch(/^report-.*-campaign\.csv$/)
    const [disclosed, table = ''] = content.toString().split('\r\n\r\n')
    expect(content.subarray(0, 3).toString('hex')).toBe('efbbbf')
    expect(disclosed).toContain('Attribution model,LAST_TOUCH')
    const [header, row] = table.split('\r\n')
    expect(header).toBe(`campaign,campaignName,currency,${METRICS}`)
    expect(row).toMatch(new RegExp(`^${shop.campaignId},Lamps,EUR,2,1,`))
  })

  it('reports an unavailable analytics store, and recovers on retry', async () => {
    const unavailable = { code: 'REPORTS_UNAVAILABLE', status: 503, detail: 'Reports are temporarily unavailable' }
    const headers = { 'retry-after': '0.01' }
    await page.route('**/v1/panel/reports?*', (route) => route.fulfill({ status: 503, json: unavailable, headers }))
    await page.goto('/panel/reports?groupBy=campaign')
    await page.getByText('Reports are temporarily unavailable').first().waitFor()
    await page.unroute('**/v1/panel/reports?*')
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await table()
      .getByRole('row', { name: /^Total/ })
      .waitFor()
  })
})

describe('an explanation', () => {
  it('leads from the list of sales to why a sale was credited, touch by touch', async () => {
    await page.goto('/panel/sales')
    const sale = page.getByRole('row', { name: /Lamps/ })
    await sale.waitFor()
    await expectAccessible()
    await sale.getByRole('link').click()
    await heading('Why this credit').waitFor()
    await page.getByText('Got the credit', { exact: true }).waitFor()
    const touches = page.locator('.mantine-Timeline-item')
    await expect.poll(() => touches.count()).toBe(3)
    expect(await touches.nth(0).textContent()).toMatch(/^Click[\s\S]*Got the credit/)
    expect(await touches.nth(1).textContent()).toMatch(/^View[\s\S]*A click takes precedence/)
    expect(await touches.nth(2).textContent()).toMatch(/^View[\s\S]*Another product/)
    await expectAccessible()
  })

  it('asks how many units came back before it enters a return of some products', async () => {
    await page.getByRole('button', { name: 'Enter a return' }).click()
    const dialog = page.getByRole('dialog', { name: 'Enter a return' })
    await dialog.getByRole('checkbox', { name: 'The whole order' }).click()
    await dialog.getByRole('button', { name: 'Enter return' }).click()
    await dialog.getByRole('alert').getByText('Enter how many units were returned.').waitFor()
    await expectAccessible()
    await dialog.getByLabel(sold).fill('1')
    await expect.poll(() => dialog.getByRole('alert').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  it('finds an order by its number, and the sales of other days', async () => {
    await page.goto('/panel/sales')
    await page.getByRole('textbox', { name: 'Order number' }).fill(' order/1 ')
    await page.getByRole('button', { name: 'Look up' }).click()
    await heading('Why this credit').waitFor()
    await page.getByText('Got the credit', { exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('row', { name: /Lamps/ }).waitFor()
    await page.getByRole('combobox', { name: 'Period' }).click()
    await page.getByRole('option', { name: 'Last month' }).click()
    await page.getByText('No purchases in this period').waitFor()
    await page.reload()
    await page.getByText('No purchases in this period').waitFor()
    await page.goto('/panel/sales?period=today')
    await page.getByRole('row', { name: /Lamps/ }).waitFor()
  })

  it('explains an ad request by its id: what was shown at which price, and its events', async () => {
    await page.goto('/panel/ad-requests')
    await page.getByRole('textbox', { name: 'Request ID' }).fill(requestId)
    await page.keyboard.press('Enter')
    const shown = page.getByRole('table', { name: 'Shown, in this order' })
    const first = shown.getByRole('row').filter({ hasText: sold })
    await first.getByText('Click', { exact: true }).waitFor()
    await first.getByText('View', { exact: true }).waitFor()
    expect(await first.textContent()).toContain('€0.05')
    await page.getByRole('table', { name: 'Not shown' }).getByText('Outranked').waitFor()
    await expectAccessible()
    await page.goto('/panel/ad-requests/none')
    await page.getByText('No such request').waitFor()
  })
})

it('shows an advertiser without sales nothing of what others earn', async () => {
  const account = { kind: 'ADVERTISER', name: 'Solvik', companyName: 'Solvik', taxNumber: 'PL2' }
  const { id } = await shop.post<{ id: string }>('/v1/panel/accounts', account)
  const advertiser = await world.signedIn(await world.makeUser({ name: 'Adam', role: 'ADVERTISER', accountId: id }))
  await advertiser.goto('/panel/reports')
  await advertiser.getByText('No data in this period').waitFor()
  await advertiser.goto('/panel/sales')
  await advertiser.getByText('No purchases in this period').waitFor()
  await advertiser.goto(`/panel/sales/${shop.shopId}/order%2F1`)
  await advertiser.getByText('The sale is being processed…').waitFor()
  await advertiser.close()
})

it('fits reports on a phone of 360 pixels', async () => {
  const phone = await world.signedIn(publisher, PHONE)
  const product = { title: 'W'.repeat(150) }
  await phone.route(`**/v1/panel/products/${sold}?*`, (route) => route.fulfill({ json: product }))
  const paths = [
    'reports?groupBy=day,campaign&compare=previous',
    'sales',
    `sales/${shop.shopId}/order%2F1`,
    `ad-requests/${requestId}`,
  ]
  for (const path of paths) {
    await phone.goto(`/panel/${path}`)
    await phone.getByRole('heading', { level: 1 }).waitFor()
    await phone.waitForLoadState('networkidle')
    expect(await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth), path).toBeLessThanOrEqual(0)
  }
  expect(await seriousFindings(phone)).toEqual([])
  await phone.close()
})

it('has logged no script error and no violation of the content policy', () => {
  expect(errors.filter((error) => !/status of (404|503)/.test(error))).toEqual([])
})
