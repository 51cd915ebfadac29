import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { OPERATOR, openWorld, type World } from '../../harness.ts'

interface Created {
  id: string
}

let world: World
let page: Page
let shop: Created
beforeAll(async () => {
  world = await openWorld()
  const post = (path: string, body: object) => must(world.program.call<Created>('POST', `/v1/panel/${path}`, body))
  const { id: accountId } = await post('accounts', { kind: 'PUBLISHER', name: 'Publisher of keyboards' })
  const locale = { currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin' }
  shop = await post('shops', { accountId, name: 'Keyboard shop', reserveCpc: 0.05, ...locale })
  await post('campaigns', {
    ...{ accountId, shopId: shop.id, name: 'Keys by the dozen', kind: 'SPONSORED', status: 'ACTIVE' },
    ...{ cpc: 0.4, budget: 1_000, startAt: '2026-01-01T00:00:00Z', endAt: '2099-12-31T00:00:00Z' },
    products: { rule: { brands: ['Solvik'] } },
  })
  page = await world.signedIn(await world.makeUser({ name: 'Kay', role: 'PUBLISHER', accountId }))
})
afterAll(() => world?.stop())

const isFocused = (element: Locator) => element.evaluate((each) => each === each.ownerDocument.activeElement)
const untilFocused = (element: Locator) => expect.poll(() => isFocused(element)).toBe(true)

it('has one named navigation, and names the rows of a table by their first cell', async () => {
  await page.goto('/panel/campaigns')
  await page.getByRole('rowheader', { name: /^Keys by the dozen/ }).waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  expect(await page.getByRole('navigation').count()).toBe(1)
})

it.each([820, 1000])('covers no column by that of the actions at %d pixels', async (width) => {
  await page.setViewportSize({ width, height: 800 })
  await page.goto('/panel/campaigns')
  const row = page.getByRole('row', { name: /Keys by the dozen/ })
  await row.getByRole('button', { name: /^Pause/ }).waitFor()
  await expectNoneCovered(row)
  await page.setViewportSize({ width: 1280, height: 800 })
})

it('covers no column by that of the actions next to a long address, either', async () => {
  const email = `${'long.address.'.repeat(4)}${Date.now()}@northwind-market.example`
  const user = { name: 'Maximiliane', email, role: 'OPERATOR', accountId: null }
  await must(world.program.call('POST', '/v1/panel/users', user))
  const users = await world.signedIn(OPERATOR, { viewport: { width: 820, height: 800 } })
  await users.goto('/panel/users')
  const row = users.getByRole('row').filter({ hasText: email })
  await row.getByRole('button', { name: 'Edit Maximiliane' }).waitFor()
  await expectNoneCovered(row)
  await users.context().close()
})

/** The last column stays visible while a table scrolls, so one that is too wide lies under it. */
async function expectNoneCovered(row: Locator) {
  const edges = await row.getByRole('cell').evaluateAll((cells) =>
    cells.slice(-2).map((cell) => {
      const { left, right } = cell.getBoundingClientRect()
      return { left, right }
    }),
  )
  expect(edges[0]!.right).toBeLessThanOrEqual(edges[1]!.left)
}

it('opens a menu at its first item, and returns to its button on Escape', async () => {
  await page.goto('/panel/campaigns')
  const button = page.getByRole('button', { name: 'Columns' })
  await button.press('Enter')
  await untilFocused(page.getByRole('menuitemcheckbox').first())
  await page.keyboard.press('Escape')
  await untilFocused(button)
})

it('keeps the focus in the calendar from days to months and back, and closes it on Escape', async () => {
  await page.goto('/panel/reports')
  const button = page.getByRole('button', { name: /^Days/ })
  const calendar = page.getByRole('dialog')
  const months = calendar.getByRole('button', { name: /^\w+ \d{4}$/ })
  await button.press('Enter')
  await months.press('Enter')
  await calendar.locator('table :focus').waitFor()
  await page.keyboard.press('Escape')
  await untilFocused(button)
  await calendar.waitFor({ state: 'detached' })

  await button.press('Enter')
  await months.press('Enter')
  await calendar.getByRole('button', { name: 'Previous year' }).press('Enter')
  await calendar.getByRole('button', { name: 'Jan', exact: true }).press('Enter')
  await calendar.locator('table :focus').waitFor()
  for (const day of [1, 2]) {
    await calendar.getByRole('button', { name: new RegExp(`, January ${day}, \\d{4}$`) }).press('Enter')
  }
  await untilFocused(button)
  await expect.poll(() => button.textContent()).toMatch(/^Jan 1 – 2, \d{4}$|^Jan 1, \d{4} – Jan 2, \d{4}$/)
})

it('keeps the focus on a button while it saves, whether that succeeds or not', async () => {
  await page.goto('/panel/campaigns')
  const resume = page.getByRole('button', { name: 'Resume Keys by the dozen', disabled: false })
  await page.getByRole('button', { name: 'Pause Keys by the dozen' }).press('Enter')
  await untilFocused(resume)
  await page.route('**/v1/panel/campaigns/*', (route) => route.fulfill({ status: 500 }))
  await page.keyboard.press('Enter')
  await page.getByText('Not saved').waitFor()
  await untilFocused(resume)
  await page.unrouteAll()
})

it('goes to the head of the table when a selection is cleared', async () => {
  await page.goto('/panel/campaigns')
  await page.getByRole('checkbox', { name: 'Select Keys by the dozen' }).press('Space')
  await page.getByRole('button', { name: 'Clear selection' }).press('Enter')
  await untilFocused(page.getByRole('columnheader').getByRole('checkbox'))
})

it('names the groups of choices of a shop and of a campaign', async () => {
  const operator = await world.signedIn(OPERATOR)
  await operator.goto(`/panel/shops/${shop.id}`)
  await operator.getByRole('radiogroup', { name: 'Purchases that are credited' }).waitFor()
  await page.goto('/panel/campaigns')
  await page.getByRole('link', { name: /^Keys by the dozen/ }).click()
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await page.getByRole('radiogroup', { name: 'Status' }).waitFor()
})

it('removes any of the chosen values by its button, and leaves the focus in their field', async () => {
  const brand = { kind: 'ADVERTISER', name: 'Brand of three', sellerIds: ['solvik', 'lumbra', 'peak'] }
  const { id } = await must(world.program.call<Created>('POST', '/v1/panel/accounts', brand))
  const form = await world.signedIn(OPERATOR)
  await form.goto(`/panel/accounts/${id}`)
  await form.getByRole('button', { name: 'Remove solvik' }).press('Enter')
  await untilFocused(form.getByRole('combobox', { name: /^Sellers whose/ }))
  expect(await form.getByRole('button', { name: /^Remove / }).count()).toBe(2)
  await form.keyboard.press('Shift+Tab')
  await untilFocused(form.getByRole('button', { name: 'Remove peak' }))
  await form.context().close()
})

it('has no images without a name in its drop-down fields', async () => {
  await page.goto('/panel/campaigns')
  await page.getByRole('combobox', { name: 'State' }).waitFor()
  const unnamed = page.locator('svg[data-combobox-chevron]:not([aria-hidden="true"])')
  expect(await page.locator('svg[data-combobox-chevron]').count()).toBeGreaterThan(0)
  expect(await unnamed.count()).toBe(0)
})

it('has no column of actions, and nothing to select, where the user may change none of the campaigns', async () => {
  const post = (path: string, body: object) => must(world.program.call<Created>('POST', `/v1/panel/${path}`, body))
  const { id: accountId } = await post('accounts', { kind: 'PUBLISHER', name: 'Publisher without campaigns' })
  const locale = { currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin' }
  const { id: shopId } = await post('shops', { accountId, name: 'Shop of others', reserveCpc: 0.05, ...locale })
  const brand = await post('accounts', { kind: 'ADVERTISER', name: 'Brand of others', sellerIds: ['s'] })
  await post('campaigns', {
    ...{ accountId: brand.id, shopId, name: 'Of a brand', kind: 'SPONSORED', cpc: 0.4, budget: 1_000 },
    ...{ startAt: '2026-01-01T00:00:00Z', products: { rule: { brands: ['Solvik'] } } },
  })
  const other = await world.signedIn(await world.makeUser({ name: 'Per', role: 'PUBLISHER', accountId }))
  await other.goto('/panel/campaigns')
  await other.getByRole('row', { name: /Of a brand/ }).waitFor()
  expect(await other.getByRole('columnheader', { name: 'Actions' }).count()).toBe(0)
  expect(await other.getByRole('table').getByRole('checkbox').count()).toBe(0)
  await other.context().close()
})
