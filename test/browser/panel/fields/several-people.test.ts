import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { OPERATOR, openWorld, type Person, seriousFindings, type World } from '../../harness.ts'

interface Created {
  id: string
}

let world: World
let nora: Person
let accountId: string
beforeAll(async () => {
  world = await openWorld()
  const account = { kind: 'PUBLISHER', name: 'Publisher with colleagues' }
  accountId = (await must(world.program.call<Created>('POST', '/v1/panel/accounts', account))).id
  nora = await world.makeUser({ name: 'Nora', role: 'PUBLISHER', accountId })
})
afterAll(() => world?.stop())

const makeShop = (name: string) =>
  must(
    world.program.call<Created>('POST', '/v1/panel/shops', {
      ...{ accountId, name, reserveCpc: 0.05, currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin' },
    }),
  )

const lines = (page: Page) => page.getByLabel('One rule per line')
const save = (page: Page) => page.getByRole('button', { name: 'Save synonyms' }).click()

it('adds the synonyms that somebody else has saved meanwhile to those that are being edited', async () => {
  const { id } = await makeShop('Shop of two')
  const path = `/v1/panel/shops/${id}/synonyms`
  await must(world.program.call('PUT', path, { text: 'sofa, couch\nlamp, light' }))
  const page = await world.signedIn(nora)
  await page.goto('/panel/search')
  await expect.poll(() => lines(page).inputValue()).toBe('sofa, couch\nlamp, light')
  await lines(page).fill('sofa, couch\nlamp, light\nbin, basket')
  await must(world.program.call('PUT', path, { text: 'sofa, couch\nrug, carpet' }))

  await save(page)
  await page.getByText('Someone else has saved synonyms meanwhile').waitFor()
  const both = 'sofa, couch\nrug, carpet\nbin, basket'
  expect(await lines(page).inputValue()).toBe(both)
  const stored = async () => (await must(world.program.call<{ text: string }>('GET', path))).text
  expect(await stored()).toBe('sofa, couch\nrug, carpet')

  await save(page)
  await page.getByText('Synonyms saved').waitFor()
  await expect.poll(() => page.getByText('Someone else has saved').count()).toBe(0)
  expect(await stored()).toBe(both)

  // A change of the shop that is no change of its synonyms keeps nobody from saving.
  await lines(page).fill('bin, basket')
  await must(world.program.call('PATCH', `/v1/panel/shops/${id}`, { name: 'Shop of three' }))
  await save(page)
  await expect.poll(stored).toBe('bin, basket')
  await page.close()
})

it('says that a page must be reloaded when a newer version refuses what it sends', async () => {
  const { id } = await makeShop('Shop of the old version')
  const page = await world.signedIn(nora)
  await page.goto(`/panel/shops/${id}`)
  const name = page.getByLabel('Name').first()
  await name.fill('Shop with synonyms')
  const body = { type: 'about:blank', title: 'Invalid', status: 400, code: 'INVALID', detail: 'Invalid' }
  const errors = [{ path: '/old', message: 'must not have additional properties' }]
  await page.route(`**/v1/panel/shops/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') await route.fulfill({ status: 400, json: { ...body, errors } })
    else await route.fallback()
  })
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
  await save()
  await page.getByText('must not have additional properties').waitFor()
  expect(await page.getByText('A new version has been installed').count()).toBe(0)

  await page.route('**/panel/', async (route) => {
    const newest = (await (await route.fetch()).text()).replace(/assets\/[^"]+\.js/g, 'assets/newer.js')
    await route.fulfill({ body: newest, contentType: 'text/html' })
  })
  await save()
  await page.getByText('A new version has been installed').waitFor()
  expect(await name.inputValue()).toBe('Shop with synonyms')
  await page.close()
})

it('says that a shop was deleted while its form was open, and keeps what was typed', async () => {
  const { id } = await makeShop('Shop of nobody')
  const page = await world.signedIn(nora)
  await page.goto(`/panel/shops/${id}`)
  const name = page.getByLabel('Name').first()
  await name.fill('Shop of somebody')
  await must(world.program.call('DELETE', `/v1/panel/shops/${id}`))
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('It was deleted meanwhile').waitFor()
  expect(await name.inputValue()).toBe('Shop of somebody')
  await page.close()
})

describe('two people who change the same thing', () => {
  interface Account {
    name: string
    companyName: string
    taxNumber: string
  }
  const account = (path: string) => must(world.program.call<Account>('GET', path))
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

  /** An account whose form is open, and that somebody else changes before it is saved. */
  async function openForm(others: Partial<Account>) {
    const made = { kind: 'ADVERTISER', name: 'Brand', companyName: 'Brand Ltd', taxNumber: '1' }
    const { id } = await must(world.program.call<Created>('POST', '/v1/panel/accounts', made))
    const path = `/v1/panel/accounts/${id}`
    const page = await world.signedIn(OPERATOR)
    await page.goto(`/panel/accounts/${id}`)
    await page.getByRole('textbox', { name: 'Company name' }).fill('Brand GmbH')
    await must(world.program.call('PATCH', path, others))
    return { page, path }
  }

  it('are both right, without a question, when they change different fields', async () => {
    const { page, path } = await openForm({ taxNumber: '2' })
    await save(page)
    await page.getByText('Account saved').waitFor()
    expect(await account(path)).toMatchObject({ companyName: 'Brand GmbH', taxNumber: '2' })
    expect(await page.getByLabel('Tax number').inputValue()).toBe('2')
    await page.context().close()
  })

  it('see what the other one has written into the same field, and choose', async () => {
    const { page, path } = await openForm({ companyName: 'Brand AG', taxNumber: '2' })
    await save(page)
    const clash = page.getByRole('alert').filter({ hasText: 'The operator has changed this, too' })
    await clash.getByText('Theirs: Brand AG').waitFor()
    expect(await clash.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await seriousFindings(page)).toEqual([])
    expect(await account(path)).toMatchObject({ companyName: 'Brand AG', taxNumber: '2' })

    // Without a choice, nothing is saved.
    await save(page)
    await clash.getByText('Theirs: Brand AG').click()
    expect(await page.getByRole('textbox', { name: 'Company name' }).inputValue()).toBe('Brand AG')
    await clash.getByText('Yours: Brand GmbH').click()
    expect(await page.getByRole('textbox', { name: 'Company name' }).inputValue()).toBe('Brand GmbH')
    await save(page)
    await page.getByText('Account saved').waitFor()
    await expect.poll(() => clash.count()).toBe(0)
    expect(await account(path)).toMatchObject({ companyName: 'Brand GmbH', taxNumber: '2' })
    await page.context().close()
  })

  it('do not delete what has become something else', async () => {
    const { page, path } = await openForm({ name: 'Brand that sells' })
    await page.getByRole('button', { name: 'Delete account' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click()
    await page.getByText('Someone else has changed it meanwhile').waitFor()
    expect((await account(path)).name).toBe('Brand that sells')
    await page.getByRole('heading', { name: 'Brand that sells', exact: true }).waitFor()
    await page.context().close()
  })

  it('are told in the dialog of a user, too', async () => {
    const { id } = await must(
      world.program.call<Created>('POST', '/v1/panel/users', {
        ...{ name: 'Ada', email: 'ada@brand.example', role: 'PUBLISHER', accountId, password: OPERATOR.password },
      }),
    )
    const [mine, theirs] = [await world.signedIn(OPERATOR), await world.signedIn(OPERATOR)]
    for (const [page, name] of [
      [mine, 'Ada Lovelace'],
      [theirs, 'Ada King'],
    ] as const) {
      await page.goto('/panel/users')
      await page.getByRole('button', { name: 'Edit Ada', exact: true }).click()
      await page.getByRole('dialog').getByLabel('Name').fill(name)
    }
    await save(theirs)
    await theirs.getByText('User saved').waitFor()
    await save(mine)
    await mine.getByText('Theirs: Ada King').waitFor()
    await mine.getByText('Operator has changed this, too', { exact: true }).waitFor()
    await mine.getByText('Yours: Ada Lovelace').click()
    await save(mine)
    await mine.getByText('User saved').waitFor()
    expect((await must(world.program.call<{ name: string }>('GET', `/v1/panel/users/${id}`))).name).toBe('Ada Lovelace')
    await Promise.all([mine, theirs].map((page) => page.context().close()))
  })
})
