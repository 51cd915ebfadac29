import type { Certification, ProductDetail, Shipping } from '../../../../schemas/records/offer-parts.ts'
import { OFFER_LIMITS } from '../../../domain/catalogue/offer.ts'
import type { FeedElement } from './item.ts'
import type { ItemReader } from './item-reader.ts'
import { plainText } from './plain-text.ts'
import { readCountry } from './values.ts'

const SHIPPING_PARTS = [
  'country',
  'region',
  'service',
  'price',
  'min_handling_time',
  'max_handling_time',
  'min_transit_time',
  'max_transit_time',
] as const

/** Nested `g:shipping`, or its text form country:region:service:price. A country or a price is needed. */
export function readShipping(reader: ItemReader): Shipping[] {
  return readGroups(reader, 'shipping', OFFER_LIMITS.shippingMax, (element) => {
    const part = parts(element, SHIPPING_PARTS)
    const country = part.country === null ? null : readCountry(part.country)
    if (country === null && (part.country !== null || part.price === null)) return null
    if (longest(part) > OFFER_LIMITS.attributeChars) return null
    return {
      country,
      region: part.region,
      price: part.price,
      minHandlingTime: part.min_handling_time,
      maxHandlingTime: part.max_handling_time,
      minTransitTime: part.min_transit_time,
      maxTransitTime: part.max_transit_time,
    }
  })
}

/** Nested `g:product_detail`, or its text form section:name:value. Name and value are needed. */
export function readProductDetails(reader: ItemReader): ProductDetail[] {
  return readGroups(reader, 'product_detail', OFFER_LIMITS.productDetailsMax, (element) => {
    const part = parts(element, ['section_name', 'attribute_name', 'attribute_value'])
    const { section_name: sectionName, attribute_name: attributeName, attribute_value: attributeValue } = part
    if (attributeName === null || attributeValue === null) return null
    if (Math.max(attributeName.length, sectionName?.length ?? 0) > OFFER_LIMITS.detailNameChars) return null
    if (attributeValue.length > OFFER_LIMITS.detailValueChars) return null
    return { sectionName, attributeName, attributeValue }
  })
}

/** Nested `g:certification`, or its text form authority:name:code. A name or a code is needed. */
export function readCertification(reader: ItemReader): Certification[] {
  return readGroups(reader, 'certification', OFFER_LIMITS.certificationMax, (element) => {
    const part = parts(element, [
      'certification_authority',
      'certification_name',
      'certification_code',
      'certification_value',
    ])
    if (part.certification_name === null && part.certification_code === null) return null
    if (longest(part) > OFFER_LIMITS.attributeChars) return null
    return {
      certificationAuthority: part.certification_authority,
      certificationName: part.certification_name,
      certificationCode: part.certification_code,
      certificationValue: part.certification_value,
    }
  })
}

function readGroups<T>(reader: ItemReader, name: string, max: number, read: (element: FeedElement) => T | null): T[] {
  const groups: T[] = []
  const elements = reader.elements(name)
  for (const element of elements.slice(0, max)) {
    reader.checkEncoding(element)
    const group = read(element)
    if (group === null) {
      reader.report('INCOMPLETE_GROUP', name, 'A required part is missing, too long or not valid', element.line)
    } else groups.push(group)
  }
  if (elements.length > max) {
    reader.report('TOO_MANY_VALUES', name, `Only the first ${max} of ${elements.length} are used`, elements[max]!.line)
  }
  return groups
}

/** Nested elements by name, or, without any, the parts of the text between colons; the last part keeps its colons. */
function parts<P extends string>({ children, text }: FeedElement, names: readonly P[]): Record<P, string | null> {
  const nested = children.length > 0
  const split = nested ? [] : splitParts(plainText(text), names.length)
  return Object.fromEntries(
    names.map((name, i) => {
      const value = nested ? plainText(children.find((c) => c.name === name)?.text ?? '') : split[i]
      return [name, value || null]
    }),
  ) as Record<P, string | null>
}

function longest(part: Record<string, string | null>): number {
  return Math.max(...Object.values(part).map((value) => value?.length ?? 0))
}

function splitParts(text: string, count: number): string[] {
  const all = text.split(':')
  return [...all.slice(0, count - 1), all.slice(count - 1).join(':')].map((part) => part.trim())
}
