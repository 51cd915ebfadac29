import { createHash } from 'node:crypto'
import type { ProductOffer, ProductSignals } from '../../../schemas/records/records.ts'
import { hashOf } from '../../../services/domain/auction/auction.ts'
import { effectivePriceMicros } from '../../../services/domain/campaign/promotion.ts'
import { pathKey, pathLevels } from '../../../services/domain/catalogue/categories.ts'
import { primaryLang } from '../../../services/domain/catalogue/languages.ts'
import { type DocumentTexts, documentFacets, documentTexts, facetToken, textFields } from '../document.ts'
import { NO_PARTS, type PartVersions } from '../part-versions.ts'
import { occurrenceWeight } from '../relevance.ts'

/**
 * One document per offer that was ever written. It holds the parts of the offer, each with its version, and the fields that are
 * searched. A removed offer leaves its versions behind, so that a late write cannot bring it back.
 */
export type ProductDocument = ProductState & Partial<OfferFields>

export interface ProductState extends PartVersions {
  shop: string
  feed: string
  id: string
  /** Whether the offer exists now. */
  live: boolean
  signalsVersion: number
  /** UTC epoch milliseconds of the last change, by the writer's clock. */
  writtenAt: number
  campaigns: string[]
  popularity: number
  views: number
  clicks: number
  /** JSON; null until signals are written. */
  signals: string | null
}

export interface OfferFields {
  /** JSON. */
  offer: string
  digest: string
  textLang: string | null
  ids: string[]
  available: boolean
  currency: string
  /** `ANY` when the offer names none. */
  lang: string
  countries: string[]
  priceMicros: number
  facets: string[]
  /** Null when the offer names no seller, or when the seller's id is longer than `KEY_MAX_BYTES`. */
  seller: string | null
  /** For each category path, the facets of its levels, joined by spaces. */
  nodes: string[]
  paths: string[]
  title: string
  /** Each term, repeated according to its weight: see `weighedWords`. */
  words: string
  /** Hash of the id, for breaking ties. */
  tie: number
}

/** The fields of `ProductState`, which outlive the offer. */
export const stateFields = [
  'shop',
  'feed',
  'id',
  'live',
  'offerVersion',
  'promotedVersion',
  'registryVersion',
  'signalsVersion',
  'writtenAt',
  'campaigns',
  'popularity',
  'views',
  'clicks',
  'signals',
] as const satisfies (keyof ProductState)[]

export const ANY = '*'

/** Longer tokens are hashed, because the index accepts no term of more than 32 KiB. */
const TOKEN_MAX_CHARS = 200
/** Elasticsearch's limit for the id of a document. */
const KEY_MAX_BYTES = 512

export const emptyState = (shop: string, feed: string, id: string): ProductState => ({
  shop,
  feed,
  id,
  live: false,
  ...NO_PARTS,
  signalsVersion: 0,
  writtenAt: 0,
  campaigns: [],
  popularity: 0,
  views: 0,
  clicks: 0,
  signals: null,
})

export function offerFields(offer: ProductOffer, textLang: string | null): OfferFields {
  const texts = documentTexts(offer, textLang)
  const countries = offer.shipping.flatMap(({ country }) => (country === null ? [] : [country.toUpperCase()]))
  return {
    offer: JSON.stringify(offer),
    digest: offer.digest,
    textLang,
    ids: offer.productId === null ? [offer.id] : [offer.id, offer.productId],
    available: offer.isAvailable,
    currency: offer.currency.toUpperCase(),
    lang: offer.lang === null ? ANY : primaryLang(offer.lang),
    countries: countries.length === 0 ? [ANY] : [...new Set(countries)],
    priceMicros: effectivePriceMicros(offer),
    facets: documentFacets(offer).map(shortToken),
    seller:
      offer.externalSellerId !== null && Buffer.byteLength(offer.externalSellerId) <= KEY_MAX_BYTES
        ? offer.externalSellerId
        : null,
    nodes: offer.productTypes.map((path) => pathLevels(path).map(nodeToken).join(' ')),
    paths: offer.productTypes.map(pathKey),
    title: texts.title,
    words: weighedWords(texts),
    // The index sorts signed numbers of 32 bits.
    tie: hashOf(offer.id) | 0,
  }
}

export const signalsFields = (signals: ProductSignals, version: number) => ({
  signalsVersion: version,
  popularity: signals.popularity,
  views: signals.views,
  clicks: signals.clicks,
  signals: JSON.stringify(signals),
})

/**
 * The terms of all texts, each repeated by its weighted occurrences, at least once, so that the index counts them as
 * relevance.ts does. Whole numbers are precise enough: with twice the repetitions nDCG changed by less than 0.005.
 */
function weighedWords(texts: DocumentTexts): string {
  const weights = new Map<string, number>()
  for (const field of textFields) {
    if (texts[field] === '') continue
    const terms = texts[field].split(' ')
    const weight = occurrenceWeight(field, 1, terms.length)
    for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + weight)
  }
  let words = ''
  for (const [term, weight] of weights) {
    words += `${term} `.repeat(Math.max(1, Math.round(weight)))
  }
  return words
}

export const nodeToken = (level: string) => shortToken(facetToken('node', level))

export const shortToken = (token: string): string =>
  token.length <= TOKEN_MAX_CHARS ? token : `${token[0]}#${createHash('sha256').update(token).digest('base64url')}`

/** The document's id in the index: the key of the log if it is short enough, otherwise the key's hash. */
export function documentKey(...parts: string[]): string {
  const key = parts.join('/')
  return Buffer.byteLength(key) <= KEY_MAX_BYTES ? key : `#${createHash('sha256').update(key).digest('base64url')}`
}
