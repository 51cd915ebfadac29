import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorld, type World } from '../../harness.ts'
import { openPublisherShop } from '../publisher-data.ts'

let world: World
let page: Page
beforeAll(async () => {
  world = await openWorld()
  ;({ page } = await openPublisherShop(world))
})
afterAll(() => world?.stop())

const products = () => page.getByRole('table', { name: 'Products' }).locator('tbody').getByRole('row')

it('a letter of a search that the API is asked for is shown without rendering a row', async () => {
  await page.goto('/panel/products')
  await page.getByRole('link', { name: 'Floor lamp Dune' }).waitFor()
  // The address of each row that is rendered is encoded.
  const typed = await page.evaluate(`(async () => {
    const field = document.querySelector('input[type=search]')
    const encode = window.encodeURIComponent
    let encoded = 0
    window.encodeURIComponent = (text) => {
      encoded++
      return encode(text)
    }
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'dune')
    field.dispatchEvent(new Event('input', { bubbles: true }))
    await new Promise(requestAnimationFrame)
    window.encodeURIComponent = encode
    return { text: field.value, encoded, address: location.search }
  })()`)
  expect(typed).toEqual({ text: 'dune', encoded: 0, address: '?q=dune' })
  await expect.poll(() => products().count()).toBe(1)
})

it('the search is there again after a reload and on the way back, and gone with the page that it was of', async () => {
  await page.reload()
  const search = page.getByLabel('Search products')
  await expect.poll(() => search.inputValue()).toBe('dune')
  await expect.poll(() => products().count()).toBe(1)
  await page.getByRole('link', { name: 'Floor lamp Dune' }).click()
  await page.getByRole('heading', { level: 1, name: 'Floor lamp Dune' }).waitFor()
  await page.goBack()
  await expect.poll(() => search.inputValue()).toBe('dune')
  await expect.poll(() => products().count()).toBe(1)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Products' }).click()
  await expect.poll(() => search.inputValue()).toBe('')
  await expect.poll(() => products().count()).toBeGreaterThan(1)
})
