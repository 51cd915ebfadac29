import { OFFER_LIMITS, type OfferContent } from '../../../domain/catalogue/offer.ts'
import type { ItemIssue } from '../issue-codes.ts'
import { readAdditionalImages, readCustomParameters, readLabels, readProductTypes } from './collections.ts'
import { readCertification, readProductDetails, readShipping } from './groups.ts'
import type { FeedItem } from './item.ts'
import { ItemReader, shown } from './item-reader.ts'
import { hasTags } from './plain-text.ts'
import { readPrice, readSalePrice } from './price.ts'
import {
  readAgeGroup,
  readAvailability,
  readBoolean,
  readCondition,
  readDeepLink,
  readEnergyClass,
  readExpiry,
  readGender,
  readGtin,
  readWebUrl,
} from './values.ts'

/** The settings of its feed that an offer depends on. */
export interface FeedContext {
  shopId: string
  feedId: string
  /** ISO 4217; prices in another currency are rejected. */
  currency: string
  lang: string | null
  /** UTC epoch milliseconds, to decide whether a sale price is in force. */
  now: number
}

export interface MappedItem {
  /** The id as read; null when it is missing or too long. */
  id: string | null
  /** Null when the item is rejected; the issues of severity REJECTED say why. */
  offer: OfferContent | null
  issues: ItemIssue[]
  /** When the unchanged item will mean a different offer, because a sale starts or ends. UTC epoch ms; null for never. */
  staleAt: number | null
}

/** Reads an item as the offer that it describes, by the rules of docs/feeds.md, as Google Merchant Center would. A pure function. */
export function offerFromItem(item: FeedItem, feed: FeedContext): MappedItem {
  const reader = new ItemReader(item)
  const id = readId(reader)
  if (item.tooLarge) reader.report('ITEM_TOO_LARGE', 'item', 'The item is larger than is allowed')
  const title = readTitle(reader)
  const link = readLink(reader, 'link')
  const imageLink = readLink(reader, 'image_link')
  const price = readPrice(reader, feed.currency)
  const availability = readRequiredAvailability(reader)
  const refused = reader.issues.some((issue) => issue.severity === 'REJECTED')
  if (refused || !id || !title || !link || !imageLink || !price || !availability) {
    return { id, offer: null, issues: reader.issues, staleAt: null }
  }
  const sale = readSalePrice(reader, price, feed)
  const offer: OfferContent = {
    shopId: feed.shopId,
    feedId: feed.feedId,
    id,
    title,
    link,
    imageLink,
    priceMicros: price.micros,
    salePriceMicros: sale.micros,
    currency: feed.currency,
    isAvailable: availability !== 'out_of_stock',
    availability,
    lang: feed.lang,
    ...readOptional(reader),
  }
  return { id, offer, issues: reader.issues, staleAt: sale.staleAt }
}

type Optional = Omit<
  OfferContent,
  | 'shopId'
  | 'feedId'
  | 'id'
  | 'title'
  | 'link'
  | 'imageLink'
  | 'priceMicros'
  | 'salePriceMicros'
  | 'currency'
  | 'isAvailable'
  | 'availability'
  | 'lang'
>

function readOptional(reader: ItemReader): Optional {
  const { attributeChars, brandChars, mpnChars, idChars, categoryChars, sellerChars } = OFFER_LIMITS
  return {
    productId: reader.short(idChars, 'product_id'),
    description: readDescription(reader),
    deepLink: reader.known(readDeepLink, 'deep_link'),
    brand: reader.short(brandChars, 'brand'),
    gtin: readOptionalGtin(reader),
    mpn: reader.short(mpnChars, 'mpn'),
    itemGroupId: reader.short(idChars, 'item_group_id'),
    catalogProductCategory: reader.short(categoryChars, 'google_product_category', 'catalog_product_category'),
    productTypes: readProductTypes(reader),
    condition: reader.known(readCondition, 'condition'),
    adult: reader.known(readBoolean, 'adult'),
    ageGroup: reader.known(readAgeGroup, 'age_group'),
    color: reader.short(attributeChars, 'color'),
    gender: reader.known(readGender, 'gender'),
    material: reader.short(attributeChars, 'material'),
    pattern: reader.short(attributeChars, 'pattern'),
    size: reader.short(attributeChars, 'size'),
    energyEfficiencyClass: reader.known(readEnergyClass, 'energy_efficiency_class'),
    unitPricingMeasure: reader.short(attributeChars, 'unit_pricing_measure'),
    externalSellerId: reader.short(sellerChars, 'external_seller_id', 'seller_id'),
    externalSellerName: reader.short(sellerChars, 'external_seller_name', 'seller_name'),
    labels: readLabels(reader),
    shipping: readShipping(reader),
    certification: readCertification(reader),
    productDetails: readProductDetails(reader),
    customParameters: readCustomParameters(reader),
    expiresAt: reader.known(readExpiry, 'expiration_date'),
    additionalImageLinks: readAdditionalImages(reader),
  }
}

/** Reads only the id, for a product that is to be removed. */
export function readItemId(item: FeedItem): { id: string | null; issues: ItemIssue[] } {
  const reader = new ItemReader(item)
  return { id: readId(reader), issues: reader.issues }
}

function readId(reader: ItemReader): string | null {
  const id = reader.value('id')
  if (!id) {
    reader.report('MISSING_FIELD', 'id', 'Every product needs an id')
    return null
  }
  reader.identify(id.text.slice(0, OFFER_LIMITS.idChars))
  if (id.text.length <= OFFER_LIMITS.idChars) return id.text
  reader.report(
    'ID_TOO_LONG',
    'id',
    `Has ${id.text.length} characters; at most ${OFFER_LIMITS.idChars} are allowed`,
    id.line,
  )
  return null
}

function readTitle(reader: ItemReader): string | null {
  const title = reader.value('title')
  if (!title) {
    reader.report('MISSING_FIELD', 'title', 'Every product needs a title')
    return null
  }
  if (hasTags(reader.elements('title')[0]!.text)) {
    reader.report('HTML_REMOVED', 'title', 'HTML was removed from the title', title.line)
  }
  return reader.cut('title', title, OFFER_LIMITS.titleChars)
}

function readDescription(reader: ItemReader): string | null {
  const description = reader.value('description', 'summary', 'content')
  if (description) return reader.cut('description', description, OFFER_LIMITS.descriptionChars)
  reader.report('MISSING_DESCRIPTION', 'description', 'Products with a description are found by more searches')
  return null
}

/** The URL in the element's text or, in Atom, in the href of the alternate link. */
function readLink(reader: ItemReader, field: 'link' | 'image_link'): string | null {
  const element = reader.elements(field).find((e) => e.href === null || e.rel === null || e.rel === 'alternate')
  const text = element ? (element.text.trim() || element.href || '').trim() : ''
  if (!element || text === '') {
    reader.report('MISSING_FIELD', field, `Every product needs ${field === 'link' ? 'a link' : 'an image_link'}`)
    return null
  }
  const url = readWebUrl(text)
  if (url === null || url.length > OFFER_LIMITS.urlChars) {
    reader.report('INVALID_LINK', field, `${shown(text)} is not an absolute http or https URL`, element.line)
    return null
  }
  if (url !== text) reader.report('URL_ENCODED', field, `Changed to ${shown(url)}`, element.line)
  return url
}

function readRequiredAvailability(reader: ItemReader): string | null {
  const value = reader.value('availability')
  if (!value) {
    reader.report('MISSING_FIELD', 'availability', 'Every product needs an availability')
    return null
  }
  const availability = readAvailability(value.text)
  if (availability === null) {
    reader.report(
      'INVALID_AVAILABILITY',
      'availability',
      `${shown(value.text)} is none of in_stock, out_of_stock, preorder, backorder`,
      value.line,
    )
  }
  return availability
}

function readOptionalGtin(reader: ItemReader): string | null {
  const value = reader.value('gtin')
  if (!value) return null
  const gtin = readGtin(value.text)
  if (gtin === null) {
    reader.report('INVALID_GTIN', 'gtin', `${shown(value.text)} is not the GTIN of a product`, value.line)
  }
  return gtin
}
