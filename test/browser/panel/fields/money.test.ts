import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { OPERATOR, openWorld, seriousFindings, type World } from '../../harness.ts'

interface Case {
  locale: string
  /** The typed text, the text that the field shows below, and the resulting amount in the API. */
  accepted: [typed: string, understood: string | RegExp, amount: number][]
  /** The typed text, and the reason why it is refused. */
  refused: [typed: string, message: string | RegExp][]
}

const cases: Case[] = [
  {
    locale: 'de-DE',
    accepted: [
      ['1.500,00', '1.500,00 €', 1500],
      ['1.500', '1.500,00 €', 1500],
      ['€ 0,125', '0,125 €', 0.125],
    ],
    refused: [
      ['1,500.00', 'This can be read as 1,5 or 1.500. Enter 1,50 or 1500.'],
      ['1.50', 'This can be read as 1,5 or 150. Enter 1,50 or 150.'],
      ['$15', 'This amount is in EUR. Enter it without another currency.'],
    ],
  },
  {
    locale: 'pl-PL',
    accepted: [
      ['1 500,50', /^1500,50\s€$/, 1500.5],
      ['12\u202f345,6', /^12\s345,60\s€$/, 12345.6],
    ],
    refused: [['1.500,50', /^This can be read as 1,5005 or 1500,5\. Enter 1,5005 or 1500,50\.$/]],
  },
  {
    locale: 'en-US',
    accepted: [
      ['1,500', '€1,500.00', 1500],
      ['EUR 0.4', '€0.40', 0.4],
    ],
    refused: [
      ['1.500,00', 'This can be read as 1.5 or 1,500. Enter 1.50 or 1500.'],
      ['0.1234567', 'Enter at most 6 decimals.'],
      ['-5', 'Must not be negative'],
      ['five', 'Enter a number, such as 1,234.50.'],
    ],
  },
  {
    locale: 'ar-EG',
    accepted: [
      ['١٬٥٠٠٫٢٥', /١٬٥٠٠٫٢٥/, 1500.25],
      ['٠٫٥', /٠٫٥٠/, 0.5],
    ],
    refused: [['خمسة', /^Enter a number/]],
  },
]

let world: World
let shopId: string
beforeAll(async () => {
  world = await openWorld()
  const made = (path: string, body: object) => must(world.program.call<{ id: string }>('POST', path, body))
  const { id: accountId } = await made('/v1/panel/accounts', { kind: 'PUBLISHER', name: 'Shop' })
  const locale = { currency: 'EUR', lang: 'de', country: 'DE', timeZone: 'Europe/Berlin' }
  ;({ id: shopId } = await made('/v1/panel/shops', { accountId, name: 'Lamps', reserveCpc: 0.05, ...locale }))
})
afterAll(() => world?.stop())

const reserve = async () =>
  (await must(world.program.call<{ reserveCpc: number }>('GET', `/v1/panel/shops/${shopId}`))).reserveCpc

describe.each(cases)('money in $locale', ({ locale, accepted, refused }) => {
  let page: Page
  beforeAll(async () => {
    page = await world.signedIn(OPERATOR, { locale })
    await page.goto(`/panel/shops/${shopId}`)
  })
  afterAll(() => page?.context().close())
  const field = () => page.locator('[data-path="reserveCpc"]')
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()

  it.each(accepted)('reads %s as %s', async (typed, understood, amount) => {
    await field().fill(typed)
    await page.getByText(understood).waitFor()
    await save()
    await expect.poll(reserve).toBe(amount)
  })

  it.each(refused)('refuses %s', async (typed, message) => {
    const before = await reserve()
    await field().fill(typed)
    await save()
    const id = await page.getByText(message).getAttribute('id')
    await expect.poll(async () => (await field().getAttribute('aria-describedby'))?.split(' ')).toContain(id)
    await expect.poll(() => field().getAttribute('aria-invalid')).toBe('true')
    // The form was not sent: the field has the focus, and the API still has the old amount.
    await page.locator('[data-path="reserveCpc"]:focus').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    expect(await reserve()).toBe(before)
  })
})
