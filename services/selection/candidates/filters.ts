import type { Filter } from '../../../infra/product-index/port.ts'
import type { Targeting } from '../../../schemas/http/targeting.ts'
import { pathLevels } from '../../domain/catalogue/categories.ts'
import { toMicros } from '../../domain/money/money.ts'

/** Parameters of an ad request as filters of the index. Each gives no filter when its parameter is missing or blank. */

/** The text unless it is missing or blank. */
export function given(text: string | undefined): string | null {
  return text?.trim() || null
}

/** The entries that are not blank, each once. */
export function givenAll(list: readonly string[] | undefined): string[] {
  return list ? [...new Set(list.map((entry) => entry.trim()).filter(Boolean))] : []
}

export function excluded({ excludedShopProductIds }: Targeting, others: readonly string[] = []): Filter[] {
  const ids = [...new Set([...givenAll(excludedShopProductIds), ...others])]
  return ids.length > 0 ? [{ kind: 'excludeIds', ids }] : []
}

export function price({ priceMin, priceMax }: Targeting): Filter[] {
  if (priceMin === undefined && priceMax === undefined) return []
  const micros = (amount: number | undefined) => (amount === undefined ? null : toMicros(amount))
  return [{ kind: 'price', minMicros: micros(priceMin), maxMicros: micros(priceMax) }]
}

export function currency(targeting: Targeting): Filter[] {
  return targeting.currency ? [{ kind: 'currency', currency: targeting.currency.toUpperCase() }] : []
}

export function brand(targeting: Targeting): Filter[] {
  const wanted = given(targeting.brand)
  return wanted ? [{ kind: 'brand', anyOf: [wanted] }] : []
}

/** Every name must match; of several values of one name, any one is enough. */
export function attributes(targeting: Targeting): Filter[] {
  const byName = new Map<string, string[]>()
  for (const { name, value } of targeting.attributes ?? []) {
    const key = name.normalize('NFC').trim()
    byName.set(key, [...(byName.get(key) ?? []), value])
  }
  return [...byName].map(([name, anyOf]) => ({ kind: 'attribute', name, anyOf }))
}

function categoryPaths(targeting: Targeting): Filter[] {
  const paths = givenAll(targeting.categoryPaths)
  return paths.length > 0 ? [{ kind: 'categoryPaths', paths }] : []
}

export function categoryIds(targeting: Targeting): Filter[] {
  const anyOf = givenAll(targeting.categoryIds).map(pathLevels)
  return anyOf.length > 0 ? [{ kind: 'categoryNodes', anyOf }] : []
}

export const categories = (targeting: Targeting): Filter[] => [...categoryPaths(targeting), ...categoryIds(targeting)]

/** Filters by department: the first level of a path, or the first node, is enough. */
export function categoryRoots(targeting: Targeting): Filter[] {
  return categories(targeting).map((filter): Filter => {
    if (filter.kind === 'categoryPaths') return { kind: 'categoryPaths', paths: rootsOf(filter.paths) }
    if (filter.kind === 'categoryNodes')
      return { kind: 'categoryNodes', anyOf: filter.anyOf.map((nodes) => nodes.slice(0, 1)) }
    return filter
  })
}

export function rootsOf(paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => pathLevels(path)[0] ?? path))]
}

/** Filters for what the page's shopper can buy, whatever the algorithm. */
export function deliverable({ lang }: Targeting, country: string | null): Filter[] {
  return [
    { kind: 'available' },
    ...(lang ? [{ kind: 'lang', lang: lang.toLowerCase() } as const] : []),
    ...(country ? [{ kind: 'country', country } as const] : []),
  ]
}

export interface Variant {
  /** Matches more loosely: more is found, less of it fits well. */
  wide: boolean
}

/** The least share of a title's words that a similar title has: the default of Elasticsearch's more_like_this. */
const SIMILAR_TITLE_MIN_SHARE = 0.3

/** Strict: every word of the phrase, anywhere in the offer. Wide: any word. */
export function phraseFilter(text: string | null, lang: string, { wide }: Variant): Filter[] {
  return text === null ? [] : [{ kind: 'text', text, lang, minShare: wide ? 0 : 1, in: 'ALL_FIELDS' }]
}

/** Strict: a share of the title's words, in the offer's title. Wide: any word of the title, anywhere in the offer. */
export function titleFilter(text: string | null, lang: string, { wide }: Variant): Filter[] {
  if (text === null) return []
  if (wide) return [{ kind: 'text', text, lang, minShare: 0, in: 'ALL_FIELDS' }]
  return [{ kind: 'text', text, lang, minShare: SIMILAR_TITLE_MIN_SHARE, in: 'TITLE' }]
}
