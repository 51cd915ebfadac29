/** Parts that a product offer (`records.ts`) may have several of, as the feed gives them. Missing is null. */

export interface Shipping {
  country: string | null
  region: string | null
  /** Amount and currency, as the feed gives it: "4.99 EUR". */
  price: string | null
  minHandlingTime: string | null
  maxHandlingTime: string | null
  minTransitTime: string | null
  maxTransitTime: string | null
}
export interface ProductDetail {
  sectionName: string | null
  attributeName: string
  attributeValue: string
}
export interface Certification {
  certificationAuthority: string | null
  certificationName: string | null
  certificationCode: string | null
  certificationValue: string | null
}
