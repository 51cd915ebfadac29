import { LRUCache } from 'lru-cache'
import type { Shop } from '../../../schemas/records/entities.ts'
import { languageOf } from './languages.ts'
import type { Synonyms } from './synonyms.ts'
import { analyze } from './text.ts'

/**
 * A publisher's synonyms as text, in the format of Solr and Elasticsearch. With `sofa, couch`, a search for either finds
 * the other. With `sneaker => trainers, running shoes`, a search for the left side also finds the right side. `#` begins a
 * comment; a backslash escapes the character after it.
 */

export const SYNONYM_RULES_MAX = 2_000
const NAMES_MAX = 20
const NAME_CHARS_MAX = 100
/** Terms of a name, as it is searched for. */
export const SHOP_NAME_TERMS_MAX = 5
/** Names that one name finds, over all lines. */
const OTHERS_MAX = 40
const FAULTS_MAX = 50

export interface SynonymRule {
  names: readonly string[]
  /** What a search for one of `names` also finds; null when each of `names` finds the others. */
  finds: readonly string[] | null
}
/** Must not be mutated: what `shopSynonymsOf` makes of the array is cached. */
export type SynonymRules = readonly SynonymRule[]

/** What is wrong with a line; lines are counted from 1. */
export interface LineFault {
  line: number
  message: string
}

/**
 * Reads and checks a text. Lines with faults make no rule. The names of the longest text take a tenth of a second.
 * @param lang the shop's language, in which names are compared. @param betweenLines lets other work run when it is time to.
 */
export async function checkSynonyms(
  text: string,
  lang: string,
  betweenLines: () => Promise<void> | undefined,
): Promise<{ rules: SynonymRule[]; faults: LineFault[] }> {
  const rules: SynonymRule[] = []
  const faults: LineFault[] = []
  for (const { at, rule } of linesOf(text)) {
    await betweenLines()
    const message =
      rules.length < SYNONYM_RULES_MAX
        ? faultOf(rule, lang)
        : `comes after the ${SYNONYM_RULES_MAX} lines that can be kept`
    if (message === null) rules.push(rule as SynonymRule)
    else faults.push({ line: at + 1, message })
    if (faults.length === FAULTS_MAX) break
  }
  return { rules, faults }
}

/** The rules of a text that was checked when it was stored. */
export const readSynonyms = (text: string): SynonymRules => linesOf(text).flatMap(({ rule }) => rule ?? [])

/** The lines of a text but empty ones and comments. `rule` is null when a line has no form of a rule. */
function linesOf(text: string): { at: number; rule: SynonymRule | null }[] {
  const lines = text.split(/\r\n|\r|\n/).entries()
  return [...lines].flatMap(([at, line]) => (/^\s*(#|$)/.test(line) ? [] : [{ at, rule: ruleOf(line) }]))
}

function ruleOf(line: string): SynonymRule | null {
  const [left = '', right, ...more] = splitAt(line, '=>')
  if (more.length > 0) return null
  return { names: namesOf(left), finds: right === undefined ? null : namesOf(right) }
}

const namesOf = (list: string) =>
  splitAt(list, ',').map((name) => name.replace(/\\(.)/gu, '$1').trim().replace(/\s+/gu, ' '))

/** Splits at each mark that is not escaped by a backslash. */
function splitAt(text: string, mark: string): string[] {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text.startsWith(mark, at)) {
      parts.push(text.slice(from, at))
      from = at + mark.length
      at = from - 1
    }
  }
  return [...parts, text.slice(from)]
}

function faultOf(rule: SynonymRule | null, lang: string): string | null {
  if (rule === null) return 'has more than one =>'
  const { names, finds } = rule
  const all = [...names, ...(finds ?? [])]
  if (all.length > NAMES_MAX) return `has more than ${NAMES_MAX} names`
  if (all.includes('')) return 'has an empty name'
  if (all.length === 1) return 'has only one name'
  for (const name of all) {
    if (name.length > NAME_CHARS_MAX) return `has a name of more than ${NAME_CHARS_MAX} characters`
    const words = analyze(name, lang).length
    if (words === 0) return `has a name without letters and digits: ${name}`
    if (words > SHOP_NAME_TERMS_MAX) return `has a name of more than ${SHOP_NAME_TERMS_MAX} words: ${name}`
  }
  const keys = (list: readonly string[]) => new Set(list.map((name) => analyze(name, lang).join(' ')))
  const left = keys(names)
  const isNew =
    finds === null ? left.size > 1 : [...left].some((name) => [...keys(finds)].some((other) => other !== name))
  return isNew
    ? null
    : 'names the same words only: the search takes singular and plural, and upper and lower case, as one'
}

const ofShops = new WeakMap<Shop, SynonymRules>()
const NONE: SynonymRules = []

/** The rules of a shop: the same array for the same shop object. */
export function synonymsOfShop(shop: Shop): SynonymRules {
  if (shop.synonyms === '') return NONE
  let rules = ofShops.get(shop)
  if (!rules) {
    rules = readSynonyms(shop.synonyms)
    ofShops.set(shop, rules)
  }
  return rules
}

/** Names whose synonyms are kept, of all shops and languages, some 200 bytes each. Those that were used least recently go first. */
const NAMES_KEPT_MAX = 500_000
const kept = new LRUCache<string, Synonyms>({ maxSize: NAMES_KEPT_MAX, sizeCalculation: ({ size }) => size + 1 })
/** The analyses that have begun and not ended. */
const underWay = new Map<string, Promise<Synonyms>>()
const numbers = new WeakMap<SynonymRules, number>()
let numbered = 0

/** @param code as `languageOf` returns it. */
function keyOf(rules: SynonymRules, code: string): string {
  const number = numbers.get(rules) ?? ++numbered
  numbers.set(rules, number)
  return `${number}:${code}`
}

/** Maps the terms of a name, joined by spaces, to the terms of each name that it finds. @param lang as in `synonymsOf`. */
export function shopSynonymsOf(rules: SynonymRules, lang: string | null): Synonyms {
  const code = languageOf(lang)
  const key = keyOf(rules, code)
  const known = kept.get(key)
  if (known) return known
  const steps = analyzing(rules, code)
  let step = steps.next()
  while (!step.done) step = steps.next()
  kept.set(key, step.value)
  return step.value
}

/**
 * As `shopSynonymsOf`, for rules that take up to 0.2 s to analyse. Calls that come meanwhile wait for the same analysis.
 * @param betweenRules lets other work run when it is time to.
 */
export async function analyzeSynonyms(
  rules: SynonymRules,
  lang: string | null,
  betweenRules: () => Promise<void> | undefined,
): Promise<Synonyms> {
  const code = languageOf(lang)
  const key = keyOf(rules, code)
  const known = kept.get(key) ?? underWay.get(key)
  if (known) return known
  const analysis = (async () => {
    const steps = analyzing(rules, code)
    let step = steps.next()
    while (!step.done) {
      await betweenRules()
      step = steps.next()
    }
    kept.set(key, step.value)
    return step.value
  })().finally(() => underWay.delete(key))
  underWay.set(key, analysis)
  return analysis
}

/** Stops before each rule. */
function* analyzing(rules: SynonymRules, code: string): Generator<undefined, Synonyms> {
  const found = new Map<string, Map<string, string[]>>()
  // A name that was right in the language in which it was checked may have no term, or too many, in another one.
  const termsOf = (names: readonly string[]) =>
    names.map((name) => analyze(name, code)).filter(({ length: terms }) => terms > 0 && terms <= SHOP_NAME_TERMS_MAX)
  for (const { names, finds } of rules) {
    yield
    const left = termsOf(names)
    const right = finds === null ? left : termsOf(finds)
    for (const name of left) {
      const key = name.join(' ')
      const others = found.get(key) ?? new Map<string, string[]>()
      found.set(key, others)
      for (const other of right) {
        const otherKey = other.join(' ')
        if (otherKey !== key && others.size < OTHERS_MAX) others.set(otherKey, other)
      }
    }
  }
  return new Map(Array.from(found, ([key, others]) => [key, [...others.values()]]))
}
