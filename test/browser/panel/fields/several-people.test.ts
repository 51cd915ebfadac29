import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { openWorld, type Person, type World } from '../../harness.ts'

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
