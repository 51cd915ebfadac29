import type { ProductOffer } from '../../schemas/records/records.ts'
import { normalBrand } from '../../services/domain/campaign/promotion.ts'
import { attributesOf, attributeTexts, normalAttribute } from '../../services/domain/catalogue/attributes.ts'
import { pathAndAbove, pathKey, pathLevels } from '../../services/domain/catalogue/categories.ts'
import { textIndexer } from '../../services/domain/catalogue/text.ts'

/** The texts of an offer that every engine searches. */
export const textFields = ['title', 'brand', 'categories', 'attributes', 'description'] as const
export type TextField = (typeof textFields)[number]

/** For each field, the terms of its text, joined by spaces. */
export type DocumentTexts = Record<TextField, string>

/** @param lang language of the texts when the offer names none. */
export function documentTexts(offer: ProductOffer, lang: string | null): DocumentTexts {
  const termsOf = textIndexer(offer.lang ?? lang)
  // Each text is analysed by itself, so that the attribute values "3" and "W" next to each other do not become "3 W".
  const joined = (texts: readonly string[]) => texts.map(termsOf).filter(Boolean).join(' ')
  return {
    title: termsOf(offer.title),
    brand: offer.brand === null ? '' : termsOf(offer.brand),
    categories: joined(offer.productTypes.flatMap((path) => path.split('>'))),
    attributes: joined(attributeTexts(offer)),
    description: offer.description === null ? '' : termsOf(offer.description),
  }
}

export type FacetKind = 'brand' | 'path' | 'node' | 'attribute' | 'label' | 'seller'

/** The values that filters compare exactly, one token each. */
export function documentFacets(offer: ProductOffer): string[] {
  return [
    ...new Set([
      ...(offer.brand === null ? [] : [brandFacet(offer.brand)]),
      ...offer.productTypes.flatMap(facetsOfPath),
      ...attributesOf(offer).map(({ name, value }) => attributeToken(name, value)),
      ...offer.labels.map((label) => facetToken('label', label)),
      ...(offer.externalSellerId === null ? [] : [facetToken('seller', offer.externalSellerId)]),
    ]),
  ]
}

/** The cache of facets by category path, because many offers share a path. Once it is full, it is emptied. */
const PATHS_REMEMBERED_MAX = 5_000
/** The facets of a long path take up to 32 times its length. */
const REMEMBERED_PATH_MAX_CHARS = 300
const rememberedPaths = new Map<string, readonly string[]>()

function facetsOfPath(path: string): readonly string[] {
  const known = rememberedPaths.get(path)
  if (known) return known
  const facets = [
    ...pathAndAbove(path).map((key) => facetToken('path', key)),
    ...pathLevels(path).map((level) => facetToken('node', level)),
  ]
  if (path.length > REMEMBERED_PATH_MAX_CHARS) return facets
  if (rememberedPaths.size >= PATHS_REMEMBERED_MAX) rememberedPaths.clear()
  rememberedPaths.set(path, facets)
  return facets
}

export const brandFacet = (brand: string) => facetToken('brand', normalBrand(brand))
export const pathFacet = (path: string) => facetToken('path', pathKey(path))
export const attributeFacet = (name: string, value: string) =>
  attributeToken(normalAttribute(name), normalAttribute(value))
/** A line break separates name and value, because neither contains one once normalised. */
const attributeToken = (name: string, value: string) => facetToken('attribute', `${name}\n${value}`)

const kindLetters: Readonly<Record<FacetKind, string>> = {
  brand: 'b',
  path: 'p',
  node: 'n',
  attribute: 'a',
  label: 'l',
  seller: 's',
}

/** Start of the Unicode private use area: ASCII characters that a tokenizer would split at or fold are shifted into it. */
const PRIVATE_USE = 0xe000

/** The value as one token that the tokenizer neither splits nor folds. Different values have different tokens. */
export function facetToken(kind: FacetKind, value: string): string {
  return (
    kindLetters[kind] +
    value.replace(/[^a-z0-9\x80-\uffff]/g, (c) => String.fromCharCode(PRIVATE_USE + c.charCodeAt(0)))
  )
}
