import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { openWorld, seriousFindings, type World, watchErrors } from '../harness.ts'
import { feedXml, lamp, openPublisherShop, type Stock } from './publisher-data.ts'

let world: World
let stock: Stock
let page: Page
beforeAll(async () => {
  world = await openWorld()
  ;({ stock, page } = await openPublisherShop(world))
})
afterAll(() => world?.stop())

const title = (name: string) => page.getByRole('heading', { level: 1, name })

async function open(path: string, name: string): Promise<void> {
  await page.goto(`/panel/${path}`)
  await title(name).waitFor()
}

it('leads from a new placement to an ad unit, and explains why its ads are shown', async () => {
  await open('placements', 'Placements')
  // The only shop is named, and there is nothing to choose.
  await page.getByRole('banner').getByText('Northwind Market').waitFor()
  await page.getByRole('button', { name: 'New placement' }).first().click()
  await page.getByLabel('Name').fill('Search results, top')
  await page.getByRole('button', { name: 'Create placement' }).click()
  await page.getByRole('link', { name: 'New ad unit' }).click()
  await page.getByLabel('Name').fill('Sponsored in search')
  await page.getByText('Products with every word of the search phrase').waitFor()
  await page.getByRole('button', { name: 'Create ad unit' }).click()
  await title('Sponsored in search').waitFor()
  await page.getByText('Waiting for the first request').waitFor()

  await page.getByRole('tab', { name: 'Try it' }).click()
  await page.getByRole('button', { name: 'Request ads' }).click()
  await page.getByText('Enter at least one of these').waitFor()
  await page.getByLabel('Search phrase').fill('lamp')
  await page.getByRole('button', { name: 'Request ads' }).click()
  const ads = page.getByRole('region', { name: 'Ads' }).getByRole('article')
  await ads.filter({ hasText: 'Desk lamp Borea' }).getByText('Price per click').waitFor()
  await expect.poll(() => ads.count()).toBe(2)
  await ads.first().getByText('Sponsored').waitFor()
  await page.getByText('Fewer ads of running campaigns match').waitFor()
  expect(await seriousFindings(page)).toEqual([])

  await page.getByLabel('Search phrase').fill('anchor')
  await page.getByRole('button', { name: 'Request ads' }).click()
  await page.getByText('No ads for this request').waitFor()
  await page.getByText('No running campaign matches this request').waitFor()

  await page.getByRole('tab', { name: 'Code' }).click()
  await page.getByText('"searchData": "espresso machine"').first().waitFor()
  expect(await seriousFindings(page)).toEqual([])
})

it('shows the errors of an uploaded feed, and why a product cannot be shown', async () => {
  await open(`feeds/${stock.feedId}`, 'Catalogue')
  const items = [
    lamp('L-1', 'Desk lamp Borea'),
    { ...lamp('L-2', 'Floor lamp Dune'), availability: 'out_of_stock' },
    { ...lamp('L-3', 'Lamp without a price'), price: 'free' },
  ]
  const buffer = Buffer.from(feedXml(items))
  await page.getByLabel('Feed file').setInputFiles({ name: 'feed.xml', mimeType: 'application/xml', buffer })
  await title('Feed run').waitFor()
  const issue = page.getByRole('row').filter({ hasText: 'L-3' })
  await issue.getByText('“free”').or(issue.getByText('"free"')).waitFor()
  await page.getByText('Invalid price: 1').click()
  await issue.waitFor()
  expect(await seriousFindings(page)).toEqual([])
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^issues-.*\.csv$/)

  await open('products', 'Products')
  await page.getByLabel('Search products').fill('dune')
  await page.getByRole('link', { name: 'Floor lamp Dune' }).click()
  await page.getByText('It is shown again when the feed says that it is in stock.').waitFor()
  expect(await seriousFindings(page)).toEqual([])
})

it('tries synonyms before they are saved, and then finds by them', async () => {
  await open('search', 'Search')
  await page.getByText('Change a line, or enter a phrase.').waitFor()
  await page.getByLabel('Words or phrases').fill('illuminator, lamp')
  await page.getByRole('button', { name: 'Add line' }).click()
  const row = page.getByRole('row').filter({ hasText: 'illuminator' })
  await row.getByText('No products').waitFor()
  await row.getByText('Desk lamp Borea').waitFor()
  expect(await seriousFindings(page)).toEqual([])

  const lines = page.getByLabel('One rule per line')
  await lines.fill('illuminator, lamp\nlonely')
  await page.getByRole('button', { name: 'Save synonyms' }).click()
  await page.getByText('Line 2 has only one name', { exact: true }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await lines.fill('illuminator, lamp')
  await page.getByRole('button', { name: 'Save synonyms' }).click()
  await page.getByText('Synonyms saved').waitFor()
  await page.getByText('1 line is saved.').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('synonyms.txt')

  await open('products', 'Products')
  await open('search', 'Search')
  await page.getByLabel('Search phrase').fill('illuminator')
  await row.getByText('No change').waitFor()
})

it('shows what shoppers searched for in vain, and makes a synonym of it', async () => {
  const make = <T>(path: string, body: object, headers?: Record<string, string>) =>
    must(world.program.call<T>('POST', path, body, headers))
  const placement = { shopId: stock.shopId, name: 'Listing', kind: 'PRODUCT' }
  const { id: placementId } = await make<{ id: string }>('/v1/panel/placements', placement)
  const unit = { placementId, name: 'Listing', algorithm: 'CONTEXT_MATCH' }
  const { slotHash } = await make<{ slotHash: string }>('/v1/panel/ad-units', unit)
  const search = (cid: string, searchData: string) =>
    make('/v1/dsa/raw/batch', { targeting: [{ slotHash, adCount: 2, searchData }] }, { cid })
  await waitFor(async () => (await world.program.call('GET', '/health/ready')).status === 200)
  for (const cid of ['ann', 'bob']) for (const phrase of ['zeppelin', 'deskk lanp', 'lamp']) await search(cid, phrase)
  await search('ann', 'seen by one')
  type Found = { items: { phrase: string; people: number; products: boolean }[] }
  const path = `/v1/panel/shops/${stock.shopId}/empty-searches`
  const told = { people: 2, searches: 2, products: false }
  await expect
    .poll(async () => (await must(world.program.call<Found>('GET', path))).items)
    .toMatchObject([
      { ...told, phrase: 'deskk lanp', spelling: 'desk lamp' },
      { ...told, phrase: 'zeppelin', spelling: null },
    ])

  await open('search', 'Search')
  await page
    .getByRole('row', { name: /zeppelin/ })
    .getByText('No products')
    .waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Add a synonym of zeppelin' }).click()
  await expect.poll(() => page.getByLabel('Words or phrases').inputValue()).toBe('zeppelin')
  await page.getByLabel('Also find (one way)').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('lamp')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByLabel('One rule per line').inputValue()).toContain('zeppelin => lamp')
  const preview = page.getByRole('table', { name: 'Products found by each search' })
  await preview
    .getByRole('row', { name: /zeppelin/ })
    .getByText('Desk lamp Borea')
    .waitFor()
  await page.getByRole('button', { name: 'Undo changes' }).click()
})

it('moderates banners by keyboard, and notices that one has changed meanwhile', async () => {
  await open('moderation', 'Moderation')
  const name = (text: string) => page.getByRole('heading', { level: 2, name: text })
  await name('Light for long evenings').waitFor()
  await page.getByRole('img', { name: 'Banner image' }).first().waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('j')
  await name('Warm rooms').waitFor()
  await page.keyboard.press('k')
  await name('Light for long evenings').waitFor()

  const [changed, rejected] = stock.campaignIds
  const stateOf = async (id: string) =>
    (await must(world.program.call<{ moderation: { state: string } }>('GET', `/v1/panel/campaigns/${id}`))).moderation

  // A decision can be undone for ten seconds, which a busy machine may take for what is asked here.
  await page.clock.setFixedTime(Date.now())
  // A key that is held down repeats, also once the next campaign is shown.
  await page.keyboard.down('a')
  await page.getByText('Accepted: Light for long evenings').waitFor()
  await name('Warm rooms').waitFor()
  await page.keyboard.down('a')
  await page.keyboard.up('a')
  await page.waitForLoadState('networkidle')
  expect(await stateOf(rejected!)).toMatchObject({ state: 'IN_MODERATION' })
  await page.keyboard.press('u')
  await page.getByText('Decision undone').waitFor()
  await page.clock.setSystemTime(Date.now())
  await page.getByRole('button', { name: /^Light for long evenings/ }).click()
  await name('Light for long evenings').waitFor()

  const path = `/v1/panel/campaigns/${changed}`
  await must(world.program.call('PATCH', path, { targetUrl: 'https://elsewhere.example/' }))
  await page.keyboard.press('a')
  await page.getByText('The campaign has changed since it was shown').waitFor()
  await page.getByRole('button', { name: 'Show the current version' }).click()
  await page.getByRole('link', { name: 'https://elsewhere.example/' }).waitFor()
  await page.keyboard.press('a')

  await name('Warm rooms').waitFor()
  await page.keyboard.press('r')
  await page.getByLabel('Reason').fill('The picture is blurred')
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('Control+Enter')
  await page.getByText('Nothing is waiting').waitFor()
  await expect.poll(() => stateOf(changed!)).toMatchObject({ state: 'ACCEPTED', history: [{ state: 'ACCEPTED' }] })
  const reason = 'The picture is blurred'
  await expect.poll(() => stateOf(rejected!)).toMatchObject({ state: 'REJECTED', reason })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
})

it('makes an ad format, and shows each error at its field', async () => {
  await open('ad-formats/new', 'New ad format')
  await page.getByLabel(/^Name/).fill('Wide banner')
  await page.getByRole('button', { name: 'Add a text' }).click()
  const type = page.getByRole('combobox', { name: 'Text 2, type' })
  await type.fill('title')
  await type.blur()
  await page.getByRole('button', { name: 'Create ad format' }).click()
  await page.getByText('Is listed more than once', { exact: true }).waitFor()
  await type.fill('CTA')
  await type.blur()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Create ad format' }).click()
  await page.getByRole('heading', { level: 2, name: 'Wide banner' }).waitFor()
})

it('saves the settings of a shop', async () => {
  await open(`shops/${stock.shopId}`, 'Northwind Market')
  await page.getByLabel('Click window').fill('168')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Shop saved').waitFor()
  const shop = await must(world.program.call<{ clickWindowHours: number }>('GET', `/v1/panel/shops/${stock.shopId}`))
  expect(shop.clickWindowHours).toBe(168)
})

it('keeps what others save while the settings of a shop are open', async () => {
  const path = `/v1/panel/shops/${stock.shopId}`
  await open(`shops/${stock.shopId}`, 'Northwind Market')
  await page.getByLabel('Click window').fill('120')
  await must(world.program.call('PATCH', path, { reserveCpc: 0.25 }))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Shop saved').waitFor()
  expect(await must(world.program.call('GET', path))).toMatchObject({ clickWindowHours: 120, reserveCpc: 0.25 })
  await expect.poll(() => page.getByLabel('Reserve price').inputValue()).toBe('0.25')
})

it.each([
  ['placements', 'Placements'],
  ['technical-units', 'Technical ad units'],
  ['ad-formats', 'Ad formats'],
  ['feeds', 'Feeds'],
  ['feeds/new', 'New feed'],
  ['products', 'Products'],
  ['products/L-1', 'Desk lamp Borea'],
  ['shops', 'Shops'],
  ['shops/new', 'New shop'],
])('has no serious finding of axe and no error at %s', async (path, name) => {
  const errors = watchErrors(page)
  await open(path, name)
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  // The tests' products have pictures that do not exist.
  expect(errors.filter((error) => !error.includes('ERR_NAME_NOT_RESOLVED'))).toEqual([])
})

it('asks before changes to a shop are lost, but not after they are saved', async () => {
  await open(`shops/${stock.shopId}`, 'Northwind Market')
  await page.getByLabel('Name').fill('Lamps and more')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.getByLabel('Name').inputValue()).toBe('Lamps and more')
  await page.getByRole('button', { name: 'Save' }).click()
  await title('Lamps and more').waitFor()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await title('Shops').waitFor()
})
