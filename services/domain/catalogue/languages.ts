import { createRequire } from 'node:module'
import type { Stemmer } from 'snowball-stemmers'
import { copied, jointlyLimited } from '../caches.ts'

/** What depends on the language of a text: stems and stop words. */

/** Used where a text's language is not known. */
const DEFAULT_LANG = 'en'
const TERM_LENGTH_MAX = 64
/** The code that stands for all languages without rules of their own. */
const UNDETERMINED = 'und'

/**
 * The code of the language by whose rules a text is read. Whoever sends a text also says its language, so what is cached for each
 * language must be cached by these codes, which are few.
 */
export function languageOf(lang: string | null): string {
  const code = lang ? primaryLang(lang) : DEFAULT_LANG
  return Object.hasOwn(algorithms, code) || stopWordSets.has(code) ? code : UNDETERMINED
}

/** "en-GB" and "EN" are "en". */
export const primaryLang = (lang: string): string => lang.split(/[-_]/)[0]!.toLowerCase()

/** Snowball's algorithms by language. */
export const algorithms: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  cs: 'czech',
  da: 'danish',
  nl: 'dutch',
  en: 'english',
  fi: 'finnish',
  fr: 'french',
  de: 'german',
  hu: 'hungarian',
  it: 'italian',
  no: 'norwegian',
  nb: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  es: 'spanish',
  sl: 'slovene',
  sv: 'swedish',
  tr: 'turkish',
}

type Stem = (word: string) => string

/** Stemmers are loaded when their language first occurs: a shop uses one or two. */
const load = createRequire(import.meta.url)

/** Algorithms that the fast libraries lack. */
const SLOW_ONLY: ReadonlySet<string> = new Set(['catalan', 'czech', 'slovene'])

/**
 * Gives the same stems as `snowball-stemmers` for words in the language's script, ten times as fast. A test compares them.
 */
export function stemmerOf(algorithm: string): Stem {
  if (algorithm === 'english') return (load('porter2') as typeof import('porter2')).stem
  if (SLOW_ONLY.has(algorithm)) return snowballStemmer(algorithm)
  return (load(`@orama/stemmers/${algorithm}`) as { stemmer: Stem }).stemmer
}

export function snowballStemmer(algorithm: string): Stem {
  const stemmer: Stemmer = (load('snowball-stemmers') as typeof import('snowball-stemmers')).newStemmer(algorithm)
  return (word) => stemmer.stem(word)
}

export interface Language {
  /** Null when words are used as they are. */
  stem: Stem | null
  stems: Map<string, string>
}
const languages = new Map<string, Language>()
/** Of all languages together. */
const stemCaches = jointlyLimited(100_000)

/** @param code as `languageOf` returns it. */
export function languageFor(code: string): Language {
  const known = languages.get(code)
  if (known) return known
  const algorithm = algorithms[code]
  const language = { stem: algorithm ? stemmerOf(algorithm) : null, stems: stemCaches.create<string>() }
  languages.set(code, language)
  return language
}

export function stemOf(word: string, language: Language): string {
  if (!language.stem || /\d/.test(word)) return clip(word)
  if (word.length > TERM_LENGTH_MAX) return guessedStem(word, language)
  const known = language.stems.get(word)
  if (known !== undefined) return known
  const own = copied(word)
  const stemmed = guessedStem(own, language)
  stemCaches.add(language.stems, own, stemmed)
  return stemmed
}

/** `stemOf` without the cache, for spellings that are tried by the hundred and for what is too long to be a word. */
export const guessedStem = (word: string, { stem }: Language): string =>
  clip(stem && !/\d/.test(word) ? stem(word) || word : word)

const clip = (term: string) => term.slice(0, TERM_LENGTH_MAX)

/**
 * Words that do not narrow a shopper's phrase: articles, prepositions, conjunctions. They are folded as by `fold`. The
 * lists are short on purpose: a word that can name a product ("off", "on", "no") is left out.
 */
const norwegian = 'av den det en et for fra i med og om pa som til'
const stopWordLists: Readonly<Record<string, string>> = {
  en: 'a an and as at be by for from in into is it its of on or our that the their this to was were which with your',
  de: 'am an auf aus bei das dem den der des die ein eine einem einen einer eines fur im in ist mit nach oder und vom von zu zum zur',
  fr: 'a au aux avec ce ces cette dans de des du en est et l la le les ou par pour sans sur un une',
  es: 'a al con de del e el en es la las lo los o para por sin su sus un una unas unos y',
  it: 'a ad ai al alla con da dal dei del della di e ed gli i il in la le lo nel o per su un una uno',
  pt: 'a ao aos as com da das de do dos e em na nas no nos o os ou para pela pelo por um uma',
  nl: 'aan bij de een en het in is met naar of om op te tot uit van voor',
  pl: 'a albo dla do i ich jest lub na nad o od oraz po pod przez przy sie to w we z za ze',
  cs: 'a do i k ke na nebo o od po pro s se u v ve z za ze',
  sv: 'att av den det en ett for fran i med och om pa som till',
  da: 'af at den det en et for fra i med og om pa som til',
  no: norwegian,
  nb: norwegian,
  fi: 'ja joka kanssa on se seka tai varten',
  hu: 'a az egy es hogy is vagy',
  ro: 'a ai al ale cea cei cel cele cu de din in la o pe pentru prin sau si un unei unui',
  ca: 'a al als amb d de del dels el els en i l la les lo o per un una uns unes',
  sl: 'ali do in iz k na o ob od po pri s se v z za',
  tr: 'bir bu de da icin ile ve veya ya',
  ru: 'а в во для до и из к ко или на о об от по под при с со у',
  ar: 'في من على الى عن مع او و هذا هذه التي الذي',
  ja: 'の は が を に で と も や へ から まで',
  zh: '的 了 和 与 及 之',
  th: 'และ ที่ ของ ใน สําหรับ',
}

const stopWordSets = new Map(Object.entries(stopWordLists).map(([lang, words]) => [lang, new Set(words.split(' '))]))
const noStopWords: ReadonlySet<string> = new Set()

/** Stop words of a language by its code; empty for a language without a list. */
export const stopWords = (lang: string): ReadonlySet<string> => stopWordSets.get(lang) ?? noStopWords
