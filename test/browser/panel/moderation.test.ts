import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../program.ts'
import { hold, openWorld, type World } from '../harness.ts'
import { openPublisherShop, type Stock } from './publisher-data.ts'

let world: World
let stock: Stock
let page: Page
beforeAll(async () => {
  world = await openWorld()
  ;({ stock, page } = await openPublisherShop(world))
})
afterAll(() => world?.stop())

const stateOf = async (id: string) =>
  (await must(world.program.call<{ moderation: { state: string } }>('GET', `/v1/panel/campaigns/${id}`))).moderation
    .state

it('begins with the campaign that has waited longest, whatever else of it has changed since', async () => {
  await must(world.program.call('PATCH', `/v1/panel/campaigns/${stock.campaignIds[0]}`, { budget: 120 }))
  await page.goto('/panel/moderation')
  const waiting = page.getByRole('navigation', { name: 'Campaigns', exact: true }).getByRole('button')
  await expect
    .poll(() => waiting.locator(':scope > :first-child').allTextContents())
    .toEqual(['Light for long evenings', 'Warm rooms'])
})

it('offers no decision on banners that cannot be seen yet', async () => {
  const showFormats = await hold(page, '**/v1/panel/ad-formats?*')
  await page.reload()
  await page.getByRole('tab', { name: /^To moderate/ }).waitFor()
  expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0)
  showFormats()
  await page.getByRole('button', { name: 'Accept' }).waitFor()
  expect(await page.getByRole('img', { name: 'Banner image' }).count()).toBe(1)
})

it('takes the keys right after another shop was chosen', async () => {
  const home = { currency: 'EUR', lang: 'en', country: 'DE' }
  await must(world.program.call('POST', '/v1/panel/shops', { accountId: stock.publisherId, name: 'Empty', ...home }))
  await page.reload()
  for (const name of ['Empty', 'Northwind Market']) {
    await page.getByRole('combobox', { name: 'Shop' }).click()
    await page.getByRole('option', { name, exact: true }).click()
  }
  await page.getByText('1 of 2').waitFor()
  await page.keyboard.press('j')
  await page.getByText('2 of 2').waitFor()
})

it('rejects the campaign for which a reason was begun, and no other that takes its place meanwhile', async () => {
  const [first, second] = stock.campaignIds as [string, string]
  await page.clock.install()
  await page.goto('/panel/moderation')
  await page.getByRole('heading', { level: 2, name: 'Light for long evenings' }).waitFor()
  await page.keyboard.press('r')
  await page.getByLabel('Reason').fill('The picture is blurred')

  await must(world.program.call('POST', `/v1/panel/moderation/${first}/accept`, {}))
  await page.clock.runFor(21_000)
  const waiting = page.getByRole('navigation', { name: 'Campaigns', includeHidden: true })
  await expect.poll(() => waiting.getByRole('button', { includeHidden: true }).count()).toBe(1)

  const answered = page.waitForResponse((response) => response.url().endsWith('/reject'))
  await page.keyboard.press('Control+Enter')
  expect(new URL((await answered).url()).pathname).toBe(`/v1/panel/moderation/${first}/reject`)
  expect(await Promise.all([first, second].map(stateOf))).toEqual(['ACCEPTED', 'IN_MODERATION'])
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

it('keeps the reason that has been typed when the server does not take it', async () => {
  const [, second] = stock.campaignIds as [string, string]
  await page.getByRole('heading', { level: 2, name: 'Warm rooms' }).waitFor()
  await page.route('**/reject', (route) => route.abort())
  await page.keyboard.press('r')
  await page.getByLabel('Reason').fill('The picture is blurred')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Not saved').first().waitFor()
  expect(await page.getByLabel('Reason').inputValue()).toBe('The picture is blurred')
  await page.unroute('**/reject')
  await page.getByLabel('Reason').press('Control+Enter')
  await page.getByText('Nothing is waiting').waitFor()
  expect(await stateOf(second)).toBe('REJECTED')
})
