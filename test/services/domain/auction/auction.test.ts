import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { auction, type Bid, hashOf, shuffledHash } from '../../../../services/domain/auction/auction.ts'

let ties = 0
const bid = (changes: Partial<Bid> = {}): Bid => ({
  campaignId: `c${ties}`,
  dedupeKey: `k${ties}`,
  quality: 0.01,
  bidMicros: 500_000,
  tie: ties++,
  ...changes,
})
const run = (bids: Bid[], places: number, reserveMicros = 10_000, taken: string[] = []) =>
  auction(bids, { places, pricing: 'SECOND_PRICE', reserveMicros, taken: new Set(taken) })

describe('auction', () => {
  it('gives the places by quality times bid', () => {
    const dear = bid({ quality: 0.01, bidMicros: 900_000 })
    const good = bid({ quality: 0.03, bidMicros: 400_000 })
    const poor = bid({ quality: 0.01, bidMicros: 400_000 })
    const { won, lost } = run([poor, dear, good], 2)
    expect(won.map((w) => w.bid)).toEqual([good, dear])
    expect(lost).toEqual([{ bid: poor, reason: 'OUTRANKED' }])
  })

  it('asks what would just have beaten the next', () => {
    const { won } = run([bid({ bidMicros: 900_000 }), bid({ bidMicros: 400_000 }), bid({ bidMicros: 300_001 })], 3)
    expect(won.map((w) => w.priceMicros)).toEqual([400_000, 300_001, 10_000])
  })

  it('asks less of a better ad: twice the quality, half the price', () => {
    const { won } = run([bid({ quality: 0.02 }), bid({ quality: 0.01, bidMicros: 333_333 })], 1)
    expect(won[0]!.priceMicros).toBe(166_667)
  })

  it('asks the reserve where nobody competes', () => {
    expect(run([bid()], 4).won[0]!.priceMicros).toBe(10_000)
    expect(run([bid(), bid({ bidMicros: 20_000, quality: 0.001 })], 1, 15_000).won[0]!.priceMicros).toBe(15_000)
  })

  it('does not let a campaign compete against itself', () => {
    const mine = { campaignId: 'mine' }
    const { won } = run([bid(mine), bid(mine), bid({ bidMicros: 200_000 })], 2)
    expect(won.map((w) => w.priceMicros)).toEqual([200_000, 200_000])
  })

  it('lets campaigns compete for one product, and shows it once', () => {
    const same = { dedupeKey: 'same' }
    const best = bid({ ...same, bidMicros: 600_000 })
    const second = bid({ ...same, bidMicros: 450_000 })
    const { won, lost } = run([second, best], 2)
    expect(won).toEqual([{ bid: best, priceMicros: 450_000, isContested: true }])
    expect(lost).toEqual([{ bid: second, reason: 'DUPLICATE' }])
  })

  it('shows nothing that an earlier slot shows, and lets it set no price', () => {
    const { won, lost } = run([bid({ dedupeKey: 'shown', bidMicros: 450_000 }), bid()], 2, 10_000, ['shown'])
    expect(won.map((w) => w.priceMicros)).toEqual([10_000])
    expect(lost.map((l) => l.reason)).toEqual(['DUPLICATE'])
  })

  it('asks by first price what each bids', () => {
    const bids = [bid({ bidMicros: 900_000 }), bid({ bidMicros: 400_000 }), bid({ bidMicros: 0 })]
    const { won } = auction(bids, { places: 3, pricing: 'FIRST_PRICE', reserveMicros: 0, taken: new Set() })
    expect(won.map((w) => w.priceMicros)).toEqual([900_000, 400_000, 0])
  })

  const anyBid = fc.record({
    campaignId: fc.constantFrom('a', 'b', 'c', 'd'),
    dedupeKey: fc.constantFrom('1', '2', '3', '4', '5', '6'),
    quality: fc.integer({ min: 1, max: 40 }).map((n) => n / 1000),
    bidMicros: fc.integer({ min: 10_000, max: 30_000 }),
    tie: fc.nat(),
  })
  const anyBids = fc.uniqueArray(anyBid, { maxLength: 12, selector: (b) => b.tie })

  it('agrees with choosing the best place by place', () => {
    fc.assert(
      fc.property(anyBids, fc.integer({ min: 1, max: 5 }), (bids, places) => {
        const expected: Bid[] = []
        for (let place = 0; place < places; place++) {
          const open = bids.filter((b) => !expected.some((e) => e.dedupeKey === b.dedupeKey))
          const value = (b: Bid) => b.quality * b.bidMicros
          const best = open.reduce<Bid | undefined>(
            (top, b) => (!top || value(b) > value(top) || (value(b) === value(top) && b.tie < top.tie) ? b : top),
            undefined,
          )
          if (best) expected.push(best)
        }
        const { won, lost } = run(bids, places)
        expect(won.map((w) => w.bid)).toEqual(expected)
        expect(won.length + lost.length).toBe(bids.length)
      }),
    )
  })

  it('asks the least bid that keeps the place: a micro less, from the whole campaign, and another has it', () => {
    fc.assert(
      fc.property(anyBids, fc.integer({ min: 1, max: 5 }), (bids, places) => {
        const { won } = run(bids, places)
        for (const [index, { bid, priceMicros }] of won.entries()) {
          expect(priceMicros).toBeGreaterThanOrEqual(10_000)
          expect(priceMicros).toBeLessThanOrEqual(bid.bidMicros)
          const above = new Set(won.slice(0, index).map((w) => w.bid.dedupeKey))
          const rivals = bids.filter((b) => b.campaignId !== bid.campaignId && !above.has(b.dedupeKey))
          const keeps = (price: number) => rivals.every((r) => bid.quality * price >= r.quality * r.bidMicros - 1e-7)
          if (priceMicros < bid.bidMicros) expect(keeps(priceMicros)).toBe(true)
          if (priceMicros > 10_000) expect(keeps(priceMicros - 1.001)).toBe(false)
        }
      }),
    )
  })
})

describe('ties', () => {
  it('fall alike for one request and are shared fairly over many', () => {
    const ads = ['a', 'b', 'c', 'd', 'e']
    const wins = new Map<string, number>()
    for (let request = 0; request < 10_000; request++) {
      const seed = hashOf(`request ${request}`)
      const best = ads.toSorted((x, y) => shuffledHash(hashOf(x), seed) - shuffledHash(hashOf(y), seed))[0]!
      wins.set(best, (wins.get(best) ?? 0) + 1)
    }
    for (const ad of ads) expect(wins.get(ad)).toBeGreaterThan(1800)
    expect(shuffledHash(hashOf('x'), 7)).toBe(shuffledHash(hashOf('x'), 7))
  })
})
