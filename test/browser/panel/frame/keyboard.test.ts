import type { Page } from 'playwright-core'
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
  const edges = await row.getByRole('cell').evaluateAll((cells) =>
    cells.slice(-2).map((cell) => {
      const { left, right } = cell.getBoundingClientRect()
      return { left, right }
    }),
  )
  expect(edges[0]!.right).toBeLessThanOrEqual(edges[1]!.left)
  await page.setViewportSize({ width: 1280, height: 800 })
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
