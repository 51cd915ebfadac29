import { expect, it } from 'vitest'
import { IndexUnavailable } from '../../../../infra/product-index/port.ts'
import { unknownTraffic } from '../../../../services/replicas/traffic-follower.ts'
import { createSpendView } from '../../../../services/selection/budget/spend.ts'
import { createCandidateSource } from '../../../../services/selection/candidates/candidates.ts'
import { createCampaigns } from '../../../../services/selection/eligibility/campaigns.ts'
import { bruteForceIndex } from '../brute-force-index.ts'
import { fakeCounters } from '../fakes.ts'
import { createWorld, NOW } from '../world.ts'

const DEADLINE_MS = 100

it('only the first request for a page waits for an index that is slow, and all share one that answers in time', async () => {
  let now = NOW
  const world = await createWorld()
  await world.close()
  const index = bruteForceIndex(world.products)
  const spend = createSpendView({ counters: fakeCounters(), snapshot: world.snapshot, now: () => now })
  const campaigns = createCampaigns({ snapshot: world.snapshot, spend, now: () => now })
  const source = createCandidateSource({
    index,
    campaigns,
    traffic: unknownTraffic,
    now: () => now,
    elapsedMs: () => now,
    deadlineMs: DEADLINE_MS,
  })
  world.offer([world.campaign({ autoPromo: true })], { title: 'lamp' })
  const find = async () => {
    const running = campaigns.running(world.shopId, 'AUTO_PROMO')
    const { candidates } = await source.find({
      ...{ shopId: world.shopId, filters: [], rank: { by: 'none' }, limit: 3, campaigns: running },
    })
    return candidates.map(({ adId }) => adId)
  }

  const answer = Promise.withResolvers<void>()
  index.before = () => answer.promise
  const first = find()
  now += DEADLINE_MS
  const second = find()
  for (const ms of [1, 1_000, 5_000]) {
    now += ms
    await expect(find()).rejects.toThrow(IndexUnavailable)
  }
  answer.resolve()
  expect(await first).toEqual(['p1'])
  expect(await second).toEqual(['p1'])
  expect(index.searches).toBe(1)
})
