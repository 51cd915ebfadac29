import type { Filter } from '../../../infra/product-index/port.ts'

export interface Variant {
  /** Matches more loosely: more is found, less of it fits well. */
  wide: boolean
}

/** Share of a title's words that a similar title has at least: the default of Elasticsearch's more_like_this. */
const SIMILAR_TITLE_MIN_SHARE = 0.3

/** Strict: every word of the phrase, anywhere in the offer. Wide: some word. */
export function phraseFilter(text: string | null, lang: string, { wide }: Variant): Filter[] {
  return text === null ? [] : [{ kind: 'text', text, lang, minShare: wide ? 0 : 1, in: 'ALL_FIELDS' }]
}

/** Strict: a share of the title's words, in the offer's title. Wide: some word of it, anywhere. */
export function titleFilter(text: string | null, lang: string, { wide }: Variant): Filter[] {
  if (text === null) return []
  if (wide) return [{ kind: 'text', text, lang, minShare: 0, in: 'ALL_FIELDS' }]
  return [{ kind: 'text', text, lang, minShare: SIMILAR_TITLE_MIN_SHARE, in: 'TITLE' }]
}
