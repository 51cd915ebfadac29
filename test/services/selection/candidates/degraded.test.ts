import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CountersUnavailable } from '../../../../infra/counters/port.ts'
import { IndexUnavailable } from '../../../../infra/product-index/port.ts'
import type { Shop } from '../../../../schemas/records/entities.ts'
import { spendKey, viewsKey } from '../../../../services/domain/money/counter-keys.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { unknownTraffic } from '../../../../services/replicas/traffic-follower.ts'
import { createBudgets } from '../../../../services/selection/budget/budgets.ts'
import { createSpendView, SPEND_KNOWN_MS } from '../../../../services/selection/budget/spend.ts'
import { type CandidateSource, createCandidateSource } from '../../../../services/selection/candidates/candidates.ts'
import { createCampaigns } from '../../../../services/selection/eligibility/campaigns.ts'
import { createFrequencyCapStore } from '../../../../services/selection/eligibility/frequency-cap-store.ts'
import { waitFor } from '../../../wait-for.ts'
import { type BruteForceIndex, bruteForceIndex } from '../brute-force-index.ts'
import { fakeCounters } from '../fakes.ts'
import { createWorld, DAY_MS, NOW, sponsored, type World } from '../world.ts'

const MINUTE_MS = 60_000
const down = () => Promise.reject(new IndexUnavailable('down'))
const never = () => new Promise<never>(() => {})

describe('an index that fails or hangs', () => {
  let world: World
  let index: BruteForceIndex
  beforeEach(async () => {
    index = bruteForceIndex([])
    world = await createWorld({ index, deadlineMs: 300 })
    index.products = world.products
  })
  afterEach(() => world.close())
  const slot = (changes: object = {}) => ({
    slotHash: world.unit('CONTEXT_MATCH'),
    adCount: 2,
    searchData: 'lamp',
    ...changes,
  })
  const shown = async (targeting: object = slot()) => (await world.ads([targeting]))[0]!.map((ad) => ad.shopProductId)

  it.each([
    ['fails', down],
    ['hangs', never],
  ])('that %s leaves what was last found for the same page, minutes later', async (_, before) => {
    world.offer([world.campaign()], { title: 'lamp' })
    expect(await shown()).toEqual(['p1'])
    index.before = before
    world.now += 5 * MINUTE_MS
    expect(await shown()).toEqual(['p1'])
    expect(world.selections.at(-1)!.shortfalls).toEqual(['DEADLINE'])
    world.now += 6 * MINUTE_MS
    expect(await shown()).toEqual([])
  })

  it('leaves it no longer although the clock is set back', async () => {
    world.offer([world.campaign()], { title: 'lamp' })
    expect(await shown()).toEqual(['p1'])
    index.before = down
    world.setBackMs = 60 * MINUTE_MS
    world.now -= world.setBackMs
    world.now += 5 * MINUTE_MS
    expect(await shown()).toEqual(['p1'])
    world.now += 6 * MINUTE_MS
    expect(await shown()).toEqual([])
  })

  it('shows of what was last found only what may be shown now', async () => {
    const id = world.campaign()
    world.offer([id], { title: 'lamp' })
    world.offer([world.campaign()], { title: 'lamp' })
    expect((await shown()).sort()).toEqual(['p1', 'p2'])
    index.before = down
    world.now += MINUTE_MS
    world.campaign({ status: 'PAUSED' }, id)
    expect(await shown()).toEqual(['p2'])
  })

  it('is asked once a second, not by every request, and used again without a restart', async () => {
    world.offer([world.campaign()], { title: 'lamp' })
    index.before = down
    await shown()
    const before = index.searches
    for (let i = 0; i < 20; i++) expect(await shown()).toEqual([])
    expect(index.searches).toBe(before)
    index.before = async () => {}
    world.now += 1_000
    expect(await shown()).toEqual(['p1'])
  })

  it('does not change what a healthy index is asked for', async () => {
    world.offer([world.campaign()], { title: 'lamp' })
    expect(await shown()).toEqual(['p1'])
    world.products[0]!.offer.title = 'chair'
    world.now += 2_000
    expect(await shown()).toEqual([])
  })
})

describe('bestsellers at hand', () => {
  let now: number
  let index: BruteForceIndex
  let source: CandidateSource
  let campaigns: ReturnType<typeof createCampaigns>
  beforeEach(async () => {
    now = NOW
    const world = await createWorld()
    await world.close()
    query.shopId = world.shopId
    index = bruteForceIndex(world.products)
    const counters = fakeCounters()
    const spend = createSpendView({ counters, snapshot: world.snapshot, now: () => now })
    for (let shard = 0; shard < counters.shards; shard++) await spend.read(shard, [])
    campaigns = createCampaigns({ snapshot: world.snapshot, spend, now: () => now })
    source = createCandidateSource({
      index,
      campaigns,
      traffic: unknownTraffic,
      now: () => now,
      elapsedMs: () => now,
      deadlineMs: 100,
    })
    const campaign = world.campaign()
    for (let i = 1; i <= 5; i++) {
      const changes = { brand: i % 2 === 0 ? 'Even' : 'Odd', isAvailable: i !== 5 }
      world.offer([campaign], changes, { popularity: i })
    }
  })
  const query = { shopId: '', filters: [{ kind: 'available' as const }], rank: { by: 'none' as const }, limit: 3 }
  const ids = async (filters: Parameters<CandidateSource['find']>[0]['filters'], shop = query.shopId) => {
    const list = await source.fallback({ ...query, filters, shopId: shop, campaigns: campaigns.running(shop, 'PAID') })
    return list?.candidates.map(({ adId }) => adId)
  }

  it('stand in for a page never asked for, as far as its filters can be told without the index', async () => {
    await source.find({ ...query, campaigns: campaigns.running(query.shopId, 'PAID') })
    await source.refreshFallback()
    now += 30_000
    index.before = down
    expect(await ids([{ kind: 'available' }, { kind: 'excludeIds', ids: ['p3'] }])).toEqual(['p4', 'p2', 'p1'])
    expect(await ids([{ kind: 'brand', anyOf: ['odd'] }])).toEqual(['p3', 'p1'])
    expect(await ids([{ kind: 'text', text: 'lamp', lang: null, minShare: 1, in: 'TITLE' }])).toBeUndefined()
    expect(await ids([], 'another')).toBeUndefined()
  })

  it('are filtered for the slots of a page in turn, and other work runs in between', async () => {
    await source.find({ ...query, campaigns: campaigns.running(query.shopId, 'PAID') })
    await source.refreshFallback()
    let elapsedMs = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (elapsedMs += 5))
    let filtered = 0
    const seen: number[] = []
    const look = () => {
      seen.push(filtered)
      if (filtered < 20) setImmediate(look)
    }
    setImmediate(look)
    const lists = Array.from({ length: 20 }, async () => {
      const found = await ids([{ kind: 'brand', anyOf: ['odd'] }])
      filtered++
      return found
    })
    expect(await Promise.all(lists)).toEqual(lists.map(() => ['p3', 'p1']))
    clock.mockRestore()
    expect(new Set(seen).size).toBeGreaterThan(5)
  })

  it('are those last known when they cannot be fetched', async () => {
    await source.find({ ...query, campaigns: campaigns.running(query.shopId, 'PAID') })
    await source.refreshFallback()
    index.before = down
    now += 5_000
    await Promise.resolve(source.find({ ...query, campaigns: campaigns.running(query.shopId, 'PAID') })).catch(() => {})
    await expect(source.refreshFallback()).rejects.toThrow('down')
    expect(await ids([])).toEqual(['p4', 'p3', 'p2'])
  })
})

describe('counters that are away', () => {
  function oneCampaign(): Snapshot {
    const snapshot = new Snapshot()
    const body = sponsored('shop', 'account')
    snapshot.apply({ kind: 'Campaign', id: 'c', version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body })
    return snapshot
  }

  it('leave a spend that was known in force for a while, and then no paid ad', async () => {
    let now = NOW
    const counters = fakeCounters()
    const snapshot = oneCampaign()
    const shard = counters.shardOf('c')
    counters.set(spendKey(shard, 'c'), 7)
    const spend = createSpendView({ counters, snapshot, now: () => now })
    expect(spend.of('c').totalMicros).toBe(Number.POSITIVE_INFINITY)
    await spend.read(shard, ['c'])
    now += DAY_MS / 100
    expect(spend.of('c').totalMicros).toBe(7)
    counters.before = () => Promise.reject(new CountersUnavailable('down'))
    await expect(spend.read(shard, ['c'])).rejects.toThrow('down')
    now += SPEND_KNOWN_MS
    expect(spend.of('c').totalMicros).toBe(7)
    now += 1
    await expect(spend.read(shard, ['c'])).rejects.toThrow('down')
    expect(spend.of('c').totalMicros).toBe(Number.POSITIVE_INFINITY)
    counters.before = async () => {}
    await spend.read(shard, ['c'])
    expect(spend.of('c').totalMicros).toBe(7)
  })

  it('when the clock is set back leave no spend in force that cannot be told the age of', async () => {
    let now = NOW
    const counters = fakeCounters()
    const snapshot = oneCampaign()
    const spend = createSpendView({ counters, snapshot, now: () => now })
    const shard = counters.shardOf('c')
    await spend.read(shard, ['c'])
    counters.before = () => Promise.reject(new CountersUnavailable('down'))
    await expect(spend.read(shard, ['c'])).rejects.toThrow('down')
    now -= DAY_MS
    expect(spend.of('c').totalMicros).toBe(Number.POSITIVE_INFINITY)
  })

  it('that were emptied say nothing until they have been counted again', async () => {
    const counters = fakeCounters()
    const snapshot = oneCampaign()
    counters.isComplete = false
    const spend = createSpendView({ counters, snapshot, now: () => NOW })
    await expect(spend.read(counters.shardOf('c'), ['c'])).rejects.toBeInstanceOf(CountersUnavailable)
    expect(spend.of('c').totalMicros).toBe(Number.POSITIVE_INFINITY)
  })

  it('leave the campaigns and caps of other shards as they are, when only one shard is away', async () => {
    let now = NOW
    const counters = fakeCounters()
    const snapshot = new Snapshot()
    const ids = Array.from({ length: 20 }, (_, i) => `campaign ${i}`)
    const body = sponsored('shop', 'account')
    for (const id of ids) {
      snapshot.apply({ kind: 'Campaign', id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body })
    }
    const shop = { timeZone: 'UTC', currency: 'EUR', reserveCpcMicros: 1 } as Shop
    snapshot.apply({ kind: 'Shop', id: 'shop', version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body: shop })
    const away = counters.shardOf(ids[0]!)
    const spend = createSpendView({ counters, snapshot, now: () => now })
    const deps = { counters, snapshot, spend, traffic: unknownTraffic, processId: 'p', now: () => now }
    const budgets = createBudgets(deps)
    const views = createFrequencyCapStore({ counters, now: () => now, slowMs: 100, onError: () => {} })
    const viewsOf = (id: string) =>
      viewsKey(counters.shardOf(id), 'cid', { campaignId: id, adId: 'a' }, '2026-05-01', 'c')
    await budgets.open()
    counters.before = async (shard) => {
      if (shard === away) throw new CountersUnavailable('down')
    }
    await expect(budgets.turn()).rejects.toThrow('down')
    now += SPEND_KNOWN_MS + 1
    await expect(budgets.turn()).rejects.toThrow('down')
    const capped = await views.read(ids.map(viewsOf))
    const isOpen = (id: string) => budgets.isOpen({ campaignId: id, campaign: body, likelihood: 1 }, now)
    for (const [i, id] of ids.entries()) {
      const isThere = counters.shardOf(id) !== away
      expect([spend.of(id).totalMicros, capped[i]]).toEqual(Array(2).fill(isThere ? 0 : Number.POSITIVE_INFINITY))
      if (isThere) expect(isOpen(id)).toBe(true)
    }
    expect(new Set(ids.map((id) => counters.shardOf(id))).size).toBe(counters.shards)
  })

  it('leave self-promotion, which is free, and paid ads as soon as they are back', async () => {
    const world = await createWorld()
    world.offer([world.campaign()])
    world.offer([world.campaign({ autoPromo: true })])
    expect((await world.ids('BESTSELLERS')).sort()).toEqual(['p1', 'p2'])
    world.counters.before = never
    const { turns } = world.counters
    await waitFor(() => world.counters.turns > turns)
    world.now += SPEND_KNOWN_MS + 1
    expect(await world.ids('BESTSELLERS')).toEqual(['p2'])
    await world.close()
  })

  it('leave views that were read in force, and hold every cap of whom they do not know', async () => {
    const counters = fakeCounters()
    const shard = counters.shardOf('c')
    const errors: unknown[] = []
    const views = createFrequencyCapStore({
      counters,
      now: () => NOW,
      slowMs: 100,
      onError: (error) => errors.push(error),
    })
    const key = (person: string) => viewsKey(shard, 'cid', { campaignId: 'c', adId: 'a' }, '2026-05-01', person)
    counters.set(key('known'), 3)
    expect(await views.read([key('known'), key('new')])).toEqual([3, 0])
    counters.before = () => Promise.reject(new CountersUnavailable('down'))
    counters.set(key('known'), 4)
    for (let i = 0; i < 3; i++) {
      expect(await views.read([key('known'), key('new'), key('stranger')])).toEqual([3, 0, Number.POSITIVE_INFINITY])
    }
    expect(counters.questions).toBe(2)
    expect(errors).toHaveLength(1)
  })
})
