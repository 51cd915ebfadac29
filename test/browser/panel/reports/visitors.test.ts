import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dateIn } from '../../../date-in.ts'
import { attributedSale, type JourneyShop, openShop } from '../../../journey/shop.ts'
import { waitFor } from '../../../wait-for.ts'
import { openWorld, seriousFindings, type World, watchErrors } from '../../harness.ts'

let world: World
let shop: JourneyShop
let page: Page
let errors: string[]

beforeAll(async () => {
  world = await openWorld()
  shop = await openShop(world.program, { budget: 1_000 })
  const { accountId } = await shop.get<{ accountId: string }>(`/v1/panel/shops/${shop.shopId}`)
  const publisher = await world.makeUser({ name: 'Paula', role: 'PUBLISHER', accountId })
  await comeAndBuy()
  page = await world.signedIn(publisher)
  errors = watchErrors(page)
})
afterAll(() => world?.stop())

/** Two visitors come by a newsletter and a search ad. The first clicks an ad and buys its product. */
async function comeAndBuy() {
  const seen = { referer: 'https://shop.example/', shopId: shop.shopId }
  const mail = { utmSource: 'newsletter', utmMedium: 'email', utmCampaign: 'spring' }
  const data = [
    { ...seen, id: '1', cid: 'ann', ...mail },
    { ...seen, id: '2', cid: 'ann' },
    { ...seen, id: '3', cid: 'bob', gclid: 'g1', utmSource: 'google', utmMedium: 'cpc', utmCampaign: 'brand' },
  ]
  await shop.post('/v1/ev/batch', { events: data.map((each) => ({ type: 'PAGE_VIEW', data: each })) })
  const [ad] = await shop.askForAds('ann', 'desk lamp')
  await shop.post('/v1/dsa/click-event', { showId: ad!.showId }, { cid: 'ann' })
  const products = [{ shopProductId: ad!.shopProductId, price: 20.5, quantity: 1 }]
  const sale = { eventId: 'order-1', kind: 'PURCHASE', shopId: shop.shopId, currency: 'EUR', products }
  await shop.post('/v1/ev/transaction', sale, { cid: 'ann' })
  await attributedSale(world.program, shop.shopId, 'order-1')
  const query = `shopId=${shop.shopId}&from=${dateIn(-2)}&to=${dateIn(2)}`
  await waitFor(async () => {
    const { totals } = await shop.get<{ totals: { pageViews: number; purchases: number }[] }>(
      `/v1/panel/page-views?${query}`,
    )
    return totals[0]?.pageViews === 3 && totals[0].purchases === 1
  })
}

const cells = async (name: RegExp) =>
  (await page.getByRole('row', { name }).locator('th, td').allInnerTexts()).map((text) => text.trim())

it('shows how visitors came and what they bought', async () => {
  await page.goto('/panel/visitors')
  await page.getByRole('row', { name: /newsletter/ }).waitFor()
  await expect.poll(() => cells(/newsletter/)).toEqual(['newsletter', 'email', 'spring', '1', '1', '1', '€20.50'])
  await expect.poll(() => cells(/google/)).toEqual(['google', 'cpc', 'brand', '1', '1', '0', '€0.00'])
  expect(await seriousFindings(page)).toEqual([])
})

it('groups visitors by what the address says', async () => {
  await page.goto('/panel/visitors?groupBy=gclid')
  await page.getByRole('row', { name: /Without/ }).waitFor()
  await expect.poll(() => cells(/Without/)).toEqual(['Without', '2', '1', '1', '€20.50'])
})

it('exports the sales with the sources of their buyers', async () => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export sales' }).click(),
  ])
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
  const [header, line] = Buffer.concat(chunks).toString().split('\r\n')
  expect(header).toMatch(/^\ufeffeventId,/)
  expect(line).toContain('order-1')
  expect(line).toContain('newsletter,email,spring')
  expect(errors).toEqual([])
})

it('exports rows as files of Parquet', async () => {
  await page.getByRole('button', { name: 'Export rows' }).click()
  await page.getByRole('menuitem', { name: 'Orders' }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Attributed sales' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('v_attributed_sales.parquet')
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks).subarray(0, 4).toString()).toBe('PAR1')
  expect(errors).toEqual([])
})
