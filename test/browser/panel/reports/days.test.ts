import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { OPERATOR, openOwnWorld, type World } from '../../harness.ts'

/** Which days of reports the pages request around midnight in the zone of the only shop, in a browser in another zone. */

let world: World
let publisherId: string
const make = <T = { id: string }>(path: string, body: object) =>
  must(world.program.call<T>('POST', `/v1/panel/${path}`, body))
beforeAll(async () => {
  world = await openOwnWorld()
  const publisher = await make('accounts', { kind: 'PUBLISHER', name: 'Northwind', companyName: 'Northwind' })
  publisherId = publisher.id
  const home = { currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin' }
  const shop = await make('shops', { accountId: publisher.id, name: 'Northwind Market', ...home })
  const campaign = { kind: 'SPONSORED', name: 'Lamps', budget: 100, cpc: 0.5, products: { ids: ['L-1'] } }
  await make('campaigns', { ...campaign, accountId: publisher.id, shopId: shop.id })
})
afterAll(() => world?.stop())

/** Opens a page at a time of the browser's clock. @returns the days of the reports that it requests, `from` to `to`. */
async function opened(path: string, time: string, person = OPERATOR): Promise<{ page: Page; asked: string[] }> {
  const page = await world.signedIn(person, { timezoneId: 'America/New_York' })
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/v1/panel/reports') asked.push(`${searchParams.get('from')} to ${searchParams.get('to')}`)
  })
  await page.clock.install({ time })
  await page.goto(path)
  return { page, asked }
}

it('the list of campaigns asks for today in the first hour of a day of 25', async () => {
  const { page, asked } = await opened('/panel/campaigns', '2026-10-24T22:30:00Z')
  await page.getByRole('link', { name: 'Lamps' }).waitFor()
  await expect.poll(() => asked).toContain('2026-10-25 to 2026-10-26')
  await page.context().close()
})

it('a home page that stays open goes on to the next day, and compares it up to the same time of day', async () => {
  const { page, asked } = await opened('/panel/', '2026-10-26T22:50:00Z')
  await expect.poll(() => asked).toContain('2026-10-20 to 2026-10-27')
  // The clock was set back by an hour between the two periods.
  await expect.poll(() => asked).toContainEqual(expect.stringMatching(/^2026-10-13 to 2026-10-19T21:5/))
  await page.clock.runFor(11 * 60_000)
  await expect.poll(() => asked).toContain('2026-10-21 to 2026-10-28')
  await page.context().close()
})

it('a report of the only shop has all its settings in one line at the width of a laptop', async () => {
  const page = await world.signedIn(OPERATOR, { viewport: { width: 1440, height: 900 } })
  await page.goto('/panel/reports?groupBy=purchasedProduct')
  const topOf = (field: Locator) => field.evaluate((element) => element.getBoundingClientRect().top)
  const grouping = page.getByRole('combobox', { name: 'Group by' })
  const comparing = page.getByText('Compare with previous', { exact: true })
  const below = async () => (await topOf(comparing)) - (await topOf(grouping))
  await expect.poll(below).toBeLessThan(await grouping.evaluate((element) => element.clientHeight))
  await page.context().close()
})

describe('with a second shop, in Tokyo', () => {
  beforeAll(async () => {
    const home = { currency: 'JPY', lang: 'ja', country: 'JP', timeZone: 'Asia/Tokyo' }
    await make('shops', { accountId: publisherId, name: 'Tokyo', ...home })
  })

  it('a home page and a report of both include a day that has begun in them, and not yet in the browser', async () => {
    for (const [path, days] of [
      ['/panel/', '2026-10-20 to 2026-10-27'],
      ['/panel/reports?period=today', '2026-10-26 to 2026-10-27'],
    ] as const) {
      const { page, asked } = await opened(path, '2026-10-26T01:30:00Z')
      await expect.poll(() => asked).toContain(days)
      await page.context().close()
    }
  })

  it('a home page of both keeps to the day of the browser while it is that of one of them', async () => {
    const { page, asked } = await opened('/panel/', '2026-10-26T16:30:00Z')
    await expect.poll(() => asked).toContain('2026-10-20 to 2026-10-27')
    await page.context().close()
  })

  it('the list of an advertiser asks for the day that it is in each of them', async () => {
    const { id: accountId } = await make('accounts', { kind: 'ADVERTISER', name: 'Lumbra' })
    const person = await world.makeUser({ name: 'Lena', role: 'ADVERTISER', accountId })
    const { page, asked } = await opened('/panel/campaigns', '2026-10-26T16:30:00Z', person)
    await expect.poll(() => asked.toSorted()).toEqual(['2026-10-26 to 2026-10-27', '2026-10-27 to 2026-10-28'])
    await page.context().close()
  })
})
