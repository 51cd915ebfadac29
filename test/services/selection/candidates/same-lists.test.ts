import { beforeEach, describe, expect, it } from 'vitest'
import type { Lifts } from '../../../../infra/product-index/port.ts'
import { unknownTraffic } from '../../../../services/replicas/traffic-follower.ts'
import {
  type CandidateQuery,
  type CandidateSource,
  createCandidateSource,
} from '../../../../services/selection/candidates/candidates.ts'
import type { RunningCampaigns } from '../../../../services/selection/eligibility/campaigns.ts'
import { type BruteForceIndex, bruteForceIndex } from '../brute-force-index.ts'
import { makeOffer, NOW } from '../world.ts'

const campaigns: RunningCampaigns = {
  ...{ kind: 'PAID', except: null, key: '' },
  groups: [{ campaignIds: ['c'], weight: 1 }],
}
const lifts: Lifts = new Map([['p', 2]])
const QUERY: CandidateQuery = {
  ...{ shopId: 'shop', filters: [], rank: { by: 'none' }, limit: 8, campaigns },
  ...{ lifts, synonyms: [{ names: ['sofa', 'couch'], finds: null }] },
}

let now: number
let revision: number | null
let clickRate: number
let index: BruteForceIndex
let source: CandidateSource
beforeEach(() => {
  now = NOW
  revision = 1
  clickRate = 0.01
  index = bruteForceIndex([{ offer: makeOffer('shop', { id: 'p' }), campaignIds: ['c'], signals: null }])
  index.revision = () => revision
  source = createCandidateSource({
    ...{ index, traffic: { ...unknownTraffic, clickRate: () => clickRate }, now: () => now, elapsedMs: () => now },
    campaigns: {
      handle: (_, id) => ({ id, body: null, kind: 'PAID', last: null }),
      running: () => campaigns,
    },
    deadlineMs: 100,
  })
})

const idsOf = async (query: CandidateQuery) => (await source.find(query)).candidates.map(({ adId }) => adId)

describe('a list of candidates', () => {
  it('is not searched for again for half a minute while it would be the same', async () => {
    expect(await idsOf(QUERY)).toEqual(['p'])
    now += 29_999
    expect(await idsOf(QUERY)).toEqual(['p'])
    expect(index.searches).toBe(1)
    now += 2
    await idsOf(QUERY)
    expect(index.searches).toBe(2)
  })

  it.each<[string, Partial<CandidateQuery & { revision: number; clickRate: number }>]>([
    ['an offer', { revision: 2 }],
    ['the click rate of the shop', { clickRate: 0.02 }],
    ['the synonyms of the shop', { synonyms: [] }],
    ['what is clicked after the phrase', { lifts: new Map(lifts) }],
    ['the running campaigns', { campaigns: { ...campaigns, key: 'others' } }],
  ])('is searched for again, after two seconds at the latest, when %s has changed', async (_, changed) => {
    await idsOf(QUERY)
    now += 2_000
    revision = changed.revision ?? revision
    clickRate = changed.clickRate ?? clickRate
    index.products = []
    expect(await idsOf({ ...QUERY, ...changed })).toEqual([])
  })

  it('is at most two seconds old when the index cannot tell whether it has changed', async () => {
    revision = null
    await idsOf(QUERY)
    now += 2_000
    index.products = []
    expect(await idsOf(QUERY)).toEqual([])
  })
})

it('a reference is not read again while the offers of its shop stay as they are', async () => {
  const read = async () => (await source.reference('shop', 'p')).map(({ offer }) => offer.id)
  expect(await read()).toEqual(['p'])
  now += 29_999
  index.products = []
  expect(await read()).toEqual(['p'])
  revision = 2
  expect(await read()).toEqual([])
})
