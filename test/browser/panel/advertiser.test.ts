import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { hold, openWorld, seriousFindings, type World, watchErrors } from '../harness.ts'
import { type AdvertiserShop, chooseShop, openAdvertiserShop, SHOP_SITE } from './advertiser-shop.ts'

const SHOP = 'Shop of the advertiser'

let world: World
let shop: AdvertiserShop
let page: Page
let errors: string[]
beforeAll(async () => {
  world = await openWorld()
  shop = await openAdvertiserShop(world, SHOP)
  page = await world.signedIn(shop.person)
  const body = await picture(20, 20)
  await page.route(`${SHOP_SITE}/**`, (route) => route.fulfill({ contentType: 'image/png', body }))
  errors = watchErrors(page)
})
afterAll(() => world?.stop())

function picture(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#fc0' } })
    .png()
    .toBuffer()
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const heading = (name: string) => page.getByRole('heading', { level: 1, name })
const idInAddress = () => page.url().split('/').at(-1)!
const chooseIn = async (label: string, option: string) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}

it('shows an advertiser without campaigns an empty list', async () => {
  await page.goto('/panel/campaigns')
  await page.getByText('No campaigns yet').waitFor()
  await expect.poll(() => page.title()).toBe('Campaigns · Endcap')
  expect(await seriousFindings(page)).toEqual([])
})

it('makes a sponsored campaign by a rule, counts its products while it is edited, and selects its ads', async () => {
  await page.goto('/panel/campaigns/new')
  await button('Continue').click()
  await page.getByText('Required').waitFor()
  await page.getByLabel('Name').fill('All lamps')
  await chooseShop(page, SHOP)
  expect(await seriousFindings(page)).toEqual([])
  await button('Continue').click()

  await page.getByText('By rule').click()
  await page.getByRole('combobox', { name: 'Brands' }).fill('solvik')
  await page.getByRole('combobox', { name: 'Brands' }).press('Enter')
  const count = page.getByRole('status').filter({ hasText: 'product' })
  await count.getByText('4 products, 1 out of stock and not shown now').waitFor()
  await page.getByLabel('Price to').fill('35')
  await count.getByText('2 products').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await button('Continue').click()

  await page.getByLabel('CPC bid').fill('0.01')
  await page.getByRole('textbox', { name: /^Budget/ }).fill('100')
  await button('Continue').click()
  await page.getByText('The shop accepts €0.05 or more.', { exact: true }).waitFor()
  await page.getByLabel('CPC bid').fill('0.4')
  expect(await seriousFindings(page)).toEqual([])
  await button('Continue').click()
  await page.getByText('€0.40').waitFor()
  await count.getByText('2 products').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await button('Create campaign').click()

  await heading('All lamps').waitFor()
  await page.getByText('Running').first().waitFor()
  await expect.poll(async () => (await shop.productAds()).sort()).toEqual(['lamp-green', 'lamp-red'])
  await page.waitForLoadState('networkidle')
  expect(await seriousFindings(page)).toEqual([])
})

it('says that a campaign is not shown since the shop has raised its reserve above the bid', async () => {
  const setReserve = (reserveCpc: number) =>
    must(world.program.call('PATCH', `/v1/panel/shops/${shop.shopId}`, { reserveCpc }))
  await setReserve(0.5)
  await page.reload()
  await page.getByRole('alert').getByText('The shop accepts bids of €0.50 or more').waitFor()
  await page.goto('/panel/')
  await page
    .getByRole('listitem')
    .filter({ hasText: 'A bid is below' })
    .getByRole('link', { name: 'All lamps' })
    .click()
  await heading('All lamps').waitFor()
  await setReserve(0.05)
})

it('pauses a campaign from the list', async () => {
  await page.goto('/panel/campaigns')
  await button('Pause All lamps').click()
  await button('Resume All lamps').waitFor()
  await waitFor(async () => (await shop.productAds()).length === 0)
})

it('shows what others change in a campaign, asks before own changes are lost, and shows an error of the API at its field', async () => {
  await page.getByRole('link', { name: 'All lamps' }).click()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('combobox', { name: 'Brands' }).waitFor()
  await page.getByLabel('Name').fill('Some lamps')
  // Somebody else saves another field meanwhile, which shows once this tab is looked at again.
  const [, id] = /campaigns\/([^/]+)\/edit/.exec(page.url())!
  await must(world.program.call('PATCH', `/v1/panel/campaigns/${id}`, { budget: 120 }))
  const budget = page.getByRole('textbox', { name: /^Budget/ })
  await expect
    .poll(async () => {
      await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
      return budget.inputValue()
    })
    .toBe('120')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await button('Stay').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.getByLabel('Name').inputValue()).toBe('Some lamps')
  await page.getByRole('combobox', { name: 'Sellers' }).fill('ANOTHER')
  await page.getByRole('combobox', { name: 'Sellers' }).press('Enter')
  expect(await seriousFindings(page)).toEqual([])
  errors.length = 0
  await button('Save').click()
  await page.getByText('Are sellers whose products the account may not advertise', { exact: true }).waitFor()
  // The browser logs every answer above 399 to the console.
  await expect.poll(() => errors).toHaveLength(1)
  errors.length = 0
  await page.getByRole('link', { name: 'All lamps' }).click()
  await button('Leave').click()
  await heading('All lamps').waitFor()
})

it('makes a display campaign with a cropped picture, which is shown once it is accepted', async () => {
  await page.goto('/panel/campaigns/new')
  await page.getByLabel('Name').fill('Lamp banners')
  await chooseShop(page, SHOP)
  await page.getByRole('radio', { name: /^Display banners/ }).click()
  await button('Continue').click()
  await page.getByText('A banner advertises no product').waitFor()
  expect(await page.getByText('Sales of advertised products').count()).toBe(0)
  await chooseIn('Country', 'Germany')
  await page.getByLabel('Target URL').fill('https://shop.example/sale')
  await button('Continue').click()
  await page.getByText('Add at least one banner.').waitFor()
  await button('Add banner').click()
  await page.getByText('Add at least one banner.').waitFor({ state: 'detached' })
  await button('Continue').click()
  await expect.poll(() => page.getByText('Required').count()).toBe(2)

  const file = page.locator('input[type=file]').first()
  await file.setInputFiles({ name: 'text.txt', mimeType: 'text/plain', buffer: Buffer.from('no') })
  await page.getByText('Only PNG, JPEG and WebP are accepted').waitFor()
  await file.setInputFiles({ name: 'small.png', mimeType: 'image/png', buffer: await picture(40, 20) })
  await page.getByText('The image has 40 × 20 pixels. It needs at least 60 × 30').waitFor()
  await file.setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: await picture(400, 300) })
  await page.getByRole('slider', { name: 'Zoom' }).press('ArrowRight')
  expect(await seriousFindings(page)).toEqual([])
  await button('Use this part').click()
  await page.getByRole('img', { name: 'Image', exact: true }).waitFor()
  await page.getByLabel('Title').fill('Lamps for less')
  await page.getByText('14 of 20 characters').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await button('Continue').click()
  await page.getByLabel('CPM').fill('4')
  await page.getByRole('textbox', { name: /^Budget/ }).fill('50')
  await button('Continue').click()
  await page.getByText('They go to moderation').waitFor()
  await button('Create campaign').click()

  await heading('Lamp banners').waitFor()
  await page.getByText('Waiting for the publisher').waitFor()
  expect(await shop.bannerAds()).toEqual([])
  await shop.post(`/v1/panel/moderation/${idInAddress()}/accept`, {})
  await expect.poll(() => shop.bannerAds()).toMatchObject([{ bannerUrl: 'https://shop.example/sale' }])
  await page.reload()
  await page.getByText('Accepted').first().waitFor()
  await page.waitForLoadState('networkidle')
  expect(await seriousFindings(page)).toEqual([])
})

it('leads from a campaign to the ad requests in which it took part', async () => {
  await shop.productAds()
  const campaign = page.url()
  await page.getByRole('link', { name: 'Why its ads were shown, or not' }).click()
  await heading('Ad requests').waitFor()
  const rows = page.getByRole('table', { name: 'Latest ad requests' }).locator('tbody').getByRole('row')
  const ofProducts = rows.filter({ hasText: 'Sponsored products' })
  await rows.filter({ hasText: 'Lamp banners' }).first().waitFor()
  expect(await page.getByRole('combobox', { name: 'Campaign' }).inputValue()).toBe('Lamp banners')
  expect(await ofProducts.count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  await button('Clear filters').click()
  await ofProducts.first().waitFor()

  const { id } = await shop.post<{ id: string }>('/v1/panel/campaigns', {
    ...{ shopId: shop.shopId, accountId: shop.advertiserId, name: 'Not begun', kind: 'SPONSORED', status: 'DRAFT' },
    ...{ cpc: 0.4, budget: 10, products: { rule: { brands: ['Solvik'] } } },
  })
  await page.goto(`/panel/ad-requests?campaignId=${id}`)
  await page.getByText('This campaign took part in no ad request of the last 30 days').waitFor()
  await page.goto(campaign)
})

it('puts an uploaded picture into its banner, also when another banner was removed meanwhile', async () => {
  const other = await page.context().newPage()
  await other.goto('/panel/campaigns/new')
  await other.getByLabel('Name').fill('Two banners')
  await chooseShop(other, SHOP)
  await other.getByRole('radio', { name: /^Display banners/ }).click()
  await other.getByRole('button', { name: 'Continue' }).click()
  const banner = (number: number) => other.getByRole('region', { name: `Banner ${number}`, exact: true })
  for (const number of [1, 2]) {
    await other.getByRole('button', { name: 'Add banner' }).click()
    await banner(number).getByLabel('Title').fill(`Title ${number}`)
  }
  const haveRemoved = await hold(other, '**/v1/panel/images')
  const sent = other.waitForRequest('**/v1/panel/images')
  const file = { name: 'exact.png', mimeType: 'image/png', buffer: await picture(60, 30) }
  await banner(2).locator('input[type=file]').first().setInputFiles(file)
  await sent
  await banner(1).getByRole('button', { name: 'Remove' }).click()
  await banner(2).waitFor({ state: 'detached' })
  const uploaded = other.waitForResponse('**/v1/panel/images')
  haveRemoved()
  await uploaded
  await banner(1).getByRole('img', { name: 'Image', exact: true }).waitFor()
  expect(await banner(1).getByLabel('Title').inputValue()).toBe('Title 2')
  await other.close({ runBeforeUnload: false })
})

it('keeps the id of a changed banner, sends it back to moderation, and shows why it was rejected', async () => {
  const id = idInAddress()
  const bannerId = async () =>
    (await shop.get<{ banners: { id: string }[] }>(`/v1/panel/campaigns/${id}`)).banners.map((banner) => banner.id)
  const before = await bannerId()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Title').fill('Better lamps')
  expect(await seriousFindings(page)).toEqual([])
  await button('Save').click()
  await page.getByText('Waiting for the publisher').waitFor()
  expect(await bannerId()).toEqual(before)
  await shop.post(`/v1/panel/moderation/${id}/reject`, { reason: 'Better than what?' })
  await page.reload()
  await page.getByText('The publisher has rejected the banners').waitFor()
  await page.getByText('Better than what?').first().waitFor()
  expect(errors).toEqual([])
})
