import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Program, startProgram } from '../program.ts'
import { waitFor } from '../wait-for.ts'
import { type JourneyShop, openShop, type Selection } from './shop.ts'

const ATTACKER = '8.8.8.8'
const CLICKS = 120
/** The shop's reserve, which a campaign pays for a click when it is alone in its auction. */
const PRICE = 0.05
const METRICS = 'views,clicks,grossClicks,invalidTraffic,invalidAddressClicks,marked,spend,creditedBack,purchases'

describe('an attacker behind a trusted proxy', () => {
  let program: Program
  let shop: JourneyShop

  beforeAll(async () => {
    program = await startProgram({ env: { TRUSTED_PROXIES: 'loopback' } })
    shop = await openShop(program, { budget: 1_000 })
  })
  afterAll(() => program?.stop())

  /** Sends a request as a stranger from an address. */
  async function send<T>(path: string, body: unknown, cid: string, address: string | null): Promise<T> {
    const forwarded = address === null ? {} : { 'x-forwarded-for': address }
    const headers = { 'content-type': 'application/json', 'user-agent': 'curl/8', cid, ...forwarded }
    const answer = await fetch(program.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const targeting = () => [{ slotHash: shop.slotHash, adCount: 1, searchData: 'desk lamp' }]
  async function askAndClick(cid: string, address: string | null) {
    const { data } = await send<Selection>('/v1/dsa/raw/batch', { targeting: targeting() }, cid, address)
    const ad = data[0]!.ads[0]!
    await send('/v1/dsa/click-event', { showId: ad.showId }, cid, address)
    return ad
  }
  async function totals() {
    const range = `from=${new Date(Date.now() - 86_400_000).toISOString()}&to=${new Date(Date.now() + 3_600_000).toISOString()}`
    const path = `/v1/panel/reports?shopId=${shop.shopId}&${range}&metrics=${METRICS}`
    return (await shop.get<{ totals: Record<string, number> }>(path)).totals
  }
  const spend = async () => (await shop.get<{ spent: number }>(`/v1/panel/campaigns/${shop.campaignId}`)).spent

  it('has two clicks billed of 120 that it makes at once, each with a new cid', async () => {
    for (let n = 0; n < CLICKS; n++) await askAndClick(`attacker-${n}`, ATTACKER)
    await waitFor(async () => (await totals()).grossClicks === CLICKS)
    const { clicks, spend: spent, invalidAddressClicks, invalidTraffic } = await totals()
    process.stdout.write(`${CLICKS} clicks of one address in seconds: ${clicks} billed, ${spent} EUR\n`)
    expect({ clicks, spent, invalidAddressClicks, invalidTraffic }).toEqual({
      clicks: 2,
      spent: 2 * PRICE,
      invalidAddressClicks: CLICKS - 2,
      invalidTraffic: CLICKS - 2,
    })
  })

  it('takes nothing from a first test on one machine, which counts at once', async () => {
    for (let n = 0; n < 5; n++) await askAndClick('developer', null)
    await waitFor(async () => (await totals()).clicks === 7)
    expect(await totals()).toMatchObject({ invalidTraffic: CLICKS - 2 })
  })

  it('loses what it was credited, and the campaign gets back what it paid, once its clicks are voided', async () => {
    const { shopProductId, productPrice } = await askAndClick('thief', '9.9.9.9')
    const products = [{ shopProductId, price: productPrice, quantity: 1 }]
    const order = { eventId: 'order', kind: 'PURCHASE', shopId: shop.shopId, currency: 'EUR', products }
    await send('/v1/ev/transaction', order, 'thief', '9.9.9.9')
    await expect.poll(totals).toMatchObject({ purchases: 1, clicks: 8 })
    await expect.poll(spend).toBeCloseTo(8 * PRICE)

    const path = '/v1/panel/invalid-traffic/voids'
    const asked = { shopId: shop.shopId, cid: 'thief', reason: 'A click farm' }
    const found = { events: 1, clicks: 1, creditedBack: PRICE, currency: 'EUR', reason: 'A click farm' }
    expect(await shop.post(path, { ...asked, dryRun: true })).toMatchObject({ ...found, id: null })
    const voided = await shop.post<{ id: string }>(path, asked)
    expect(voided).toMatchObject(found)
    const after = { purchases: 0, clicks: 7, creditedBack: PRICE, spend: expect.closeTo(7 * PRICE) }
    await expect.poll(totals).toMatchObject(after)
    await expect.poll(spend).toBeCloseTo(7 * PRICE, 9)
    expect((await shop.get<{ items: object[] }>(`${path}?shopId=${shop.shopId}`)).items).toMatchObject([
      { ...found, id: voided.id },
    ])
  })

  it('is voided once, and only by conditions that name events', async () => {
    const post = (body: object) => program.call('POST', '/v1/panel/invalid-traffic/voids', body)
    const reason = 'again'
    expect((await post({ shopId: shop.shopId, cid: 'thief', reason })).status).toBe(400)
    expect((await post({ shopId: shop.shopId, reason })).status).toBe(400)
    expect((await post({ shopId: randomUUID(), cid: 'thief', reason })).status).toBe(404)
  })
})
