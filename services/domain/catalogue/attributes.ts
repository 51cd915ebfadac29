import type { ProductOffer } from '../../../schemas/records/records.ts'
import { fold } from './text.ts'

/** Attribute names that stand for a field of the feed. Any other name is that of a product detail. */
const feedFields: Readonly<Record<string, (offer: ProductOffer) => string | boolean | null>> = {
  adult: (offer) => offer.adult,
  age_group: (offer) => offer.ageGroup,
  color: (offer) => offer.color,
  energy_efficiency_class: (offer) => offer.energyEfficiencyClass,
  gender: (offer) => offer.gender,
  catalog_product_category: (offer) => offer.catalogProductCategory,
  gtin: (offer) => offer.gtin,
  material: (offer) => offer.material,
  mpn: (offer) => offer.mpn,
  pattern: (offer) => offer.pattern,
  size: (offer) => offer.size,
  unit_pricing_measure: (offer) => offer.unitPricingMeasure,
}

const feedFieldReaders = Object.entries(feedFields)

/** Fields whose values come from a fixed vocabulary. They are kept in one case, however a feed spells them. */
const VOCABULARIES: ReadonlySet<string> = new Set(['adult', 'age_group', 'energy_efficiency_class', 'gender'])

/**
 * The spelling of a name or value under which the index finds offers that may match: case, accents and outer or repeated
 * spaces do not matter. `attributeCheck` decides which of them do match.
 */
export const normalAttribute = (text: string): string => fold(text).trim().replace(/\s+/g, ' ')

/** Normalised name and value pairs of an offer: its feed fields, and its product details. Repeated pairs may occur. */
export function attributesOf(offer: ProductOffer): { name: string; value: string }[] {
  const fields = feedFieldReaders.flatMap(([name, read]) => {
    const value = read(offer)
    return value === null ? [] : [{ name, value: normalAttribute(String(value)) }]
  })
  const details = offer.productDetails.map((detail) => ({
    name: normalAttribute(detail.attributeName),
    value: normalAttribute(detail.attributeValue),
  }))
  return [...fields, ...details].filter(({ name, value }) => name !== '' && value !== '')
}

/**
 * Makes a check whether an offer has an attribute of exactly this name with exactly one of the values, after Unicode normalisation
 * (NFC) and trimming. Case counts, except in fields with a fixed vocabulary.
 */
export function attributeCheck(name: string, anyOf: readonly string[]): (offer: ProductOffer) => boolean {
  const wanted = exact(name)
  const spelling = VOCABULARIES.has(wanted) ? (text: string) => exact(text).toLowerCase() : exact
  const values = new Set(anyOf.map(spelling))
  const fieldOf = Object.hasOwn(feedFields, wanted) ? feedFields[wanted]! : () => null
  return (offer) => {
    const ofFeed = fieldOf(offer)
    if (ofFeed !== null && values.has(spelling(String(ofFeed)))) return true
    return offer.productDetails.some(
      (each) => exact(each.attributeName) === wanted && values.has(spelling(each.attributeValue)),
    )
  }
}

const exact = (text: string): string => text.normalize('NFC').trim()

const yes = new Set(['true', 'yes', 'y'])
const no = new Set(['false', 'no', 'n', ''])

/**
 * The attributes as texts to search: their values or, for a yes-or-no detail that is yes, its name, so that
 * "bluetooth: true" is found by "bluetooth".
 */
export function attributeTexts(offer: ProductOffer): string[] {
  const fields = [offer.color, offer.material, offer.pattern, offer.size, offer.gender, offer.mpn, offer.gtin]
  const details = offer.productDetails.map(({ attributeName, attributeValue }) => {
    const value = attributeValue.trim().toLowerCase()
    if (yes.has(value)) return attributeName.replaceAll('_', ' ')
    return no.has(value) ? null : attributeValue
  })
  return [...fields, ...details].filter((text) => text !== null && text !== '') as string[]
}
