import { expect, it } from 'vitest'
import type { Filter, ProductIndex, SearchHit } from '../../../../infra/product-index/port.ts'
import { unknownTraffic } from '../../../../services/replicas/traffic-follower.ts'
import { createCandidateSource } from '../../../../services/selection/candidates/candidates.ts'
import type { RunningCampaigns } from '../../../../services/selection/eligibility/campaigns.ts'
import { makeOffer, NOW } from '../world.ts'

/** Two requests for the same page, with requests for so many other pages in between. @returns how many searches they caused. */
async function searchesOf(others: number, { limit, filters }: { limit: number; filters: Filter[] }): Promise<number> {
  let searches = 0
  const product = { offer: makeOffer('shop', { id: 'p' }), campaignIds: [], signals: null }
  const index = {
    revision: () => null,
    async search(queries) {
      searches += queries.length
      return queries.map(({ limit }) => ({
        hits: Array.from({ length: limit }, (): SearchHit => ({ product, relevance: 1 })),
        bestFit: 1,
        truncated: true,
        runnerUp: null,
      }))
    },
  } as Partial<ProductIndex> as ProductIndex
  const campaigns: RunningCampaigns = {
    kind: 'PAID',
    except: null,
    key: '',
    groups: [{ campaignIds: ['c'], weight: 1 }],
  }
  const handle = () => expect.unreachable('the offer has no campaigns')
  const source = createCandidateSource({
    index,
    campaigns: { handle, running: () => campaigns },
    traffic: unknownTraffic,
    now: () => NOW,
    elapsedMs: () => NOW,
    deadlineMs: 100,
  })
  const find = (page: number) =>
    source.find({
      shopId: 'shop',
      filters: [{ kind: 'excludeIds', ids: [`page ${page}`] }, ...filters],
      rank: { by: 'none' },
      limit,
      campaigns,
    })
  for (let page = 0; page <= others; page++) await find(page)
  await find(0)
  return searches
}

it('a list of candidates is cached while there are some hundred others of an ordinary length', async () => {
  expect(await searchesOf(500, { limit: 32, filters: [] })).toBe(501)
})

it('a hundred lists of thousands of candidates are not kept', async () => {
  expect(await searchesOf(100, { limit: 4_096, filters: [] })).toBe(102)
})

it('a hundred lists for queries as large as a page may send are not kept', async () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => `${i} ${'x'.repeat(500)}`)
  expect(await searchesOf(100, { limit: 1, filters: [{ kind: 'excludeIds', ids }] })).toBe(102)
})
