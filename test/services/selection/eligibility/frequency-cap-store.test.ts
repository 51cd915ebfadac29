import { expect, it } from 'vitest'
import { createFrequencyCapStore } from '../../../../services/selection/eligibility/frequency-cap-store.ts'
import { createFrequencyCaps } from '../../../../services/selection/eligibility/frequency-caps.ts'
import { fakeCounters } from '../fakes.ts'
import { NOW, sponsored } from '../world.ts'

it('what was reserved is released although its shard has become slow since', async () => {
  const SLOW_MS = 100
  let now = NOW
  const counters = fakeCounters()
  const store = createFrequencyCapStore({ counters, now: () => now, slowMs: SLOW_MS, onError: () => {} })
  const caps = createFrequencyCaps({ store, spend: { judgeWatermark: NOW } })
  const ads = [{ campaignId: 'c', adId: 'a', campaign: { ...sponsored('shop', 'account'), capping: 1 } }]
  const shop = { timeZone: 'Europe/Berlin' }
  const asked = (requestId: string, cid: string) => ({ requestId, person: { cid, uid: null }, now })
  expect(await caps.reserve(ads, shop, asked('first', 'ann'))).toEqual([])

  const answers = Promise.withResolvers<void>()
  counters.before = () => answers.promise
  const slow = caps.capped(ads, shop, asked('slow', 'bob'))
  now += SLOW_MS + 1
  const released = caps.release(ads, shop, asked('first', 'ann'))
  answers.resolve()
  await Promise.all([slow, released])
  expect(await caps.reserve(ads, shop, asked('second', 'ann'))).toEqual([])
})
