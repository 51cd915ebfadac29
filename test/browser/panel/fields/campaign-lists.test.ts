import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { OPERATOR, openWorld, type Person, seriousFindings, type World, watchErrors } from '../../harness.ts'
import { type Stock, stockShop } from '../publisher-data.ts'

/** A shop with campaigns of two advertisers, and another shop in which only one of them advertises. */

const PHONE = { viewport: { width: 390, height: 844 } }

interface Campaign {
  id: string
  accountId: string
  banners: { images: { imageId: string }[] }[]
}

let world: World
let stock: Stock
let publisher: Person
let advertiser: Person
let otherAdvertiserId: string

const make = <T = { id: string }>(path: string, body: object) =>
  must(world.program.call<T>('POST', `/v1/panel/${path}`, body))

beforeAll(async () => {
  world = await openWorld()
  stock = await stockShop(world.program)
  const { shopId, publisherId, campaignIds } = stock
  const { accountId } = await must(world.program.call<Campaign>('GET', `/v1/panel/campaigns/${campaignIds[0]}`))
  publisher = await world.makeUser({ name: 'Petra', role: 'PUBLISHER', accountId: publisherId })
  advertiser = await world.makeUser({ name: 'Lena', role: 'ADVERTISER', accountId })
  const account = { kind: 'ADVERTISER', name: 'Solvik', sellerIds: ['solvik'], displayEnabled: true }
  otherAdvertiserId = (await make('accounts', account)).id
  const home = { currency: 'EUR', lang: 'en', country: 'DE' }
  const outlet = await make('shops', { accountId: publisherId, name: 'Northwind Outlet', ...home })
  await make('shops', { accountId: publisherId, name: 'Northwind Garden', ...home })
  const own = { kind: 'SPONSORED', budget: 100, cpc: 0.5, products: { ids: ['L-1'] }, status: 'PAUSED' }
  await make('campaigns', { ...own, name: 'Solvik in the market', accountId: otherAdvertiserId, shopId })
  await make('campaigns', { ...own, name: 'Lumbra in the outlet', accountId, shopId: outlet.id })
})
afterAll(() => world?.stop())

const names = (page: Page) =>
  page.getByRole('table', { name: 'Campaigns' }).locator('tbody').getByRole('link').locator('bdi').allTextContents()

async function choose(page: Page, name: string, option: string): Promise<void> {
  await page.getByRole('main').getByRole('combobox', { name }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

it('narrows the campaigns of a shop to those of one advertiser', async () => {
  const page = await world.signedIn(publisher)
  await page.goto('/panel/campaigns')
  await page.getByText('Solvik in the market').waitFor()
  await choose(page, 'Advertiser', 'Solvik')
  await expect.poll(() => names(page)).toEqual(['Solvik in the market'])
  await page.reload()
  await expect.poll(() => names(page)).toEqual(['Solvik in the market'])
  await choose(page, 'Advertiser', 'Lumbra')
  await expect.poll(async () => (await names(page)).sort()).toEqual(['Lamps', 'Light for long evenings', 'Warm rooms'])
  expect(await seriousFindings(page)).toEqual([])
})

it('narrows the campaigns of an advertiser to those in one shop, and offers to pause none that waits or was rejected', async () => {
  await make(`moderation/${stock.campaignIds[0]}/reject`, { reason: 'The picture is blurred' })
  const page = await world.signedIn(advertiser)
  await page.goto('/panel/campaigns')
  await page.getByText('Lumbra in the outlet').waitFor()
  await choose(page, 'Shop', 'Northwind Outlet')
  await expect.poll(() => names(page)).toEqual(['Lumbra in the outlet'])
  await page.goto(`/panel/campaigns?shopId=${stock.shopId}`)
  await expect.poll(async () => (await names(page)).sort()).toEqual(['Lamps', 'Light for long evenings', 'Warm rooms'])
  const switches = page.getByRole('table').getByRole('button', { name: /^(Pause|Resume|Start) / })
  await expect
    .poll(() => switches.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label'))))
    .toEqual(['Pause Lamps'])
  await page.goto(`/panel/campaigns?shopId=${stock.shopId}&state=ENDED`)
  await page.getByText('No campaigns match these filters').waitFor()
})

it('refuses a bid of 0 in the change of many campaigns', async () => {
  const page = await world.signedIn(advertiser)
  await page.goto('/panel/campaigns')
  await page.getByRole('checkbox', { name: /^Select all/ }).check()
  await page.getByRole('button', { name: 'Change bid' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('CPC').fill('0')
  await dialog.getByLabel('CPM').fill('3')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByText('Must be at least €0.000001').waitFor()
  expect(await dialog.getByText('→ €0.00').count()).toBe(0)
  await dialog.getByLabel('CPC').fill('0.6')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByText('4 campaigns were changed.').waitFor()
})

it('shows an advertiser that there are no sales in a shop in which it has no campaigns', async () => {
  const page = await world.signedIn(advertiser)
  const errors = watchErrors(page)
  await page.goto('/panel/sales')
  await choose(page, 'Shop', 'Northwind Garden')
  await page.waitForURL(/shopId=/)
  await page.getByText('No purchases in this period').waitFor()
  await page.waitForLoadState('networkidle')
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(errors).toEqual([])
})

it('copies a banner campaign to another advertiser, with its pictures', async () => {
  const page = await world.signedIn(OPERATOR)
  await page.goto(`/panel/campaigns/new?from=${stock.campaignIds[1]}`)
  await page.getByLabel('Name').fill('Warm rooms of Solvik')
  await page.getByRole('combobox', { name: 'Account' }).fill('Solvik')
  await page.getByRole('option', { name: 'Solvik' }).last().click()
  for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByRole('heading', { level: 1, name: 'Warm rooms of Solvik' }).waitFor()
  const of = (id: string) => must(world.program.call<Campaign>('GET', `/v1/panel/campaigns/${id}`))
  const copy = await of(page.url().split('/').at(-1)!)
  const original = await of(stock.campaignIds[1]!)
  expect(copy.accountId).not.toBe(original.accountId)
  expect(copy.banners[0]!.images).toEqual(original.banners[0]!.images)
})

it('has the three tabs of Moderation side by side on a phone', async () => {
  const page = await world.signedIn(publisher, PHONE)
  await page.goto('/panel/moderation')
  const tops = () => page.getByRole('tab').evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().top))
  await expect.poll(async () => new Set(await tops()).size).toBe(1)
  expect(await tops()).toHaveLength(3)
})
