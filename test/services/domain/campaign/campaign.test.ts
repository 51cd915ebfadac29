import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { campaignState, leastPrice } from '../../../../services/domain/campaign/campaign.ts'

const campaign = {
  status: 'ACTIVE' as const,
  startAt: 100,
  endAt: 200,
  budgetMicros: 1_000,
  moderation: null,
  archivedAt: null,
}
const at = { now: 150, spentMicros: 0, leastPriceMicros: 10 }

describe('the state of a campaign', () => {
  it.each([
    ['RUNNING', {}, {}],
    ['RUNNING', {}, { now: 100 }],
    ['SCHEDULED', {}, { now: 99 }],
    ['RUNNING', {}, { now: 199 }],
    ['ENDED', {}, { now: 200 }],
    ['RUNNING', { endAt: null }, { now: 1e15 }],
    ['RUNNING', {}, { spentMicros: 990 }],
    ['EXHAUSTED', {}, { spentMicros: 991 }],
    ['EXHAUSTED', {}, { spentMicros: 1_000 }],
    ['RUNNING', { budgetMicros: 0 }, { leastPriceMicros: 0 }],
    ['PAUSED', { status: 'PAUSED' }, {}],
    ['PAUSED', { status: 'PAUSED' }, { now: 0 }],
    ['EXHAUSTED', { status: 'PAUSED' }, { spentMicros: 1_000 }],
    ['ENDED', { status: 'PAUSED' }, { now: 200, spentMicros: 1_000 }],
    ['DRAFT', { status: 'DRAFT' }, { now: 200, spentMicros: 1_000 }],
  ] as const)('is %s for %o at %o', (state, change, moment) => {
    expect(campaignState({ ...campaign, ...change }, { ...at, ...moment })).toBe(state)
  })

  it('is ARCHIVED once it was put away, whatever the rest says', () => {
    expect(campaignState({ ...campaign, archivedAt: 1 }, at)).toBe('ARCHIVED')
    expect(campaignState({ ...campaign, archivedAt: 1, status: 'DRAFT' }, { ...at, now: 300 })).toBe('ARCHIVED')
  })

  it('is that of the moderation until it is accepted, whatever the rest says', () => {
    const decided = { reason: null, decidedAt: null, decidedBy: null, history: [], submittedAt: null }
    const ended = { ...at, now: 300 }
    for (const state of ['IN_MODERATION', 'REJECTED'] as const) {
      const judged = { ...campaign, moderation: { state, ...decided } }
      expect(campaignState(judged, at)).toBe(state)
      expect(campaignState({ ...judged, status: 'DRAFT' }, ended)).toBe(state)
    }
    const accepted = { ...campaign, moderation: { state: 'ACCEPTED' as const, ...decided } }
    expect(campaignState(accepted, at)).toBe('RUNNING')
    expect(campaignState(accepted, ended)).toBe('ENDED')
  })

  it('is RUNNING only when it may spend', () => {
    const moments = fc.record({
      now: fc.integer({ min: 0, max: 300 }),
      spentMicros: fc.integer({ min: 0, max: 1_200 }),
      leastPriceMicros: fc.integer({ min: 0, max: 100 }),
    })
    fc.assert(
      fc.property(
        moments,
        fc.constantFrom('DRAFT' as const, 'ACTIVE' as const, 'PAUSED' as const),
        (moment, status) => {
          const maySpend =
            status === 'ACTIVE' &&
            100 <= moment.now &&
            moment.now < 200 &&
            moment.spentMicros + moment.leastPriceMicros <= 1_000
          expect(campaignState({ ...campaign, status }, moment) === 'RUNNING').toBe(maySpend)
        },
      ),
    )
  })
})

describe('the least price', () => {
  it("is the shop's reserve, and never nothing but for self-promotion", () => {
    expect(leastPrice({ kind: 'SPONSORED', autoPromo: false }, { reserveCpcMicros: 100 })).toBe(100)
    expect(leastPrice({ kind: 'SPONSORED', autoPromo: false }, { reserveCpcMicros: 0 })).toBe(1)
    expect(leastPrice({ kind: 'SPONSORED', autoPromo: true }, { reserveCpcMicros: 100 })).toBe(0)
  })

  it('of a view is the smallest amount there is', () => {
    expect(leastPrice({ kind: 'DISPLAY', autoPromo: false }, { reserveCpcMicros: 100 })).toBe(1)
    expect(leastPrice({ kind: 'DISPLAY', autoPromo: true }, { reserveCpcMicros: 100 })).toBe(0)
  })
})
