import { Type } from 'typebox'
import { TRAFFIC_RULES } from '../../../records/traffic-rules.ts'
import { CAPITAL_COUNTRY_PATTERN } from '../../text.ts'
import { Amount, answered, Body, Currency, Id, Lang, ListQuery, Name, Nullable, PatchBody, Time } from '../common.ts'
import { FeedRunView } from './feed-runs.ts'

const CLICK_WINDOW_HOURS_MAX = 2_160
const VIEW_WINDOW_HOURS_MAX = 720
const RULE_MAX = 1_000_000

const Country = Type.String({
  pattern: CAPITAL_COUNTRY_PATTERN,
  description: 'Where the shop sells, ISO 3166-1 alpha-2',
})

const fields = {
  name: Name('As shown in the panel'),
  currency: Currency('What bids and budgets of the shop are in; cannot be changed, because bills are in it'),
  lang: Lang('Language of the shop'),
  country: Country,
  timeZone: Type.String({
    maxLength: 64,
    description: 'IANA name; days of caps, daily budgets and reports are days of this zone. UTC without it',
  }),
  clickWindowHours: Type.Integer({
    minimum: 1,
    maximum: CLICK_WINDOW_HOURS_MAX,
    description: 'Hours after a click in which a purchase counts; 336 without it',
  }),
  viewWindowHours: Type.Integer({
    minimum: 0,
    maximum: VIEW_WINDOW_HOURS_MAX,
    description: 'Hours after a view in which a purchase counts, 0 for never; 24 without it',
  }),
  reserveCpc: Amount('The least that a click costs; 0.01 without it'),
  transactionTrust: Type.Enum(['OPEN', 'PREFER_SIGNED', 'SIGNED_ONLY'], {
    description:
      'Which purchases received from now on are credited. OPEN: all. PREFER_SIGNED: all, and those of anonymous senders are marked. SIGNED_ONLY: those sent with a token or signature. OPEN without it',
  }),
  invalidTraffic: Type.Array(
    Type.Object({
      rule: Type.Enum([...TRAFFIC_RULES], { description: 'See docs/traffic-quality.md' }),
      mode: Type.Enum(['OFF', 'MARK', 'REFUSE'], {
        description: 'MARK counts the event and marks it, REFUSE makes it INVALID_TRAFFIC',
      }),
      max: Type.Optional(
        Nullable(Type.Integer({ minimum: 0, maximum: RULE_MAX, description: 'What it allows; null: the default' })),
      ),
    }),
    { maxItems: TRAFFIC_RULES.length, description: 'Rules against invalid traffic; those left out are as by default' },
  ),
}

export const ShopCreate = Body({
  accountId: Type.Optional(Id("The publisher it belongs to; without it, the caller's account")),
  name: fields.name,
  currency: fields.currency,
  lang: fields.lang,
  country: fields.country,
  timeZone: Type.Optional(fields.timeZone),
  clickWindowHours: Type.Optional(fields.clickWindowHours),
  viewWindowHours: Type.Optional(fields.viewWindowHours),
  reserveCpc: Type.Optional(fields.reserveCpc),
  transactionTrust: Type.Optional(fields.transactionTrust),
  invalidTraffic: Type.Optional(fields.invalidTraffic),
})
const { currency: _fixed, ...changeable } = fields
export const ShopPatch = PatchBody(changeable)
/** Advertisers see only what a campaign needs: the optional fields are for the publisher. */
export const ShopView = Type.Object({
  ...answered,
  ...fields,
  accountId: Type.Optional(Id('The publisher it belongs to')),
  clickWindowHours: Type.Optional(fields.clickWindowHours),
  viewWindowHours: Type.Optional(fields.viewWindowHours),
  transactionTrust: Type.Optional(fields.transactionTrust),
  invalidTraffic: Type.Optional(fields.invalidTraffic),
})
export const ShopQuery = ListQuery({ accountId: Type.Optional(Id('Of this publisher')) })

const keyFields = {
  shopId: Id('The shop whose events it proves'),
  name: Name('Which pages or servers use it'),
}
export const SigningKeyCreate = Body(keyFields)
export const SigningKeyPatch = PatchBody({ name: keyFields.name })
export const SigningKeyView = Type.Object({
  ...answered,
  ...keyFields,
  secret: Type.Optional(
    Type.String({ description: 'What HMAC-SHA-256 is made with: only in the answer that creates it' }),
  ),
})
export const SigningKeyQuery = ListQuery({ shopId: Type.Optional(Id('Of this shop')) })

const PlacementKind = Type.Enum(['PRODUCT', 'DISPLAY'], { description: 'What its ad units show' })

export const PlacementCreate = Body({ shopId: Id('Its shop'), name: Name('Where on the page'), kind: PlacementKind })
export const PlacementPatch = Body({ name: Type.Optional(Name('Where on the page')) })
export const PlacementView = Type.Object({
  ...answered,
  shopId: Id('Its shop'),
  name: Name('Where on the page'),
  kind: PlacementKind,
})
export const PlacementQuery = ListQuery({
  shopId: Type.Optional(Id('Of this shop')),
  kind: Type.Optional(PlacementKind),
})

const feedFields = {
  name: Name('As shown in the panel'),
  url: Nullable(
    Type.String({ maxLength: 2_000, description: 'Where it is fetched from every hour; null: by upload and API only' }),
  ),
  currency: Currency("What its prices are in; the shop's without it"),
  lang: Nullable(Lang('Language of its texts; null: any')),
}

const credentials = {
  username: Type.Optional(
    Nullable(Type.String({ maxLength: 200, description: 'Whom it is fetched as (HTTP Basic); null: without' })),
  ),
  password: Type.Optional(Nullable(Type.String({ maxLength: 1_000, description: 'Never shown again' }))),
}

export const FeedCreate = Body({
  shopId: Id('Its shop'),
  name: feedFields.name,
  url: Type.Optional(feedFields.url),
  currency: Type.Optional(feedFields.currency),
  lang: Type.Optional(feedFields.lang),
  ...credentials,
})
export const FeedPatch = PatchBody({
  name: feedFields.name,
  url: feedFields.url,
  currency: Currency(
    'Changing it reads the feed anew at once: from its url, else from the uploaded file while that is kept. Each offer has its old price and currency until then',
  ),
  lang: feedFields.lang,
  ...credentials,
})
export const FeedView = Type.Object({
  ...answered,
  shopId: Id('Its shop'),
  ...feedFields,
  username: Nullable(Type.String({ description: 'Whom it is fetched as; null: without' })),
  hasPassword: Type.Boolean({ description: 'A password is set' }),
  canBeRead: Type.Boolean({
    description: 'It can be read anew: it has a url, or its uploaded file is kept. If not, upload the file again',
  }),
  lastRun: Type.Union([FeedRunView, Type.Null()], { description: 'Its latest run; null: it has not run yet' }),
  lastSuccessAt: Nullable(Time('When a run last took products; null: none has of those that are kept')),
  nextRunAt: Nullable(Time('When it is fetched next; null: it is being fetched, or has no url')),
})
export const FeedQuery = ListQuery({ shopId: Type.Optional(Id('Of this shop')) })
