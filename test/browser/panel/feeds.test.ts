import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { openWorld, seriousFindings, type World } from '../harness.ts'
import { feedXml, lamp } from './publisher-data.ts'

let world: World
let publisherId: string
let shopId: string
let page: Page
beforeAll(async () => {
  world = await openWorld()
  const account = { kind: 'PUBLISHER', name: 'Bazaar', companyName: 'Company', displayEnabled: false }
  publisherId = (await make('accounts', account)).id
  const home = { currency: 'USD', lang: 'en', country: 'US', timeZone: 'America/New_York' }
  shopId = (await make('shops', { accountId: publisherId, name: 'Bazaar', ...home })).id
  page = await world.signedIn(await world.makeUser({ name: 'Petra', role: 'PUBLISHER', accountId: publisherId }))
})
afterAll(() => world?.stop())

const make = (path: string, body: object) => must(world.program.call<{ id: string }>('POST', `/v1/panel/${path}`, body))

const feedNow = (id: string) => must(world.program.call<object>('GET', `/v1/panel/feeds/${id}`))

/** Creates a feed with a file of lamps at one price. */
async function uploaded(name: string, count: number, price: string): Promise<string> {
  const { id } = await make('feeds', { shopId, name })
  const lamps = Array.from({ length: count }, (_, i) => ({ ...lamp(`${name}-${i}`, `Lamp ${i}`), price }))
  await must(world.program.call('POST', `/v1/panel/feeds/${id}/content`, feedXml(lamps)))
  return id
}

async function openFeed(id: string, name: string): Promise<void> {
  await page.goto(`/panel/feeds/${id}`)
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

const header = () => page.getByRole('banner').or(page.locator('main header'))
const history = () => page.getByRole('table', { name: 'Runs of the feed' }).getByRole('row')

it('says that all prices are in another currency, and one click accepts them all', async () => {
  await openFeed(await uploaded('Istanbul', 216, '49.90 TRY'), 'Istanbul')
  await page.getByText('All 216 prices are in TRY, but the feed’s currency is USD').waitFor()
  await header().getByText('All products rejected').first().waitFor()
  await history().getByText('All products rejected').waitFor()
  expect(await seriousFindings(page)).toEqual([])

  await page.getByRole('button', { name: 'Change the feed’s currency to TRY' }).click()
  // All products are accepted, but the shop has another currency.
  await header().getByText('Succeeded with warnings').first().waitFor()
  await history().getByText('Succeeded with warnings').waitFor()
  await expect.poll(() => history().getByText('All products rejected').count()).toBe(1)
  await page.getByText('The feed’s currency is TRY, the shop’s is USD').waitFor()
  await expect.poll(() => page.getByText('prices are in TRY').count()).toBe(0)
})

it('shows the bid for an ad in the currency of the shop, and its price in that of the feed', async () => {
  const placement = await make('placements', { shopId, name: 'Home', kind: 'PRODUCT' })
  const { id } = await make('ad-units', { placementId: placement.id, name: 'Top', algorithm: 'BESTSELLERS' })
  const products = { ids: ['Istanbul-0'] }
  const campaign = { kind: 'SPONSORED', accountId: publisherId, shopId, name: 'Lamps', budget: 100, cpc: 0.5, products }
  await make('campaigns', campaign)
  const product = `/v1/panel/products/Istanbul-0?shopId=${shopId}`
  await waitFor(async () => {
    const { whyNot } = await must(world.program.call<{ whyNot: unknown[] }>('GET', product))
    return whyNot.length === 0
  })
  await page.goto(`/panel/ad-units/${id}?tab=try`)
  await page.getByRole('button', { name: 'Request ads' }).click()
  const ad = page.getByRole('article')
  await ad.getByText('TRY 49.90').waitFor()
  const bid = ad.getByText('Bid', { exact: true }).locator('xpath=following-sibling::dd[1]')
  await expect.poll(() => bid.textContent()).toBe('$0.50')
})

it('says what is wrong with a file that is no feed, and never that it has no issues', async () => {
  const { id } = await make('feeds', { shopId, name: 'Login page' })
  await openFeed(id, 'Login page')
  const buffer = Buffer.from('<!doctype html><html><body>Sign in</body></html>')
  await page.getByLabel('Feed file').setInputFiles({ name: 'feed.xml', mimeType: 'text/xml', buffer })
  await page.getByRole('heading', { level: 1, name: 'Feed run' }).waitFor()
  await page.getByText('This is a web page (HTML), not a feed').waitFor()
  await page.getByText(/Upload the XML file itself/).waitFor()
  await page.getByText('The run failed before it could check the products').waitFor()
  expect(await page.getByText('No issues').count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('link', { name: 'Login page' }).click()
  await history().getByText('Failed').waitFor()
})

it('warns of prices that are not in the currency of the shop', async () => {
  const id = await uploaded('Delhi', 3, '4,999.00 INR')
  await openFeed(id, 'Delhi')
  await page.getByText('All 3 prices are in INR, but the feed’s currency is USD').waitFor()
  // The history stands above the settings, and moves them when it comes: an open list would be hidden when its field left the screen.
  await history().getByText('All products rejected').waitFor()
  await page.getByRole('combobox', { name: 'Currency' }).click()
  await page.getByRole('combobox', { name: 'Currency' }).fill('rupee')
  await page.getByRole('option', { name: /^INR/ }).click()
  await page.getByText('The feed is read again with INR').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The feed’s currency is INR, the shop’s is USD').waitFor()
  await page.getByText('Bids and budgets stay in USD').waitFor()
  // Times are those of the shop, which is in New York.
  await history()
    .getByText(/ E[SD]T$/)
    .first()
    .waitFor()
  await header().getByText('Succeeded with warnings').first().waitFor()
})

it('shows in the list what each feed came to, without cutting a word', async () => {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('/panel/feeds')
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await row('Istanbul').getByText('Succeeded with warnings').waitFor()
  await row('Login page').getByText('Failed').waitFor()
  const cut = await page
    .locator('[class*=Badge-label]')
    .evaluateAll(
      (labels) => labels.filter((label) => label.parentElement!.scrollWidth > label.parentElement!.clientWidth).length,
    )
  expect(cut).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
})

it('asks for the password again when the address moves to another server', async () => {
  const url = 'https://feeds.invalid/lamps.xml'
  const { id } = await make('feeds', { shopId, name: 'Behind a login', url, username: 'shop', password: 'secret-1' })
  await openFeed(id, 'Behind a login')
  const password = page.getByLabel('Password', { exact: false }).and(page.locator('input'))
  const save = () => page.getByRole('button', { name: 'Save' }).click()
  const address = page.getByLabel('Address (URL)')
  await address.fill('https://feeds.invalid/other-lamps.xml')
  await page.getByText('Leave empty to keep it').waitFor()
  await address.fill('https://elsewhere.invalid/lamps.xml')
  await page.getByText('The stored password is sent to no other server').waitFor()
  await save()
  expect(await password.evaluate((input: HTMLInputElement) => input.validity.valueMissing)).toBe(true)
  await password.fill('secret-2')
  await save()
  await page.getByText('Feed saved').waitFor()
  expect(await feedNow(id)).toMatchObject({ url: 'https://elsewhere.invalid/lamps.xml', hasPassword: true })
  await address.fill('')
  await expect.poll(() => password.count()).toBe(0)
  await save()
  await expect.poll(() => feedNow(id)).toMatchObject({ url: null, username: null, hasPassword: false })
})

it('keeps what is typed in the settings while others change the feed', async () => {
  const { id } = await make('feeds', { shopId, name: 'Shared' })
  await openFeed(id, 'Shared')
  await page.getByLabel('Name').fill('Shared lamps')
  await page.getByLabel('Address (URL)').fill('https://feeds.invalid/')
  await must(world.program.call('PATCH', `/v1/panel/feeds/${id}`, { lang: 'fr' }))
  await expect.poll(() => page.getByRole('combobox', { name: 'Language' }).inputValue()).toBe('French (fr)')
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Shared lamps')
  expect(await page.getByLabel('Address (URL)').inputValue()).toBe('https://feeds.invalid/')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Feed saved').waitFor()
  expect(await feedNow(id)).toMatchObject({ name: 'Shared lamps', url: 'https://feeds.invalid/', lang: 'fr' })
})
