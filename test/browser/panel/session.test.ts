import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../program.ts'
import { OPERATOR, openWorld, type Person, seriousFindings, type World, watchErrors } from '../harness.ts'

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
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}

it.each([
  ['OPERATOR', 'Home', 'Accounts'],
  ['PUBLISHER', 'PUBLISHER of tests', 'Users'],
  ['ADVERTISER', 'ADVERTISER of tests', 'Users'],
])('shows each role its own home and navigation: %s', async (role, title, link) => {
  const page = await signInByForm(people[role]!)
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  expect(await page.title()).toBe(`${title} · Endcap`)
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

it('asks to sign in again when the session has ended, and returns to the same page', async () => {
  const page = await world.signedIn(OPERATOR)
  await page.goto('/panel/users')
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
  await page.context().clearCookies()
  await page.getByRole('link', { name: 'System health' }).click()
  await page.getByLabel('E-mail').fill(OPERATOR.email)
  await page.locator('input[type=password]').fill(OPERATOR.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'System health' }).waitFor()
  await page.close()
})

it('signs out for good', async () => {
  const page = await world.signedIn(OPERATOR)
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

it('remembers the chosen colour scheme', async () => {
  const page = await world.signedIn(OPERATOR, { colorScheme: 'light' })
  await page.goto('/panel/')
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByText('Dark', { exact: true }).click()
  const scheme = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme)
  await expect.poll(scheme).toBe('dark')
  await page.reload()
  expect(await scheme()).toBe('dark')
  await page.close()
})

it(`loads less than ${FIRST_LOAD_BYTES_MAX / 1000} kB, compressed, to show the first page`, async () => {
  const page = await world.signedIn(OPERATOR)
  const sizes: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  })
  await page.goto('/panel/')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.waitForLoadState('networkidle')
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX)
  await page.close()
})
