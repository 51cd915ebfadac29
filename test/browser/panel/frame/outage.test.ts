import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CuttableProxy, openCuttableProxy } from '../../cuttable-proxy.ts'
import { OPERATOR, openWorld, seriousFindings, type World } from '../../harness.ts'

let world: World
let proxy: CuttableProxy
beforeAll(async () => {
  world = await openWorld()
  proxy = await openCuttableProxy(world.program.url)
})
afterAll(async () => {
  await proxy?.stop()
  await world?.stop()
})

const signedIn = () => world.signedIn(OPERATOR, { baseURL: proxy.url })
const banner = (page: Page) => page.getByText('No connection to the server. Showing data from')
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const menu = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true })

it('says how old the page is while the server is away, and reads it again when it is back', async () => {
  const page = await signedIn()
  await page.goto('/panel/health')
  await page.getByText('Event log: available').waitFor()
  proxy.cut()
  await banner(page).waitFor()
  expect(await banner(page).textContent()).toMatch(/from \d\d?:\d\d.* \(.+\)\.$/)
  expect(await seriousFindings(page)).toEqual([])
  const read = page.waitForResponse((response) => response.url().endsWith('/v1/panel/audit') && response.ok())
  proxy.restore()
  await read
  await banner(page).waitFor({ state: 'detached' })
  await page.close()
})

it.each([
  ['Reports', 'reports'],
  ['Campaigns', 'campaigns'],
])('shows a page first opened during an outage once the server is back, with its styles: %s', async (name, path) => {
  const fresh = await signedIn()
  // While the page reads its data, it has other buttons.
  await fresh.goto(`/panel/${path}`, { waitUntil: 'networkidle' })
  await heading(fresh, name).waitFor()
  const look = await styles(fresh)
  await fresh.close()

  const page = await signedIn()
  await page.goto('/panel/health')
  await page.getByText('Event log: available').waitFor()
  proxy.cut()
  await menu(page, name).click()
  await page.getByText('It loads automatically once the server responds').first().waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await menu(page, 'System health').click()
  await heading(page, 'System health').waitFor()
  await menu(page, name).click()
  await page.getByText('It loads automatically once the server responds').first().waitFor()
  expect(await seriousFindings(page)).toEqual([])
  proxy.restore()
  await heading(page, name).waitFor()
  await page.getByText('It loads automatically').waitFor({ state: 'detached' })
  await expect.poll(() => styles(page)).toEqual(look)
  await page.close()
})

/** What a missing style would change about the page. */
const styles = (page: Page) =>
  page.evaluate(() => ({
    sheets: [...document.styleSheets].filter(({ href }) => href !== null).length,
    classes: [...document.querySelectorAll('main button')].slice(0, 3).map((each) => getComputedStyle(each).display),
  }))

it('keeps what was typed when saving fails, and saves it afterwards', async () => {
  const page = await signedIn()
  await page.goto('/panel/accounts/new')
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Advertiser' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Account of an outage')
  proxy.cut()
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('What you have entered is kept').waitFor()
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Account of an outage')
  proxy.restore()
  await banner(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Create account' }).click()
  await heading(page, 'Account of an outage').waitFor()
  await page.close()
})

it('loads the panel again by itself when a new version has taken the file of a page away, but not for ever', async () => {
  const page = await signedIn()
  await page.goto('/panel/health')
  await heading(page, 'System health').waitFor()
  let loads = 0
  page.on('load', () => {
    loads++
  })
  await page.route(/assets\/users-page/, (route) => route.fulfill({ status: 404 }))
  await menu(page, 'Users').click()
  await page.getByText('This part of the panel could not be loaded').waitFor()
  expect(loads).toBe(1)
  await page.unroute(/assets\/users-page/)
  await page.getByRole('button', { name: 'Reload' }).click()
  await heading(page, 'Users').waitFor()
  await page.close()
})

it('shows nothing without its styles, and loads the panel again when they are there', async () => {
  const page = await signedIn()
  await page.route(/assets\/.*\.css/, (route) => route.abort())
  await page.goto('/panel/')
  await page.getByText('The panel could not be loaded').waitFor()
  expect(await page.locator('#root > *').count()).toBe(0)
  await page.unroute(/assets\/.*\.css/)
  await heading(page, 'Home').waitFor()
  await page.close()
})
