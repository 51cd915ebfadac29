import type { Filter, IndexedProduct } from '../../../infra/product-index/port.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { understand } from '../../../services/domain/catalogue/phrase.ts'
import type { SynonymRules } from '../../../services/domain/catalogue/shop-synonyms.ts'
import { indexTerms } from '../../../services/domain/catalogue/text.ts'

/**
 * Defines what a filter means by looking at one offer, with nothing prepared. Only words are interpreted with the terms of the
 * other offers, as test/services/domain/catalogue/phrase.test.ts specifies.
 */

const same = (a: string, b: string) => a.localeCompare(b, 'en', { sensitivity: 'base' }) === 0
const trimmed = (text: string) => text.trim().replace(/\s+/g, ' ')
const nodesOf = (path: string) =>
  path
    .split('>')
    .map(trimmed)
    .filter((node) => node !== '')

const fields: Record<string, keyof ProductOffer> = {
  adult: 'adult',
  age_group: 'ageGroup',
  color: 'color',
  energy_efficiency_class: 'energyEfficiencyClass',
  gender: 'gender',
  catalog_product_category: 'catalogProductCategory',
  gtin: 'gtin',
  material: 'material',
  mpn: 'mpn',
  pattern: 'pattern',
  size: 'size',
  unit_pricing_measure: 'unitPricingMeasure',
}

export function satisfies(
  { offer, campaignIds }: IndexedProduct,
  filter: Filter,
  indexed: readonly IndexedProduct[] = [],
  synonyms: SynonymRules = [],
): boolean {
  switch (filter.kind) {
    case 'available':
      return offer.isAvailable
    case 'text':
      return satisfiesText(offer, filter, { indexed, synonyms })
    case 'categoryPaths':
      return filter.paths.some((path) => {
        const wanted = nodesOf(path)
        return (
          wanted.length > 0 &&
          offer.productTypes.some((type) => wanted.every((node, at) => same(nodesOf(type)[at] ?? '', node)))
        )
      })
    case 'categoryNodes':
      return filter.anyOf.some(
        (nodes) => nodes.length > 0 && offer.productTypes.some((type) => inOrder(nodesOf(type), nodes.map(trimmed))),
      )
    case 'price': {
      const price = offer.salePriceMicros === null ? offer.priceMicros : offer.salePriceMicros
      return (
        !(filter.minMicros !== null && price < filter.minMicros) &&
        !(filter.maxMicros !== null && price > filter.maxMicros)
      )
    }
    case 'brand':
      return filter.anyOf.some((brand) => offer.brand?.trim().toUpperCase() === brand.trim().toUpperCase())
    case 'currency':
      return filter.currency.toLowerCase() === offer.currency.toLowerCase()
    case 'lang':
      return offer.lang === null || /^[a-z]+/i.exec(offer.lang)![0] === /^[a-z]+/i.exec(filter.lang)![0].toLowerCase()
    case 'country': {
      const given = offer.shipping.map((shipping) => shipping.country).filter((country) => country !== null)
      return given.length === 0 || given.some((country) => same(country, filter.country))
    }
    case 'attribute': {
      const field = fields[filter.name.trim().toLowerCase()]
      const values = offer.productDetails
        .filter((d) => same(d.attributeName.trim(), filter.name.trim()))
        .map((d) => d.attributeValue)
      if (field && offer[field] !== null) values.push(String(offer[field]))
      return values.some(
        (value) => value.trim() !== '' && filter.anyOf.some((wanted) => same(trimmed(value), trimmed(wanted))),
      )
    }
    case 'labels':
      return filter.anyOf.some((label) => offer.labels.indexOf(label) >= 0)
    case 'sellers':
      return filter.anyOf.indexOf(offer.externalSellerId ?? '\0') >= 0
    case 'feed':
      return offer.feedId === filter.feedId
    case 'ids':
      return filter.ids.indexOf(offer.id) >= 0 || filter.ids.indexOf(offer.productId ?? '\0') >= 0
    case 'excludeIds':
      return filter.ids.indexOf(offer.id) < 0
    case 'campaign':
      return campaignIds.indexOf(filter.campaignId) >= 0
  }
}

function inOrder([first, ...rest]: string[], nodes: string[]): boolean {
  if (nodes.length === 0) return true
  if (first === undefined) return false
  return inOrder(rest, same(first, nodes[0]!) ? nodes.slice(1) : nodes)
}

function satisfiesText(
  offer: ProductOffer,
  { text, lang, minShare, in: where }: Extract<Filter, { kind: 'text' }>,
  { indexed, synonyms }: { indexed: readonly IndexedProduct[]; synonyms: SynonymRules },
): boolean {
  const everywhere = where === 'ALL_FIELDS'
  const words = understand(
    { text, lang, synonyms },
    (term) => indexed.filter((each) => hasTerm(each.offer, term, true)).length,
  )
  const found = words.filter(
    ({ term, alternatives }) =>
      hasTerm(offer, term, everywhere) ||
      (everywhere && alternatives.some((name) => name.every((each) => hasTerm(offer, each, true)))),
  ).length
  return found >= 1 && found / words.length >= minShare - 1e-9
}

function hasTerm(offer: ProductOffer, term: string, everywhere: boolean): boolean {
  const texts = [offer.title]
  if (everywhere) {
    texts.push(offer.brand ?? '', offer.description ?? '', offer.color ?? '', offer.material ?? '', offer.size ?? '')
    texts.push(offer.mpn ?? '', offer.gtin ?? '', offer.pattern ?? '', offer.gender ?? '')
    for (const type of offer.productTypes) texts.push(...type.split('>'))
    for (const { attributeName, attributeValue } of offer.productDetails) {
      const flag = attributeValue.trim().toLowerCase()
      if (['true', 'yes', 'y'].includes(flag)) texts.push(attributeName.split('_').join(' '))
      else if (!['false', 'no', 'n', ''].includes(flag)) texts.push(attributeValue)
    }
  }
  return texts.some((each) => indexTerms(each, offer.lang).includes(term))
}
