import type { Phrase } from '../../services/domain/catalogue/phrase.ts'
import type { SynonymRules } from '../../services/domain/catalogue/shop-synonyms.ts'

/** Makes cache keys of phrases. Phrases share a key when text and language are equal, and both have the same array of synonyms or none. */
export function createPhraseKeys(): (phrase: Phrase) => string {
  const numbers = new WeakMap<SynonymRules, number>()
  let seen = 0
  return ({ text, lang, synonyms }) => {
    const hasSynonyms = synonyms !== undefined && synonyms.length > 0
    if (hasSynonyms && !numbers.has(synonyms)) numbers.set(synonyms, ++seen)
    return `${hasSynonyms ? numbers.get(synonyms) : 0}:${lang ?? ''}:${text}`
  }
}
