import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attributedSale, feedXml, type JourneyShop, openShop } from '../../../journey/shop.ts'
import { must } from '../../../program.ts'
import { waitFor } from '../../../wait-for.ts'
import { openWorld, type Person, seriousFindings, type World, watchErrors } from '../../harness.ts'

/** One order of a product that an advertiser promotes, and of another one that its campaign is credited for. */

const BUYER = { cid: 'buyer' }
const ORDER = `order-of-two-${'0'.repeat(30)}`
/** The price is that of all its units. */
const HALO = { shopProductId: 'lamp-shade', price: 12.34, quantity: 3 }

let world: World
let shop: JourneyShop
let publisher: Person
let advertiser: Person
let campaignId: string
let lamp: { shopProductId: string; price: number; quantity: number }
let lampTitle: string

beforeAll(async () => {
  world = await openWorld()
  shop = await openShop(world.program, { budget: 1_000 })
  const make = (path: string, body: object) =>
    must(world.program.call<{ id: string }>('POST', `/v1/panel/${path}`, body))
  const { accountId: publisherId } = await shop.get<{ accountId: string }>(`/v1/panel/shops/${shop.shopId}`)
  const { id: accountId } = await make('accounts', {
    kind: 'ADVERTISER',
    name: 'Lumbra',
    companyName: 'Lumbra',
    sellerIds: ['lumbra'],
  })
  const sold = feedXml(['red', 'green']).replaceAll('<g:brand>', '<g:seller_id>lumbra</g:seller_id><g:brand>')
  await must(world.program.call('POST', `/v1/panel/feeds/${shop.feedId}/content`, sold))
  await must(world.program.call('PATCH', `/v1/panel/campaigns/${shop.campaignId}`, { status: 'PAUSED' }))
  const own = { accountId, shopId: shop.shopId, kind: 'SPONSORED', budget: 1_000, cpc: 2 }
  const products = { rule: { brands: ['Solvik'] } }
  campaignId = (
    await make('campaigns', { ...own, name: 'Evenings', products, attributionProductIds: [HALO.shopProductId] })
  ).id
  publisher = await world.makeUser({ name: 'Paula', role: 'PUBLISHER', accountId: publisherId })
  advertiser = await world.makeUser({ name: 'Lena', role: 'ADVERTISER', accountId })
  await buy()
})
afterAll(() => world?.stop())

async function buy() {
  let [ad] = await shop.askForAds(BUYER.cid, 'desk lamp')
  await waitFor(async () => {
    ;[ad] = await shop.askForAds(BUYER.cid, 'desk lamp')
    return ad !== undefined
  })
  lamp = { shopProductId: ad!.shopProductId, price: ad!.productPrice, quantity: 1 }
  lampTitle = ad!.productTitle
  await shop.post('/v1/dsa/click-event', { showId: ad!.showId }, BUYER)
  const sale = { eventId: ORDER, kind: 'PURCHASE', shopId: shop.shopId, currency: 'EUR', products: [lamp, HALO] }
  await shop.post('/v1/ev/transaction', sale, BUYER)
  expect(await attributedSale(world.program, shop.shopId, ORDER)).toContain(campaignId)
  // Credited lines and the report are read from the same table.
  await waitFor(
    async () => (await shop.get<Listed>(`/v1/panel/transactions?campaignId=${campaignId}`)).items.length === 1,
  )
}

interface Listed {
  items: { eventId: string; creditedAmount: number }[]
}

const euros = (amount: number) => amount.toLocaleString('en-US', { style: 'currency', currency: 'EUR' })
const total = () => lamp.price + HALO.price
const card = (page: Page, label: string) => page.locator('main').getByText(label, { exact: true }).first().locator('..')

async function downloaded(page: Page, press: () => Promise<void>): Promise<string[][]> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()])
  const text = await readFile(await download.path(), 'utf8')
  return text
    .trim()
    .split('\r\n')
    .map((row) => row.split(','))
}

it('shows an advertiser the sums of the sales, and saves them by order and by product as files', async () => {
  const page = await world.signedIn(advertiser)
  const errors = watchErrors(page)
  await page.goto(`/panel/sales?period=7-days&shopId=${shop.shopId}`)
  await page.getByRole('row', { name: /Evenings/ }).waitFor()
  await expect.poll(() => card(page, 'Purchases').textContent()).toContain('1')
  await expect.poll(() => card(page, 'Net sales').textContent()).toContain(euros(total()))
  expect(await seriousFindings(page)).toEqual([])
  const [header, order] = await downloaded(page, () => page.getByRole('button', { name: 'Download CSV' }).click())
  expect(order![header!.indexOf('creditedAmount')]).toBe(String(total()))
  expect(order!.join()).not.toContain(ORDER)

  await page.getByRole('link', { name: 'By product' }).click()
  const report = page.getByRole('region', { name: 'Report', exact: true })
  const cellsOf = async (name: string) =>
    (await report.getByRole('row').filter({ hasText: name }).locator('td').allTextContents()).slice(0, 3)
  await expect.poll(() => cellsOf(lampTitle)).toEqual([euros(lamp.price), '1', '1'])
  expect(await cellsOf(HALO.shopProductId)).toEqual([euros(HALO.price), '3', '1'])
  await page.getByRole('button', { name: 'Download' }).click()
  const rows = await downloaded(page, () => page.getByRole('menuitem', { name: /CSV/ }).click())
  expect(rows.map(([id]) => id)).toEqual(expect.arrayContaining([lamp.shopProductId, HALO.shopProductId]))

  await report.getByRole('link', { name: lampTitle }).click()
  await page.getByRole('row', { name: /Evenings/ }).waitFor()
  await expect.poll(() => card(page, 'Net sales').textContent()).toContain(euros(lamp.price))
  const product = page.getByRole('combobox', { name: 'Purchased product' })
  await expect.poll(() => product.inputValue()).toBe(lampTitle)
  await product.fill('Desk lamp')
  await page.getByRole('option', { name: 'Desk lamp' }).filter({ hasNotText: lampTitle }).click()
  await page.getByText('No purchases in this period').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  expect(errors).toEqual([])
})

it('lists the sales of one campaign', async () => {
  const page = await world.signedIn(publisher)
  await page.goto('/panel/sales')
  const sale = page.getByRole('row', { name: /Evenings/ })
  await sale.waitFor()
  await page.getByRole('combobox', { name: 'Campaign' }).click()
  await page.getByRole('option', { name: 'Lamps' }).click()
  await sale.waitFor({ state: 'detached' })
  await expect.poll(() => card(page, 'Net sales').textContent()).toContain(euros(0))
  await page.goto(`/panel/sales?campaignId=${campaignId}`)
  await sale.waitFor()
  expect(await page.getByRole('combobox', { name: 'Campaign' }).inputValue()).toBe('Evenings')
  await page.setViewportSize({ width: 820, height: 900 })
  const overflow = () =>
    page
      .getByRole('table', { name: 'Sales' })
      .evaluate((table) => table.parentElement!.scrollWidth - table.parentElement!.clientWidth)
  await expect.poll(overflow).toBe(0)
})

it('lists the sales of one advertiser, and those of a campaign from its page', async () => {
  const page = await world.signedIn(publisher)
  await page.goto('/panel/sales?period=7-days')
  const sale = page.getByRole('row', { name: /Evenings/ })
  await sale.waitFor()
  const advertisers = page.getByRole('combobox', { name: 'Advertiser' })
  await advertisers.click()
  await page.getByRole('option').filter({ hasNotText: 'Lumbra' }).first().click()
  await sale.waitFor({ state: 'detached' })
  await advertisers.click()
  await page.getByRole('option', { name: 'Lumbra' }).click()
  await sale.waitFor()
  await expect.poll(() => card(page, 'Net sales').textContent()).toContain(euros(total()))
  await page.reload()
  await sale.waitFor()
  await expect.poll(() => advertisers.inputValue()).toBe('Lumbra')

  await page.goto(`/panel/campaigns/${campaignId}`)
  await page.getByText('Only Lumbra and the operator can change it.').waitFor()
  await page.getByRole('link', { name: 'Which sales its ads earned' }).click()
  await sale.waitFor()
  expect(await page.getByRole('combobox', { name: 'Campaign' }).inputValue()).toBe('Evenings')
})

it('opens for the publisher the sale whose link an advertiser sends, under its order number', async () => {
  const asking = await world.signedIn(advertiser)
  await asking.goto('/panel/sales')
  await asking
    .getByRole('row', { name: /Evenings/ })
    .getByRole('link')
    .click()
  await asking.getByText('Got the credit', { exact: true }).first().waitFor()
  expect(asking.url()).not.toContain(ORDER)

  const asked = await world.signedIn(publisher)
  await asked.goto(asking.url())
  await asked.getByText(ORDER, { exact: true }).waitFor()
  await asked.getByText('Got the credit', { exact: true }).first().waitFor()
  const pseudonym = decodeURIComponent(new URL(asking.url()).pathname.split('/').at(-1)!)
  await asked.goto(`/panel/sales/${shop.shopId}/${ORDER}`)
  await asked.getByText(pseudonym, { exact: true }).waitFor()
  await asked.getByRole('button', { name: 'Enter a return' }).click()
  await asked.getByRole('dialog').getByRole('button', { name: 'Enter return' }).click()
  await asked.getByText('The whole order', { exact: true }).waitFor()
  const { items } = await shop.get<{ items: { eventId: string; returnedAmount: number }[] }>(
    `/v1/panel/transactions?campaignId=${campaignId}`,
  )
  expect(items.map(({ eventId }) => eventId)).toEqual([ORDER])
})
