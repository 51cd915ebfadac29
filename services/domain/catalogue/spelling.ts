import { guessedStem, languageFor, languageOf } from './languages.ts'
import { isUnspaced } from './segments.ts'

/** Guesses at what an unknown word was meant to be. Each guess is looked up among the terms that the index has. */

/** Letters of the word that was meant: shorter words are similar to too many others. */
const MEANT_LENGTH_MIN = 5
/** Letters of the word that was typed: longer words have too many spellings, or ways to split them, to try. */
const SPELLED_LENGTH_MAX = 16
const COMPOUND_LENGTH_MAX = 24
const PART_LENGTH_MIN = 3
/** For words of scripts without spaces, which dictionaries split: 充電器 is 充電 and 器. */
const UNSPACED_PART_LENGTH_MIN = 1
/** A guess must be a term of at least this many offers: a term of only one offer may itself be a misspelling. */
const OFFERS_MIN = 2

/** How many offers have a term. */
export type Frequency = (term: string) => number

/** The stem of a word, or the stems of the two words that it is composed of. */
export type WordGuess = readonly string[]

/** The letters, folded, with which other spellings of a word in the same script are made. */
const alphabets: readonly (readonly [RegExp, string])[] = [
  [/^[a-z]+$/, 'abcdefghijklmnopqrstuvwxyz'],
  [/^[а-я]+$/, 'абвгдежзиклмнопрстуфхцчшщъыьэюя'],
  [/^[α-ω]+$/, 'αβγδεζηθικλμνξοπρστυφχψως'],
]

/** Letters that German puts between the parts of a compound. */
const linkingElements: Readonly<Record<string, readonly string[]>> = { de: ['', 's', 'es', 'n', 'en'] }
const unlinked = ['']

/**
 * The word with one letter added, left out, replaced or exchanged with the next. The first letter stays, because few people
 * get it wrong. `whole` holds spellings that are their own stem. Of the spellings in `stemmed` only the stem can be looked
 * up, which another word may share. At most some 900 guesses.
 * @param word folded
 * @param lang as in `analyze`
 */
export function spellingsOf(word: string, lang: string | null): [whole: WordGuess[], stemmed: WordGuess[]] {
  const alphabet = word.length <= SPELLED_LENGTH_MAX && alphabets.find(([script]) => script.test(word))?.[1]
  if (!alphabet) return [[], []]
  const language = languageFor(languageOf(lang))
  const meant = [...spellings(word, alphabet)].filter(({ length }) => length >= MEANT_LENGTH_MIN)
  // Stemmers leave the plural of an abbreviation alone, because it has no vowel.
  if (/^[^aeiou]{2,3}s$/.test(word)) meant.push(word.slice(0, -1))
  const whole = new Set<string>()
  const stemmed = new Set<string>()
  for (const spelling of meant) {
    const stem = guessedStem(spelling, language)
    if (stem === spelling) whole.add(stem)
    else stemmed.add(stem)
  }
  return [Array.from(whole, (stem) => [stem]), Array.from(stemmed, (stem) => [stem])]
}

function* spellings(word: string, alphabet: string): Iterable<string> {
  for (let at = 1; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    for (const letter of alphabet) yield before + letter + after
    if (after === '') return
    yield before + after.slice(1)
    if (after.length > 1) yield before + after[1] + after[0] + after.slice(2)
    for (const letter of alphabet) yield before + letter + after.slice(1)
  }
}

/** The ways to split a word that may be two words written as one: smart-watch, Kopfhörer-kabel. */
export function compoundsOf(word: string, lang: string | null): WordGuess[] {
  if (word.length > COMPOUND_LENGTH_MAX || !/^[\p{L}\p{M}]+$/u.test(word)) return []
  const partLengthMin = isUnspaced(word) ? UNSPACED_PART_LENGTH_MIN : PART_LENGTH_MIN
  const code = languageOf(lang)
  const language = languageFor(code)
  const linked = linkingElements[code]
  const found: WordGuess[] = []
  for (let at = partLengthMin; at <= word.length - partLengthMin; at++) {
    // In languages without linking letters, an s at the split begins the second word: memory stick, not memorys tick.
    if (linked === undefined && /[^s]s$/.test(word.slice(0, at))) continue
    const head = guessedStem(word.slice(at), language)
    for (const linking of linked ?? unlinked) {
      const modifier = word.slice(0, at - linking.length)
      if (modifier.length < partLengthMin || !word.slice(0, at).endsWith(linking)) continue
      found.push([guessedStem(modifier, language), head])
    }
  }
  return found
}

/** The guess that most offers have; for a compound, its rarer part counts. Null when none has enough offers. */
export function mostFrequent(guesses: readonly WordGuess[], frequency: Frequency): WordGuess | null {
  let best: WordGuess | null = null
  let offers = OFFERS_MIN - 1
  for (const guess of guesses) {
    const common = Math.min(...guess.map(frequency))
    if (common > offers || (best !== null && common === offers && guess.join(' ') < best.join(' '))) {
      best = guess
      offers = common
    }
  }
  return best
}

/** The least length of a term in which one letter may be wrong, and of one in which two may be. */
const SIMILAR_LENGTH_MIN = 4
const TWO_EDITS_LENGTH_MIN = 6

/** In how many letters a term may differ from the one that was meant; 0 for short terms. */
export const editsIn = ({ length }: string): number =>
  length < SIMILAR_LENGTH_MIN ? 0 : length < TWO_EDITS_LENGTH_MIN ? 1 : 2

/** Whether two terms begin with the same letter and differ in no more letters than `editsIn` allows. */
export const isSimilar = (term: string, other: string): boolean =>
  term[0] === other[0] && editDistance(term, other) <= editsIn(term)

/** The number of letters added, left out, replaced, or exchanged with the next (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + Number(a[i - 1] !== b[j - 1])
      row[j] = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1)
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isExchanged) row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    before = last
    last = row
  }
  return last[b.length]!
}

/** Sorts terms by their edit distance from `term`; of equally near ones, those that more offers have come first. */
export const nearestFirst = <T extends { term: string; offers: number }>(term: string, similar: readonly T[]): T[] =>
  similar.toSorted(
    (a, b) =>
      editDistance(term, a.term) - editDistance(term, b.term) || b.offers - a.offers || (a.term < b.term ? -1 : 1),
  )
