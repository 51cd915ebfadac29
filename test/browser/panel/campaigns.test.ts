import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hold, openOwnWorld, seriousFindings, type World, watchErrors } from '../harness.ts'
import { type AdvertiserShop, openAdvertiserShop, SHOP_SITE } from './advertiser-shop.ts'

/** More than the API answers at once. */
const CAMPAIGNS = 1_100
/** A limit on the page's elements: all rows at once would have over 28,000. */
const ELEMENTS_MAX = 2_500
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
/** By which Excel knows that a file is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'
const LONGER_THAN_A_PAUSE_IN_TYPING_MS = 600
const LONG_NAME = 'W'.repeat(67)
const HOSTILE = [LONG_NAME, 'حملة الشتاء للمصابيح', '🎄 <b>Łampy</b>', '=HYPERLINK("https://evil.example")']

let world: World
let shop: AdvertiserShop
let page: Page
let errors: string[]
beforeAll(async () => {
  world = await openOwnWorld()
  shop = await openAdvertiserShop(world, 'Lamp shop')
  const accounts = await shop.get<{ items: { id: string; kind: string }[] }>('/v1/panel/accounts')
  const accountId = accounts.items.find(({ kind }) => kind === 'ADVERTISER')!.id
  const make = (name: string, i: number) =>
    shop.post('/v1/panel/campaigns', {
      ...{ kind: 'SPONSORED', accountId, shopId: shop.shopId, name, products: { rule: { brands: ['Solvik'] } } },
      ...{ budget: 100 + i, cpc: 0.5, status: i % 2 === 0 ? 'ACTIVE' : 'PAUSED' },
    })
  for (const [i, name] of HOSTILE.entries()) await make(name, i)
  for (let i = HOSTILE.length; i < CAMPAIGNS; i++) await make(`Campaign ${i}`, i)
  page = await world.signedIn(shop.person, { viewport: { width: 1280, height: 900 } })
  await page.route(`${SHOP_SITE}/**`, (route) => route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }))
  errors = watchErrors(page)
})
afterAll(() => world?.stop())

const button = (name: string) => page.getByRole('button', { name, exact: true })
const rows = () => page.getByRole('table', { name: 'Campaigns' }).locator('tbody').getByRole('row')
const search = (text: string) => page.getByLabel('Search campaigns').fill(text)
const names = () => rows().getByRole('link').locator('bdi').allTextContents()

it('shows 1,100 campaigns in pages, with few elements, counts and nothing sideways', async () => {
  await page.goto('/panel/campaigns')
  await page.getByText('1,100 of 1,100 campaigns').waitFor()
  await expect.poll(() => rows().count()).toBe(50)
  expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(ELEMENTS_MAX)
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(await seriousFindings(page)).toEqual([])
  await button('Next').click()
  await page.getByText('51–100').waitFor()
})

it('keeps the button of a row with a name of 67 characters in sight, and its state and dates in one line', async () => {
  await search(LONG_NAME)
  await page.getByText('1 of 1,100 campaigns').waitFor()
  const pause = await page.getByRole('button', { name: `Pause ${LONG_NAME}` }).boundingBox()
  expect(pause!.x + pause!.width).toBeLessThanOrEqual(1280)
  const badge = await rows().getByText('Running').boundingBox()
  expect(badge!.width).toBeGreaterThan(40)
  const date = await rows().locator('time').first().boundingBox()
  expect(date!.height).toBeLessThan(30)
})

it('shows names as text, whatever is in them, and finds them without their marks', async () => {
  await search('lampy')
  await page.getByText('1 of 1,100 campaigns').waitFor()
  await expect.poll(names).toEqual(['🎄 <b>Łampy</b>'])
  await search('campaign 42')
  await expect.poll(async () => (await names())[0]).toBe('Campaign 42')
  await search('')
})

it('finds every campaign, and keeps search and filters in the address', async () => {
  await search(`Campaign ${CAMPAIGNS - 1}`)
  await page.getByText('1 of 1,100 campaigns').waitFor()
  await page.getByRole('combobox', { name: 'State' }).click()
  await page.getByRole('option', { name: 'Paused' }).click()
  await page.waitForURL(/\?q=Campaign\+1099&state=PAUSED$/)
  await rows().getByRole('link').click()
  await button('Archive').waitFor()
  await page.goBack()
  await page.getByText('1 of 1,100 campaigns').waitFor()
  await page.reload()
  await page.getByText('1 of 1,100 campaigns').waitFor()
  expect(await page.getByLabel('Search campaigns').inputValue()).toBe('Campaign 1099')
  expect(await page.getByRole('combobox', { name: 'State' }).inputValue()).toBe('Paused')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Campaigns' }).click()
  await page.getByText('1,100 of 1,100 campaigns').waitFor()
  expect(await page.getByLabel('Search campaigns').inputValue()).toBe('')
})

it('loses no letter of a search that is typed while the page is busy, nor the search when a filter is chosen at once', async () => {
  const typing = await page.context().newCDPSession(page)
  await typing.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.getByLabel('Search campaigns').pressSequentially('Campaign 42')
  await page.getByRole('combobox', { name: 'State' }).click()
  await page.getByRole('option', { name: 'Paused' }).click()
  await page.getByLabel('Search campaigns').press('End')
  await page.getByLabel('Search campaigns').pressSequentially('7')
  await typing.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await page.waitForURL(({ search }) => search === '?q=Campaign+427&state=PAUSED')
  await expect.poll(names).toEqual(['Campaign 427'])
  expect(await page.getByLabel('Search campaigns').inputValue()).toBe('Campaign 427')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Campaigns' }).click()
  await page.getByText('1,100 of 1,100 campaigns').waitFor()
  expect(await page.getByLabel('Search campaigns').inputValue()).toBe('')
})

it('shows a letter of a search before it renders the rows that are found', async () => {
  await page.reload()
  await page.getByText('1,100 of 1,100 campaigns').waitFor()
  const typed = await page.evaluate(`(async () => {
    const field = document.querySelector('input[type=search]')
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'Campaign 1099')
    field.dispatchEvent(new Event('input', { bubbles: true }))
    for (let i = 0; i < 100; i++) await null
    return { text: field.value, rows: document.querySelectorAll('table tbody tr').length }
  })()`)
  expect(typed).toEqual({ text: 'Campaign 1099', rows: 50 })
  await expect.poll(names).toEqual(['Campaign 1099'])
  await search('')
})

it('leaves for a page that is slow to come right after a search, and shows the search on the way back', async () => {
  await page.reload()
  await page.getByText('1,100 of 1,100 campaigns').waitFor()
  const letPageCome = await hold(page, '**/panel/assets/*')
  await search('Campaign 42')
  await page.getByRole('link', { name: 'New campaign' }).click()
  await setTimeout(LONGER_THAN_A_PAUSE_IN_TYPING_MS)
  letPageCome()
  await page.waitForURL('**/panel/campaigns/new')
  await page.unroute('**/panel/assets/*')
  await page.goBack()
  await expect.poll(async () => (await names())[0]).toBe('Campaign 42')
  expect(await page.getByLabel('Search campaigns').inputValue()).toBe('Campaign 42')
  await search('')
})

it('sorts by a column, the other way round, and back', async () => {
  const head = page.getByRole('columnheader', { name: 'Campaign', exact: true })
  const sort = head.getByRole('button')
  await sort.click()
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending')
  await sort.click()
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending')
  await expect.poll(async () => (await names())[0]).not.toBe(LONG_NAME)
  await sort.click()
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('none')
  await expect.poll(async () => (await names())[0]).toBe(LONG_NAME)
})

it('keeps the chosen columns after a reload', async () => {
  await button('Columns').click()
  await page.getByRole('menuitemcheckbox', { name: 'CTR, 28 days' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Dates' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('columnheader', { name: 'CTR, 28 days' }).waitFor()
  await page.reload()
  await page.getByRole('columnheader', { name: 'CTR, 28 days' }).waitFor()
  await expect.poll(() => page.getByRole('columnheader', { name: 'Dates' }).count()).toBe(0)
})

it('saves what the table shows once its figures have come, with formulas made harmless', async () => {
  const reports = '**/v1/panel/reports?*'
  const letFiguresCome = await hold(page, reports)
  await page.reload()
  await search('HYPERLINK')
  await page.getByText('1 of 1,100 campaigns').waitFor()
  expect(await button('Download as CSV').isDisabled()).toBe(true)
  letFiguresCome()
  const [download] = await Promise.all([page.waitForEvent('download'), button('Download as CSV').click()])
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
  expect(lines).toEqual([
    `${BYTE_ORDER_MARK}Campaign,State,Spend,Today,"CTR, 28 days"`,
    `"'=HYPERLINK(""https://evil.example"")",Paused,0,0,`,
    '',
  ])
  await page.unroute(reports)
  await search('')
})

it('shows no figures of campaigns that a report of too many campaigns leaves out', async () => {
  const reports = '**/v1/panel/reports?*'
  await page.route(reports, (route) =>
    route.fulfill({ json: { rows: [], totals: { currency: null }, totalsByCurrency: [], truncated: true } }),
  )
  await page.reload()
  await search('HYPERLINK')
  await page.getByText('1 of 1,100 campaigns').waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), button('Download as CSV').click()])
  const [, line] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(line).toBe(`"'=HYPERLINK(""https://evil.example"")",Paused,0,,`)
  await page.unroute(reports)
  await search('')
})

it('changes many campaigns, and says which were refused and why', async () => {
  await search('Campaign 1')
  await page.getByRole('checkbox', { name: /^Select all/ }).check()
  await button('Change bid').click()
  await page.getByRole('dialog').getByLabel('CPC').fill('0.01')
  await page.getByRole('dialog').getByText('€0.50 → €0.01').first().waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await button('Apply').click()
  await page.getByText('No campaign was changed.').waitFor()
  await page.getByText("Must be at least the shop's reserve of 0.05").first().waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click()
  await search('Campaign 40')
  await page.getByRole('checkbox', { name: 'Select Campaign 40', exact: true }).check()
  await button('Pause').first().click()
  await button('Apply').click()
  await page.getByText('1 campaign was changed.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click()
  await button('Resume Campaign 40').waitFor()
})

it('archives a campaign, lists it among the archived, restores it, and tells its history', async () => {
  await page.getByRole('link', { name: /^Campaign 40 / }).click()
  await page.getByText('Today so far').waitFor()
  await button('Archive').click()
  await page.getByText('It cannot run or change until it is restored.').waitFor()
  await page.goto('/panel/campaigns')
  await page.getByText('1,099 of 1,099 campaigns').waitFor()
  await page.getByRole('combobox', { name: 'State' }).click()
  await page.getByRole('option', { name: 'Archived' }).click()
  await page.getByRole('link', { name: /^Campaign 40 / }).click()
  await button('Restore').click()
  await button('Archive').waitFor()
  await page.reload()
  await page.getByText('Solvik restored it').waitFor()
  await page.getByText('Solvik paused it').waitFor()
  expect(await seriousFindings(page)).toEqual([])
})

it('duplicates a campaign as a draft', async () => {
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await page.waitForURL('**/campaigns/new?from=*')
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Campaign 40 (copy)')
})

it('says that the campaign to duplicate is gone', async () => {
  await page.goto(`/panel/campaigns/new?from=${crypto.randomUUID()}`)
  await page.getByRole('alert').getByText('There is no campaign').waitFor()
  // The browser logs every answer above 399 to the console.
  await expect.poll(() => errors).toHaveLength(1)
  errors.length = 0
})

it('needs no wider window than a phone has', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/panel/campaigns')
  await page.getByText('1,100 of 1,100 campaigns').waitFor()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(await seriousFindings(page)).toEqual([])
  expect(errors).toEqual([])
})

it('names the currency of each row, also in its file, once the advertiser sees shops of several currencies', async () => {
  const { accountId } = await shop.get<{ accountId: string }>(`/v1/panel/shops/${shop.shopId}`)
  const other = { name: 'Tokyo', currency: 'JPY', lang: 'ja', country: 'JP', timeZone: 'Asia/Tokyo' }
  await shop.post('/v1/panel/shops', { accountId, ...other })
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('/panel/campaigns?q=HYPERLINK')
  await page.getByText('1 of 1,100 campaigns').waitFor()
  await page.getByRole('columnheader', { name: 'Currency' }).waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), button('Download as CSV').click()])
  const [head, line] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(head).toContain(',Spend,Currency,')
  expect(line).toContain(',Paused,0,EUR,')
})
