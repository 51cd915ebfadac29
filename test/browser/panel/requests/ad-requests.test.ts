import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { waitFor } from '../../../wait-for.ts'
import { openWorld, seriousFindings, type World, watchErrors } from '../../harness.ts'
import { openPublisherShop, type Stock } from '../publisher-data.ts'

let world: World
let stock: Stock
let page: Page
let unitId: string
let otherShopId: string
beforeAll(async () => {
  world = await openWorld()
  ;({ stock, page } = await openPublisherShop(world))
  const make = (path: string, body: object) =>
    must(world.program.call<{ id: string }>('POST', `/v1/panel/${path}`, body))
  const placement = await make('placements', { shopId: stock.shopId, name: 'Search', kind: 'PRODUCT' })
  unitId = (await make('ad-units', { placementId: placement.id, name: 'Top', algorithm: 'CONTEXT_MATCH' })).id
  const other = { accountId: stock.publisherId, name: 'Southwind Market', currency: 'EUR', lang: 'en', country: 'DE' }
  otherShopId = (await make('shops', other)).id
})
afterAll(() => world?.stop())

async function chooseShop(name: string): Promise<void> {
  const shop = page.getByRole('combobox', { name: 'Shop' })
  await expect.poll(() => shop.inputValue()).not.toBe('')
  if ((await shop.inputValue()) === name) return
  await shop.click()
  await page.getByRole('option', { name }).click()
}

async function openRequests(): Promise<void> {
  await page.goto('/panel/ad-requests')
  await chooseShop('Northwind Market')
}

/** Asks for ads, and waits until the request is stored. @returns its id. */
async function asked(cid: string, searchData: string): Promise<string> {
  const id = await ask(cid, searchData)
  await waitFor(async () => (await world.program.call('GET', `/v1/panel/explain/emission/${id}`)).status === 200)
  return id
}

async function ask(cid: string, searchData: string): Promise<string> {
  const answer = await fetch(`${world.program.url}/v1/dsa/raw/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cid },
    body: JSON.stringify({ targeting: [{ slotHash: unitId, adCount: 2, searchData }] }),
  })
  return answer.headers.get('request-id')!
}

const rows = () => page.getByRole('table', { name: 'Latest ad requests' }).locator('tbody').getByRole('row')
const row = (text: string) => rows().filter({ hasText: text })

it('lists ad requests as they come, until it is paused', async () => {
  const errors = watchErrors(page)
  await openRequests()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await ask('anna', 'lamp')
  await row('anna').getByText('2 ads').waitFor()
  await ask('bert', 'anchor')
  await row('bert').getByText('No running campaign matches this request').waitFor()
  await page.getByText('Searched: the last 30 days').waitFor()
  await expect.poll(() => rows().first().textContent()).toContain('bert')

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused').waitFor()
  await asked('carl', 'lamp')
  expect(await row('carl').count()).toBe(0)
  await page.getByRole('button', { name: 'Resume' }).click()
  await row('carl').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  expect(errors).toEqual([])
})

it('finds requests by person, product and whether they had ads, and explains one', async () => {
  await asked('gina', 'lamp')
  await asked('hugo', 'anchor')
  await openRequests()
  await row('hugo').waitFor()
  await page.getByLabel('Person').fill('gina')
  await row('hugo').waitFor({ state: 'detached' })
  await expect.poll(() => rows().count()).toBe(1)
  await page.reload()
  await row('gina').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await row('hugo').waitFor()
  await page.getByRole('textbox', { name: 'Product' }).fill('L-2')
  await row('hugo').waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: 'Product' }).fill('L-9')
  await page.getByText('No ad request of the last 30 days matches').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('combobox', { name: 'Ads' }).click()
  await page.getByRole('option', { name: 'Without ads' }).click()
  await row('gina').waitFor({ state: 'detached' })
  await row('hugo').click()
  await page.getByRole('heading', { level: 1, name: 'Ad request', exact: true }).waitFor()
  await page.getByText('No running campaign matches this request').waitFor()
  expect(await seriousFindings(page)).toEqual([])
})

it('explains the request that an id names, and says of an unknown one that there is none', async () => {
  const id = await ask('dora', 'lamp')
  await openRequests()
  await row('dora').waitFor()
  await page.getByLabel('Request ID').fill(id)
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.getByRole('columnheader', { name: 'Predicted CTR' }).waitFor()
  await page.goto('/panel/ad-requests/none')
  await page.getByText('No such request').waitFor()
})

it('opens a request by the address that it had before, which the new one replaces in the history', async () => {
  const id = await ask('emil', 'lamp')
  await openRequests()
  await row('emil').waitFor()
  await page.goto('/panel/campaigns')
  await page.goto(`/panel/ad-requests?requestId=${id}`)
  await page.getByRole('columnheader', { name: 'Predicted CTR' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/panel/ad-requests/${id}`)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor()
})

it('lists the requests of the shop that is chosen, without a filter by an ad unit of the one before', async () => {
  await asked('fred', 'lamp')
  await openRequests()
  await page.goto(`/panel/ad-requests?adUnitId=${unitId}`)
  await row('fred').waitFor()
  await expect.poll(() => page.getByRole('combobox', { name: 'Ad unit' }).inputValue()).toBe('Top')
  const listed = page.waitForResponse((response) => {
    const { pathname, searchParams } = new URL(response.url())
    return (
      pathname.endsWith('/emissions') && searchParams.get('shopId') === otherShopId && !searchParams.has('adUnitId')
    )
  })
  await chooseShop('Southwind Market')
  await listed
  await page.getByText('No ad requests in the last 30 days').waitFor()
  expect(await page.getByRole('combobox', { name: 'Ad unit' }).inputValue()).toBe('')
  expect(await seriousFindings(page)).toEqual([])
})

it('leads from an ad unit to its requests, whichever shop was chosen before', async () => {
  await asked('iris', 'lamp')
  await openRequests()
  await chooseShop('Southwind Market')
  await page.goto(`/panel/ad-units/${unitId}`)
  await page.getByRole('tab', { name: 'Code' }).click()
  const link = page.getByRole('link', { name: 'See its ad requests' })
  const shopOf = (tab: Page) => tab.getByRole('combobox', { name: 'Shop' }).inputValue()
  const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click({ button: 'middle' })])
  await expect.poll(() => shopOf(tab)).toBe('Northwind Market')
  await tab.close()
  await link.click()
  await row('iris').waitFor()
  await expect.poll(() => shopOf(page)).toBe('Northwind Market')
})
