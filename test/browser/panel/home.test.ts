import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { OPERATOR, openOwnWorld, seriousFindings, type World, watchErrors } from '../harness.ts'
import { feedXml, lamp, stockShop } from './publisher-data.ts'

let world: World
let page: Page
beforeAll(async () => {
  world = await openOwnWorld()
  page = await world.signedIn(OPERATOR)
})
afterAll(() => world?.stop())

const make = <T = { id: string }>(path: string, body: object) =>
  must(world.program.call<T>('POST', `/v1/panel/${path}`, body))
const HOME = { currency: 'EUR', lang: 'en', country: 'DE' }
const makePublisher = () => make('accounts', { kind: 'PUBLISHER', name: 'Northwind', companyName: 'Northwind' })
const makeShop = async (name: string) => make('shops', { accountId: (await makePublisher()).id, name, ...HOME })
const steps = () => page.getByRole('listitem').filter({ hasText: /^(Done|Open)/ })
/** Advances the page's clock until the page shows something: it refetches the steps by itself. */
const untilShown = (locator: Locator) =>
  waitFor(async () => {
    await page.clock.runFor(1_000)
    return locator.isVisible()
  })
const isTicked = (name: string) => untilShown(page.getByRole('listitem').filter({ hasText: `Done${name}` }))

it('ticks the steps of an empty installation up to the first attributed sale, and then goes', async () => {
  const errors = watchErrors(page)
  await page.goto('/panel/accounts')
  await page.getByText('No accounts').waitFor()
  await page.clock.install()
  await page.goto('/panel/')
  await page.getByRole('heading', { name: 'Set up' }).waitFor()
  await expect.poll(() => steps().count()).toBe(7)
  await page.getByText('Nothing needs attention').waitFor()
  await page.getByText('No views, clicks or sales in this period').waitFor()
  expect(await seriousFindings(page)).toEqual([])

  const publisher = await makePublisher()
  await isTicked('Create the publisher’s account')
  const shop = await make('shops', { accountId: publisher.id, name: 'Northwind Market', ...HOME })
  await isTicked('Create a shop')
  const feed = await make('feeds', { shopId: shop.id, name: 'Catalogue' })
  await must(
    world.program.call('POST', `/v1/panel/feeds/${feed.id}/content`, feedXml([lamp('L-1', 'Desk lamp Borea')])),
  )
  await isTicked('Add products')
  const placement = await make('placements', { shopId: shop.id, name: 'Search', kind: 'PRODUCT' })
  const unit = await make('ad-units', { placementId: placement.id, name: 'Top', algorithm: 'BESTSELLERS' })
  await isTicked('Create an ad unit')
  const account = { kind: 'ADVERTISER', name: 'Lumbra', companyName: 'Lumbra', sellerIds: ['lumbra'] }
  const advertiser = await make('accounts', account)
  const campaign = { kind: 'SPONSORED', name: 'Lamps', budget: 100, cpc: 0.5, products: { ids: ['L-1'] } }
  await make('campaigns', { ...campaign, accountId: advertiser.id, shopId: shop.id })
  await isTicked('Create a campaign')

  const showId = await firstAd(unit.id)
  await send('/v1/dsa/view-event', { showId })
  await isTicked('First view of an ad')
  await send('/v1/dsa/click-event', { showId })
  const products = [{ shopProductId: 'L-1', price: 12_345.67, quantity: 1 }]
  await send('/v1/ev/transaction', { eventId: 'o1', kind: 'PURCHASE', shopId: shop.id, currency: 'EUR', products })
  await untilShown(page.getByText('Everything is set up'))
  await page.getByRole('heading', { name: 'Set up' }).waitFor({ state: 'detached' })

  // The table of campaigns has half of the page, which is narrowest at this width.
  await page.setViewportSize({ width: 1200, height: 900 })
  const campaigns = page.getByRole('table', { name: 'Top campaigns' })
  await untilShown(campaigns.getByRole('row', { name: '12,345.67' }).getByRole('link', { name: 'Lamps' }))
  expect(await campaigns.evaluate(({ parentElement: frame }) => frame!.scrollWidth - frame!.clientWidth)).toBe(0)
  await page.setViewportSize({ width: 1280, height: 720 })
  expect(errors).toEqual([])
})

async function firstAd(slotHash: string): Promise<string> {
  let showId: string | undefined
  await waitFor(async () => {
    const { data } = await send<Ads>('/v1/dsa/raw/batch', { targeting: [{ slotHash, adCount: 1 }] })
    showId = data[0]?.ads[0]?.showId
    return showId !== undefined
  })
  return showId!
}

interface Ads {
  data: { ads: { showId: string }[] }[]
}

/** Sends a request as a shop's page does in a shopper's browser. */
async function send<T>(path: string, body: object): Promise<T> {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130 Safari/537.36'
  const headers = { 'content-type': 'application/json', cid: 'shopper', 'user-agent': userAgent }
  const answer = await fetch(world.program.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await answer.json()) as T
}

it('remembers that the steps were hidden', async () => {
  const account = await make('accounts', { kind: 'ADVERTISER', name: 'Newcomer', companyName: 'Newcomer' })
  const advertiser = await world.makeUser({ name: 'Nele', role: 'ADVERTISER', accountId: account.id })
  const own = await world.signedIn(advertiser)
  await own.goto('/panel/')
  await own.getByText('The shop shows your ads once your campaign runs.').waitFor()
  expect(await seriousFindings(own)).toEqual([])
  await own.getByRole('button', { name: 'Hide' }).click()
  await own.reload()
  await own.getByRole('button', { name: 'Show the steps up to the first sale' }).click()
  await own.getByRole('link', { name: 'Create a campaign' }).click()
  await own.getByRole('heading', { level: 1, name: 'New campaign' }).waitFor()
  await own.context().close()
})

it('compares amounts with those of the same currency only', async () => {
  const own = await world.signedIn(OPERATOR)
  // The previous period ends at a time of day, the present one at the end of a day.
  await own.route(/\/v1\/panel\/reports\?/, (route) => {
    const isPrevious = new URL(route.request().url()).searchParams.get('to')!.includes('T')
    const totals = isPrevious
      ? { currency: 'EUR', views: 100, clicks: 10, spend: 20, purchases: 1, revenue: 50, roas: 2.5 }
      : { currency: 'PLN', views: 150, clicks: 10, spend: 80, purchases: 1, revenue: 300, roas: 5 }
    return route.fulfill({ json: { rows: [], totals, totalsByCurrency: [totals], truncated: false } })
  })
  await own.goto('/panel/')
  await own.getByText('+50% vs previous period').first().waitFor()
  // Of the views; those of the amounts and of ROAS would be +500%, +300% and +100%.
  expect((await own.getByRole('main').textContent())?.match(/\+\d+%/g)).toEqual(['+50%'])
  await own.context().close()
})

it('does not load the campaigns of an account that has 500, and names what needs attention', async () => {
  const shop = await makeShop('Southwind Market')
  const account = { kind: 'ADVERTISER', name: 'Many', companyName: 'Many', sellerIds: ['lumbra'] }
  const advertiser = await make('accounts', account)
  const campaign = { kind: 'SPONSORED', budget: 100, cpc: 0.5, products: { ids: ['L-1'] }, shopId: shop.id }
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  for (let i = 0; i < 500; i++) {
    const dates = i === 0 ? { startAt: day(-10), endAt: day(10) } : {}
    await make('campaigns', { ...campaign, ...dates, accountId: advertiser.id, name: `Campaign ${i}` })
  }
  const own = await world.signedIn(await world.makeUser({ name: 'Mia', role: 'ADVERTISER', accountId: advertiser.id }))
  const answers: { path: string; bytes: Promise<number> }[] = []
  own.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.startsWith('/v1/'))
      answers.push({ path: pathname, bytes: response.body().then(({ length }) => length) })
  })
  await own.goto('/panel/')
  await own.getByText('A campaign is behind pace').waitFor()
  await own.getByRole('link', { name: 'Campaign 0', exact: true }).waitFor()
  await own.getByRole('link', { name: '500', exact: true }).waitFor()
  await own.waitForLoadState('networkidle')
  expect(answers.map(({ path }) => path)).not.toContain('/v1/panel/campaigns')
  const bytes = await Promise.all(answers.map((each) => each.bytes))
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(30_000)
  await own.context().close()
})

it('leads an operator to the shop in which campaigns wait for moderation, and from counts over shops to no list of one', async () => {
  await makeShop('Westwind Market')
  await stockShop(world.program)
  const operator = await world.signedIn(OPERATOR)
  await operator.goto('/panel/')
  await operator.getByText('2 campaigns are waiting for moderation').waitFor()
  await operator.getByText('In moderation').waitFor()
  expect(await operator.getByRole('main').getByRole('link', { name: /^\d+$/ }).count()).toBe(0)
  await operator.getByRole('link', { name: 'Moderate' }).click()
  await operator.getByRole('heading', { name: 'Light for long evenings' }).waitFor()

  const { shopId } = await stockShop(world.program)
  await operator.reload()
  const queue = operator.waitForResponse((response) => response.url().includes(`/v1/panel/moderation?shopId=${shopId}`))
  await operator.getByText('2 campaigns wait in Northwind Market.').getByRole('button', { name: 'Show' }).click()
  expect(await (await queue).json()).toMatchObject({ items: [{ shopId }, { shopId }] })
  await operator.getByText('2 campaigns wait in Northwind Market.').waitFor()
  await operator.context().close()
})
