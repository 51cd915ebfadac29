import type { BannerTargeting, DisplayAlgorithm } from '../../../schemas/records/entities.ts'
import { pathKey } from '../catalogue/categories.ts'
import { analyze } from '../catalogue/text.ts'
import { normalBrand } from './promotion.ts'
import { fitsReferer, refererPatterns as patternsOf, type RefererAddress, type RefererPatterns } from './referer.ts'

/** What is known about the page and the person of a request for display ads. Unknown values are empty. */
export interface Page {
  /** The terms (`indexTerms`) of each text in which phrases are looked for. */
  texts: readonly ReadonlySet<string>[]
  /** Keys of its categories and of all above them (`pathAndAbove`). */
  categories: ReadonlySet<string>
  /** As `normalBrand` writes them. */
  brands: ReadonlySet<string>
  productIds: ReadonlySet<string>
  profiles: ReadonlySet<string>
  address: RefererAddress
}

/** The targeting of a campaign, prepared for comparison with pages. A kind that does not restrict is null. */
export interface CompiledTargeting {
  /** The terms of each phrase, keyed by its longest term, which is likely to occur on the fewest pages. */
  phrases: ReadonlyMap<string, string[][]> | null
  categories: ReadonlySet<string> | null
  brands: ReadonlySet<string> | null
  productIds: ReadonlySet<string> | null
  profiles: ReadonlySet<string> | null
  refererPatterns: RefererPatterns | null
}

/** @param lang the shop's language. Page texts are analysed in it, too. */
export function compileTargeting(targeting: BannerTargeting, lang: string): CompiledTargeting {
  const { phrases, categoryPaths, brands, productIds, profiles, refererPatterns } = targeting
  return {
    phrases: phrases.length > 0 ? byLongestTerm(phrases.map((phrase) => analyze(phrase, lang))) : null,
    categories: setOf(categoryPaths, pathKey),
    brands: setOf(brands, normalBrand),
    productIds: setOf(productIds, trimmed),
    profiles: setOf(profiles, trimmed),
    refererPatterns: refererPatterns.length > 0 ? patternsOf(refererPatterns) : null,
  }
}

const trimmed = (value: string) => value.trim()

function setOf(values: readonly string[], normal: (value: string) => string): ReadonlySet<string> | null {
  return values.length > 0 ? new Set(values.map(normal)) : null
}

/** A phrase without a word fits nothing, and is left out. */
function byLongestTerm(phrases: readonly string[][]): Map<string, string[][]> {
  const map = new Map<string, string[][]>()
  for (const terms of phrases) {
    if (terms.length === 0) continue
    const longest = terms.reduce((a, b) => (b.length > a.length ? b : a))
    map.set(longest, [...(map.get(longest) ?? []), terms])
  }
  return map
}

/**
 * Whether a campaign may be shown on a page. Of each kind of targeting that it sets, one value must fit. With
 * DISPLAY_PHRASE_OR_CATEGORY it is enough when either a phrase or a category fits.
 */
export function fits(targeting: CompiledTargeting, page: Page, rule: DisplayAlgorithm): boolean {
  const { brands, productIds, profiles, refererPatterns } = targeting
  return (
    (productIds === null || meet(productIds, page.productIds)) &&
    (brands === null || meet(brands, page.brands)) &&
    (profiles === null || meet(profiles, page.profiles)) &&
    fitsTopic(targeting, page, rule) &&
    (refererPatterns === null || fitsReferer(page.address, refererPatterns))
  )
}

function fitsTopic({ phrases, categories }: CompiledTargeting, page: Page, rule: DisplayAlgorithm): boolean {
  const byPhrase = phrases === null || page.texts.some((terms) => holdsPhrase(terms, phrases))
  if (categories === null) return byPhrase
  if (phrases === null || byPhrase === (rule === 'DISPLAY')) return meet(categories, page.categories)
  return byPhrase
}

function holdsPhrase(terms: ReadonlySet<string>, phrases: ReadonlyMap<string, string[][]>): boolean {
  const holds = (phrase: string[]) => phrase.every((term) => terms.has(term))
  // Iterate over the smaller of the two: either may have a thousand terms.
  if (phrases.size <= terms.size) {
    for (const [term, group] of phrases) if (terms.has(term) && group.some(holds)) return true
    return false
  }
  for (const term of terms) if (phrases.get(term)?.some(holds)) return true
  return false
}

/** Whether two sets have a value in common. */
function meet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [smaller, larger] = a.size <= b.size ? [a, b] : [b, a]
  for (const value of smaller) if (larger.has(value)) return true
  return false
}
