import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { OPERATOR, openWorld, type Person, seriousFindings, type World, watchErrors } from '../../harness.ts'

const FIRST_LOAD_BYTES_MAX = 300_000

let world: World
const people: Record<string, Person> = { OPERATOR }
beforeAll(async () => {
  world = await openWorld()
  for (const kind of ['PUBLISHER', 'ADVERTISER'] as const) {
    const account = await must(
      world.program.call<{ id: string }>('POST', '/v1/panel/accounts', { kind, name: `${kind} of tests` }),
    )
    people[kind] = await world.makeUser({ name: kind, role: kind, accountId: account.id })
  }
})
afterAll(() => world?.stop())

async function signInByForm(person: Person, path = '/panel/') {
  const page = await world.browser.newPage({ baseURL: world.program.url })
  await page.goto(path)
  await page.getByLabel('E-mail').fill(person.email)
  await page.locator('input[type=password]').fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  return page
}

it.each([
  ['OPERATOR', 'Home', 'Accounts'],
  ['PUBLISHER', 'PUBLISHER of tests', 'Users'],
  ['ADVERTISER', 'ADVERTISER of tests', 'Users'],
])('shows each role its own home and navigation: %s', async (role, title, link) => {
  const page = await signInByForm(people[role]!)
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await expect.poll(() => page.title()).toBe(`${title} · Endcap`)
  const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents()
  expect(links).toContain(link)
  expect(links.includes('System health')).toBe(role === 'OPERATOR')
  await page.waitForLoadState('networkidle')
  expect(await seriousFindings(page)).toEqual([])
  await page.close()
})

it('leads to the requested page after signing in', async () => {
  const page = await signInByForm(OPERATOR, '/panel/health')
  await page.getByRole('heading', { level: 1, name: 'System health' }).waitFor()
  await page.close()
})

it('reports a wrong password, and lets the user try again', async () => {
  const page = await signInByForm({ ...OPERATOR, password: 'not-the-password' })
  await page.getByRole('alert').getByText('wrong').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.close()
})

/** The dialog over a page whose session has ended. */
const ended = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' })

async function signInAgain(page: Page) {
  expect(await ended(page).getByLabel('E-mail').inputValue()).toBe(OPERATOR.email)
  await ended(page).locator('input[type=password]').fill(OPERATOR.password)
  await ended(page).getByRole('button', { name: 'Sign in', exact: true }).click()
  await ended(page).waitFor({ state: 'detached' })
}

it('asks for the password over the page when the session has ended, and goes on with what was refused', async () => {
  const page = await world.signedIn(OPERATOR)
  await page.goto('/panel/accounts/new')
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Advertiser' }).click()
  await name.fill('Kept over the end of a session')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Create account' }).click()
  await ended(page).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await ended(page).locator('input[type=password]').fill('not-the-password')
  await ended(page).getByRole('button', { name: 'Sign in', exact: true }).click()
  await ended(page).getByRole('alert').getByText('wrong').waitFor()
  expect(await name.inputValue()).toBe('Kept over the end of a session')
  await signInAgain(page)
  await page.getByRole('heading', { level: 1, name: 'Kept over the end of a session' }).waitFor()
  await page.close()
})

it('keeps what was typed in the campaign wizard when the session ends while the page reads', async () => {
  const account = await must(
    world.program.call<{ id: string }>('POST', '/v1/panel/accounts', { kind: 'PUBLISHER', name: 'Shop of the wizard' }),
  )
  const locale = { currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin' }
  await must(
    world.program.call('POST', '/v1/panel/shops', {
      accountId: account.id,
      name: 'Lamps',
      reserveCpc: 0.05,
      ...locale,
    }),
  )
  const page = await world.signedInAnew(OPERATOR)
  await page.goto('/panel/campaigns/new')
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('Typed before the end')
  const other = await page.context().newPage()
  await other.goto('/panel/')
  await other.getByRole('button', { name: /^Menu of/ }).click()
  await other.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await ended(page).waitFor()
  await signInAgain(page)
  expect(await name.inputValue()).toBe('Typed before the end')
  await other.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.context().close()
})

it('starts anew when somebody else signs in in another tab', async () => {
  const page = await world.signedInAnew(OPERATOR)
  await page.goto('/panel/health')
  await page.getByRole('heading', { level: 1, name: 'System health' }).waitFor()
  const other = await page.context().newPage()
  await other.goto('/panel/')
  await other.getByRole('button', { name: /^Menu of/ }).click()
  await other.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await ended(page).waitFor()
  await other.getByLabel('E-mail').fill(people.ADVERTISER!.email)
  await other.locator('input[type=password]').fill(people.ADVERTISER!.password)
  await other.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'ADVERTISER of tests' }).waitFor()
  await page.context().close()
})

it('signs out for good', async () => {
  const page = await world.signedInAnew(OPERATOR)
  const errors = watchErrors(page)
  await page.goto('/panel/')
  await page.getByRole('button', { name: /^Menu of/ }).click()
  expect(errors).toEqual([])
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in to Endcap' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in to Endcap' }).waitFor()
  await page.close()
})

it('says so when signing out fails', async () => {
  const page = await world.signedIn(OPERATOR)
  await page.goto('/panel/')
  await page.route('**/v1/panel/session', (route) =>
    route.request().method() === 'DELETE' ? route.abort() : route.continue(),
  )
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await page.getByRole('alert').getByText('You are still signed in').waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  await page.context().close()
})

it('remembers the chosen colour scheme', async () => {
  const page = await world.signedIn(OPERATOR, { colorScheme: 'light' })
  await page.goto('/panel/')
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  const scheme = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme)
  await expect.poll(scheme).toBe('dark')
  await page.reload()
  await expect.poll(scheme).toBe('dark')
  await page.close()
})

it(`loads less than ${FIRST_LOAD_BYTES_MAX / 1000} kB, compressed, to show the first page`, async () => {
  const page = await world.signedIn(OPERATOR)
  const sizes: Promise<number>[] = []
  const measure = (request: Request) => {
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  }
  page.on('requestfinished', measure)
  await page.goto('/panel/')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.waitForLoadState('networkidle')
  // The page asks for what is new from time to time, and nobody would wait for the size of that.
  page.off('requestfinished', measure)
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX)
  await page.close()
})
