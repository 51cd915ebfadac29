import { type Static, Type } from 'typebox'
import {
  answerOf,
  bodyOf,
  Country,
  commonAd,
  commonCuts,
  commonTargeting,
  PersonHeaders,
  SELECTION_LIMITS,
} from './selection.ts'

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
      Type.String({ maxLength: PRODUCT_ID_CHARS_MAX, description: 'The product of the page (SKU)' }),
    ),
    brand: Type.Optional(
      Type.String({ maxLength: BRAND_CHARS_MAX, description: 'Brand of the page; case does not matter' }),
    ),
    country: Country('Required, unless the technical ad unit has one: campaigns of this country are shown'),
    profiles: Type.Optional(
      Type.Array(Type.String({ maxLength: PROFILE_CHARS_MAX }), {
        description: `Profiles assigned to the user: any; the first ${PROFILES_MAX.toLocaleString('en')} count`,
      }),
    ),
    adFormatIds: Type.Optional(
      Type.Array(Type.String({ maxLength: L.idChars }), {
        description: `Only banners of these ad formats, of those that the ad unit shows; the first ${AD_FORMATS_MAX} count`,
      }),
    ),
  },
  {
    description:
      'What to show in one display ad unit. Those parameters count as targeting that were chosen on the ad unit; others, and those that its algorithm does not take, are ignored.',
  },
)
export type DisplayTargeting = Static<typeof DisplayTargeting>

export const DISPLAY_CUTS = { ...commonCuts, profiles: PROFILES_MAX, adFormatIds: AD_FORMATS_MAX } as const

export const DisplayBody = bodyOf(DisplayTargeting)

export const DisplayHeaders = Type.Object({
  ...PersonHeaders.properties,
  referer: Type.Optional(Type.String({ description: 'Where the page is: a URL or a relative path' })),
})

export const DisplayAd = Type.Object({
  bannerId: Type.String(),
  bannerUrl: text('Where a click leads'),
  mobileDeepLink: text('Where a click leads in an app: bannerUrl when the campaign has no other'),
  ...commonAd,
  lang: maybe('Language of its texts'),
  currency: maybe('Of the shop, ISO 4217'),
  bannerLogoUrl: maybe("The advertiser's logo"),
  bannerImageUrl: maybe('The first of images'),
  adFormatId: text('How to render it'),
  bannerProducts: Type.Null(),
  images: Type.Array(
    Type.Object({ width: Type.Integer(), height: Type.Integer(), imageId: Type.String(), imageUrl: Type.String() }),
    { description: 'Those of the format, in its order' },
  ),
  textFields: Type.Array(Type.Object({ type: text('TITLE, CTA, BG_COLOR …'), value: Type.String() })),
})

export const DisplayAnswer = answerOf(DisplayAd)
