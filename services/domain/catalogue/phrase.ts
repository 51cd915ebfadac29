import { languageFor, languageOf, stemOf } from './languages.ts'
import { compoundsOf, type Frequency, mostFrequent, spellingsOf, type WordGuess } from './spelling.ts'
import { NAME_TERMS_MAX, synonymsOf } from './synonyms.ts'
import { phraseWords, type TypedWord } from './text.ts'

/**
 * What a shopper's phrase asks for, given the terms that the index has. A word that no offer has is replaced by what it was
 * meant to be: written together with its neighbour (blue tooth), another name of the same kind, a misspelling, two words
 * written as one. A word that offers have stays, and offers that say the same otherwise are found after those that have it.
 */

export interface PhraseWord {
  term: string
  /** An offer with all terms of one of these has the word, too. */
  alternatives: readonly (readonly string[])[]
}

/** Longer texts are titles rather than what somebody typed, and are taken as they are. */
const UNDERSTOOD_WORDS_MAX = 8
/** A word of no more offers is sought as two words, too: mousepad. */
const RARE_OFFERS_MAX = 20
/** Unknown words of a phrase that are guessed at. */
const GUESSED_WORDS_MAX = 2

/** The terms of `phrase` as they are, and every one by which it may be understood, guesses left out. */
export function termsToCount(text: string, lang: string | null): string[] {
  const words = phraseWords(text, lang)
  const terms = words.map(({ term }) => term)
  if (words.length > UNDERSTOOD_WORDS_MAX) return terms
  const synonyms = namesIn(terms, lang).flatMap(({ others }) => others.flat())
  return [...new Set([...terms, ...synonyms, ...pairs(words, lang).map(({ term }) => term)])]
}

/** What to count next: guesses at the unknown and rare words of a phrase whose `termsToCount` have been counted. */
export function guessesToCount(text: string, lang: string | null, frequency: Frequency): string[] {
  const asked = new Set<string>()
  understand(text, lang, frequency, (guesses) => {
    for (const guess of guesses) for (const term of guess) asked.add(term)
    return null
  })
  return [...asked]
}

/** The best of some guesses, or null. */
type Choose = (guesses: readonly WordGuess[], frequency: Frequency) => WordGuess | null

/** The distinct words of a phrase, in order. */
export function understand(
  text: string,
  lang: string | null,
  frequency: Frequency,
  choose: Choose = mostFrequent,
): PhraseWord[] {
  const words = phraseWords(text, lang)
  if (words.length > UNDERSTOOD_WORDS_MAX) return words.map(({ term }) => ({ term, alternatives: [] }))
  const meant = meantBy(words, lang, frequency, choose)
  const alternatives = meant.map((): (readonly string[])[] => [])
  for (const { term, at } of pairs(meant, lang)) {
    if (frequency(term) > 0) for (const word of [at, at + 1]) alternatives[word]!.push([term])
  }
  for (const [at, { word, term }] of meant.entries()) {
    const offers = frequency(term)
    const parts = offers > 0 && offers <= RARE_OFFERS_MAX ? choose(compoundsOf(word, lang), frequency) : null
    if (parts) alternatives[at]!.push(parts)
  }
  const terms = meant.map(({ term }) => term)
  for (const { at, length, others } of namesIn(terms, lang)) {
    const known = others.filter((name) => name.every((term) => frequency(term) > 0))
    for (let word = at; word < at + length; word++) alternatives[word]!.push(...known)
  }
  return terms.map((term, at) => ({ term, alternatives: distinct(alternatives[at]!) }))
}

/** The words with the unknown ones replaced. */
function meantBy(words: readonly TypedWord[], lang: string | null, frequency: Frequency, choose: Choose): TypedWord[] {
  const isKnown = (term: string) => frequency(term) > 0
  const joined = new Map(pairs(words, lang).map((pair) => [pair.at, pair]))
  const synonyms = synonymsOf(lang)
  const guessAt = (word: string) => {
    const [whole, stemmed] = spellingsOf(word, lang)
    return choose(whole, frequency) ?? choose(stemmed, frequency) ?? choose(compoundsOf(word, lang), frequency)
  }
  const meant = new Map<string, TypedWord>()
  const add = (typed: TypedWord) => meant.has(typed.term) || meant.set(typed.term, typed)
  let guessed = 0
  for (let at = 0; at < words.length; at++) {
    const typed = words[at]!
    const pair = joined.get(at)
    if (pair && isKnown(pair.term) && !(isKnown(typed.term) && isKnown(words[at + 1]!.term))) {
      add(pair)
      at++
      continue
    }
    if (isKnown(typed.term)) {
      add(typed)
      continue
    }
    const synonym = synonyms.get(typed.term)?.find((name) => name.every(isKnown))
    const replacement = synonym ?? (guessed++ < GUESSED_WORDS_MAX ? guessAt(typed.word) : null)
    for (const each of replacement?.map((term) => ({ word: term, term })) ?? [typed]) add(each)
  }
  return [...meant.values()]
}

/** Neighbours written as one word. */
function pairs(words: readonly TypedWord[], lang: string | null): (TypedWord & { at: number })[] {
  const language = languageFor(languageOf(lang))
  return words.slice(1).map((second, at) => {
    const word = words[at]!.word + second.word
    return { word, term: stemOf(word, language), at }
  })
}

/** The names among `terms` that have synonyms. */
function namesIn(terms: readonly string[], lang: string | null) {
  const synonyms = synonymsOf(lang)
  return terms.flatMap((_, at) =>
    Array.from({ length: Math.min(NAME_TERMS_MAX, terms.length - at) }, (_, more) => more + 1).flatMap((length) => {
      const others = synonyms.get(terms.slice(at, at + length).join(' '))
      return others ? [{ at, length, others }] : []
    }),
  )
}

const distinct = (names: readonly (readonly string[])[]) => [
  ...new Map(names.map((name) => [name.join(' '), name])).values(),
]
