import { Type } from 'typebox'
import { TEXT_PATTERN } from '../../text.ts'
import { Amount, answered, Body, Id, ListQuery, Name, Nullable, PatchBody, Time } from '../common.ts'
import { AMOUNT_MIN, CAMPAIGN_PRODUCT_IDS_MAX, CAPPING_MAX, RULE_VALUES_MAX } from '../limits.ts'
import { Banners, displayFields, displayView } from './banners.ts'

const PRODUCT_ID_CHARS_MAX = 100
const RULE_VALUE_CHARS_MAX = 750

const ProductIds = (description: string, minItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: PRODUCT_ID_CHARS_MAX, pattern: TEXT_PATTERN }), {
    minItems,
    maxItems: CAMPAIGN_PRODUCT_IDS_MAX,
    uniqueItems: true,
    description,
  })
const RuleValues = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: RULE_VALUE_CHARS_MAX, pattern: TEXT_PATTERN }), {
      minItems: 1,
      maxItems: RULE_VALUES_MAX,
      uniqueItems: true,
      description,
    }),
  )

const Rule = Type.Object(
  {
    brands: RuleValues('Has any of these brands'),
    categoryPaths: RuleValues('Is in or below any of these categories, such as "Home > Lamps"'),
    labels: RuleValues('Has any of these labels'),
    sellerIds: RuleValues('Is sold by any of these sellers'),
    priceMin: Type.Optional(Amount('Costs at least this')),
    priceMax: Type.Optional(Amount('Costs at most this')),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'Every product that meets all the given conditions, including products that are added later',
  },
)

const Products = Type.Object(
  { ids: Type.Optional(ProductIds('Feed ids of the products', 1)), rule: Type.Optional(Rule) },
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'SPONSORED: the products to promote. Exactly one of ids and rule',
  },
)

const fields = {
  name: Name('Name in the panel'),
  startAt: Time('When the campaign starts. A new campaign starts now by default'),
  endAt: Nullable(Time('When the campaign ends; null to run until the budget is spent')),
  budget: Amount('Maximum total spend'),
  dailyBudget: Nullable(Amount("Maximum spend in one day of the shop's time zone; null for no limit", AMOUNT_MIN)),
  pacing: Type.Enum(['EVEN', 'ASAP'], {
    description:
      'EVEN spreads the spend over the time left, and needs an endAt or a dailyBudget. ASAP, the default, does not spread it',
  }),
  capping: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: CAPPING_MAX,
      description: 'Maximum number of views of one ad per person and day; null for no limit',
    }),
  ),
  attributionProductIds: ProductIds(
    'Feed ids of other products whose purchase is credited to the campaign as well (HALO)',
    0,
  ),
  status: Type.Enum(['DRAFT', 'ACTIVE', 'PAUSED'], {
    description:
      'Whether the campaign is switched on. A new campaign is ACTIVE by default. It cannot become a DRAFT again',
  }),
}
const kindFields = {
  products: Products,
  cpc: Amount("SPONSORED: maximum price of a click. At least the shop's reserveCpc"),
  ...displayFields,
  cpm: Amount('DISPLAY: price of a thousand views. The highest offer wins, and pays what it offers'),
  banners: Banners,
}

const Archived = Type.Boolean({
  description:
    'True archives the campaign: it does not run, and lists leave it out. Allowed only in the states DRAFT, REJECTED, ' +
    'PAUSED, EXHAUSTED and ENDED. Nothing else can be changed until false restores the campaign',
})
const AutoPromo = Type.Boolean({
  description:
    "Self-promotion: a free campaign of the shop's own publisher, shown in places that paid ads leave. Its budget and its " +
    'cpc or cpm may be 0. Cannot be changed later',
})
const CampaignKind = Type.Enum(['SPONSORED', 'DISPLAY'], {
  description: 'SPONSORED shows products and pays per click. DISPLAY shows banners and pays per view',
})

export const CampaignCreate = Body({
  kind: CampaignKind,
  accountId: Type.Optional(Id("Account that pays. Default: the caller's account")),
  shopId: Id('Shop in which the campaign runs'),
  name: fields.name,
  startAt: Type.Optional(fields.startAt),
  endAt: Type.Optional(fields.endAt),
  budget: fields.budget,
  dailyBudget: Type.Optional(fields.dailyBudget),
  pacing: Type.Optional(fields.pacing),
  capping: Type.Optional(fields.capping),
  attributionProductIds: Type.Optional(fields.attributionProductIds),
  status: Type.Optional(fields.status),
  products: Type.Optional(kindFields.products),
  cpc: Type.Optional(kindFields.cpc),
  autoPromo: Type.Optional(AutoPromo),
  country: Type.Optional(kindFields.country),
  targetUrl: Type.Optional(kindFields.targetUrl),
  mobileDeepLink: Type.Optional(kindFields.mobileDeepLink),
  cpm: Type.Optional(kindFields.cpm),
  banners: Type.Optional(kindFields.banners),
  targeting: Type.Optional(kindFields.targeting),
})
export const CampaignPatch = PatchBody({ ...fields, ...kindFields, archived: Archived })
export const CampaignView = Type.Object({
  ...answered,
  kind: CampaignKind,
  accountId: Id('Account that pays'),
  accountName: Nullable(Type.String({ description: 'Name of that account' })),
  shopId: Id('Shop in which the campaign runs'),
  ...fields,
  products: Type.Optional(kindFields.products),
  cpc: Type.Optional(kindFields.cpc),
  autoPromo: Type.Optional(AutoPromo),
  ...displayView,
  cpm: Type.Optional(kindFields.cpm),
  state: Type.Enum(
    ['DRAFT', 'IN_MODERATION', 'REJECTED', 'SCHEDULED', 'RUNNING', 'PAUSED', 'EXHAUSTED', 'ENDED', 'ARCHIVED'],
    { description: 'State of the campaign now. It follows from moderation, status, dates and spend' },
  ),
  archivedAt: Nullable(Time('When the campaign was archived; null if it is not')),
  spent: Nullable(Amount('Amount billed so far; null while it is unknown. `state` then assumes 0')),
})
export const CampaignQuery = ListQuery({
  shopId: Type.Optional(Id('Only campaigns in this shop')),
  accountId: Type.Optional(Id('Only campaigns that this account pays')),
  kind: Type.Optional(CampaignKind),
  archived: Type.Optional(
    Type.Boolean({ description: 'True lists the archived campaigns. By default they are left out' }),
  ),
})

/** The most campaigns that one call may change. */
const CAMPAIGNS_CHANGED_MAX = 500

export const CampaignChanges = Body({
  ids: Type.Array(Id('A campaign'), { minItems: 1, maxItems: CAMPAIGNS_CHANGED_MAX, uniqueItems: true }),
  change: Type.Partial(
    Type.Object({
      startAt: fields.startAt,
      endAt: fields.endAt,
      budget: fields.budget,
      dailyBudget: fields.dailyBudget,
      pacing: fields.pacing,
      capping: fields.capping,
      status: Type.Enum(['ACTIVE', 'PAUSED'], { description: 'Whether the campaign is switched on' }),
      cpc: kindFields.cpc,
      cpm: kindFields.cpm,
      archived: Archived,
    }),
    {
      additionalProperties: false,
      minProperties: 1,
      description: 'The properties to change, as in PATCH of one campaign',
    },
  ),
})

export const CampaignChangesAnswer = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Id('The campaign'),
      outcome: Type.Enum(['CHANGED', 'UNCHANGED', 'REFUSED'], {
        description: 'UNCHANGED: the campaign had these values already',
      }),
      version: Nullable(Type.Integer({ description: 'Version of the campaign now; null if the change was refused' })),
      problem: Nullable(
        Type.Object(
          {
            code: Type.String({ description: 'The code that PATCH would answer: see docs/errors.md' }),
            detail: Type.String({ description: 'Why it was refused' }),
            errors: Type.Array(
              Type.Object({
                path: Type.String({ description: 'JSON pointer into a PATCH body' }),
                message: Type.String({ description: 'What is wrong with it' }),
              }),
              { description: 'The properties that are wrong. Empty if the reason is not a property' },
            ),
          },
          { description: 'Why the change was refused; null if it was not' },
        ),
      ),
    }),
    { description: 'One result for each id, in the order of `ids`' },
  ),
})

/** The most ids without a product that an answer names. */
export const UNKNOWN_IDS_MAX = 100
export const EXAMPLES_MAX = 6

export const ProductCountBody = Body({
  shopId: Id('Shop of the products'),
  accountId: Type.Optional(Id("Account that would pay. Default: the caller's account")),
  campaignId: Type.Optional(Id('Campaign of the shop whose account would pay. Cannot be combined with accountId')),
  products: Products,
})

export const ProductCount = Type.Object({
  matching: Type.Integer({ description: 'Number of these products that a campaign of the account may promote' }),
  available: Type.Integer({
    description: 'How many of the matching products are available. Only available products are shown',
  }),
  indexing: Type.Boolean({
    description:
      'Whether a feed of the shop is being read or its products are being indexed, so that the counts will soon change',
  }),
  unknownIds: Type.Array(Type.String(), {
    maxItems: UNKNOWN_IDS_MAX,
    description: `Given ids without a product that the account may promote, at most ${UNKNOWN_IDS_MAX}`,
  }),
  examples: Type.Array(
    Type.Object({
      feedId: Type.String({ description: 'Id of the feed' }),
      id: Type.String({ description: 'Feed id of the product' }),
      title: Type.String({ description: 'Title' }),
      imageLink: Type.String({ description: 'Main image' }),
      price: Type.Number({ description: 'Price, in its currency' }),
      salePrice: Nullable(Type.Number({ description: 'Sale price that is in force now; null if there is none' })),
      currency: Type.String({ description: 'ISO 4217' }),
    }),
    { maxItems: EXAMPLES_MAX, description: `Some of the matching products, at most ${EXAMPLES_MAX}` },
  ),
})
