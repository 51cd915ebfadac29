import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rowsOf } from '../../../../../infra/product-index/embedded/rows.ts'
import { openIndexSearcher } from '../../../../../infra/product-index/embedded/search/searcher.ts'
import type { PlainQuery } from '../../../../../infra/product-index/embedded/search/shop-search.ts'
import { openIndexWriter } from '../../../../../infra/product-index/embedded/writer.ts'
import type { Filter, IndexWrite, Rank } from '../../../../../infra/product-index/port.ts'
import { clickRateOf } from '../../../../../services/domain/auction/click-rate.ts'
import { readSynonyms } from '../../../../../services/domain/catalogue/shop-synonyms.ts'
import { tries } from '../../../../effort.ts'
import { anOffer, promotedOffer } from '../../offer.fixture.ts'

/** Words are drawn unevenly, so that posting lists are short and long, and some offers have all words and others none. */
const vocabulary = ['model', 'lamp', 'desk', 'oak', 'red', 'shade', 'mousepad', 'mouse', 'pad', '13', 'model13', 'dv7']
/** Campaigns by weight. No two weights are equal, so that one campaign leads. */
const campaigns = { c0: 0.1, c1: 0.11, c2: 0.5, c3: 1, c4: 2 }
const OFFERS = 400
const PRIOR_CLICK_RATE = 0.01
const SYNONYMS = readSynonyms('lamp, shade')

/** Repeatable random integers from 0 to `below`, exclusive. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const random = numbers(7)
/** The first words of the vocabulary are the most frequent. */
const someWords = (most: number) =>
  Array.from({ length: 1 + random(most) }, () => vocabulary[Math.min(random(vocabulary.length), random(16))]!).join(' ')
const offers = Array.from({ length: OFFERS }, (_, at) => {
  const [room, kind] = [`Room${random(3)}`, `Kind${random(4)}`]
  return anOffer({
    ...{ id: `p${at}`, title: someWords(6), description: someWords(9), priceMicros: 1_000_000 * (1 + random(50)) },
    shopId: at % 10 === 0 ? 'other' : 'shop',
    isAvailable: at % 7 !== 0,
    productTypes: [`Home > ${room} > ${kind}`, ...(random(5) === 0 ? [`Garden > ${kind}`] : [])],
  })
})
const promoting = new Map(offers.map(({ id }) => [id, Object.keys(campaigns).filter(() => random(4) === 0)]))
const observed = new Map(
  offers.map(({ id }) => [id, random(2) === 0 ? null : { views: random(500), clicks: random(9) }]),
)

const folder = mkdtempSync(join(tmpdir(), 'best-offers-'))
let searcher: ReturnType<typeof openIndexSearcher>

beforeAll(() => {
  const writer = openIndexWriter({ folder })
  const signalsOf = (shopId: string, id: string) => ({
    ...{ shopId, id, popularity: random(90), ...observed.get(id)! },
    ...{ alsoBought: [], computedAt: 0 },
  })
  const writes = offers.flatMap((offer): IndexWrite[] => {
    const { shopId, id } = offer
    return [
      ...promotedOffer(offer, promoting.get(id)!),
      ...(observed.get(id) ? [{ kind: 'signals', version: 1, signals: signalsOf(shopId, id) } as const] : []),
    ]
  })
  writer.write(rowsOf(writes))
  writer.close()
  searcher = openIndexSearcher({ folder })
  searcher.refresh({ changed: -1, epoch: 0, tokens: null })
})

afterAll(() => {
  searcher.close()
  rmSync(folder, { recursive: true })
})

const text = fc
  .array(fc.constantFrom(...vocabulary, 'unheard', 'mdoel'), { minLength: 1, maxLength: 9 })
  .map((list) => list.join(' '))
const path = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 4 }))
  .map(([room, kind]) => `Home > Room${room} > Kind${kind}`)
const paths = fc.array(fc.oneof(path, fc.constant('Garden'), fc.constant('Home')), { minLength: 1, maxLength: 2 })
const rank: fc.Arbitrary<Rank> = fc.oneof(
  fc.record({ by: fc.constant('text' as const), text, lang: fc.constant('en') }),
  fc.record({ by: fc.constant('categories' as const), paths }),
  fc.record({ by: fc.constant('textAndCategories' as const), text, lang: fc.constant('en'), paths }),
  fc.constant<Rank>({ by: 'popularity' }),
  fc.constant<Rank>({ by: 'none' }),
)
const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    kind: fc.constant('text' as const),
    text,
    lang: fc.constant('en'),
    minShare: fc.constantFrom(0, 0.3, 1),
    in: fc.constantFrom('ALL_FIELDS' as const, 'TITLE' as const),
  }),
  fc.record({ kind: fc.constant('categoryPaths' as const), paths }),
  fc.record({
    kind: fc.constant('excludeIds' as const),
    ids: fc.array(fc.integer({ min: 0, max: OFFERS }).map((at) => `p${at}`)),
  }),
  fc.constant<Filter>({ kind: 'price', minMicros: 10_000_000, maxMicros: 40_000_000 }),
  fc.constant<Filter>({ kind: 'available' }),
)
const query = fc.record({
  rank,
  filters: fc.array(filter, { maxLength: 3 }),
  limit: fc.integer({ min: 1, max: 30 }),
  tieSeed: fc.integer(),
  weights: fc.option(fc.subarray(Object.entries(campaigns)).map(Object.fromEntries<number>), { nil: null }),
  hasSynonyms: fc.boolean(),
  lifts: fc
    .array(fc.tuple(fc.integer({ min: 0, max: OFFERS }), fc.constantFrom(0.5, 2, 3)), { maxLength: 5 })
    .map((list) => new Map(list.map(([at, lift]) => [`p${at}`, lift]))),
})

test('a short list is the start of the list of all that match, and is followed by the best of other campaigns', () => {
  fc.assert(
    fc.property(query, ({ weights, hasSynonyms, ...asked }) => {
      const groups = weights && Object.entries(weights).map(([id, weight]) => ({ campaignIds: [id], weight }))
      const find = (limit: number) => {
        const plain: PlainQuery = { ...asked, shopId: 'shop', priorClickRate: PRIOR_CLICK_RATE, limit }
        const found = searcher.search(plain, groups && searcher.campaignSet(groups), hasSynonyms ? SYNONYMS : undefined)
        const fit = Array.from(found.relevance, (relevance) => relevance * found.bestFit)
        return { ...found, fit, lifts: asked.lifts }
      }
      // With so high a limit, nothing is left out.
      const all = find(OFFERS)
      const cut = find(asked.limit)
      expect([...cut.rowids.subarray(0, cut.hits)]).toEqual([...all.rowids.subarray(0, asked.limit)])
      expect(cut.fit.slice(0, cut.hits)).toEqual(all.fit.slice(0, cut.hits).map((fit) => expect.closeTo(fit, 12)))
      expect(cut.truncated).toBe(all.hits > asked.limit)
      expect(all.truncated).toBe(false)
      if (weights && cut.truncated)
        expect(keyOf(cut, cut.hits, weights)).toBeCloseTo(runnerUpKey(all, cut.hits, weights), 12)
    }),
    { numRuns: tries(500, 20_000) },
  )
})

test('of offers that are equal, the same come first however short the list is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'best-offers-'))
  const writer = openIndexWriter({ folder })
  const words = Array.from({ length: 30 }, (_, length) => `word${length}x`)
  // Each word is in titles of a different length, so that the weights of its occurrences round up or down.
  const titles = words.map((word, length) => [word, ...Array.from({ length }, () => 'filler')].join(' '))
  const equals = titles.flatMap((title, of) =>
    Array.from({ length: 9 }, (_, at) => anOffer({ id: `${of}-${at}`, title })),
  )
  writer.write(rowsOf(equals.map((offer) => ({ kind: 'offer', version: 1, offer }))))
  const searcher = openIndexSearcher({ folder })
  searcher.refresh(writer.touched(searcher.seen()))
  for (const text of words) {
    const query = { shopId: 'shop', filters: [], rank: { by: 'text', text, lang: 'en' } as const }
    const find = (limit: number) =>
      searcher.search({ ...query, priorClickRate: PRIOR_CLICK_RATE, limit, tieSeed: 1 }, null).rowids
    expect([...find(3)]).toEqual([...find(9)].slice(0, 3))
  }
  searcher.close()
  writer.close()
  rmSync(folder, { recursive: true })
})

type Found = { rowids: Int32Array; fit: readonly number[]; lifts: ReadonlyMap<string, number> }
type WeightsById = Readonly<Record<string, number>>

/** Rowids are assigned in the order of the writes, from 1. */
const idOf = ({ rowids }: Found, at: number) => offers[rowids[at]! - 1]!.id

const weightOf = (id: string, weights: WeightsById, except: string | null) =>
  Math.max(0, ...promoting.get(id)!.map((each) => (each === except ? 0 : (weights[each] ?? 0))))

/** The campaign of the last hit: among those that promote it, the one with the greatest weight. */
function lastCampaign(found: Found, hits: number, weights: WeightsById): string | null {
  const id = idOf(found, hits - 1)
  const most = weightOf(id, weights, null)
  return promoting.get(id)!.find((each) => weights[each] === most) ?? null
}

/** The score of the document at a position without the campaign of the last hit; 0 when there is no such document. */
function keyOf(found: Found, at: number, weights: WeightsById, hits = at): number {
  if (at >= found.rowids.length) return 0
  const id = idOf(found, at)
  const { views, clicks } = observed.get(id) ?? { views: 0, clicks: 0 }
  const clickRate = clickRateOf(views, clicks, PRIOR_CLICK_RATE) * (found.lifts.get(id) ?? 1)
  return found.fit[at]! * clickRate * weightOf(id, weights, lastCampaign(found, hits, weights))
}

const runnerUpKey = (all: Found, hits: number, weights: WeightsById) =>
  Array.from(all.rowids).reduce((most, _, at) => (at < hits ? most : Math.max(most, keyOf(all, at, weights, hits))), 0)
