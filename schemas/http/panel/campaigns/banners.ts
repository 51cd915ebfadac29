import { Type } from 'typebox'
import { CAPITAL_COUNTRY_PATTERN, TEXT_PATTERN } from '../../text.ts'
import { Body, Id, IdText, Lang, ListQuery, Nullable, PatchBody, Time } from '../common.ts'
import { FORMAT_IMAGES_MAX, FORMAT_TEXT_FIELDS_MAX, TEXT_FIELD_CHARS_MAX, TextFieldType } from '../shops/ad-formats.ts'

/** The display side of campaigns. */

const BANNERS_MAX = 100
const TARGETING_VALUES_MAX = 1_000
const TARGETING_VALUE_CHARS_MAX = 750
const URL_CHARS_MAX = 2_000
const REASON_CHARS_MAX = 1_000

const Address = (description: string) =>
  Type.String({ minLength: 1, maxLength: URL_CHARS_MAX, pattern: TEXT_PATTERN, description })
const ImageId = (description: string) => Type.String({ minLength: 1, maxLength: 100, description })
const Side = () => Type.Integer({ minimum: 1, description: 'Pixels; may be left out' })

export const BannerInput = Body({
  id: Type.Optional(Id('Of the banner that this takes the place of; without it, this is a new one')),
  adFormatId: Id('An ad format of the shop'),
  images: Type.Optional(
    Type.Array(
      Body({
        imageId: ImageId('An image of the account'),
        width: Type.Optional(Side()),
        height: Type.Optional(Side()),
      }),
      { maxItems: FORMAT_IMAGES_MAX, description: 'One for each image of the format, in its order and of its size' },
    ),
  ),
  logoImageId: Type.Optional(Nullable(ImageId("An image of the account: the advertiser's logo, of any size"))),
  textFields: Type.Optional(
    Type.Array(
      Body({
        type: TextFieldType,
        value: Type.String({
          minLength: 1,
          maxLength: TEXT_FIELD_CHARS_MAX,
          pattern: TEXT_PATTERN,
          description: 'The text; a colour as #rgb, #rgba, #rrggbb or #rrggbbaa',
        }),
      }),
      { maxItems: FORMAT_TEXT_FIELDS_MAX, description: 'Those of the format' },
    ),
  ),
  lang: Type.Optional(Nullable(Lang('Of the texts'))),
})

const Values = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: TARGETING_VALUE_CHARS_MAX, pattern: TEXT_PATTERN }), {
    maxItems: TARGETING_VALUES_MAX,
    uniqueItems: true,
    description,
  })

const targeting = {
  phrases: Values('What is sought holds all the words of any of these'),
  categoryPaths: Values('The page is in or below any of these categories: "Home > Lamps"'),
  brands: Values('The page is about any of these brands'),
  productIds: Values('The page is about any of these products'),
  profiles: Values('The person has any of these profiles'),
  refererPatterns: Values('The page is at any of these URLs or paths, where * stands for any text'),
}

export const displayFields = {
  country: Type.String({
    pattern: CAPITAL_COUNTRY_PATTERN,
    description: 'DISPLAY: where it is shown, ISO 3166-1 alpha-2',
  }),
  targetUrl: Address('DISPLAY: where a click leads, http or https'),
  mobileDeepLink: Nullable(Address('DISPLAY: where a click leads in an app; null: to targetUrl')),
  targeting: PatchBody(targeting),
}
export const Banners = Type.Array(BannerInput, {
  minItems: 1,
  maxItems: BANNERS_MAX,
  description: 'DISPLAY: what it shows',
})

const Reason = (description: string) =>
  Type.String({ minLength: 1, maxLength: REASON_CHARS_MAX, pattern: TEXT_PATTERN, description })
export const ModerationState = Type.Enum(['IN_MODERATION', 'ACCEPTED', 'REJECTED'], {
  description: 'What the publisher said of the creative as it is',
})
const decision = {
  reason: Nullable(Reason('Why it was rejected')),
  decidedAt: Time('When'),
  decidedBy: Type.String({ description: 'The user that decided; of an access token, the account that it acts for' }),
  decidedByName: Nullable(Type.String({ description: 'Whose name that is, or was; null: automation' })),
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
      version: Type.Integer({ description: 'Of the campaign that was judged' }),
    }),
    { description: 'Every decision, the latest last' },
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
  Type.Integer({ minimum: 1, description: 'Of the campaign as it was looked at: 409 when it has changed since' }),
)
export const AcceptBody = Nullable(Body({ version }))
export const RejectBody = Body({ reason: Reason('Told to the advertiser'), version })
export const ModerationParams = Type.Object({ campaignId: IdText('A campaign') })

/** Images that banners are made of. */

const ImageContentId = Type.String({ description: 'SHA-256 of its content, base64url' })

/** For the documentation only: the parts of the form are read as they arrive. */
export const ImageUpload = Type.Object({
  file: Type.String({ contentMediaType: 'application/octet-stream', description: 'The image: PNG, JPEG or WEBP' }),
  accountId: Type.Optional(IdText("Who may use it; without it, the caller's account")),
})
export const ImageView = Type.Object({
  id: ImageContentId,
  mediaType: Type.Enum(['image/png', 'image/jpeg', 'image/webp']),
  width: Type.Integer({ description: 'Pixels' }),
  height: Type.Integer({ description: 'Pixels' }),
  bytes: Type.Integer({ description: 'Size as it is served' }),
  url: Type.String({ description: 'Where it is served, to anyone' }),
})
export const ImageQuery = ListQuery({})
export const ImageParams = Type.Object({ id: Type.String({ maxLength: 100, description: 'Id of the image' }) })
