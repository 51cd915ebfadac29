import type { Phrase } from '../../services/domain/catalogue/phrase.ts'
import { analyzeSynonyms, type SynonymRules } from '../../services/domain/catalogue/shop-synonyms.ts'
import { createSlices } from '../threads/slices.ts'
import type { Filter, Rank } from './port.ts'

/** The phrases by which a query filters and ranks. */
export const phrasesOf = (filters: readonly Filter[], rank?: Rank, synonyms?: SynonymRules): Phrase[] =>
  [
    ...filters.filter((filter) => filter.kind === 'text'),
    ...(rank?.by === 'text' || rank?.by === 'textAndCategories' ? [rank] : []),
  ].map(({ text, lang }) => ({ text, lang, synonyms }))

/**
 * Analyses the synonyms of phrases in time slices. Otherwise the first search with new ones would do it in one piece, for up to
 * 0.2 s.
 */
export async function prepareSynonyms(phrases: readonly Phrase[]): Promise<void> {
  const slices = createSlices()
  for (const { synonyms, lang } of phrases) {
    if (synonyms === undefined || synonyms.length === 0) continue
    await analyzeSynonyms(synonyms, lang, () => (slices.isOver() ? slices.next() : undefined))
  }
}
