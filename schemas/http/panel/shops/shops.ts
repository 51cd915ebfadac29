import { Type } from 'typebox'
import { TRAFFIC_RULES } from '../../../records/traffic-rules.ts'
import { CAPITAL_COUNTRY_PATTERN } from '../../text.ts'
import { Amount, answered, Body, Currency, Id, Lang, ListQuery, Name, Nullable, PatchBody, Time } from '../common.ts'
import {
  CLICK_WINDOW_HOURS_MAX,
  FEED_PASSWORD_CHARS_MAX,
  FEED_USERNAME_CHARS_MAX,
  TRAFFIC_RULE_MAX,
  URL_CHARS_MAX,
  VIEW_WINDOW_HOURS_MAX,
} from '../limits.ts'
import { FeedRunView } from './feed-runs.ts'

const Country = Type.String({
  pattern: CAPITAL_COUNTRY_PATTERN,
  description: 'Country in which the shop sells, ISO 3166-1 alpha-2',
})

const fields = {
  name: Name('Name in the panel'),
  currency: Currency(
    'Currency of bids and budgets in the shop. It cannot be changed later, because spend is billed in it',
  ),
  lang: Lang('Language of the shop'),
  country: Country,
  timeZone: Type.String({
    maxLength: 64,
    description: 'IANA name of the time zone. Caps, daily budgets and reports use its days. Default: UTC',
  }),
  clickWindowHours: Type.Integer({
    minimum: 1,
    maximum: CLICK_WINDOW_HOURS_MAX,
    description: 'Hours after a click in which a purchase is credited to it. Default: 336',
  }),
  viewWindowHours: Type.Integer({
    minimum: 0,
    maximum: VIEW_WINDOW_HOURS_MAX,
    description: 'Hours after a view in which a purchase is credited to it; 0 for never. Default: 24',
  }),
  reserveCpc: Amount('Minimum price of a click. Default: 0.01, or 1 in a currency without hundredths, such as JPY'),
  transactionTrust: Type.Enum(['OPEN', 'PREFER_SIGNED', 'SIGNED_ONLY'], {
    description:
      'Which purchases are credited, of those received from now on. OPEN, the default: all. PREFER_SIGNED: all, but ' +
      'purchases of anonymous senders are marked as unconfirmed. SIGNED_ONLY: only those sent with a token or signature',
  }),
  invalidTraffic: Type.Array(
    Type.Object({
      rule: Type.Enum([...TRAFFIC_RULES], { description: 'See docs/traffic-quality.md' }),
      mode: Type.Enum(['OFF', 'MARK', 'REFUSE'], {
        description:
          'OFF: the rule is not applied. MARK: an event that breaks it is counted, and marked. REFUSE: it is not counted (INVALID_TRAFFIC)',
      }),
      max: Type.Optional(
        Nullable(
          Type.Integer({
            minimum: 0,
            maximum: TRAFFIC_RULE_MAX,
            description: 'The number that the rule allows; null for the default',
          }),
        ),
      ),
    }),
    {
      maxItems: TRAFFIC_RULES.length,
      description: 'Rules against invalid traffic. Rules that are left out have their default settings',
    },
  ),
}

export const ShopCreate = Body({
  accountId: Type.Optional(Id("Account of the publisher. Default: the caller's account")),
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
  accountId: Type.Optional(Id('Account of the publisher')),
  clickWindowHours: Type.Optional(fields.clickWindowHours),
  viewWindowHours: Type.Optional(fields.viewWindowHours),
  transactionTrust: Type.Optional(fields.transactionTrust),
  invalidTraffic: Type.Optional(fields.invalidTraffic),
})
export const ShopQuery = ListQuery({ accountId: Type.Optional(Id('Only shops of this account')) })

const keyFields = {
  shopId: Id('Shop whose events are signed with the key'),
  name: Name('Name of the key, such as the pages or servers that use it'),
}
export const SigningKeyCreate = Body(keyFields)
export const SigningKeyPatch = PatchBody({ name: keyFields.name })
export const SigningKeyView = Type.Object({
  ...answered,
  ...keyFields,
  secret: Type.Optional(
    Type.String({ description: 'Secret for HMAC-SHA-256. It is only in the answer to the creation of the key' }),
  ),
})
export const SigningKeyQuery = ListQuery({ shopId: Type.Optional(Id('Only keys of this shop')) })

const PlacementKind = Type.Enum(['PRODUCT', 'DISPLAY'], {
  description: 'Kind of ads that its ad units show: PRODUCT for sponsored products, DISPLAY for banners',
})

export const PlacementCreate = Body({
  shopId: Id('Shop of the placement'),
  name: Name('Name of the placement, such as its place on the page'),
  kind: PlacementKind,
})
export const PlacementPatch = Body({
  name: Type.Optional(Name('Name of the placement, such as its place on the page')),
})
export const PlacementView = Type.Object({
  ...answered,
  shopId: Id('Shop of the placement'),
  name: Name('Name of the placement, such as its place on the page'),
  kind: PlacementKind,
})
export const PlacementQuery = ListQuery({
  shopId: Type.Optional(Id('Only placements of this shop')),
  kind: Type.Optional(PlacementKind),
})

const feedFields = {
  name: Name('Name in the panel'),
  url: Nullable(
    Type.String({
      maxLength: URL_CHARS_MAX,
      description: 'Address that the feed is fetched from every hour; null if it is only uploaded or updated by API',
    }),
  ),
  currency: Currency('Currency of the prices. Default: the currency of the shop'),
  lang: Nullable(Lang('Language of the texts; null for any')),
}

const credentials = {
  username: Type.Optional(
    Nullable(
      Type.String({
        maxLength: FEED_USERNAME_CHARS_MAX,
        description: 'User name for fetching the feed (HTTP Basic); null for none',
      }),
    ),
  ),
  password: Type.Optional(
    Nullable(
      Type.String({
        maxLength: FEED_PASSWORD_CHARS_MAX,
        description:
          'Password for fetching the feed. It is never shown. If one is set, a change of scheme, host or port of url must ' +
          'give it again, or null',
      }),
    ),
  ),
}

export const FeedCreate = Body({
  shopId: Id('Shop of the feed'),
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
    'Currency of the prices. If it is changed, the feed is read again at once: from its url, or else from the uploaded ' +
      'file, while that is kept. Until an offer has been read again, it keeps its old price and currency',
  ),
  lang: feedFields.lang,
  ...credentials,
})
export const FeedView = Type.Object({
  ...answered,
  shopId: Id('Shop of the feed'),
  ...feedFields,
  username: Nullable(Type.String({ description: 'User name for fetching the feed; null for none' })),
  hasPassword: Type.Boolean({ description: 'Whether a password for fetching the feed is set' }),
  canBeRead: Type.Boolean({
    description:
      'Whether the feed can be read again: it has a url, or its uploaded file is kept. If not, the file has to be uploaded again',
  }),
  lastRun: Type.Union([FeedRunView, Type.Null()], {
    description: 'Latest run of the feed; null if it has not run yet',
  }),
  lastSuccessAt: Nullable(Time('When a run last accepted products; null if none of the runs that are kept did')),
  nextRunAt: Nullable(
    Time('When the feed is fetched next; null if it is being fetched, has not run yet, or has no url'),
  ),
})
export const FeedQuery = ListQuery({ shopId: Type.Optional(Id('Only feeds of this shop')) })
