import type { ItemIssue } from '../feeds/issue-codes.ts'
import { type FeedElement, type FeedItem, fieldName } from '../feeds/items/item.ts'

/** What an offer takes from its feed. */
export interface OfferFeed {
  shopId: string
  currency: string
  lang: string | null
}

/** A fault that only the JSON form of a product can have. */
export type TypeIssue = Pick<ItemIssue, 'code' | 'field' | 'message'>

type Kind = 'text' | 'price' | 'boolean' | 'availability' | 'texts' | 'groups'

const required = new Set(['id', 'title', 'price', 'isAvailable', 'link', 'imageLink'])

/** Each property of a product, with the equivalent feed element. */
const properties: Readonly<Record<string, readonly [element: string, kind: Kind]>> = {
  id: ['id', 'text'],
  title: ['title', 'text'],
  price: ['price', 'price'],
  isAvailable: ['availability', 'availability'],
  link: ['link', 'text'],
  imageLink: ['image_link', 'text'],
  productId: ['product_id', 'text'],
  description: ['description', 'text'],
  brand: ['brand', 'text'],
  salePrice: ['sale_price', 'price'],
  gtin: ['gtin', 'text'],
  catalogProductCategory: ['google_product_category', 'text'],
  mpn: ['mpn', 'text'],
  productType: ['product_type', 'text'],
  shipping: ['shipping', 'groups'],
  unitPricingMeasure: ['unit_pricing_measure', 'text'],
  adult: ['adult', 'boolean'],
  energyEfficiencyClass: ['energy_efficiency_class', 'text'],
  ageGroup: ['age_group', 'text'],
  color: ['color', 'text'],
  gender: ['gender', 'text'],
  material: ['material', 'text'],
  pattern: ['pattern', 'text'],
  size: ['size', 'text'],
  productDetails: ['product_detail', 'groups'],
  externalSellerId: ['external_seller_id', 'text'],
  externalSellerName: ['external_seller_name', 'text'],
  deepLink: ['deep_link', 'text'],
  certification: ['certification', 'groups'],
  itemGroupId: ['item_group_id', 'text'],
  labels: ['label', 'texts'],
  condition: ['condition', 'text'],
}
const propertyOf = new Map(Object.entries(properties).map(([property, [element]]) => [element, property]))

const types: Readonly<Record<Kind, string>> = {
  text: 'string',
  price: 'number',
  boolean: 'boolean',
  availability: 'boolean',
  texts: 'array of string',
  groups: 'array of object',
}
/** Enough to tell a price that is too small from 0. Three decimals could be read as thousands. */
const PRICE_DECIMALS = 20

/** The property of a product update that corresponds to a feed element. */
export function propertyName(element: string): string {
  return propertyOf.get(element) ?? element
}

/**
 * Converts a product of the update API to the equivalent feed item, so that the same rules apply to both. A null property
 * counts as missing. A required property of the wrong type rejects the product; an optional one is ignored.
 */
export function itemFromProduct(
  product: Readonly<Record<string, unknown>>,
  currency: string,
): { item: FeedItem; issues: TypeIssue[] } {
  const elements: FeedElement[] = []
  const issues: TypeIssue[] = []
  for (const [name, value] of Object.entries(product)) {
    if (value === null || value === undefined || name === 'feedId') continue
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!known) {
      issues.push({
        code: 'UNKNOWN_FIELD',
        field: name.slice(0, 100),
        message: 'Is not a known field of a product. It was ignored',
      })
      continue
    }
    const [element, kind] = known
    const read = readValue(kind, element, value, currency)
    if (read) elements.push(...read)
    else {
      const code = required.has(name) ? 'INVALID_TYPE' : 'INVALID_VALUE'
      issues.push({ code, field: name, message: `Must be ${types[kind]}` })
    }
  }
  return { item: { line: 0, elements, tooLarge: false }, issues }
}

/** Null when the value is of another type. */
function readValue(kind: Kind, name: string, value: unknown, currency: string): FeedElement[] | null {
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? [element(name, value)] : null
    case 'price':
      if (typeof value !== 'number') return null
      return [{ ...element(name, `${value.toFixed(PRICE_DECIMALS)} ${currency}`), written: String(value) }]
    case 'boolean':
      return typeof value === 'boolean' ? [element(name, String(value))] : null
    case 'availability':
      return typeof value === 'boolean' ? [element(name, value ? 'in_stock' : 'out_of_stock')] : null
    case 'texts':
      if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) return null
      return value.map((each) => element(name, each))
    case 'groups':
      if (!Array.isArray(value) || !value.every((each) => typeof each === 'object' && each !== null)) return null
      return value.map((each) => group(name, each))
  }
}

function group(name: string, value: object): FeedElement {
  const children = Object.entries(value).flatMap(([part, text]) =>
    typeof text === 'string' || typeof text === 'number' ? [{ name: fieldName(part), text: String(text) }] : [],
  )
  // The text of a feed element without children is split at colons. An empty child prevents that for an empty object.
  return { ...element(name, '.'), children: children.length > 0 ? children : [{ name: '', text: '' }] }
}

function element(name: string, text: string): FeedElement {
  return { space: 'google', name, text, children: [], href: null, rel: null, line: 0 }
}
