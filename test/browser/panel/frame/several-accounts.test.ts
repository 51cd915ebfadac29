import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { openWorld, type Person, seriousFindings, type World, watchErrors } from '../../harness.ts'

/** Somebody of an agency, who works for several advertisers with one login. */

let world: World
let agnes: Person
const accountIds: Record<string, string> = {}

const make = <T = { id: string }>(path: string, body: object) =>
  must(world.program.call<T>('POST', `/v1/panel/${path}`, body))

interface Invited {
  id: string
  passwordLink: { url: string }
}

beforeAll(async () => {
  world = await openWorld()
  for (const name of ['Alder Lamps', 'Birch Chairs', 'Cedar Tables']) {
    const { id } = await make('accounts', { kind: 'ADVERTISER', name, sellerIds: [name] })
    accountIds[name] = id
  }
  agnes = await world.makeUser({ name: 'Agnes', role: 'ADVERTISER', accountId: accountIds['Alder Lamps']! })
})
afterAll(() => world?.stop())

const invite = (account: string) =>
  make<Invited>('users', { email: agnes.email, name: 'Agnes', role: 'ADVERTISER', accountId: accountIds[account] })
const pathOf = ({ passwordLink: { url } }: Invited) => new URL(url).pathname + new URL(url).hash
const home = (page: Page, account: string) => page.getByRole('heading', { level: 1, name: account })
const baseOf = (account: string) => `/panel/in/${accountIds[account]}`
const switcher = (page: Page) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('combobox', { name: 'Account' })

async function accept(page: Page, account: string): Promise<Invited> {
  const invited = await invite(account)
  await page.goto(pathOf(invited))
  await page.getByRole('button', { name: 'I already have a password for this address' }).click()
  await page.getByRole('button', { name: 'Accept' }).click()
  await home(page, account).waitFor()
  return invited
}

it('accepts an invitation with the password that the address has, and opens the account', async () => {
  const invited = await invite('Birch Chairs')
  const page = await (await world.browser.newContext({ baseURL: world.program.url })).newPage()
  const errors = watchErrors(page)
  await page.goto(pathOf(invited))
  await page.getByText('Birch Chairs').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'I already have a password for this address' }).click()
  await page.getByRole('textbox', { name: 'Password' }).fill(agnes.password)
  expect(await seriousFindings(page)).toEqual([])
  expect(await page.getByLabel('E-mail').inputValue()).toBe(agnes.email)
  // Nobody is signed in yet: the browser logs the 401 to the console.
  await expect.poll(() => errors).toHaveLength(1)
  errors.length = 0
  await page.getByRole('button', { name: 'Sign in' }).click()
  await home(page, 'Birch Chairs').waitFor()
  expect(new URL(page.url()).pathname).toBe(`${baseOf('Birch Chairs')}/`)
  expect(errors).toEqual([])
  await page.context().close()
})

it('switches by keyboard, opens with the account that was used last, and keeps each tab in its own', async () => {
  const page = await world.signedIn(agnes)
  await page.goto('/panel/')
  await home(page, 'Alder Lamps').waitFor()
  await switcher(page).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await home(page, 'Birch Chairs').waitFor()
  expect(await seriousFindings(page)).toEqual([])

  const other = await page.context().newPage()
  await other.goto('/panel/users?q=Agnes')
  await other.waitForURL(`**${baseOf('Birch Chairs')}/users?q=Agnes`)
  await other.goto(`${baseOf('Alder Lamps')}/campaigns/new`)
  await expect.poll(() => switcher(other).inputValue()).toBe('Alder Lamps')
  await page.bringToFront()
  await page.getByRole('link', { name: 'API tokens' }).click()
  await page.getByRole('button', { name: 'New token' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('Chairs only')
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  await page.getByText('Chairs only').first().waitFor()
  const { items } = await must(
    world.program.call<{ items: { name: string; accountId: string }[] }>('GET', '/v1/panel/tokens?limit=1000'),
  )
  expect(items.find(({ name }) => name === 'Chairs only')!.accountId).toBe(accountIds['Birch Chairs'])
  await other.close()
})

it('asks before a switch loses what was typed', async () => {
  const page = await world.signedIn(agnes)
  await page.goto(`${baseOf('Alder Lamps')}/campaigns/new`)
  await page.getByLabel('Name').fill('Half written')
  const asked: string[] = []
  page.once('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  await switcher(page).click()
  await page.getByRole('option', { name: 'Birch Chairs' }).click()
  await expect.poll(() => asked).toEqual(['beforeunload'])
  await expect.poll(() => switcher(page).inputValue()).toBe('Alder Lamps')
  expect(await page.getByLabel('Name').inputValue()).toBe('Half written')
  await page.close({ runBeforeUnload: false })
})

it('leaves an account for another one when the user is removed from it, and no other tab with it', async () => {
  const page = await world.signedIn(agnes)
  const invited = await accept(page, 'Cedar Tables')
  const staying = await page.context().newPage()
  await staying.goto(`${baseOf('Alder Lamps')}/users`)
  await staying.getByText(agnes.email).first().waitFor()

  await must(world.program.call('DELETE', `/v1/panel/users/${invited.id}`))
  await page.getByRole('link', { name: 'Campaigns' }).first().click()
  await home(page, 'Alder Lamps').or(home(page, 'Birch Chairs')).waitFor()
  expect(page.url()).not.toContain(accountIds['Cedar Tables'])
  await staying.reload()
  await staying.getByText(agnes.email).first().waitFor()
  await staying.close()
})

it('is switched in the navigation of a phone, and has a search where there are many', async () => {
  for (let i = 0; i < 6; i++) {
    const name = `Branch ${i}`
    accountIds[name] = (await make('accounts', { kind: 'ADVERTISER', name, sellerIds: [name] })).id
  }
  const page = await world.signedIn(agnes, { viewport: { width: 390, height: 844 } })
  for (let i = 0; i < 6; i++) await accept(page, `Branch ${i}`)
  await page.getByRole('button', { name: 'Navigation' }).click()
  await switcher(page).fill('chairs')
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Birch Chairs'])
  await page.getByRole('option').click()
  await home(page, 'Birch Chairs').waitFor()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(await seriousFindings(page)).toEqual([])
})
