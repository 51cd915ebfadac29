/**
 * The longest values taken, in characters (UTF-16 units), and the longest lists: those of Google Merchant Center, wider
 * for ids and titles, because shops reuse their own. `…Max` of a list counts its items.
 */
export const OFFER_LIMITS = {
  idChars: 100,
  titleChars: 500,
  descriptionChars: 5_000,
  urlChars: 2_000,
  brandChars: 100,
  gtinChars: 50,
  mpnChars: 100,
  categoryChars: 750,
  sellerChars: 100,
  /** Color, material, size and the other short attributes. */
  attributeChars: 200,
  labelChars: 100,
  labelsMax: 100,
  additionalImagesMax: 10,
  shippingMax: 100,
  certificationMax: 50,
  productDetailsMax: 200,
  detailNameChars: 140,
  detailValueChars: 1_000,
  customParametersMax: 50,
  customParameterChars: 500,
} as const
