import { newStemmer, type Stemmer } from 'snowball-stemmers'

/**
 * Text to terms, the same for every index engine: engines get terms joined by spaces and split them at spaces only,
 * so a filter selects the same offers whatever the engine. Terms hold lower-case letters, digits and inner dots.
 */

/** Used where a text's language is not known. */
export const DEFAULT_LANG = 'en'
/** Characters of one text that are analysed; the rest is ignored. */
export const TEXT_LENGTH_MAX = 20_000
const TERM_LENGTH_MAX = 64
/** Words remembered with their stems, and compounds with their terms, per language. */
const STEMS_CACHED_MAX = 50_000
const COMPOUNDS_CACHED_MAX = 20_000

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

/** Lower case, without accents; ligatures, full-width and other compatibility forms resolved. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (isAscii.test(lower)) return lower
  return lower
    .replace(/[®™©℠]/g, ' ')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
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

/** Folds spellings of numbers: 1,000 = 1000, 5.0 = 5, 43,2 = 43.2, "16 GB" = 16gb, 17" = 17in. */
function foldNumbers(folded: string): string {
  if (!/\d/.test(folded)) return folded
  return folded
    .replace(/(?<=(?<!\d)\d{1,3}),(?=\d{3}(?!\d))/g, '')
    .replace(/(?<=\d),(?=\d)/g, '.')
    .replace(/(?<![\d.])(\d+)\.0+(?![\d.])/g, '$1')
    .replace(inchAfterNumber, '$1in ')
    .replace(unitAfterNumber, '$1$2')
}

/** Words joined by - . _ ' & or +, like dv7-1211ea, l'oreal, usb-c. Points inside a number belong to it. */
const compoundPattern = /[\p{L}\p{N}]+(?:[-.'’_&+][\p{L}\p{N}]+)*/gu
const partPattern = /\d+(?:\.\d+)+[\p{L}\p{N}]*|[\p{L}\p{N}]+/gu

/** The compounds of a text in order. Nothing is stemmed yet. */
const compounds = (text: string): readonly string[] =>
  foldNumbers(fold(text.slice(0, TEXT_LENGTH_MAX))).match(compoundPattern) ?? []

/** The parts of a compound: "dv7-1211ea" is dv7 and 1211ea. */
function partsOf(compound: string): string[] {
  const plain = compound.replace(/['’]s(?![\p{L}\p{N}])/u, '')
  return /^[\p{L}\p{N}]+$/u.test(plain) ? [plain] : plain.match(partPattern)!
}

/** "wi-fi", "t-shirt", "e-mail": letters only with a part that is no word alone; sought as one word. */
const soughtJoined = (parts: string[]) =>
  parts.length === 2 && parts.some((part) => part.length <= 2) && parts.every((part) => /^\p{L}+$/u.test(part))

/**
 * The distinct terms that a phrase asks for, in order: folded, stemmed, without stop words unless there is nothing
 * else. An offer has a word of the phrase when the term is among `indexTerms` of one of its texts.
 * @param lang ISO 639-1 code, a region may follow ("en-GB"); null is English.
 */
export function analyze(text: string, lang: string | null): string[] {
  const language = languageOf(lang)
  const words = compounds(text)
    .map(partsOf)
    .flatMap((parts) => (soughtJoined(parts) ? [parts.join('')] : parts))
  const stops = stopWords(language)
  const telling = words.filter((word) => !stops.has(word))
  return [...new Set((telling.length > 0 ? telling : words).map((word) => stem(word, language)))]
}

/**
 * The terms under which a text is found, in the order of its words: each word, and after it the spellings that
 * shoppers use for the same: parts joined (dv7-1211ea: dv7 1211ea dv71211ea), letters and digits apart (rtx2060:
 * rtx 2060) or together ("rtx 2060": rtx2060). Holds every term that `analyze` finds in the same text and language.
 */
export function indexTerms(text: string, lang: string | null): readonly string[] {
  const language = languageOf(lang)
  if (text.length > REPEATED_TEXT_LENGTH_MAX) return findIndexTerms(text, language)
  const key = `${language}:${text}`
  let terms = repeatedTexts.get(key)
  if (!terms) {
    if (repeatedTexts.size >= REPEATED_TEXTS_MAX) repeatedTexts.clear()
    terms = findIndexTerms(text, language)
    repeatedTexts.set(key, terms)
  }
  return terms
}

/** Brands, categories and attribute values come again and again: their terms are remembered. */
const REPEATED_TEXT_LENGTH_MAX = 40
const REPEATED_TEXTS_MAX = 20_000
const repeatedTexts = new Map<string, readonly string[]>()

function findIndexTerms(text: string, code: string): string[] {
  const language = languageFor(code)
  const terms: string[] = []
  let before: Neighbour | null = null
  for (const compound of compounds(text)) {
    const { first, stem, rest, last } = compoundTerms(compound, language)
    terms.push(stem)
    if (before && joinsWith(before, first)) terms.push(stemOf(before.part + first.part, language))
    for (const term of rest) terms.push(term)
    before = last
  }
  return terms
}

/** What a compound contributes wherever it stands, remembered because words come again and again. */
interface CompoundTerms {
  first: Neighbour
  /** Of the first part. */
  stem: string
  /** The terms after it, and after the one that joins it with the word before. */
  rest: readonly string[]
  last: Neighbour
}

function compoundTerms(compound: string, language: Language): CompoundTerms {
  const known = language.compounds.get(compound)
  if (known) return known
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
  const found = { first: neighbours[0]!, stem: stemOf(parts[0]!, language), rest, last: neighbours.at(-1)! }
  if (language.compounds.size >= COMPOUNDS_CACHED_MAX) language.compounds.clear()
  language.compounds.set(compound, found)
  return found
}

/** A part as what stands beside it sees it. */
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

/** "rtx 2060", "usb c", "t shirt". */
const joinsWith = (before: Neighbour, after: Neighbour) =>
  (before.isShortWord && (after.isShortNumber || after.isLetter)) || (before.isLetter && after.isShortWord)

const languageOf = (lang: string | null): string => (lang ? primaryLang(lang) : DEFAULT_LANG)

/** "en-GB" and "EN" are "en". */
export const primaryLang = (lang: string): string => lang.split(/[-_]/)[0]!.toLowerCase()

const algorithms: Readonly<Record<string, string>> = {
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

interface Language {
  stemmer: Stemmer | null
  stems: Map<string, string>
  compounds: Map<string, CompoundTerms>
}
const languages = new Map<string, Language>()

function languageFor(code: string): Language {
  const known = languages.get(code)
  if (known) return known
  const algorithm = algorithms[code]
  const language = { stemmer: algorithm ? newStemmer(algorithm) : null, stems: new Map(), compounds: new Map() }
  languages.set(code, language)
  return language
}

const stem = (word: string, code: string): string => stemOf(word, languageFor(code))

function stemOf(word: string, language: Language): string {
  if (!language.stemmer || /\d/.test(word)) return clip(word)
  const known = language.stems.get(word)
  if (known !== undefined) return known
  const stemmed = clip(language.stemmer.stem(word) || word)
  if (language.stems.size >= STEMS_CACHED_MAX) language.stems.clear()
  language.stems.set(word, stemmed)
  return stemmed
}

const clip = (term: string) => term.slice(0, TERM_LENGTH_MAX)

/**
 * Words that carry no choice in a shopper's phrase: articles, prepositions, conjunctions. Folded as `fold` folds
 * words. Kept short on purpose: a word that can name a product ("off", "on", "no") is not in the list.
 */
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
  no: 'av den det en et for fra i med og om pa som til',
}

const stopWordSets = new Map(Object.entries(stopWordLists).map(([lang, words]) => [lang, new Set(words.split(' '))]))
const noStopWords: ReadonlySet<string> = new Set()

/** Stop words of a language by its ISO 639-1 code; empty for a language without a list. */
const stopWords = (lang: string): ReadonlySet<string> => stopWordSets.get(lang) ?? noStopWords
