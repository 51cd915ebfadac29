import type { Algorithm } from '../../schemas/records/entities.ts'
import { given } from './candidates/filters.ts'
import type { AnySlot, AnyTargeting } from './slots.ts'

/** Algorithms that find products by the phrase. */
const searching: ReadonlySet<Algorithm> = new Set([
  'CONTEXT_MATCH',
  'CONTEXT_MATCH_WIDE',
  'BESTSELLERS',
  'BESTSELLERS_WIDE',
])

/** The phrase that the shopper searched for; null when there is none, or when the algorithm does not search by it. */
export function phraseOf({ algorithm, targeting, shop }: AnySlot): { text: string; lang: string } | null {
  if (!searching.has(algorithm)) return null
  const { searchData, lang = shop.lang } = targeting as AnyTargeting & { searchData?: string; lang?: string }
  const text = given(searchData)
  return text === null ? null : { text, lang }
}

const PHRASE_CHARS_MAX = 80
/** A telephone number, but not a GTIN. */
const phoneNumber = /^(?!(\d{8}|\d{12,14})$)\+?[\d\s()./-]{7,}$/

/** A phrase in the form in which it is counted; null when it is no search, or may reveal who somebody is. */
export function noteworthyPhrase(text: string): string | null {
  const phrase = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
  if (phrase.length > PHRASE_CHARS_MAX || !/[\p{L}\p{N}]/u.test(phrase)) return null
  return phrase.includes('@') || phoneNumber.test(phrase) ? null : phrase
}
