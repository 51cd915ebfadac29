import { copied, jointlyLimited } from '../caches.ts'
import { type Language, languageFor, languageOf, stemOf, stopWords } from './languages.ts'
import { segmented } from './segments.ts'

/**
 * Turns text into terms, alike for every index engine: engines get terms joined by spaces and split them at spaces only, so
 * a filter selects the same offers whatever the engine. A term consists of lower-case letters, digits, inner dots and, after
 * a letter, those marks that distinguish words in its script.
 */

/** Characters of one text that are analysed; the rest is ignored. */
const TEXT_LENGTH_MAX = 20_000
/** Compounds whose terms are cached, of all languages together. Longer ones hardly ever recur. */
const COMPOUNDS_CACHED_MAX = 40_000
const CACHED_COMPOUND_CHARS_MAX = 64

/** Letters that Unicode decomposition leaves whole. */
const letters: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  ß: 'ss',
  ı: 'i',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ħ: 'h',
  ŋ: 'n',
  ŧ: 't',
  ĸ: 'k',
}

/** Accents. The voicing marks of kana and the vowels and tones of Thai and related scripts are kept: they distinguish words. */
const marks = /(?![\u3099\u309a]|[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])\p{M}/gu
const voicedKana = /[\u3046-\u30fd][\u3099\u309a]/g

/** Lower case, without accents; ligatures, full-width and other compatibility forms resolved. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (isAscii.test(lower)) return lower
  return lower
    .replace(/[®™©℠]/g, ' ')
    .normalize('NFKD')
    .replace(marks, '')
    .replace(voicedKana, (kana) => kana.normalize('NFC'))
    .replace(/[łøßıđðþæœħŋŧĸ]/g, (letter) => letters[letter]!)
    .toLowerCase()
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const isAscii = /^[\x00-\x7f]*$/

const units = [
  'kb|mb|gb|tb|pb|gbps|mbps|gbit|mbit|khz|mhz|ghz|hz|kwh|wh|kw|mw|w|mv|kv|v|mah|ah|ma|nm|mm|cm|km|m|dpi|ppi|rpm|fps|mp|mpx',
  'mg|kg|g|lb|lbs|oz|ml|cl|dl|l|btu|lm|db|px',
].join('|')
const unitAfterNumber = new RegExp(`(?<![\\p{L}\\p{N}.])(\\d+(?:\\.\\d+)?)[ -]?(${units})(?![\\p{L}\\p{N}])`, 'gu')
const inchAfterNumber =
  /(?<![\p{L}\p{N}.])(\d+(?:\.\d+)?)(?: ?(?:"|”|''|’’|′′)|[ -]?(?:inches|inch|zoll|cali)(?![\p{L}\p{N}])|in(?![\p{L}\p{N}]))/gu

/** A number before a letter or an inch sign: a quick test whether the much slower patterns of units can match at all. */
const perhapsUnit = /\d[ -]?[a-z"”'’′]/

/** Folds spellings of numbers: 1,000 = 1000, 5.0 = 5, 43,2 = 43.2, "16 GB" = 16gb, 17" = 17in. */
function foldNumbers(folded: string): string {
  if (!/\d/.test(folded)) return folded
  let text = folded
  if (text.includes(','))
    text = text.replace(/(?<=(?<!\d)\d{1,3}),(?=\d{3}(?!\d))/g, '').replace(/(?<=\d),(?=\d)/g, '.')
  if (text.includes('.0')) text = text.replace(/(?<![\d.])(\d+)\.0+(?![\d.])/g, '$1')
  return perhapsUnit.test(text) ? text.replace(inchAfterNumber, '$1in ').replace(unitAfterNumber, '$1$2') : text
}

/** Words joined by - . _ ' & or +, like dv7-1211ea, l'oreal, usb-c. Points inside a number belong to it. */
const compoundPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:[-.'’_&+][\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*/gu
const partPattern = /\d+(?:\.\d+)+[\p{L}\p{N}\p{M}]*|[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu

/** The compounds of a text in order. Nothing is stemmed yet. */
const compounds = (text: string): readonly string[] =>
  foldNumbers(fold(segmented(text.slice(0, TEXT_LENGTH_MAX)))).match(compoundPattern) ?? []

/** The parts of a compound: "dv7-1211ea" is dv7 and 1211ea. */
function partsOf(compound: string): string[] {
  const plain = compound.replace(/['’]s(?![\p{L}\p{N}])/u, '')
  return /^[\p{L}\p{N}\p{M}]+$/u.test(plain) ? [plain] : plain.match(partPattern)!
}

/** Two parts of letters, one of which is too short to be a word: "wi-fi", "t-shirt", "e-mail". Searched for as one word. */
const soughtJoined = (parts: string[]) =>
  parts.length === 2 && parts.some((part) => part.length <= 2) && parts.every((part) => /^\p{L}+$/u.test(part))

/**
 * The distinct terms that a phrase asks for, in order: folded, stemmed, without stop words unless there is nothing
 * else. An offer has a word of the phrase when its term is among the `indexTerms` of one of the offer's texts.
 * @param lang ISO 639-1 code, a region may follow ("en-GB"); null is English.
 */
export const analyze = (text: string, lang: string | null): string[] => phraseWords(text, lang).map(({ term }) => term)

/** A word of a phrase, folded, and its term. */
export interface TypedWord {
  word: string
  term: string
}

/** The terms of `analyze`, each with the word that it comes from. */
export function phraseWords(text: string, lang: string | null): TypedWord[] {
  const code = languageOf(lang)
  const words = compounds(text)
    .map(partsOf)
    .flatMap((parts) => (soughtJoined(parts) ? [parts.join('')] : parts))
  const stops = stopWords(code)
  const telling = words.filter((word) => !stops.has(word))
  const language = languageFor(code)
  const byTerm = new Map<string, TypedWord>()
  for (const word of telling.length > 0 ? telling : words) {
    const term = stemOf(word, language)
    if (!byTerm.has(term)) byTerm.set(term, { word, term })
  }
  return [...byTerm.values()]
}

/**
 * The terms under which a text is found, in the order of its words. Each word is followed by other spellings that shoppers
 * use for it: parts joined (dv7-1211ea: dv7 1211ea dv71211ea), letters and digits apart (rtx2060: rtx 2060) or together
 * ("rtx 2060": rtx2060). Contains every term that `analyze` finds in the same text and language.
 */
export function indexTerms(text: string, lang: string | null): readonly string[] {
  return findIndexTerms(text, languageFor(languageOf(lang)))
}

/** Returns a function that makes the `indexTerms` of texts in one language, joined by spaces. */
export function textIndexer(lang: string | null): (text: string) => string {
  const language = languageFor(languageOf(lang))
  const { texts } = rememberedOf(language)
  return (text) => {
    if (text.length > REPEATED_TEXT_LENGTH_MAX) return findIndexTerms(text, language).join(' ')
    const known = texts.get(text)
    if (known !== undefined) return known
    const terms = findIndexTerms(text, language).join(' ')
    textCaches.add(texts, copied(text), terms)
    return terms
  }
}

/** The terms of short texts are cached, because brands, categories and attribute values recur often. */
const REPEATED_TEXT_LENGTH_MAX = 40
/** Of all languages together. */
const REPEATED_TEXTS_MAX = 40_000

interface Remembered {
  texts: Map<string, string>
  compounds: Map<string, CompoundTerms>
}

const textCaches = jointlyLimited(REPEATED_TEXTS_MAX)
const compoundCaches = jointlyLimited(COMPOUNDS_CACHED_MAX)
const rememberedByLanguage = new WeakMap<Language, Remembered>()

function rememberedOf(language: Language): Remembered {
  const known = rememberedByLanguage.get(language)
  if (known) return known
  const fresh: Remembered = { texts: textCaches.create(), compounds: compoundCaches.create() }
  rememberedByLanguage.set(language, fresh)
  return fresh
}

function findIndexTerms(text: string, language: Language): string[] {
  const remembered = rememberedOf(language).compounds
  const terms: string[] = []
  let before: Neighbour | null = null
  for (const compound of compounds(text)) {
    const { first, stem, rest, last } = compoundTerms(compound, language, remembered)
    terms.push(stem)
    if (before && joinsWith(before, first)) terms.push(stemOf(before.part + first.part, language))
    for (const term of rest) terms.push(term)
    before = last
  }
  return terms
}

/** The terms that a compound contributes wherever it occurs. They are cached because words recur often. */
interface CompoundTerms {
  first: Neighbour
  /** The stem of the first part. */
  stem: string
  /** The terms after `stem` and after the term, if any, that joins the first part with the word before. */
  rest: readonly string[]
  last: Neighbour
}

function compoundTerms(compound: string, language: Language, remembered: Map<string, CompoundTerms>): CompoundTerms {
  if (compound.length > CACHED_COMPOUND_CHARS_MAX) return findCompoundTerms(compound, language)
  const known = remembered.get(compound)
  if (known) return known
  const own = copied(compound)
  const found = findCompoundTerms(own, language)
  compoundCaches.add(remembered, own, found)
  return found
}

function findCompoundTerms(compound: string, language: Language): CompoundTerms {
  const parts = partsOf(compound)
  const neighbours = parts.map(neighbour)
  const rest: string[] = []
  for (const [at, part] of parts.entries()) {
    if (at > 0) {
      rest.push(stemOf(part, language))
      if (joinsWith(neighbours[at - 1]!, neighbours[at]!)) rest.push(stemOf(parts[at - 1] + part, language))
    }
    const split = /^(\p{L}+)(\d+)$|^(\d+)(\p{L}+)$/u.exec(part)
    if (split) rest.push(stemOf(split[1] ?? split[3]!, language), stemOf(split[2] ?? split[4]!, language))
  }
  if (parts.length > 1) rest.push(stemOf(parts.join(''), language))
  return { first: neighbours[0]!, stem: stemOf(parts[0]!, language), rest, last: neighbours.at(-1)! }
}

/** The properties of a part that decide whether it may be joined with the part next to it. */
interface Neighbour {
  part: string
  isShortWord: boolean
  isLetter: boolean
  isShortNumber: boolean
}

const neighbour = (part: string): Neighbour => ({
  part,
  isShortWord: /^\p{L}{2,8}$/u.test(part),
  isLetter: /^[b-hj-z]$/.test(part),
  isShortNumber: /^\d{1,5}$/.test(part),
})

/** Whether two parts may also be written as one word: "rtx 2060", "usb c", "t shirt". */
const joinsWith = (before: Neighbour, after: Neighbour) =>
  (before.isShortWord && (after.isShortNumber || after.isLetter)) || (before.isLetter && after.isShortWord)
