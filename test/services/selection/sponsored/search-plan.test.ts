import { expect, it } from 'vitest'
import { noLifts } from '../../../../services/replicas/lifts-follower.ts'
import type { Candidate } from '../../../../services/selection/candidates/candidate.ts'
import type { CandidateSource } from '../../../../services/selection/candidates/candidates.ts'
import { createDeadline, DEADLINE_EXCEEDED } from '../../../../services/selection/deadline.ts'
import type { Campaigns } from '../../../../services/selection/eligibility/campaigns.ts'
import type { Slot } from '../../../../services/selection/slots.ts'
import { findCandidates } from '../../../../services/selection/sponsored/search-plan.ts'
import { makeOffer } from '../world.ts'

it('the values of an attribute are read once for all candidates', async () => {
  let reads = 0
  const anyOf = new Proxy(['red', 'Blue'], {
    get(target, name) {
      if (name === 'map') reads++
      return Reflect.get(target, name)
    },
  })
  const candidates = ['red', 'RED', 'Blue', 'green'].map((color, i) => {
    return { product: { offer: makeOffer('shop', { id: `p${i}`, color }) } } as Candidate
  })
  const source = { find: () => ({ candidates, bestFit: 1, truncated: false }) } as unknown as CandidateSource
  const campaigns = { running: () => ({ groups: [] }) } as unknown as Campaigns
  const slot = { shopId: 'shop', shop: { synonyms: '', lang: 'en' }, targeting: {}, country: null } as unknown as Slot
  const plan = { filters: [{ kind: 'attribute' as const, name: 'color', anyOf }], rank: { by: 'none' as const } }
  const deadline = createDeadline({ deadlineMs: 1_000, onError: () => {} })
  const wanted = { campaignKind: 'PAID' as const, limit: 16 }
  const found = await findCandidates({ slot, plan }, wanted, deadline, { source, campaigns, lifts: noLifts })
  if (found === DEADLINE_EXCEEDED) expect.unreachable('the list is there')
  expect(found.candidates.map(({ product }) => product.offer.id)).toEqual(['p0', 'p2'])
  expect(reads).toBe(1)
})
