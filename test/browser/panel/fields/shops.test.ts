import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { hold, OPERATOR, openWorld, seriousFindings, type World } from '../../harness.ts'

interface Shop {
  name: string
  country: string
  lang: string
  currency: string
  timeZone: string
}

let world: World
beforeAll(async () => {
  world = await openWorld()
  await must(world.program.call('POST', '/v1/panel/accounts', { kind: 'PUBLISHER', name: 'Iberian' }))
})
afterAll(() => world?.stop())

async function pick(page: Page, field: string, typed: string, option: string | RegExp) {
  await page.getByRole('combobox', { name: field }).fill(typed)
  await page.getByRole('option', { name: option }).first().click()
}

it('keeps on a phone the buttons that save in sight, and not the reasons why a shop cannot be deleted', async () => {
  const make = (path: string, body: object) =>
    must(world.program.call<{ id: string }>('POST', `/v1/panel/${path}`, body))
  const { id: accountId } = await make('accounts', { kind: 'PUBLISHER', name: 'Nordic' })
  const home = { currency: 'EUR', lang: 'en', country: 'DE' }
  const shop = await make('shops', { accountId, name: 'With a feed', ...home })
  await make('feeds', { shopId: shop.id, name: 'Feed' })
  const page = await world.signedIn(OPERATOR, { viewport: { width: 390, height: 844 } })
  await page.goto(`/panel/shops/${shop.id}`)
  const reasons = page.getByText(/Cannot be deleted while it has/)
  await reasons.waitFor()
  const isInSight = (locator: Locator) =>
    locator.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight)
  expect(await isInSight(page.getByRole('button', { name: 'Save' }))).toBe(true)
  expect(await isInSight(reasons)).toBe(false)
  await reasons.scrollIntoViewIfNeeded()
  expect(await isInSight(page.getByRole('button', { name: 'Save' }))).toBe(true)
  await page.context().close()
})

const readers = [
  { locale: 'en-US', scheme: 'light', country: 'Spain (ES)', language: 'Spanish (es)', currency: 'Euro (EUR)' },
  { locale: 'pl-PL', scheme: 'dark', country: 'Hiszpania (ES)', language: 'hiszpański (es)', currency: 'euro (EUR)' },
] as const

it.each(readers)('finds country, language, currency and zone by their names in $locale', async (reader) => {
  const { locale, scheme: colorScheme, country, language, currency } = reader
  const page = await world.signedIn(OPERATOR, { locale, colorScheme })
  await page.goto('/panel/shops/new')
  await page.getByLabel('Name').fill(`Tienda ${locale}`)
  await pick(page, 'Publisher', 'iber', 'Iberian')
  await expect.poll(() => page.getByRole('combobox', { name: 'Country' }).inputValue()).toBe('')
  await page.getByRole('combobox', { name: 'Country' }).fill('spain')
  await page.getByRole('option', { name: country, exact: true }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await pick(page, 'Country', 'spain', country)
  await pick(page, 'Language', 'spanish', language)
  await pick(page, 'Currency', 'eur', currency)
  await pick(page, 'Time zone', 'madrid', /^Europe\/Madrid/)
  await page.getByRole('button', { name: 'Create shop' }).click()
  await expect
    .poll(async () => {
      const { items } = await must(world.program.call<{ items: Shop[] }>('GET', '/v1/panel/shops'))
      return items.find(({ name }) => name === `Tienda ${locale}`)
    })
    .toMatchObject({ country: 'ES', lang: 'es', currency: 'EUR', timeZone: 'Europe/Madrid' })
  await page.context().close()
})

it('leads to a new account while there is no publisher that could own a shop', async () => {
  const page = await world.signedIn(OPERATOR, { locale: 'en-US' })
  await page.route('**/v1/panel/accounts?*', (route) => route.fulfill({ json: { items: [], nextCursor: null } }))
  await page.goto('/panel/shops/new')
  await page.getByText('There is no publisher yet.').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('link', { name: 'Create an account for one' }).click()
  await page.getByRole('heading', { level: 1, name: 'New account' }).waitFor()
  await page.context().close()
})

it('takes no text that is on no list', async () => {
  const page = await world.signedIn(OPERATOR, { locale: 'en-US' })
  await page.goto('/panel/shops/new')
  const country = page.getByRole('combobox', { name: 'Country' })
  await country.fill('Atlantis')
  await page.getByLabel('Name').focus()
  await expect.poll(() => country.inputValue()).toBe('')
  await page.context().close()
})

it('proposes a reserve that the currency has coins for, until another is typed', async () => {
  const page = await world.signedIn(OPERATOR, { locale: 'en-US' })
  await page.goto('/panel/shops/new')
  const reserve = page.getByLabel('Reserve price')
  await expect.poll(() => reserve.inputValue()).toBe('0.01')
  await pick(page, 'Currency', 'jpy', 'Japanese Yen (JPY)')
  await expect.poll(() => reserve.inputValue()).toBe('1')
  await reserve.fill('3')
  await pick(page, 'Currency', 'eur', 'Euro (EUR)')
  await page.getByLabel('Name').focus()
  expect(await reserve.inputValue()).toMatch(/^3/)
  await page.context().close()
})

it('keeps what is typed while a change is being saved', async () => {
  const make = (path: string, body: object) =>
    must(world.program.call<{ id: string }>('POST', `/v1/panel/${path}`, body))
  const { id: accountId } = await make('accounts', { kind: 'PUBLISHER', name: 'Slow' })
  const home = { currency: 'EUR', lang: 'en', country: 'DE' }
  const { id } = await make('shops', { accountId, name: 'Old name', ...home })
  const page = await world.signedIn(OPERATOR, { locale: 'en-US' })
  const answer = await hold(page, `**/v1/panel/shops/${id}`, 'PATCH')
  await page.goto(`/panel/shops/${id}`)
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('Saved name')
  const sent = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await sent
  await name.fill('Typed later')
  answer()
  await page.getByText('Shop saved').waitFor()
  await page.getByRole('link', { name: 'Shops' }).first().click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
  await page.context().close()
})

it('erases the shopper whose identifier is pasted with spaces around it, and lists the latest erasure first', async () => {
  const make = <T>(path: string, body: object) => must(world.program.call<T>('POST', `/v1/panel/${path}`, body))
  const publisher = await make<{ id: string }>('accounts', { kind: 'PUBLISHER', name: 'Adriatic' })
  const about = { accountId: publisher.id, name: 'Adria', currency: 'EUR', lang: 'it', country: 'IT' }
  const { id: shopId } = await make<{ id: string }>('shops', about)
  const ask = (cid: string) => make<{ pseudonym: string }>('erasures', { shopId, cid })
  const { pseudonym } = await ask('ann')
  const page = await world.signedIn(OPERATOR, { locale: 'en-US' })
  await page.goto(`/panel/shops/${shopId}`)
  const pseudonyms = () => page.getByRole('table', { name: 'Erased shoppers' }).getByText(/^erased-/)
  await expect.poll(() => pseudonyms().allTextContents()).toEqual([pseudonym])
  await page.getByRole('button', { name: 'Erase a shopper' }).click()
  await page.getByRole('combobox', { name: 'Known by' }).click()
  await page.getByRole('option', { name: /^Client ID/ }).click()
  await page.getByRole('textbox', { name: 'Identifier' }).fill(' bob ')
  await page.getByRole('button', { name: 'Erase for good' }).click()
  await page.getByText('Erasure started').waitFor()
  // The erasure that is under way is answered again.
  const latest = await ask('bob')
  await expect.poll(() => pseudonyms().allTextContents()).toEqual([latest.pseudonym, pseudonym])
  await page.context().close()
})

it('saves what is stored of a shopper as a file', async () => {
  const { items } = await must(world.program.call<{ items: { id: string; name: string }[] }>('GET', '/v1/panel/shops'))
  const { id: shopId } = items.find(({ name }) => name === 'Adria')!
  const order = { eventId: 'order-7', kind: 'PURCHASE', shopId, currency: 'EUR' }
  const products = [{ shopProductId: 'lamp', price: 20, quantity: 1 }]
  const headers = { cid: 'cleo' }
  await must(world.program.call('POST', '/v1/ev/transaction', { ...order, products }, headers))
  const handedOut = async () => {
    await page.getByRole('button', { name: 'Download a shopper’s data' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Known by' }).click()
    await page.getByRole('option', { name: /^Client ID/ }).click()
    await dialog.getByRole('textbox', { name: 'Identifier' }).fill(' cleo ')
    const download = dialog.getByRole('button', { name: 'Download' })
    const [file] = await Promise.all([page.waitForEvent('download'), download.click()])
    await dialog.waitFor({ state: 'detached' })
    return JSON.parse(await readFile(await file.path(), 'utf8'))
  }
  const page = await world.signedIn(OPERATOR, { locale: 'en-US' })
  await page.goto(`/panel/shops/${shopId}`)
  await expect.poll(handedOut).toMatchObject({ shopId, identifier: 'cid', transactions: [{ eventId: 'order-7' }] })
  await page.context().close()
})
