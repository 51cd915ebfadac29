import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpServer } from '../../../../services/http/server.ts'
import { explainApp } from '../../../../services/registry/explain/app.ts'
import { createPseudonyms } from '../../../../services/registry/explain/pseudonyms.ts'
import { creditedRow } from '../reports/facts/stored.ts'
import { campaigns, openWorld, type ShopId, shops, tokens, type Who, type World } from '../reports/world.ts'

const HOUR_MS = 3_600_000
const now = Date.parse('2026-07-15T12:00:00Z')

interface Line {
  shopId?: ShopId
  kind?: string
  eventId: string
  hoursAgo: number
  /** Absent when nobody was credited. */
  campaignId?: string
  shopProductId?: string
  priceMicros?: number
  returnedMicros?: number
}

const sales: Line[] = [
  { eventId: 'two-lines', hoursAgo: 1, campaignId: 'c-warsaw-1', priceMicros: 9_990_000 },
  { eventId: 'two-lines', hoursAgo: 1, shopProductId: 'lamp', priceMicros: 10_000, returnedMicros: 10_000 },
  { eventId: 'for-nobody', hoursAgo: 2, shopProductId: 'lamp' },
  { eventId: 'of-both', hoursAgo: 3, campaignId: 'c-warsaw-1' },
  { eventId: 'of-both', hoursAgo: 3, campaignId: 'c-warsaw-2', shopProductId: 'lamp' },
  { eventId: 'same-moment', hoursAgo: 3, campaignId: 'c-warsaw-2' },
  { eventId: 'two-lines', hoursAgo: 3, kind: 'CART', campaignId: 'c-warsaw-1' },
  { eventId: 'elsewhere', hoursAgo: 4, shopId: 'lordHowe', campaignId: 'c-lordHowe-1' },
  { eventId: 'long-ago', hoursAgo: 31 * 24, campaignId: 'c-warsaw-1' },
]

const pseudonyms = createPseudonyms(Buffer.alloc(32, 7))

let world: World
beforeAll(async () => {
  world = await openWorld()
  world.server.register(explainApp({ ...world, pseudonyms, now: () => now }))
  const rows = sales.map((sale, i) => rowOf(sale, sales.slice(0, i)))
  await world.analytics.insert('attributed_lines', rows, { token: 'lines' })
  await world.analytics.insert('credited_lines', rows.map(creditedRow), { token: 'credited' })
  await world.analytics.insert('transactions', rows, { token: 'transactions' })
})
afterAll(() => world.close())

function rowOf(sale: Line, before: readonly Line[]) {
  const { shopId = 'warsaw', kind = 'PURCHASE', eventId, hoursAgo, campaignId, priceMicros = 1_000_000 } = sale
  const line = before.filter((other) => other.eventId === eventId && (other.kind ?? 'PURCHASE') === kind).length
  const winner = { match: 'DIRECT', touchType: 'CLICK', touchEventId: 'e', touchAt: now, adId: 'sku' }
  const shopProductId = sale.shopProductId ?? 'sku'
  const none = { match: '', touchType: '', touchEventId: '', touchAt: 0, adId: '' }
  return {
    ...{ shopId, kind, eventId, line, occurredAt: now - hoursAgo * HOUR_MS, cid: 'me', uid: null },
    lines: [{ shopProductId, quantity: 1, priceMicros }],
    ...{ shopProductId, quantity: 1, priceMicros, currency: shops[shopId].currency },
    returnedMicros: sale.returnedMicros ?? 0,
    outcome: campaignId ? 'CREDITED' : 'NO_TOUCH',
    ...(campaignId ? winner : none),
    campaignId: campaignId ?? '',
    accountId: campaignId ? campaigns[campaignId]!.accountId : '',
    ...{ slotHash: '', adUnitId: '', algorithm: '', country: null, itemGroups: [] },
    ...{ clickWindowHours: 336, viewWindowHours: 24, version: 1, deleted: 0 },
  }
}

const list = (query = '', who?: Who) => world.get(`/v1/panel/transactions?${query}`, who)
const idsOf = ({ body }: { body: { items: { eventId: string }[] } }) => body.items.map(({ eventId }) => eventId)

describe('GET /v1/panel/transactions', () => {
  it('answers what was bought in the last 30 days and what of it was credited, the latest first', async () => {
    const { body } = await list('kind=PURCHASE')
    expect(body.nextCursor).toBeNull()
    expect(body.items[0]).toEqual({
      ...{ eventId: 'two-lines', shopId: 'warsaw', shopName: 'Shop warsaw', kind: 'PURCHASE', currency: 'PLN' },
      ...{ occurredAt: '2026-07-15T11:00:00.000Z', proof: 'ANONYMOUS', unconfirmed: false },
      ...{ lines: 2, creditedLines: 1, amount: 10, returnedAmount: 0.01, creditedAmount: 9.99 },
      campaigns: [{ id: 'c-warsaw-1', name: 'Campaign c-warsaw-1' }],
    })
    expect(idsOf({ body })).toEqual(['two-lines', 'for-nobody', 'same-moment', 'of-both', 'elsewhere'])
    expect(JSON.stringify(body)).not.toContain('"me"')
  })

  it('gives every transaction once over its pages, also those of one moment', async () => {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await list(`limit=1${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.items.map((item: { kind: string; eventId: string }) => `${item.kind} ${item.eventId}`))
      cursor = body.nextCursor
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toHaveLength(6)
  })

  it('narrows to a shop, a kind, a campaign, a time, and what was credited', async () => {
    expect(idsOf(await list('shopId=lordHowe'))).toEqual(['elsewhere'])
    expect(idsOf(await list('kind=CART'))).toEqual(['two-lines'])
    expect(idsOf(await list('campaignId=c-warsaw-2'))).toEqual(['same-moment', 'of-both'])
    expect(idsOf(await list('credited=false'))).toEqual(['for-nobody'])
    expect(idsOf(await list('from=2026-06-01T00:00:00Z&to=2026-07-01T00:00:00Z'))).toEqual(['long-ago'])
  })

  it('narrows to the lines that are credited to an account, which are those that its people see', async () => {
    const ofAccount = await list('accountId=adv-2', 'pub-a')
    expect(idsOf(ofAccount)).toEqual(['same-moment', 'of-both'])
    const seen = (await list('', 'adv-2')).body.items
    const amounts = (items: Record<string, unknown>[]) =>
      items.map(({ lines, amount, creditedAmount, campaigns: of }) => ({ lines, amount, creditedAmount, of }))
    expect(amounts(ofAccount.body.items)).toEqual(amounts(seen))
    expect((await list('accountId=adv-1', 'adv-2')).status).toBe(404)
    expect(idsOf(await list('accountId=adv-1', 'pub-b'))).toEqual(['elsewhere'])
  })

  it('narrows to a purchased product, in lines that are credited where only these are listed', async () => {
    const idsWith = async (query: string, who?: Who) => idsOf(await list(`purchasedProductId=lamp${query}`, who))
    expect(await idsWith('')).toEqual(['two-lines', 'for-nobody', 'of-both'])
    expect(await idsWith('&credited=true')).toEqual(['of-both'])
    expect(await idsWith('&credited=false')).toEqual(['for-nobody'])
    expect(await idsWith('&campaignId=c-warsaw-2')).toEqual(['of-both'])
    expect(await idsWith('&campaignId=c-warsaw-1')).toEqual([])
    expect(await idsWith('', 'adv-2')).toHaveLength(1)
    expect(await idsWith('', 'adv-1')).toEqual([])
    const { body } = await list('purchasedProductId=lamp&credited=true')
    expect(body.items).toMatchObject([{ lines: 2, amount: 2, creditedAmount: 2 }])
  })

  it('shows a publisher its own shops, and an advertiser the lines credited to its campaigns', async () => {
    expect(idsOf(await list('', 'pub-b'))).toEqual(['elsewhere'])
    const { body } = await list('', 'adv-2')
    const named = (eventId: string) =>
      pseudonyms.order('adv-2', { shopId: 'warsaw', eventId, occurredAt: now - 3 * HOUR_MS })
    expect(idsOf({ body })).toEqual([named('same-moment'), named('of-both')])
    expect(body.items[1]).toMatchObject({ lines: 1, amount: 1, campaigns: [{ id: 'c-warsaw-2' }] })
    expect((await list('campaignId=c-warsaw-1', 'adv-2')).status).toBe(404)
    expect((await list('shopId=warsaw', 'pub-b')).status).toBe(404)
  })

  it('has no sales for an advertiser in a shop without its campaigns, which it sees as well', async () => {
    const { status, body } = await list('shopId=newYork', 'adv-1')
    expect([status, body]).toEqual([200, { items: [], nextCursor: null }])
    expect((await list('shopId=nowhere', 'adv-1')).status).toBe(404)
  })

  it('pages an advertiser through the orders that credited it and no others', async () => {
    const pages: {
      eventId: string
      campaigns: { id: string }[]
      lines: number
      amount: number
      creditedAmount: number
    }[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await list(`limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, 'adv-2')
      pages.push(...body.items)
      cursor = body.nextCursor
    }
    const all = await list('', 'adv-2')
    expect(pages).toEqual(all.body.items)
    expect(new Set(pages.flatMap((each) => each.campaigns.map(({ id }) => campaigns[id]!.accountId))).size).toBe(1)
    expect(pages.every(({ amount, creditedAmount }) => amount === creditedAmount)).toBe(true)
    expect((await list('credited=false', 'adv-2')).body.items).toEqual([])
  })

  it('names no order in the cursor of an advertiser', async () => {
    const { body } = await list('limit=1', 'adv-2')
    expect(Buffer.from(body.nextCursor, 'base64url').toString('latin1')).not.toContain('same-moment')
    expect((await list(`limit=1&cursor=${body.nextCursor}`, 'adv-2')).body.items).toHaveLength(1)
  })

  describe('as CSV', () => {
    const tableOf = async (query: string, who?: Who): Promise<Record<string, string>[]> => {
      const { status, body } = await list(`format=csv&${query}`, who)
      expect(status).toBe(200)
      const [header, ...rows] = (body as string).trim().split('\r\n')
      const names = header!.split(',')
      return rows.map((row) => Object.fromEntries(row.split(',').map((value, i) => [names[i]!, value])))
    }

    it('has the whole list, with the amounts of the JSON', async () => {
      const rows = await tableOf('kind=PURCHASE&from=2026-06-01T00:00:00Z')
      const { body } = await list('kind=PURCHASE&from=2026-06-01T00:00:00Z')
      expect(rows).toHaveLength(6)
      expect(rows.map(({ eventId, creditedAmount }) => [eventId, Number(creditedAmount)])).toEqual(
        body.items.map((each: { eventId: string; creditedAmount: number }) => [each.eventId, each.creditedAmount]),
      )
      expect(rows[0]).toEqual({
        ...{ eventId: 'two-lines', shopId: 'warsaw', shopName: 'Shop warsaw', kind: 'PURCHASE', currency: 'PLN' },
        ...{ shopDay: '2026-07-15', occurredAt: '2026-07-15T11:00:00.000Z', proof: 'ANONYMOUS', unconfirmed: 'false' },
        ...{ lines: '2', creditedLines: '1', amount: '10', returnedAmount: '0.01', creditedAmount: '9.99' },
        campaigns: 'Campaign c-warsaw-1',
      })
      expect(rows.find(({ eventId }) => eventId === 'of-both')!.campaigns).toBe(
        'Campaign c-warsaw-1; Campaign c-warsaw-2',
      )
    })

    it('says on which day of the shop a transaction counts', async () => {
      const late = rowOf({ eventId: 'late', shopId: 'lordHowe', hoursAgo: 64 }, [])
      await world.analytics.insert('transactions', [late], { token: 'late' })
      await world.analytics.insert('attributed_lines', [late], { token: 'late lines' })
      const [row] = await tableOf('from=2026-07-12T00:00:00Z&to=2026-07-13T00:00:00Z')
      expect(row).toMatchObject({ occurredAt: '2026-07-12T20:00:00.000Z', shopDay: '2026-07-13' })
    })

    it('names no order to an advertiser', async () => {
      const named = (await list('', 'adv-2')).body.items.map(({ eventId }: { eventId: string }) => eventId)
      expect((await tableOf('', 'adv-2')).map(({ eventId }) => eventId)).toEqual(named)
    })

    it('is refused with a page, and where it would have more rows than a file may have', async () => {
      expect(await list('format=csv&limit=2')).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'querystring/format' }] },
      })
      const few = createHttpServer({ logger: false })
      few.register(explainApp({ ...world, pseudonyms, now: () => now, csvRowsMax: 4 }))
      const ask = (query: string) =>
        few.inject({
          url: `/v1/panel/transactions?format=csv&${query}`,
          headers: { authorization: `Bearer ${tokens['pub-a']}` },
        })
      expect((await ask('kind=PURCHASE')).statusCode).toBe(200)
      expect((await ask('')).json()).toMatchObject({ status: 413, code: 'TOO_LARGE' })
    })
  })

  it('marks what counts only until a version of a proven sender comes', async () => {
    const marked = { ...rowOf({ eventId: 'unsure', hoursAgo: 50 }, []), trust: 'PREFER_SIGNED' }
    const proven = { ...rowOf({ eventId: 'sure', hoursAgo: 50 }, []), trust: 'PREFER_SIGNED', proof: 'SIGNED' }
    await world.analytics.insert('transactions', [marked, proven], { token: 'proofs' })
    await world.analytics.insert('attributed_lines', [marked, proven], { token: 'marked' })
    const { body } = await list('from=2026-07-13T00:00:00Z&to=2026-07-13T23:00:00Z')
    expect(body.items).toMatchObject([
      { eventId: 'unsure', proof: 'ANONYMOUS', unconfirmed: true },
      { eventId: 'sure', proof: 'SIGNED', unconfirmed: false },
    ])
  })

  describe('of thousands', () => {
    const ORDERS = 12_000
    const from = Date.parse('2025-12-01T00:00:00Z')
    const range = 'from=2025-12-01T00:00:00Z&to=2025-12-31T00:00:00Z'
    /** The campaign of an order: of few, of many, or none. */
    const campaignOf = (n: number) => (n % 4_000 === 0 ? 'c-warsaw-1' : n % 40 === 20 ? 'c-warsaw-2' : null)
    const latestFirst = Array.from({ length: ORDERS }, (_, i) => ORDERS - 1 - i)
    const earned = (campaignId: string) => latestFirst.filter((n) => campaignOf(n) === campaignId)

    beforeAll(async () => {
      const columns = `'warsaw' AS shopId, 'PURCHASE' AS kind, concat('order-', toString(number)) AS eventId,
        ${from} + number * 60000 AS occurredAt, 'PLN' AS currency`
      const campaign = `multiIf(number % 4000 = 0, 'c-warsaw-1', number % 40 = 20, 'c-warsaw-2', '')`
      await world.analytics.command(
        `INSERT INTO transactions (shopId, kind, eventId, occurredAt, currency) SELECT ${columns} FROM numbers(${ORDERS})`,
      )
      await world.analytics.command(
        `INSERT INTO attributed_lines (shopId, kind, eventId, occurredAt, currency, campaignId, outcome)
         SELECT ${columns}, ${campaign} AS campaign, if(campaign = '', 'NO_TOUCH', 'CREDITED') FROM numbers(${ORDERS})`,
      )
      await world.analytics.command(
        `INSERT INTO credited_lines (shopId, kind, eventId, occurredAt, currency, campaignId)
         SELECT ${columns}, ${campaign} AS campaign FROM numbers(${ORDERS}) WHERE campaign != ''`,
      )
    })

    it.each([
      { of: '', found: latestFirst },
      { of: 'credited=false', found: latestFirst.filter((n) => campaignOf(n) === null) },
      { of: 'credited=true', found: latestFirst.filter((n) => campaignOf(n) !== null) },
      { of: 'campaignId=c-warsaw-2', found: earned('c-warsaw-2') },
      { of: 'campaignId=c-warsaw-1', found: earned('c-warsaw-1') },
    ])('gives the latest that match $of, however far back they are', async ({ of, found }) => {
      const seen: string[] = []
      let cursor: string | null = ''
      for (let page = 0; page < 4 && cursor !== null; page++) {
        const { body } = await list(`${range}&${of}${cursor && `&cursor=${cursor}`}`)
        seen.push(...idsOf({ body }))
        cursor = body.nextCursor
      }
      expect(seen).toEqual(found.slice(0, 400).map((n) => `order-${n}`))
      expect(cursor === null).toBe(found.length <= 400)
    })
  })

  it.each([
    ['cursor=abc', 'querystring/cursor'],
    ['from=2026-07-02T00:00:00Z&to=2026-07-01T00:00:00Z', 'querystring/to'],
    ['from=2024-07-02T00:00:00Z&to=2026-07-01T00:00:00Z', 'querystring/from'],
    ['kind=GIFT', 'querystring/kind'],
  ])('refuses %s with the name of the parameter', async (query, path) => {
    const { status, body } = await list(query)
    expect(status).toBe(400)
    expect(body.errors[0].path).toBe(path)
  })
})
