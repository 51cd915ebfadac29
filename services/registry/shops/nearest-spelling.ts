import type { IndexedProduct, ProductIndex } from '../../../infra/product-index/port.ts'
import { synonymsOfShop } from '../../domain/catalogue/shop-synonyms.ts'
import { phraseWords } from '../../domain/catalogue/text.ts'
import type { Entity } from '../../domain/snapshot.ts'
import { searchFor } from './synonyms.ts'

/** Words looked up for one report. Each look-up takes the index some milliseconds. */
const WORDS_MAX = 100

/**
 * Tells for each phrase whether the shop has products for it now. If not, `spelling` is the nearest spelling of its words that
 * finds products, or null when there is none.
 */
export async function findSpellings(
  index: Pick<ProductIndex, 'search' | 'similarTerms'>,
  shop: Entity<'Shop'>,
  phrases: readonly string[],
): Promise<{ products: boolean; spelling: string | null }[]> {
  const { lang } = shop.body
  const found = await firstProducts(index, shop, phrases)
  const unknown = phrases.filter((_, at) => found[at] === null)
  const terms = [...new Set(unknown.flatMap((phrase) => phraseWords(phrase, lang).map(({ term }) => term)))]
  const asked = terms.slice(0, WORDS_MAX)
  const similar = asked.length === 0 ? [] : await index.similarTerms(asked)
  const nearest = new Map(asked.map((term, at) => [term, similar[at]![0]?.term]))
  const corrected = new Map(
    unknown.flatMap((phrase): [string, string[]][] => {
      const words = phraseWords(phrase, lang)
      const others = words.map(({ word, term }) => nearest.get(term) ?? word)
      return words.some(({ term }) => nearest.get(term) !== undefined) ? [[phrase, others]] : []
    }),
  )
  const tried = [...corrected]
  const results = await firstProducts(
    index,
    shop,
    tried.map(([, words]) => words.join(' ')),
  )
  const spellings = new Map(
    tried.flatMap(([phrase, words], at): [string, string][] => {
      const product = results[at]
      return product ? [[phrase, words.map((word) => asWritten(word, product, lang)).join(' ')]] : []
    }),
  )
  return phrases.map((phrase, at) => ({ products: found[at] !== null, spelling: spellings.get(phrase) ?? null }))
}

/** The first product that each phrase finds, or null. */
async function firstProducts(index: Pick<ProductIndex, 'search'>, shop: Entity<'Shop'>, phrases: readonly string[]) {
  const synonyms = synonymsOfShop(shop.body)
  const results = await index.search(phrases.map((phrase) => ({ ...searchFor(phrase, shop, synonyms), limit: 1 })))
  return results.map(({ hits: [hit] }) => hit?.product ?? null)
}

/** The word of a term as the product spells it, because terms are stems. */
function asWritten(term: string, { offer }: IndexedProduct, lang: string): string {
  const texts = [offer.title, offer.brand ?? '', ...offer.productTypes, offer.description ?? '']
  for (const text of texts) {
    const word = phraseWords(text, lang).find((each) => each.term === term)
    if (word) return word.word
  }
  return term
}
