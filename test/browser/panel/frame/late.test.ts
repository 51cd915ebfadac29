import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { hold, openWorld, type World } from '../../harness.ts'
import { openPublisherShop, type Stock } from '../publisher-data.ts'

/** Longer than any pause in typing that the panel waits for. */
const PAUSE_IN_TYPING_MS = 800

let world: World
let stock: Stock
let page: Page

beforeAll(async () => {
  world = await openWorld()
  ;({ stock, page } = await openPublisherShop(world))
})
afterAll(() => world?.stop())
beforeEach(() => page.unrouteAll())

const title = (name: string) => page.getByRole('heading', { level: 1, name })
const linkTo = (name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true })
const query = () => Object.fromEntries(new URL(page.url()).searchParams)

it('keeps a person who was typed when a filter is chosen at once', async () => {
  await page.goto('/panel/ad-requests')
  await page.getByText('No ad requests in the last 30 days').waitFor()
  await page.getByLabel('Person').fill('anna')
  await page.getByRole('combobox', { name: 'Ads' }).click()
  await page.getByRole('option', { name: 'Without ads' }).click()
  await page.getByLabel('Person').fill('anna-2')
  await linkTo('Ad requests').click()
  await expect.poll(() => page.getByLabel('Person').inputValue()).toBe('')
  await setTimeout(PAUSE_IN_TYPING_MS)
  expect(query()).toEqual({})
})

it('leaves for a page that is slow to come right after a person was typed', async () => {
  await page.goto('/panel/ad-requests')
  await page.getByText('No ad requests in the last 30 days').waitFor()
  const letPageCome = await hold(page, '**/panel/assets/*')
  await page.getByLabel('Person').fill('anna')
  await linkTo('Placements').click()
  await setTimeout(PAUSE_IN_TYPING_MS)
  letPageCome()
  await title('Placements').waitFor()
  await page.goBack()
  await expect.poll(() => page.getByLabel('Person').inputValue()).toBe('anna')
})

it('keeps both of two settings that are made before the page is rendered again', async () => {
  await page.goto('/panel/reports?period=7-days&metrics=views,clicks')
  await page
    .getByRole('button', { name: /^Clicks/ })
    .first()
    .waitFor()
  await page.evaluate(() => {
    for (const name of ['[role=switch]', 'button[aria-pressed=false]'])
      document.querySelector<HTMLElement>(`main ${name}`)!.click()
  })
  await expect.poll(query).toMatchObject({ compare: 'previous', chart: 'views,clicks' })
})

it('leaves reports for a page that is slow to come, though the default view comes meanwhile', async () => {
  const view = { name: 'Mine', address: 'period=7-days', isDefault: true }
  await page.goto('/panel/')
  await page.evaluate(
    (body) =>
      fetch('/v1/panel/report-views', { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    JSON.stringify(view),
  )
  const letViewsCome = await hold(page, '**/v1/panel/report-views*')
  await page.goto('/panel/reports')
  await title('Reports').waitFor()
  const letPageCome = await hold(page, '**/panel/assets/*')
  // React renders a navigation after everything that is more urgent. On a slow machine the views come before that.
  const machine = await page.context().newCDPSession(page)
  await machine.send('Emulation.setCPUThrottlingRate', { rate: 20 })
  await linkTo('Placements').dispatchEvent('click')
  const came = page.waitForResponse('**/v1/panel/report-views*')
  letViewsCome()
  await (await came).finished()
  await setTimeout(PAUSE_IN_TYPING_MS)
  await machine.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  letPageCome()
  await title('Placements').waitFor()
})

it('lists the products of the chosen shop, though a feed of the shop before is in the address', async () => {
  const make = (path: string, body: object) =>
    must(world.program.call<{ id: string }>('POST', `/v1/panel/${path}`, body))
  const home = { currency: 'EUR', lang: 'en', country: 'DE' }
  const other = await make('shops', { accountId: stock.publisherId, name: 'Other shop', ...home })
  const feeds = [
    await make('feeds', { shopId: other.id, name: 'A' }),
    await make('feeds', { shopId: other.id, name: 'B' }),
  ]
  await page.goto(`/panel/products?feed=${feeds[0]!.id}`)
  const shops = page.getByRole('combobox', { name: 'Shop' })
  await shops.click()
  await page.getByRole('option', { name: 'Other shop' }).click()
  await page.getByRole('combobox', { name: 'Feed' }).waitFor()
  await shops.click()
  await page.getByRole('option', { name: 'Northwind Market' }).click()
  await page.getByRole('row', { name: /Desk lamp Borea/ }).waitFor()
})

it('stays where the user has gone while something was saved', async () => {
  await page.goto('/panel/feeds/new')
  await page.getByLabel('Name').fill('Slow feed')
  const letAnswerCome = await hold(page, '**/v1/panel/feeds', 'POST')
  await page.getByRole('button', { name: 'Create feed' }).click()
  await linkTo('Placements').click()
  await page.getByRole('button', { name: 'Leave' }).click()
  await title('Placements').waitFor()
  letAnswerCome()
  await page.getByText('Feed created').waitFor()
  await setTimeout(PAUSE_IN_TYPING_MS)
  expect(new URL(page.url()).pathname).toBe('/panel/placements')
})
