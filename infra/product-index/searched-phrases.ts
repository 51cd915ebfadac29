import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Phrase } from '../../services/domain/catalogue/phrase.ts'
import { analyzeSynonyms, type SynonymRules } from '../../services/domain/catalogue/shop-synonyms.ts'
import type { Filter, Rank } from './port.ts'

/** How long synonyms may be analysed before other searches have a turn. */
const SLICE_MS = 8

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
  let endsAt = performance.now() + SLICE_MS
  async function giveWay(): Promise<void> {
    await nextTurn()
    endsAt = performance.now() + SLICE_MS
  }
  for (const { synonyms, lang } of phrases) {
    if (synonyms === undefined || synonyms.length === 0) continue
    await analyzeSynonyms(synonyms, lang, () => (performance.now() < endsAt ? undefined : giveWay()))
  }
}
