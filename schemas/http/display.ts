import { type Static, Type } from 'typebox'
import { answerOf, commonAd, PersonHeaders } from './selection.ts'
import { bodyOf, Country, commonCuts, commonTargeting, SELECTION_LIMITS } from './targeting.ts'

/** Limits of parameters that only display ad requests have. */
const BRAND_CHARS_MAX = 750
const PRODUCT_ID_CHARS_MAX = 750
const PROFILES_MAX = 1_000
const PROFILE_CHARS_MAX = 750
const AD_FORMATS_MAX = 100

const L = SELECTION_LIMITS
const text = (description: string) => Type.String({ description })
const maybe = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const DisplayTargeting = Type.Object(
  {
    ...commonTargeting,
    productId: Type.Optional(
      Type.String({
        maxLength: PRODUCT_ID_CHARS_MAX,
        description: 'Feed id (SKU) of the product that the page is about',
      }),
    ),
    brand: Type.Optional(
      Type.String({ maxLength: BRAND_CHARS_MAX, description: 'Brand that the page is about. Case does not matter' }),
    ),
    country: Country('Only campaigns for this country are shown. Required, unless the technical ad unit has a country'),
    profiles: Type.Optional(
      Type.Array(Type.String({ maxLength: PROFILE_CHARS_MAX }), {
        description:
          'Profiles assigned to the user. A campaign that targets profiles matches if the user has any of them. Only the first ' +
          `${PROFILES_MAX.toLocaleString('en')} are used`,
      }),
    ),
    adFormatIds: Type.Optional(
      Type.Array(Type.String({ maxLength: L.idChars }), {
        description:
          'Ad formats to show, of those that the ad unit shows. An empty list does not restrict them. Only the first ' +
          `${AD_FORMATS_MAX} are used`,
      }),
    ),
  },
  {
    description:
      'What to show in one display ad unit. Of searchData, categoryPaths, brand, productId and profiles, only those that are ' +
      'selected in `targeting` of the ad unit are used. Parameters that its algorithm does not use are ignored.',
  },
)
export type DisplayTargeting = Static<typeof DisplayTargeting>

export const DISPLAY_CUTS = { ...commonCuts, profiles: PROFILES_MAX, adFormatIds: AD_FORMATS_MAX } as const

export const DisplayBody = bodyOf(DisplayTargeting)

export const DisplayHeaders = Type.Object({
  ...PersonHeaders.properties,
  referer: Type.Optional(Type.String({ description: 'Address of the page: a URL or a path' })),
})

const DisplayAd = Type.Object({
  bannerId: Type.String(),
  bannerUrl: text('Address that a click opens'),
  mobileDeepLink: text('Address that a click opens in a mobile app. Equals bannerUrl if the campaign has no deep link'),
  ...commonAd,
  lang: maybe('Language of the texts; null if none was given'),
  currency: maybe('Currency of the shop, ISO 4217'),
  bannerLogoUrl: maybe("URL of the advertiser's logo; null if the banner has none"),
  bannerImageUrl: maybe('imageUrl of the first entry of `images`; null if there is none'),
  adFormatId: text('Ad format of the banner. It tells the page how to render the banner'),
  bannerProducts: Type.Null(),
  images: Type.Array(
    Type.Object({ width: Type.Integer(), height: Type.Integer(), imageId: Type.String(), imageUrl: Type.String() }),
    { description: 'The images of the ad format, in the order of the format' },
  ),
  textFields: Type.Array(
    Type.Object({ type: text('TITLE, CTA, BG_COLOR or another type of the ad format'), value: Type.String() }),
  ),
})

export const DisplayAnswer = answerOf(DisplayAd)
