import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CounterKey, CountersUnavailable } from '../../../../infra/counters/port.ts'
import type { ScannedProduct } from '../../../../infra/product-index/port.ts'
import type { Campaign, FeedRun, Moderation } from '../../../../schemas/records/entities.ts'
import { dailySpendKey, spendKey } from '../../../../services/domain/money/counter-keys.ts'
import { overviewApp } from '../../../../services/registry/overview/app.ts'
import { createAccess } from '../../../../services/registry/rights/access.ts'
import { creditedRow } from '../reports/facts/stored.ts'
import { apply, openWorld, shopIds, type Who, type World } from '../reports/world.ts'

const DAY_MS = 86_400_000
const now = Date.parse('2026-07-15T12:00:00Z')

let world: World
const spent = new Map<string, number>()
const nameOf = ({ group, id }: CounterKey) => `${group.name} ${id}`
const spend = (campaignId: string, micros: number) => spent.set(nameOf(spendKey(0, campaignId)), micros)
const system = { failed: 0, delayMs: 0, areCountersAway: false, products: [] as string[] }
/** The numbers of keys that were read from the counters together. */
const readSizes: number[] = []
let version = 1

beforeAll(async () => {
  world = await openWorld()
  const { snapshot } = world
  for (const id of shopIds) {
    const body = { ...snapshot.body('Shop', id)!, reserveCpcMicros: 40 }
    snapshot.apply({ kind: 'Shop', id, version: 2, updatedAt: 0, updatedBy: 'test', deletedAt: null, body })
  }
  world.server.register(
    overviewApp({
      ...world,
      access: createAccess(snapshot),
      index: {
        scan: async ({ shopId }) => (system.products.includes(shopId) ? [{} as ScannedProduct] : []),
      },
      counters: {
        shards: 1,
        async read(keys) {
          if (system.areCountersAway) throw new CountersUnavailable('away')
          readSizes.push(keys.length)
          return keys.map((key) => spent.get(nameOf(key)) ?? 0)
        },
      },
      deadLetters: async () => system.failed,
      processingDelayMs: async () => system.delayMs,
      now: () => now,
    }),
  )
})
afterAll(() => world.close())
beforeEach(() => {
  Object.assign(system, { failed: 0, delayMs: 0, areCountersAway: false })
  spent.clear()
  for (const { id } of [...world.snapshot.all('Campaign')]) campaign(id, {})
})

/** Sets a campaign of the world. By default it runs and has all of its budget. */
function campaign(id: string, body: Partial<Campaign>, deletedAt: number | null = null): void {
  const before = world.snapshot.getEver('Campaign', id)?.body
  const running = {
    ...{ kind: 'SPONSORED', status: 'ACTIVE', cpcMicros: 100, startAt: now - DAY_MS, endAt: null, budgetMicros: 1_000 },
    ...{ dailyBudgetMicros: null, moderation: null, autoPromo: false, archivedAt: null },
  }
  version += 1
  const entry = { kind: 'Campaign', id, version, updatedAt: now - DAY_MS, updatedBy: 'test', deletedAt }
  world.snapshot.apply({ ...entry, body: { ...before, ...running, ...body } } as never)
}

const attention = async (who?: Who, query = '') => (await world.get(`/v1/panel/attention${query}`, who)).body
// biome-ignore lint/suspicious/noExplicitAny: an answer
const kindsOf = (body: any) => Object.fromEntries(body.items.map((item: any) => [item.kind, item.count]))

describe('attention', () => {
  it('is calm while nothing needs any, and counts campaigns by state', async () => {
    expect(await attention()).toEqual({ items: [], unknown: [], campaigns: { RUNNING: 6 } })
    expect((await attention('adv-1')).campaigns).toEqual({ RUNNING: 4 })
  })

  it('names budgets that are nearly spent, days that are spent early, and campaigns behind their pace', async () => {
    campaign('c-warsaw-1', {})
    spend('c-warsaw-1', 900)
    campaign('c-newYork-1', { dailyBudgetMicros: 100 })
    spent.set(nameOf(dailySpendKey(0, 'c-newYork-1', '2026-07-15')), 95)
    campaign('c-lordHowe-1', { endAt: now + DAY_MS })
    spend('c-lordHowe-1', 399)
    const body = await attention()
    expect(kindsOf(body)).toEqual({ BUDGET_LOW: 1, DAILY_BUDGET_LOW: 1, BEHIND_PACE: 1 })
    expect(body.items[0].examples).toEqual([
      {
        ...{ id: 'c-warsaw-1', name: 'Campaign c-warsaw-1', shopId: 'warsaw', shopName: 'Shop warsaw' },
        ...{ runId: null, share: 0.9 },
      },
    ])
    expect(kindsOf(await attention('adv-2'))).toEqual({ DAILY_BUDGET_LOW: 1 })
    expect(kindsOf(await attention('pub-b'))).toEqual({ BEHIND_PACE: 1 })
    expect(kindsOf(await attention('pub-a', '?shopId=warsaw'))).toEqual({ BUDGET_LOW: 1 })
  })

  it('names campaigns whose budget is spent until they are paused, and bids below the reserve of their shop', async () => {
    spend('c-warsaw-1', 1_000)
    campaign('c-warsaw-2', { status: 'PAUSED' })
    spend('c-warsaw-2', 1_000)
    campaign('c-newYork-1', { cpcMicros: 39, endAt: now + 1 })
    campaign('c-lordHowe-1', { cpcMicros: 40 })
    campaign('c-newYork-2', { cpcMicros: 0, autoPromo: true })
    const body = await attention()
    expect(body.items).toMatchObject([
      { kind: 'BUDGET_SPENT', count: 1, examples: [{ id: 'c-warsaw-1', share: 1 }] },
      { kind: 'BID_BELOW_RESERVE', count: 1, examples: [{ id: 'c-newYork-1', share: null }] },
    ])
    expect(kindsOf(await attention('adv-2'))).toEqual({ BID_BELOW_RESERVE: 1 })
    system.areCountersAway = true
    expect(kindsOf(await attention('adv-2'))).toEqual({ BID_BELOW_RESERVE: 1 })
  })

  it('leaves out a budget with a bit more left, a day that nearly ends, and a pace that is nearly kept', async () => {
    spend('c-warsaw-1', 899)
    // It is 22:30 there.
    campaign('c-lordHowe-1', { dailyBudgetMicros: 100 })
    spent.set(nameOf(dailySpendKey(0, 'c-lordHowe-1', '2026-07-15')), 95)
    campaign('c-newYork-1', { endAt: now + DAY_MS })
    spend('c-newYork-1', 401)
    expect((await attention()).items).toEqual([])
  })

  it('says since when banners wait for moderation, and tells only their advertiser that they were rejected', async () => {
    const waiting: Moderation = {
      ...{ state: 'IN_MODERATION', reason: null, decidedAt: null, decidedBy: null, history: [], submittedAt: null },
    }
    campaign('c-warsaw-3', { kind: 'DISPLAY', moderation: waiting })
    campaign('c-lordHowe-2', { kind: 'DISPLAY', moderation: { ...waiting, state: 'REJECTED', decidedAt: now } })
    const body = await attention('adv-1')
    expect(kindsOf(body)).toEqual({ MODERATION_REJECTED: 1, MODERATION_WAITING: 1 })
    expect(body.items[1].since).toBe(new Date(now - DAY_MS).toISOString())
    campaign('c-warsaw-3', { kind: 'DISPLAY', moderation: { ...waiting, submittedAt: now - 3 * DAY_MS } })
    expect((await attention('adv-1')).items[1].since).toBe(new Date(now - 3 * DAY_MS).toISOString())
    expect(kindsOf(await attention('pub-a'))).toEqual({ MODERATION_WAITING: 1 })
    expect(kindsOf(await attention('pub-b'))).toEqual({})
  })

  it('names feeds whose last ended run failed, is held or rejected most, to their publisher', async () => {
    const run = (id: string, feedId: string, queuedAt: number, body: Partial<FeedRun>) =>
      apply(world.snapshot, 'FeedRun', id, {
        ...{ feedId, shopId: 'warsaw', status: 'DONE', total: 10, rejected: 0, queuedAt, endedAt: queuedAt },
        ...body,
      })
    for (const id of ['f1', 'f2', 'f3', 'f4'])
      apply(world.snapshot, 'Feed', id, { shopId: 'warsaw', name: `Feed ${id}` })
    run('r1', 'f1', 1, {})
    run('r2', 'f1', 2, { status: 'FAILED' })
    run('r3', 'f1', 3, { status: 'RUNNING', endedAt: null })
    run('r4', 'f2', 1, { status: 'HELD' })
    run('r5', 'f3', 1, { rejected: 6 })
    run('r6', 'f4', 2, { rejected: 5 })
    run('r7', 'f4', 1, { status: 'FAILED' })
    const body = await attention('pub-a')
    expect(kindsOf(body)).toEqual({ FEED_FAILED: 1, FEED_HELD: 1, FEED_REJECTED: 1 })
    expect(body.items[0].examples[0]).toMatchObject({ id: 'f1', runId: 'r2', name: 'Feed f1' })
    expect(body.items[2].examples[0]).toMatchObject({ id: 'f3', share: 0.6 })
    expect((await attention('pub-b')).items).toEqual([])
    expect((await attention('adv-1')).items).toEqual([])
    for (const id of ['f1', 'f2', 'f3', 'f4']) world.snapshot.forget('Feed', id)
  })

  it('tells operators alone of failed events, and of a delay of over a minute', async () => {
    Object.assign(system, { failed: 3, delayMs: 61_000 })
    expect(kindsOf(await attention())).toEqual({ PROCESSING_DELAY: 1, FAILED_EVENTS: 3 })
    expect((await attention('pub-a')).items).toEqual([])
    system.delayMs = 60_000
    expect(kindsOf(await attention())).toEqual({ FAILED_EVENTS: 3 })
  })

  it('says what it cannot tell while the counters are away', async () => {
    system.areCountersAway = true
    const body = await attention()
    expect(body).toMatchObject({
      items: [],
      unknown: ['BUDGET_SPENT', 'BUDGET_LOW', 'DAILY_BUDGET_LOW', 'BEHIND_PACE'],
    })
  })

  it('judges every one of 3,000 campaigns, reading few at once, and names three of them', async () => {
    const ids = Array.from({ length: 3_000 }, (_, i) => `many-${i}`)
    for (const id of ids) {
      campaign(id, { accountId: 'adv-2', shopId: 'warsaw', name: id })
      spend(id, 950)
    }
    readSizes.length = 0
    const body = await attention('adv-2')
    expect(Math.max(...readSizes)).toBeLessThanOrEqual(1_000)
    expect(body.unknown).toEqual([])
    expect(kindsOf(body)).toMatchObject({ BUDGET_LOW: 3_000 })
    expect(body.items[0].examples).toHaveLength(3)
    for (const id of ids) world.snapshot.forget('Campaign', id)
  })

  it('knows no shop that the caller may not see', async () => {
    expect((await world.get('/v1/panel/attention?shopId=lordHowe', 'pub-a')).status).toBe(404)
    expect((await world.get('/v1/panel/setup?shopId=lordHowe', 'pub-a')).status).toBe(404)
  })
})

describe('setup', () => {
  // biome-ignore lint/suspicious/noExplicitAny: an answer
  const stepsOf = (body: any) => Object.fromEntries(body.steps.map(({ step, done }: any) => [step, done]))
  const setup = async (who?: Who, query = '') => (await world.get(`/v1/panel/setup${query}`, who)).body

  it('has the steps of each role', async () => {
    expect(Object.keys(stepsOf(await setup()))).toEqual([
      ...['PUBLISHER_ACCOUNT', 'SHOP', 'FEED', 'AD_UNIT', 'CAMPAIGN', 'FIRST_IMPRESSION', 'FIRST_SALE'],
    ])
    expect(Object.keys(stepsOf(await setup('adv-1')))).toEqual([
      ...['CAMPAIGN', 'MODERATION', 'FIRST_IMPRESSION', 'FIRST_SALE'],
    ])
  })

  it('ticks products, the first impression and the first sale as they come, for those whom they concern', async () => {
    const nothingYet = {
      SHOP: true,
      FEED: false,
      AD_UNIT: true,
      CAMPAIGN: true,
      FIRST_IMPRESSION: false,
      FIRST_SALE: false,
    }
    expect(stepsOf(await setup('pub-a'))).toEqual(nothingYet)
    system.products = ['warsaw']
    await world.analytics.insert('judged_events', [view('EXPIRED', 1), view('VALID', 2)], { token: 'views' })
    expect(stepsOf(await setup('pub-a'))).toEqual({ ...nothingYet, FEED: true, FIRST_IMPRESSION: true })
    expect(stepsOf(await setup('pub-a', '?shopId=newYork'))).toEqual(nothingYet)
    expect(stepsOf(await setup('adv-2'))).toMatchObject({ FIRST_IMPRESSION: false })
    expect(stepsOf(await setup('adv-1'))).toMatchObject({ FIRST_IMPRESSION: true, FIRST_SALE: false })
    await world.analytics.insert('credited_lines', [creditedRow(credit())], { token: 'lines' })
    expect(await setup('pub-a')).toMatchObject({ complete: true })
    expect(await setup('adv-1')).toMatchObject({ complete: true })
    expect(await setup('adv-2')).toMatchObject({ complete: false })
  })

  const view = (verdict: string, i: number) => ({
    ...{ _topic: 't', _partition: 0, _offset: i, eventId: `e${i}`, type: 'VIEW', verdict, billedMicros: 0 },
    ...{ cid: 'me', uid: null, bot: false, occurredAt: now, receivedAt: 0, sourcePartition: 0, sourceOffset: i },
    ...{ emittedAt: 0, kind: 'SPONSORED', requestId: 'r', shopId: 'warsaw', slotHash: '', adUnitId: 'u-warsaw-1' },
    ...{ campaignId: 'c-warsaw-1', accountId: 'adv-1', adId: 'sku', itemGroupId: null, position: 1 },
    ...{ emittedCid: 'me', emittedUid: null, algorithm: 'CONTEXT_MATCH', priceMicros: 0, currency: 'PLN' },
    ...{ autoPromo: false, country: 'PL' },
  })
  const credit = () => ({
    ...{ shopId: 'warsaw', kind: 'PURCHASE', eventId: 'o1', line: 0, occurredAt: now, cid: 'me', uid: null },
    ...{ shopProductId: 'sku', quantity: 1, priceMicros: 1, currency: 'PLN', outcome: 'CREDITED', match: 'DIRECT' },
    ...{
      touchType: 'CLICK',
      touchEventId: 'e',
      touchAt: now,
      campaignId: 'c-warsaw-1',
      accountId: 'adv-1',
      adId: 'sku',
    },
    ...{ slotHash: '', adUnitId: '', algorithm: '', country: null, itemGroups: [] },
    ...{ clickWindowHours: 336, viewWindowHours: 24, version: 1, deleted: 0 },
  })
})
