import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../infra/product-index/embedded/rows.ts'
import { openIndexSearcher } from '../../../../../infra/product-index/embedded/search/searcher.ts'
import { openIndexWriter } from '../../../../../infra/product-index/embedded/writer.ts'
import type { Filter, IndexWrite } from '../../../../../infra/product-index/port.ts'
import { tries } from '../../../../effort.ts'
import { anOffer } from '../../offer.fixture.ts'

type Searcher = ReturnType<typeof openIndexSearcher>

const SHOPS = ['one', 'two', 'three', 'without offers']
/** Stems, none of them similar to another. */
const VOCABULARY = ['copper', 'velvet', 'walnut', 'bamboo']
const BRANDS = ['Acme', 'Brio']

const change = fc.record({
  shopId: fc.constantFrom(...SHOPS.slice(0, 3)),
  id: fc.integer({ min: 0, max: 5 }).map(String),
  offer: fc.option(
    fc.record({
      title: fc.subarray(VOCABULARY, { minLength: 1 }).map((words) => words.join(' ')),
      brand: fc.constantFrom(...BRANDS),
    }),
  ),
  /** Promotions may be written before the offer, so that its document gets a number before the offer is there. */
  isPromoted: fc.boolean(),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never
const batches = fc.array(fc.array(change, { maxLength: 8 }), { minLength: 1, maxLength: 8 })

test('each of many shops finds its own offers and no others, whatever the order in which theirs come and go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shops-'))
  const writer = openIndexWriter({ folder })
  const kept = openIndexSearcher({ folder })
  let version = 1
  fc.assert(
    fc.property(batches, (all) => {
      writer.clear()
      kept.refresh(writer.touched(kept.seen()))
      const offers = new Map<string, Change>()
      for (const batch of all) {
        writer.write(rowsOf(batch.flatMap((each) => writesOf(each, version++))))
        for (const each of batch) {
          if (each.offer) offers.set(`${each.shopId}/${each.id}`, each)
          else offers.delete(`${each.shopId}/${each.id}`)
        }
        kept.refresh(writer.touched(kept.seen()))
        expect(answers(kept)).toEqual(expected([...offers.values()]))
      }
      const opened = openIndexSearcher({ folder })
      opened.refresh({ changed: -1, epoch: 0, tokens: null })
      expect(answers(opened)).toEqual(expected([...offers.values()]))
      opened.close()
    }),
    { numRuns: tries(30, 1_000) },
  )
  kept.close()
  writer.close()
  rmSync(folder, { recursive: true })
})

function writesOf({ shopId, id, offer, isPromoted }: Change, version: number): IndexWrite[] {
  const key = { shopId, feedId: 'feed', id }
  const promotions: IndexWrite[] = [
    { kind: 'promotions', version, offerVersion: version, ...key, campaignIds: ['campaign'] },
  ]
  const texts = { description: null, productTypes: [] }
  return [
    ...(isPromoted ? promotions : []),
    offer
      ? { kind: 'offer', version, offer: anOffer({ ...key, ...texts, ...offer }) }
      : { kind: 'remove', version, ...key },
  ]
}

/** The word without its third letter. */
const misspelt = (word: string) => word.slice(0, 2) + word.slice(3)

function answers(searcher: Searcher) {
  const found = (shopId: string, filters: Filter[]) => {
    const query = { shopId, filters, rank: { by: 'none' } as const, priorClickRate: 0.01, limit: 50, tieSeed: 1 }
    const stored = searcher.load([...searcher.search(query, null).rowids])
    return stored.map(({ offer }) => JSON.parse(offer) as { shopId: string; id: string }).map(keyOf)
  }
  return {
    byWord: SHOPS.map((shopId) =>
      VOCABULARY.map((text) => found(shopId, [{ kind: 'text', text, lang: 'en', minShare: 1, in: 'TITLE' }]).sort()),
    ),
    byBrand: SHOPS.map((shopId) => BRANDS.map((brand) => found(shopId, [{ kind: 'brand', anyOf: [brand] }]).sort())),
    byId: SHOPS.map((shopId) => found(shopId, [{ kind: 'ids', ids: ['0', '3'] }]).sort()),
    all: SHOPS.map((shopId) => searcher.scan({ shopId, filters: [], after: null, limit: 50 }).length),
    similar: VOCABULARY.map((word) => searcher.similarTerms(misspelt(word))),
  }
}

function expected(offers: readonly Change[]): ReturnType<typeof answers> {
  const of = (shopId: string, holds: (change: Change) => boolean) =>
    offers
      .filter((each) => each.shopId === shopId && holds(each))
      .map(keyOf)
      .sort()
  const has = (word: string) => (each: Change) => each.offer!.title.includes(word)
  return {
    byWord: SHOPS.map((shopId) => VOCABULARY.map((word) => of(shopId, has(word)))),
    byBrand: SHOPS.map((shopId) => BRANDS.map((brand) => of(shopId, ({ offer }) => offer!.brand === brand))),
    byId: SHOPS.map((shopId) => of(shopId, ({ id }) => ['0', '3'].includes(id))),
    all: SHOPS.map((shopId) => of(shopId, () => true).length),
    similar: VOCABULARY.map((term) =>
      [{ term, offers: offers.filter(has(term)).length }].filter(({ offers }) => offers),
    ),
  }
}

const keyOf = ({ shopId, id }: { shopId: string; id: string }) => `${shopId}/${id}`
