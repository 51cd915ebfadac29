import { mkdirSync } from 'node:fs'
import { Signer } from '@fastify/cookie'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../program.ts'
import { OPERATOR, openOwnWorld, type Person, seriousFindings, type World, watchErrors } from '../harness.ts'

const SECRET = Buffer.alloc(32, 7)
const MINUTE_MS = 60_000
/** The folder for screenshots of each step, in both colour schemes; unset for none. */
const { PICTURES } = process.env

let world: World
let account: { id: string }
beforeAll(async () => {
  const env = { SESSION_KEYS: `1:${SECRET.toString('base64url')}`, REQUIRE_MFA: 'PUBLISHER' }
  world = await openOwnWorld({ env })
  account = await must(world.program.call('POST', '/v1/panel/accounts', { kind: 'ADVERTISER', name: 'Solvik Lamps' }))
  if (PICTURES) mkdirSync(PICTURES, { recursive: true })
})
afterAll(() => world?.stop())

/** Checks the page with axe, and takes screenshots. */
async function look(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png` })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await seriousFindings(page), name).toEqual([])
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

async function enter({ email, password }: Person, path = '/panel/'): Promise<Page> {
  const page = await world.browser.newPage({ baseURL: world.program.url })
  await page.goto(path)
  await page.getByLabel('E-mail').fill(email)
  await page.locator('input[type=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}

/** The code of the current time step, or of a later one. */
const codeOf = (secret: string, stepsLater = 0) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + stepsLater * 30_000 })

it('invites a user, who chooses a password by a link that works once', async () => {
  const operator = await world.signedIn(OPERATOR)
  const errors = watchErrors(operator)
  await operator.goto('/panel/users')
  await operator.getByRole('button', { name: 'New user' }).click()
  // This program has no mail server.
  await operator.getByText('Invite with a link').waitFor()
  await field(operator, 'Name').fill('Ida Solvik')
  await field(operator, 'E-mail').fill('ida@solvik.example')
  await operator.getByRole('button', { name: 'Create user' }).click()
  await look(operator, 'new-user')
  await operator.getByRole('combobox', { name: 'Account' }).click()
  await operator.getByRole('option', { name: /Solvik Lamps/ }).click()
  await operator.getByRole('button', { name: 'Create user' }).click()
  const link = await operator.getByText(/\/panel\/set-password#/).textContent()
  // This program has no public address configured.
  const { pathname, hash } = new URL(link!)
  const address = world.program.url + pathname + hash
  await look(operator, 'invitation')
  // A press beside the dialog, or Escape, would lose the link.
  await operator.mouse.click(5, 300)
  await operator.keyboard.press('Escape')
  await operator.getByRole('button', { name: 'Done' }).click()
  await operator.getByText('Invited').waitFor()
  expect(errors.filter((error) => !error.includes('status of 400'))).toEqual([])

  const page = await world.browser.newPage()
  await page.goto(address)
  await page.getByRole('textbox', { name: 'E-mail' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe('ida@solvik.example')
  await page.getByLabel('New password').fill('password123')
  await page.getByLabel('Confirm password').fill('password123')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText(/Is too easy to guess/).waitFor()
  await look(page, 'weak-password')
  await page.getByLabel('New password').fill('lamps over every table')
  await page.getByLabel('Confirm password').fill('lamps over every table')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('heading', { name: 'Password set' }).waitFor()
  await look(page, 'password-set')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sign in to Endcap' }).waitFor()
  await page.close()

  const again = await world.browser.newPage()
  await again.goto(address)
  await again.getByRole('alert').getByText('The link was used').waitFor()
  expect(await again.getByLabel('New password').count()).toBe(0)
  await look(again, 'link-used')

  const ida = await enter({ email: 'ida@solvik.example', password: 'lamps over every table' })
  await ida.getByRole('heading', { level: 1, name: 'Solvik Lamps' }).waitFor()
  for (const each of [operator, again, ida]) await each.close()
})

it('does not go on as somebody else who is signed in where a link is used', async () => {
  const person = await world.makeUser({ name: 'Una', role: 'ADVERTISER', accountId: account.id })
  const { items } = await must(
    world.program.call<{ items: { id: string; email: string }[] }>('GET', '/v1/panel/users?role=ADVERTISER'),
  )
  const { id } = items.find(({ email }) => email === person.email)!
  const { url } = await must(world.program.call<{ url: string }>('POST', `/v1/panel/users/${id}/password-link`))
  const page = await world.signedInAnew(OPERATOR)
  await page.goto(world.program.url + new URL(url).pathname + new URL(url).hash)
  await page.getByLabel('New password').fill('lamps under every bridge')
  await page.getByLabel('Confirm password').fill('lamps under every bridge')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('In this browser, Operator is signed in.').waitFor()
  await page.getByRole('button', { name: 'Sign out and sign in again' }).click()
  await page.getByLabel('E-mail').fill(person.email)
  await page.locator('input[type=password]').fill('lamps under every bridge')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Solvik Lamps' }).waitFor()
  await page.context().close()
})

it('sets up two-step sign-in, then asks for a code, and accepts a recovery code', async () => {
  const person = await world.makeUser({ name: 'Tina', role: 'ADVERTISER', accountId: account.id })
  const page = await enter(person)
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByRole('menuitem', { name: 'Two-step sign-in' }).click()
  const secret = await page.getByText(/^[A-Z2-7]{32}$/).textContent()
  await look(page, 'two-step-setup')
  await field(page, 'Code').fill(codeOf(secret!))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).waitFor()
  const recovery = await page.getByText(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/).allTextContents()
  expect(recovery).toHaveLength(10)
  await look(page, 'recovery-codes')
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()

  await page.getByLabel('E-mail').fill(person.email)
  await page.locator('input[type=password]').fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await field(page, 'Code').fill('12345')
  await look(page, 'sign-in-code')
  await field(page, 'Code').fill(codeOf(secret!, 1))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Solvik Lamps' }).waitFor()
  await page.close()

  const other = await enter(person)
  await field(other, 'Code').fill(recovery[0]!)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByRole('heading', { level: 1, name: 'Solvik Lamps' }).waitFor()
  await other.close()
})

it('turns two-step sign-in off, and closes its dialog', async () => {
  const page = await enter(await world.makeUser({ name: 'Toni', role: 'ADVERTISER', accountId: account.id }))
  const open = async () => {
    await page.getByRole('button', { name: /^Menu of/ }).click()
    await page.getByRole('menuitem', { name: 'Two-step sign-in' }).click()
  }
  await open()
  await field(page, 'Code').fill(codeOf((await page.getByText(/^[A-Z2-7]{32}$/).textContent())!))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await open()
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page
    .getByRole('dialog', { name: 'Turn off two-step sign-in?' })
    .getByRole('button', { name: 'Turn off' })
    .click()
  await page.getByText('Two-step sign-in is off').waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await page.close()
})

it('shows a role that needs two-step sign-in nothing but its setup', async () => {
  const publisher = await must(
    world.program.call<{ id: string }>('POST', '/v1/panel/accounts', { kind: 'PUBLISHER', name: 'Northwind' }),
  )
  const person = await world.makeUser({ name: 'Nora', role: 'PUBLISHER', accountId: publisher.id })
  const page = await enter(person, '/panel/users')
  await page.getByRole('heading', { name: 'Set up two-step sign-in' }).waitFor()
  const secret = await page.getByText(/^[A-Z2-7]{32}$/).textContent()
  await look(page, 'two-step-required')
  // The field has the focus.
  await page.keyboard.type(codeOf(secret!))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
  await page.close()
})

it('lets an operator who has an account choose another one', async () => {
  const { id } = await must(
    world.program.call<{ id: string }>('POST', '/v1/panel/accounts', { kind: 'OPERATOR', name: 'Platform team' }),
  )
  const page = await world.signedIn(await world.makeUser({ name: 'Otto', role: 'OPERATOR', accountId: id }))
  for (const [path, button] of Object.entries({ users: 'New user', tokens: 'New token' })) {
    await page.goto(`/panel/${path}`)
    await page.getByRole('button', { name: button }).first().click()
    const choice = page.getByRole('combobox', { name: 'Account' })
    await expect.poll(() => choice.inputValue()).toBe('Platform team (Operator)')
    await choice.click()
    await page.getByRole('option', { name: /Solvik Lamps/ }).click()
    await expect.poll(() => choice.inputValue()).toMatch(/Solvik Lamps/)
  }
})

it('asks for the password again before it makes a token', async () => {
  const { items } = await must(
    world.program.call<{ items: { id: string; email: string }[] }>('GET', '/v1/panel/users?role=OPERATOR'),
  )
  const { id } = items.find(({ email }) => email === OPERATOR.email)!
  // Sets the cookie of a session that is an hour old.
  const at = Date.now() - 60 * MINUTE_MS
  const value = new Signer([SECRET]).sign([id, 0, crypto.randomUUID(), at, at, Date.now() + 60 * MINUTE_MS].join('.'))
  const context = await world.browser.newContext({ baseURL: world.program.url })
  await context.addCookies([{ name: 'endcap_session', value, url: world.program.url }])
  const page = await context.newPage()
  await page.goto('/panel/tokens')
  const make = async () => {
    await page.getByRole('button', { name: 'New token' }).first().click()
    await page.getByRole('combobox', { name: 'Account' }).click()
    await page.getByRole('option', { name: /Solvik Lamps/ }).click()
    await field(page, 'Name').fill('Reports')
    await page.getByRole('button', { name: 'Create token' }).click()
  }
  await make()
  const dialog = page.getByRole('dialog', { name: 'Confirm your identity' })
  await dialog.locator('input[type=password]').fill('not the password')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('Is not your password').waitFor()
  await look(page, 'is-it-you')
  await dialog.locator('input[type=password]').fill(OPERATOR.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByText(/^endcap_/).waitFor()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText('by Operator').waitFor()
  await look(page, 'tokens')
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
  await look(page, 'sign-out-everywhere')
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('heading', { name: 'Sign in to Endcap' }).waitFor()
  const { items: tokens } = await must(world.program.call<{ items: object[] }>('GET', '/v1/panel/tokens'))
  expect(tokens).toEqual([])
  await context.close()
})

it('shows past events in the security log', async () => {
  const kinds = async () => {
    const log = await must(world.program.call<{ items: { kind: string }[] }>('GET', '/v1/panel/security-log'))
    return log.items.map(({ kind }) => kind)
  }
  await expect.poll(kinds).toEqual(expect.arrayContaining(['TOKEN_CREATED', 'SECOND_FACTOR_ENABLED']))
  // Another test has signed the operator out everywhere.
  const page = await world.signedInAnew(OPERATOR)
  await page.goto('/panel/security-log')
  const events = page.getByRole('table', { name: 'Security events' })
  await events.getByRole('cell', { name: 'Token created' }).waitFor()
  await events.getByRole('cell', { name: 'Two-step sign-in turned on' }).first().waitFor()
  await look(page, 'security-log')
  await page.getByRole('combobox', { name: 'By or to whom' }).click()
  await page.getByRole('option', { name: /^Tina/ }).click()
  await events.getByRole('cell', { name: 'Token created' }).waitFor({ state: 'detached' })
  await events.getByRole('cell', { name: 'Two-step sign-in turned on' }).first().waitFor()
  await page.goto('/panel/users')
  await page.getByRole('button', { name: 'Edit Tina' }).click()
  await page.getByRole('button', { name: 'Turn off two-step sign-in' }).waitFor()
  await look(page, 'edit-user')
  await page.close()
})
