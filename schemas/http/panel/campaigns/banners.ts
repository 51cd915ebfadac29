import { Type } from 'typebox'
import { CAPITAL_COUNTRY_PATTERN, TEXT_PATTERN } from '../../text.ts'
import { Body, Id, IdText, Lang, ListQuery, Nullable, PatchBody, Time } from '../common.ts'
import {
  BANNERS_MAX,
  FORMAT_IMAGES_MAX,
  FORMAT_TEXT_FIELDS_MAX,
  REJECTION_CHARS_MAX,
  TARGETING_VALUES_MAX,
  TEXT_FIELD_CHARS_MAX,
  URL_CHARS_MAX,
} from '../limits.ts'
import { TextFieldType } from '../shops/ad-formats.ts'

/** The display side of campaigns. */

const TARGETING_VALUE_CHARS_MAX = 750

const Address = (description: string) =>
  Type.String({ minLength: 1, maxLength: URL_CHARS_MAX, pattern: TEXT_PATTERN, description })
const ImageId = (description: string) => Type.String({ minLength: 1, maxLength: 100, description })
const Side = () => Type.Integer({ minimum: 1, description: 'Pixels. If given, it must be that of the image' })

export const BannerInput = Body({
  id: Type.Optional(Id('Id of the banner to replace. Without it, a new banner is created')),
  adFormatId: Id('An ad format of the shop'),
  images: Type.Optional(
    Type.Array(
      Body({
        imageId: ImageId('An image of the account'),
        width: Type.Optional(Side()),
        height: Type.Optional(Side()),
      }),
      {
        maxItems: FORMAT_IMAGES_MAX,
        description: 'One entry for each image of the ad format, in the same order and of the same size',
      },
    ),
  ),
  logoImageId: Type.Optional(Nullable(ImageId("The advertiser's logo: an image of the account, of any size"))),
  textFields: Type.Optional(
    Type.Array(
      Body({
        type: TextFieldType,
        value: Type.String({
          minLength: 1,
          maxLength: TEXT_FIELD_CHARS_MAX,
          pattern: TEXT_PATTERN,
          description: 'The text. A colour is written as #rgb, #rgba, #rrggbb or #rrggbbaa',
        }),
      }),
      { maxItems: FORMAT_TEXT_FIELDS_MAX, description: 'Values of the text fields of the ad format' },
    ),
  ),
  lang: Type.Optional(Nullable(Lang('Language of the texts'))),
})

const Values = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: TARGETING_VALUE_CHARS_MAX, pattern: TEXT_PATTERN }), {
    maxItems: TARGETING_VALUES_MAX,
    uniqueItems: true,
    description,
  })

const targeting = {
  phrases: Values('The search phrase contains all the words of any of these phrases'),
  categoryPaths: Values('The page is in or below any of these categories, such as "Home > Lamps"'),
  brands: Values('The page is about any of these brands'),
  productIds: Values('The page is about any of these products'),
  profiles: Values('The user has any of these profiles'),
  refererPatterns: Values('The address of the page matches any of these URLs or paths. * stands for any text'),
}

export const displayFields = {
  country: Type.String({
    pattern: CAPITAL_COUNTRY_PATTERN,
    description: 'DISPLAY: country in which the campaign is shown. ISO 3166-1 alpha-2',
  }),
  targetUrl: Address('DISPLAY: http or https address that a click opens'),
  mobileDeepLink: Nullable(Address('DISPLAY: address that a click opens in a mobile app; null to open targetUrl')),
  targeting: PatchBody(targeting),
}
export const Banners = Type.Array(BannerInput, {
  minItems: 1,
  maxItems: BANNERS_MAX,
  description: 'DISPLAY: the banners that the campaign shows',
})

const Reason = (description: string) =>
  Type.String({ minLength: 1, maxLength: REJECTION_CHARS_MAX, pattern: TEXT_PATTERN, description })
export const ModerationState = Type.Enum(['IN_MODERATION', 'ACCEPTED', 'REJECTED'], {
  description: 'Decision of the publisher on the banners and link addresses as they are now',
})
const decision = {
  reason: Nullable(Reason('Why it was rejected')),
  decidedAt: Time('When it was decided'),
  decidedBy: Type.String({
    description: 'Id of the user who decided. For an access token: id of the account that it acts for',
  }),
  decidedByName: Nullable(
    Type.String({ description: 'Name of that user or account, even if it was deleted; null if it is unknown' }),
  ),
}
const ModerationView = Type.Object({
  state: ModerationState,
  reason: decision.reason,
  decidedAt: Nullable(decision.decidedAt),
  decidedBy: Nullable(decision.decidedBy),
  decidedByName: decision.decidedByName,
  history: Type.Array(
    Type.Object({
      state: Type.Enum(['ACCEPTED', 'REJECTED']),
      ...decision,
      version: Type.Integer({ description: 'Version of the campaign that the decision was about' }),
    }),
    { description: 'All decisions, the latest last' },
  ),
  submittedAt: Nullable(
    Time('When the banners and link addresses were submitted as they are now; null if an earlier version took them in'),
  ),
})
/** The fields of the view that only a DISPLAY campaign has. */
export const displayView = {
  country: Type.Optional(displayFields.country),
  targetUrl: Type.Optional(displayFields.targetUrl),
  mobileDeepLink: Type.Optional(displayFields.mobileDeepLink),
  banners: Type.Optional(Banners),
  targeting: Type.Optional(Type.Object(targeting)),
  moderation: Type.Optional(ModerationView),
}

const version = Type.Optional(
  Type.Integer({
    minimum: 1,
    description: 'Version of the campaign that was looked at. If it has changed since, the answer is 409',
  }),
)
export const AcceptBody = Nullable(Body({ version }))
export const RejectBody = Body({ reason: Reason('Why it is rejected. The advertiser sees it'), version })
export const ModerationParams = Type.Object({ campaignId: IdText('A campaign') })

/** Images that banners are made of. */

const ImageContentId = Type.String({ description: 'SHA-256 of its content, base64url' })

/** For the documentation only: the parts of the form are read as they arrive. */
export const ImageUpload = Type.Object({
  file: Type.String({ contentMediaType: 'application/octet-stream', description: 'The image: PNG, JPEG or WEBP' }),
  accountId: Type.Optional(IdText("Account that may use the image. Default: the caller's account")),
})
export const ImageView = Type.Object({
  id: ImageContentId,
  mediaType: Type.Enum(['image/png', 'image/jpeg', 'image/webp']),
  width: Type.Integer({ description: 'Pixels' }),
  height: Type.Integer({ description: 'Pixels' }),
  bytes: Type.Integer({ description: 'Size in bytes, as the image is served' }),
  url: Type.String({ description: 'Public address of the image' }),
})
export const ImageQuery = ListQuery({})
export const ImageParams = Type.Object({ id: Type.String({ maxLength: 100, description: 'Id of the image' }) })
export const ImageAccount = Body({ accountId: Id('Account that may use the image') })
