import type { Filter, IndexedProduct } from '../../../infra/product-index/port.ts'
import { effectivePriceMicros, normalBrand } from '../../domain/campaign/promotion.ts'
import { attributesOf, normalAttribute } from '../../domain/catalogue/attributes.ts'
import { isSameOrBelow, nodesInOrder, pathLevels } from '../../domain/catalogue/categories.ts'
import { primaryLang } from '../../domain/catalogue/languages.ts'

export type Check = (product: IndexedProduct) => boolean

/** The index's filters as a check without the index; null when one of them needs the index. */
export function checkOf(filters: readonly Filter[]): Check | null {
  const checks = filters.map(checkOfOne)
  return checks.includes(null) ? null : (product) => checks.every((check) => check!(product))
}

const same = (a: string | null, b: string) => a !== null && a.trim().toLowerCase() === b.trim().toLowerCase()

/** Whether the levels of any of a product's types hold. Levels are costly to tell, so each type's are told once. */
const anyType =
  (holds: (levels: readonly string[]) => boolean): Check =>
  ({ offer }) =>
    offer.productTypes.some((type) => holds(pathLevels(type)))

/** Checks one filter as the port defines it. Values are normalised as the index normalises them. */
function checkOfOne(filter: Filter): Check | null {
  switch (filter.kind) {
    case 'available':
      return ({ offer }) => offer.isAvailable
    case 'categoryPaths': {
      const paths = filter.paths.map(pathLevels)
      return anyType((levels) => paths.some((path) => isSameOrBelow(levels, path)))
    }
    case 'categoryNodes': {
      const lists = filter.anyOf.map((nodes) => nodes.flatMap(pathLevels))
      return anyType((levels) => lists.some((nodes) => nodesInOrder(levels, nodes)))
    }
    case 'price': {
      const { minMicros, maxMicros } = filter
      return ({ offer }) => {
        const micros = effectivePriceMicros(offer)
        return micros >= (minMicros ?? Number.NEGATIVE_INFINITY) && micros <= (maxMicros ?? Number.POSITIVE_INFINITY)
      }
    }
    case 'brand': {
      const wanted = new Set(filter.anyOf.map(normalBrand))
      return ({ offer }) => offer.brand !== null && wanted.has(normalBrand(offer.brand))
    }
    case 'currency':
      return ({ offer }) => same(offer.currency, filter.currency)
    case 'lang': {
      const lang = primaryLang(filter.lang)
      return ({ offer }) => offer.lang === null || primaryLang(offer.lang) === lang
    }
    case 'country':
      return ({ offer }) => {
        const countries = offer.shipping.flatMap(({ country }) => country ?? [])
        return countries.length === 0 || countries.some((country) => same(country, filter.country))
      }
    case 'attribute': {
      const name = normalAttribute(filter.name)
      const values = new Set(filter.anyOf.map(normalAttribute))
      return ({ offer }) => attributesOf(offer).some((each) => each.name === name && values.has(each.value))
    }
    case 'ids':
      return ({ offer }) => filter.ids.includes(offer.id) || filter.ids.includes(offer.productId ?? offer.id)
    case 'excludeIds':
      return ({ offer }) => !filter.ids.includes(offer.id)
    // Only the index can match words. No plan uses the other filters.
    case 'text':
    case 'labels':
    case 'sellers':
    case 'feed':
    case 'campaign':
      return null
  }
}
