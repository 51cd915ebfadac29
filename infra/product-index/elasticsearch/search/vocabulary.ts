import type { Client } from '@elastic/elasticsearch'
import { LRUCache } from 'lru-cache'
import {
  alternativesToCount,
  guessesToCount,
  type Phrase,
  termsToCount,
} from '../../../../services/domain/catalogue/phrase.ts'
import type { Frequency } from '../../../../services/domain/catalogue/spelling.ts'
import { createPhraseKeys } from '../../phrase-keys.ts'
import { rarity } from '../../relevance.ts'
import { prepareSynonyms } from '../../searched-phrases.ts'
import { type IndexPlacement, type Placed, routingOf } from '../placement.ts'
import { offersWith } from './offer-counts.ts'

/** How long counts are cached; they change slowly. */
const KEPT_MS = 60_000
const TERMS_KEPT_MAX = 50_000
const PHRASES_KEPT_MAX = 5_000
/**
 * Terms that a shard has in at most this many documents are counted by a search. The shard's statistics still include versions of
 * offers that have been replaced or removed, so by them a word may seem known although no offer has it.
 */
const COUNTED_MAX = 100
/** Stands for a shop when all shops share the shards. */
const ALL_SHOPS = ''

/** Knows the terms that were counted. All other terms count as if no offer had them. */
export interface Vocabulary {
  frequency: Frequency
  rarity: (term: string) => number
}

/**
 * Asks the index how many offers have the terms by which phrases may be understood, and caches the counts for a while. In an index by
 * shop it asks the shards of the shop, because the shop's searches are scored by the statistics of these shards.
 */
export function createVocabulary({ client, placed, now }: { client: Client; placed: Placed; now: () => number }) {
  const known = new LRUCache<string, { matching: number; rarity: number; until: number }>({ max: TERMS_KEPT_MAX })
  /** By phrase: when guesses at its words are to be counted again, UTC epoch milliseconds. */
  const guessed = new LRUCache<string, number>({ max: PHRASES_KEPT_MAX })
  const keyOfPhrase = createPhraseKeys()

  async function understood(
    placement: IndexPlacement,
    shopId: string,
    phrases: readonly Phrase[],
    timeoutMs: number,
  ): Promise<Vocabulary> {
    const where = { index: placement.index, ...routingOf(placement, shopId) }
    const prefix = placement.byShop ? `${shopId}/` : ''
    const entry = (term: string) => known.get(prefix + term)
    const frequency = (term: string) => entry(term)?.matching ?? 0

    /** @param guesses whether the terms are guesses. They come by the thousand, so only those that an offer has are cached. */
    async function count(terms: readonly string[], guesses: boolean): Promise<void> {
      const missing = [...new Set(terms)].filter((term) => (entry(term)?.until ?? 0) <= now())
      if (missing.length === 0) return
      const { term_vectors } = await client.termvectors(
        {
          ...where,
          doc: { words: missing.join(' ') },
          fields: ['words'],
          term_statistics: true,
          field_statistics: true,
          positions: false,
          offsets: false,
        },
        { requestTimeout: timeoutMs },
      )
      const words = term_vectors?.words
      const total = Math.max(0, words?.field_statistics?.doc_count ?? 0)
      const inShard = (term: string) => words?.terms[term]?.doc_freq ?? 0
      const few = missing.filter((term) => inShard(term) <= COUNTED_MAX && !(guesses && inShard(term) === 0))
      const counted = await offersWith(client, { ...where, terms: few, timeoutMs })
      for (const term of missing) {
        const matching = counted.get(term) ?? inShard(term)
        if (matching === 0 && guesses) continue
        known.set(prefix + term, { matching, rarity: rarity(inShard(term), total), until: now() + KEPT_MS })
      }
    }

    await prepareSynonyms(phrases)
    const keyOf = (phrase: Phrase) => prefix + keyOfPhrase(phrase)
    await count(phrases.flatMap(termsToCount), false)
    const toGuess = phrases.filter((phrase) => (guessed.get(keyOf(phrase)) ?? 0) <= now())
    await count(
      toGuess.flatMap((phrase) => guessesToCount(phrase, frequency)),
      true,
    )
    await count(
      toGuess.flatMap((phrase) => alternativesToCount(phrase, frequency)),
      false,
    )
    for (const phrase of toGuess) guessed.set(keyOf(phrase), now() + KEPT_MS)
    return { frequency, rarity: (term) => entry(term)?.rarity ?? 0 }
  }

  /** The vocabulary of each shop. When all shops share the shards, the phrases of all are asked for together. */
  const ofShops = (
    phrases: ReadonlyMap<string, readonly Phrase[]>,
    timeoutMs: number,
  ): Promise<Map<string, Vocabulary>> =>
    placed.use(async (placement) => {
      const asked = placement.byShop ? [...phrases] : [[ALL_SHOPS, [...phrases.values()].flat()] as const]
      const answers = await Promise.all(
        asked.map(([shopId, ofShop]) => understood(placement, shopId, ofShop, timeoutMs)),
      )
      return new Map([...phrases.keys()].map((shopId, at) => [shopId, answers[placement.byShop ? at : 0]!]))
    })

  return {
    ofShops,
    /** Takes no time when all terms are cached. */
    of: async (shopId: string, phrases: readonly Phrase[], timeoutMs: number): Promise<Vocabulary> =>
      (await ofShops(new Map([[shopId, phrases]]), timeoutMs)).get(shopId)!,
    forget(): void {
      known.clear()
      guessed.clear()
    },
  }
}
