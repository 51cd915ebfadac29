import { languageFor, languageOf, stemOf } from './languages.ts'
import { SHOP_NAME_TERMS_MAX, type SynonymRules, shopSynonymsOf } from './shop-synonyms.ts'
import { compoundsOf, type Frequency, mostFrequent, spellingsOf, type WordGuess } from './spelling.ts'
import { type Synonyms, synonymsOf } from './synonyms.ts'
import { phraseWords, type TypedWord } from './text.ts'

/**
 * Finds out what a shopper's phrase asks for, given the terms that the index has. A word that no offer has is replaced by
 * what was meant: the word joined with its neighbour (blue tooth), another name of the same kind, the correct spelling, or
 * the two words that were written as one. A word that some offer has stays. Offers that say the same in other words are
 * found after those that have it.
 */

export interface Phrase {
  text: string
  lang: string | null
  /** The shop's own synonyms; they take precedence over the built-in ones. */
  synonyms?: SynonymRules | undefined
}

export interface PhraseWord {
  term: string
  /** An offer that has all terms of one alternative counts as having the word. */
  alternatives: readonly (readonly string[])[]
}

/** Longer texts are titles rather than typed phrases, and are taken as they are. */
const UNDERSTOOD_WORDS_MAX = 8
/** A word that no more offers than this have is also searched for as two words: mousepad. */
const RARE_OFFERS_MAX = 20
/** How many unknown words of a phrase are guessed. */
const GUESSED_WORDS_MAX = 2
const ALTERNATIVES_MAX = 40

/** The terms to count first: those of the phrase as it is, of its synonyms and of its joined neighbours, but no guesses. */
export function termsToCount(phrase: Phrase): string[] {
  const words = phraseWords(phrase.text, phrase.lang)
  const terms = words.map(({ term }) => term)
  if (words.length > UNDERSTOOD_WORDS_MAX) return terms
  const synonyms = namesIn(terms, knownNames(phrase)).flatMap(({ others }) => others.flat())
  return [...new Set([...terms, ...synonyms, ...pairs(words, phrase.lang).map(({ term }) => term)])]
}

/** The terms to count next: guesses at the unknown and rare words of a phrase whose `termsToCount` have been counted. */
export function guessesToCount(phrase: Phrase, frequency: Frequency): string[] {
  const asked = new Set<string>()
  understand(phrase, frequency, (guesses) => {
    for (const guess of guesses) for (const term of guess) asked.add(term)
    return null
  })
  return [...asked]
}

/** The terms to count last: the alternatives of the guesses that were chosen. Also contains terms counted before. */
export function alternativesToCount(phrase: Phrase, frequency: Frequency): string[] {
  const asked = new Set<string>()
  const noted = (term: string) => {
    asked.add(term)
    return frequency(term)
  }
  understand(phrase, noted, (guesses) => mostFrequent(guesses, frequency))
  return [...asked]
}

/** Chooses the best of some guesses, or null. */
type Choose = (guesses: readonly WordGuess[], frequency: Frequency) => WordGuess | null

/** The distinct words of a phrase, in order. */
export function understand(phrase: Phrase, frequency: Frequency, choose: Choose = mostFrequent): PhraseWord[] {
  const { text, lang } = phrase
  const words = phraseWords(text, lang)
  if (words.length > UNDERSTOOD_WORDS_MAX) return words.map(({ term }) => ({ term, alternatives: [] }))
  const names = knownNames(phrase)
  const meant = meantBy(words, { lang, names, frequency, choose })
  const alternatives = meant.map(({ others }) => [...others])
  for (const { term, at } of pairs(meant, lang)) {
    if (frequency(term) > 0) for (const word of [at, at + 1]) alternatives[word]!.push([term])
  }
  for (const [at, { word, term }] of meant.entries()) {
    const offers = frequency(term)
    const parts = offers > 0 && offers <= RARE_OFFERS_MAX ? choose(compoundsOf(word, lang), frequency) : null
    if (parts) alternatives[at]!.push(parts)
  }
  const terms = meant.map(({ term }) => term)
  for (const { at, length, others } of namesIn(terms, names)) {
    const known = others.filter((name) => name.every((term) => frequency(term) > 0))
    for (let word = at; word < at + length; word++) alternatives[word]!.push(...known)
  }
  return terms.map((term, at) => ({ term, alternatives: distinct(alternatives[at]!).slice(0, ALTERNATIVES_MAX) }))
}

/** The synonyms used to read a phrase. */
interface KnownNames {
  ofShop: Synonyms
  builtIn: Synonyms
}

const NONE: Synonyms = new Map()

const knownNames = ({ synonyms, lang }: Phrase): KnownNames => ({
  ofShop: synonyms === undefined || synonyms.length === 0 ? NONE : shopSynonymsOf(synonyms, lang),
  builtIn: synonymsOf(lang),
})

/** A word that was meant. `others` are further synonyms that the shop declares for it. */
type MeantWord = TypedWord & { others: readonly (readonly string[])[] }

/** The words with the unknown ones replaced. */
function meantBy(
  words: readonly TypedWord[],
  { lang, names, frequency, choose }: { lang: string | null; names: KnownNames; frequency: Frequency; choose: Choose },
): MeantWord[] {
  const isKnown = (term: string) => frequency(term) > 0
  const joined = new Map(pairs(words, lang).map((pair) => [pair.at, pair]))
  const guessAt = (word: string) => {
    const [whole, stemmed] = spellingsOf(word, lang)
    return choose(whole, frequency) ?? choose(stemmed, frequency) ?? choose(compoundsOf(word, lang), frequency)
  }
  const meant = new Map<string, MeantWord>()
  const add = (typed: TypedWord, others: MeantWord['others'] = []) =>
    meant.has(typed.term) || meant.set(typed.term, { ...typed, others })
  const terms = words.map(({ term }) => term)
  let guessed = 0
  for (let at = 0; at < words.length; at++) {
    const typed = words[at]!
    const declared = unknownName(terms, at, names.ofShop, isKnown)
    if (declared) {
      const [first, ...others] = declared.found
      for (const term of first!) add({ word: term, term }, others)
      at += declared.length - 1
      continue
    }
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
    const synonym = names.builtIn.get(typed.term)?.find((name) => name.every(isKnown))
    const replacement = synonym ?? (guessed++ < GUESSED_WORDS_MAX ? guessAt(typed.word) : null)
    for (const each of replacement?.map((term) => ({ word: term, term })) ?? [typed]) add(each)
  }
  return [...meant.values()]
}

/**
 * The longest name at a place that has synonyms and at least one term that no offer has, with those of its synonyms whose
 * terms are all known.
 */
function unknownName(terms: readonly string[], at: number, synonyms: Synonyms, isKnown: (term: string) => boolean) {
  if (synonyms.size === 0) return null
  for (let length = Math.min(SHOP_NAME_TERMS_MAX, terms.length - at); length > 0; length--) {
    const name = terms.slice(at, at + length)
    const others = synonyms.get(name.join(' '))
    if (!others || name.every(isKnown)) continue
    const found = others.filter((other) => other.every(isKnown))
    if (found.length > 0) return { length, found }
  }
  return null
}

/** Each two neighbours, written as one word. */
function pairs(words: readonly TypedWord[], lang: string | null): (TypedWord & { at: number })[] {
  const language = languageFor(languageOf(lang))
  return words.slice(1).map((second, at) => {
    const word = words[at]!.word + second.word
    return { word, term: stemOf(word, language), at }
  })
}

/** The names among `terms` that have synonyms. */
function namesIn(terms: readonly string[], { ofShop, builtIn }: KnownNames) {
  return terms.flatMap((_, at) =>
    Array.from({ length: Math.min(SHOP_NAME_TERMS_MAX, terms.length - at) }, (_, more) => more + 1).flatMap(
      (length) => {
        const name = terms.slice(at, at + length).join(' ')
        const others = [...(ofShop.get(name) ?? []), ...(builtIn.get(name) ?? [])]
        return others.length > 0 ? [{ at, length, others }] : []
      },
    ),
  )
}

const distinct = (names: readonly (readonly string[])[]) => [
  ...new Map(names.map((name) => [name.join(' '), name])).values(),
]
