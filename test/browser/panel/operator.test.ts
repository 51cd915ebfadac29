import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../program.ts'
import { OPERATOR, openWorld, seriousFindings, type World, watchErrors } from '../harness.ts'

interface Account {
  id: string
  name: string
}

const PHONE = { viewport: { width: 360, height: 740 } }

let world: World
let page: Page
let errors: string[]
beforeAll(async () => {
  world = await openWorld()
  page = await world.signedIn(OPERATOR)
  errors = watchErrors(page)
})
afterAll(() => world?.stop())

const heading = (name: string) => page.getByRole('heading', { level: 1, name })
/** The account that the tests create. */
async function account() {
  const { items } = await must(world.program.call<{ items: Account[] }>('GET', '/v1/panel/accounts'))
  return items.find(({ name }) => name === 'Solvik Lamps')
}
const field = (name: string) => page.getByRole('textbox', { name, exact: true })

async function expectAccessible() {
  await page.waitForLoadState('networkidle')
  expect(await seriousFindings(page)).toEqual([])
}

it('makes an account, changes what it may promote, and lists it', async () => {
  await page.goto('/panel/accounts')
  await page.getByRole('link', { name: 'New account' }).first().click()
  await heading('New account').waitFor()
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Advertiser' }).click()
  await field('Name').fill('Solvik Lamps')
  await page.getByRole('button', { name: 'Create account' }).click()
  await heading('Solvik Lamps').waitFor()
  await expectAccessible()

  const sellers = page.getByRole('combobox', { name: 'Sellers whose products this account may advertise' })
  await sellers.fill('solvik')
  await sellers.press('Enter')
  await page.getByRole('switch', { name: /^Display advertising/ }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Account saved').waitFor()
  expect(await account()).toMatchObject({ sellerIds: ['solvik'], displayEnabled: true })

  await page.getByRole('link', { name: 'Accounts' }).first().click()
  await page.getByRole('searchbox').fill('lamps solvik')
  await page.getByRole('link', { name: 'Solvik Lamps' }).waitFor()
  await expectAccessible()
  await page.getByRole('searchbox').fill('nobody')
  await page.getByText('Nothing matches').waitFor()
})

it('breaks no word of a list beside a long name', async () => {
  const name = 'Northern Holding of Household Goods, Limited by Guarantee, and Daughters Everywhere in Europe'
  await must(world.program.call('POST', '/v1/panel/accounts', { kind: 'ADVERTISER', name }))
  await page.goto('/panel/accounts')
  const kind = page.getByRole('row').filter({ hasText: name }).getByText('Advertiser', { exact: true })
  await kind.waitFor()
  const lines = await kind.evaluate((cell) => {
    const text = document.createRange()
    text.selectNodeContents(cell)
    return text.getClientRects().length
  })
  expect(lines).toBe(1)
})

it('makes a user of an account, and shows the server’s errors at their fields', async () => {
  await page.goto('/panel/users')
  const make = async (email: string) => {
    await page.getByRole('button', { name: 'New user' }).click()
    await field('Name').fill('Adam')
    await field('E-mail').fill(email)
    await page.getByText('Set a password').click()
    await page.locator('input[type=password]').fill('a-long-password')
    await page.getByRole('button', { name: 'Create user' }).click()
    await page.getByRole('combobox', { name: 'Account' }).click()
    await page.getByRole('option', { name: /Solvik Lamps/ }).click()
    await page.getByRole('button', { name: 'Create user' }).click()
  }
  await make('adam@solvik.example')
  await page.getByText('User created').waitFor()
  await page.getByRole('cell', { name: 'adam@solvik.example' }).waitFor()

  await make('adam..b@solvik.example')
  const mail = field('E-mail')
  await expect.poll(() => mail.getAttribute('aria-invalid')).toBe('true')
  await expectAccessible()
  await page.keyboard.press('Escape')
})

it('shows a new token once, and revokes it', async () => {
  await page.goto('/panel/tokens')
  await page.getByRole('button', { name: 'New token' }).first().click()
  await page.getByRole('combobox', { name: 'Account' }).click()
  await page.getByRole('option', { name: /Solvik Lamps/ }).click()
  await field('Name').fill('Reports')
  await page.getByRole('button', { name: 'Create token' }).click()
  const token = await page.getByText(/^endcap_/).textContent()
  await expectAccessible()
  const headers = { authorization: `Bearer ${token}` }
  expect((await world.program.call('GET', '/v1/panel/campaigns', undefined, headers)).status).toBe(200)

  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('button', { name: 'Revoke Reports' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Token revoked').waitFor()
  expect(await page.getByText(token!).count()).toBe(0)
  expect((await world.program.call('GET', '/v1/panel/campaigns', undefined, headers)).status).toBe(401)
})

it('says what keeps a shop from being deleted, and deletes it when that is gone', async () => {
  const make = async (path: string, body: object) =>
    (await must(world.program.call<{ id: string }>('POST', `/v1/panel/${path}`, body))).id
  const publisherId = await make('accounts', { kind: 'PUBLISHER', name: 'Nordlys' })
  const country = { currency: 'EUR', lang: 'de', country: 'DE' }
  const shopId = await make('shops', { accountId: publisherId, name: 'Nordlys', ...country })
  const target = { accountId: (await account())!.id, shopId, products: { ids: ['lamp'] } }
  await make('campaigns', { kind: 'SPONSORED', name: 'Spring', budget: 100, cpc: 0.5, status: 'DRAFT', ...target })

  const deleteShop = page.getByRole('button', { name: 'Delete shop' })
  await page.goto(`/panel/shops/${shopId}`)
  await page.getByText('Cannot be deleted while it has 1 campaign. Archived campaigns count, too.').waitFor()
  expect(await deleteShop.isDisabled()).toBe(true)
  await expectAccessible()

  await page.getByRole('link', { name: '1 campaign' }).click()
  await page.getByRole('link', { name: 'Spring' }).click()
  await page.getByRole('button', { name: 'Archive' }).click()
  await page.getByRole('button', { name: 'Delete campaign' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete campaign' }).click()
  await page.getByText('Spring deleted').waitFor()

  await page.goto(`/panel/shops/${shopId}`)
  await deleteShop.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete shop' }).click()
  await page.getByText('Shop deleted').waitFor()
  await must(world.program.call('DELETE', `/v1/panel/accounts/${publisherId}`))
})

it('says that something has been deleted, and offers no other try', async () => {
  await page.goto('/panel/campaigns/01a21de9-0000-7eff-831e-70a7e0718f34')
  await page.getByText('There is no campaign 01a21de9-0000-7eff-831e-70a7e0718f34. It has been deleted').waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await expectAccessible()
})

it('shows the state of the engines and the audit of the log', async () => {
  await page.goto('/panel/health')
  await page.getByText('Event log: available').waitFor()
  await page.getByRole('row', { name: /^registry/ }).waitFor()
  await page.getByText('No failed events').waitFor()
  const check = page.getByRole('button', { name: 'Check', exact: true })
  expect(await check.isDisabled()).toBe(true)
  await page.getByRole('combobox', { name: 'Topic', exact: true }).first().click()
  await page.getByRole('option', { name: 'registry', exact: true }).click()
  await check.click()
  await page.getByText('Each record has exactly one row, or a known reason to have none.').waitFor()
  await page.getByText(/^[1-9]\d* records? checked$/).waitFor()
  await expectAccessible()
})

it('keeps the filter of the security log when the page is loaded again', async () => {
  await page.goto('/panel/security-log')
  await page.getByRole('combobox', { name: 'What happened' }).click()
  await page.getByRole('option', { name: 'Token revoked' }).click()
  const kinds = async () => new Set(await page.getByRole('table').locator('tbody tr > :nth-child(2)').allTextContents())
  await expect.poll(kinds).toEqual(new Set(['Token revoked']))
  await page.reload()
  await expect.poll(kinds).toEqual(new Set(['Token revoked']))
  expect(await page.getByRole('combobox', { name: 'What happened' }).inputValue()).toBe('Token revoked')
})

it('has logged no script error and no violation of the content policy', () => {
  const refused = errors.filter((error) => !/status of (400|404)/.test(error))
  expect(refused).toEqual([])
})

it('deletes an account, its users and tokens', async () => {
  await page.goto('/panel/accounts')
  await page.getByRole('link', { name: 'Solvik Lamps' }).click()
  await page.getByRole('button', { name: 'Delete account' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click()
  await heading('Accounts').waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'Solvik Lamps' }).count()).toBe(0)
  expect(await account()).toBeUndefined()
  const { items } = await must(world.program.call<{ items: { email: string }[] }>('GET', '/v1/panel/users'))
  expect(items.map(({ email }) => email)).toContain(OPERATOR.email)
  expect(items.map(({ email }) => email)).not.toContain('adam@solvik.example')
})

it('fits a phone of 360 pixels, with the navigation in a drawer', async () => {
  const phone = await world.signedIn(OPERATOR, PHONE)
  await phone.goto('/panel/')
  await phone.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  for (const name of ['Accounts', 'Users', 'API tokens', 'System health']) {
    await phone.getByRole('button', { name: 'Navigation' }).click()
    await phone.getByRole('link', { name, exact: true }).click()
    await phone.getByRole('heading', { level: 1, name }).waitFor()
    await phone.waitForLoadState('networkidle')
    expect(await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth), name).toBeLessThanOrEqual(0)
  }
  expect(await seriousFindings(phone)).toEqual([])
  await phone.close()
})
