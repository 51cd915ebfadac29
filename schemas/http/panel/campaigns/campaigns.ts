import { Type } from 'typebox'
import { TEXT_PATTERN } from '../../text.ts'
import { Amount, answered, Body, Id, ListQuery, Name, Nullable, PatchBody, Time } from '../common.ts'
import { Banners, displayFields, displayView } from './banners.ts'

export const PRODUCT_IDS_MAX = 10_000
const PRODUCT_ID_CHARS_MAX = 100
const RULE_VALUES_MAX = 1_000
const RULE_VALUE_CHARS_MAX = 750
const CAPPING_MAX = 1_000
const AMOUNT_MIN = 0.000001

const ProductIds = (description: string, minItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: PRODUCT_ID_CHARS_MAX, pattern: TEXT_PATTERN }), {
    minItems,
    maxItems: PRODUCT_IDS_MAX,
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
    brands: RuleValues('Any of these brands'),
    categoryPaths: RuleValues('In or below any of these categories: "Home > Lamps"'),
    labels: RuleValues('With any of these labels'),
    sellerIds: RuleValues('Of any of these sellers'),
    priceMin: Type.Optional(Amount('Costs at least this')),
    priceMax: Type.Optional(Amount('Costs at most this')),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'Every product that meets all that is given, now and later',
  },
)

export const Products = Type.Object(
  { ids: Type.Optional(ProductIds('Feed ids', 1)), rule: Type.Optional(Rule) },
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'SPONSORED: exactly one of ids and rule',
  },
)

const fields = {
  name: Name('As shown in the panel'),
  startAt: Time('When it begins to run; now without it'),
  endAt: Nullable(Time('When it ends; null: when the budget does')),
  budget: Amount('The most it may spend in all'),
  dailyBudget: Nullable(Amount("The most it may spend in one day of the shop's time zone; null: no limit", AMOUNT_MIN)),
  pacing: Type.Enum(['EVEN', 'ASAP'], { description: 'EVEN spreads the spend over the time left. ASAP without it' }),
  capping: Nullable(
    Type.Integer({ minimum: 1, maximum: CAPPING_MAX, description: 'Views of one ad per person and day; null: no cap' }),
  ),
  attributionProductIds: ProductIds('Feed ids whose purchase counts for the campaign too', 0),
  status: Type.Enum(['DRAFT', 'ACTIVE', 'PAUSED'], { description: 'The switch. ACTIVE without it' }),
}
const kindFields = {
  products: Products,
  cpc: Amount("SPONSORED: what one click may cost at most, at least the shop's reserveCpc"),
  ...displayFields,
  cpm: Amount('DISPLAY: what a thousand views cost: the highest wins and pays what it offers'),
  banners: Banners,
}

const Archived = Type.Boolean({
  description:
    'True puts it away: it never runs, and lists leave it out. Only while it is DRAFT, REJECTED, PAUSED, EXHAUSTED or ENDED. Until false restores it, nothing else of it can change',
})
const AutoPromo = Type.Boolean({
  description:
    "The publisher's own promotion, free, in places that paid ads leave: budget and cpc or cpm may be 0. Never changes",
})
const CampaignKind = Type.Enum(['SPONSORED', 'DISPLAY'], {
  description: 'What it shows: products, paid by click, or banners, paid by view',
})

export const CampaignCreate = Body({
  kind: CampaignKind,
  accountId: Type.Optional(Id("Who pays; without it, the caller's account")),
  shopId: Id('Where it runs'),
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
  accountId: Id('Who pays'),
  accountName: Nullable(Type.String({ description: 'Its name' })),
  shopId: Id('Where it runs'),
  ...fields,
  products: Type.Optional(kindFields.products),
  cpc: Type.Optional(kindFields.cpc),
  autoPromo: Type.Optional(AutoPromo),
  ...displayView,
  cpm: Type.Optional(kindFields.cpm),
  state: Type.Enum(
    ['DRAFT', 'IN_MODERATION', 'REJECTED', 'SCHEDULED', 'RUNNING', 'PAUSED', 'EXHAUSTED', 'ENDED', 'ARCHIVED'],
    { description: 'What the moderation, the switch, the dates and the money make of it now' },
  ),
  archivedAt: Nullable(Time('When it was put away; null: it was not')),
  spent: Nullable(Amount('Billed so far (null while that cannot be told: `state` then takes it for 0)')),
})
export const CampaignQuery = ListQuery({
  shopId: Type.Optional(Id('In this shop')),
  accountId: Type.Optional(Id('Paid by this account')),
  kind: Type.Optional(CampaignKind),
  archived: Type.Optional(Type.Boolean({ description: 'True: those that were put away. The others without it' })),
})

/** The most campaigns that one call may change. */
export const CAMPAIGNS_CHANGED_MAX = 500

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
      status: Type.Enum(['ACTIVE', 'PAUSED'], { description: 'The switch' }),
      cpc: kindFields.cpc,
      cpm: kindFields.cpm,
      archived: Archived,
    }),
    { additionalProperties: false, minProperties: 1, description: 'As in PATCH of one campaign' },
  ),
})

export const CampaignChangesAnswer = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Id('The campaign'),
      outcome: Type.Enum(['CHANGED', 'UNCHANGED', 'REFUSED'], { description: 'UNCHANGED: it was so already' }),
      version: Nullable(Type.Integer({ description: 'Its version now; null: refused' })),
      problem: Nullable(
        Type.Object(
          {
            code: Type.String({ description: 'As of PATCH: see docs/errors.md' }),
            detail: Type.String({ description: 'Why it was refused' }),
            errors: Type.Array(
              Type.Object({
                path: Type.String({ description: 'JSON pointer into a PATCH body' }),
                message: Type.String({ description: 'What is wrong with it' }),
              }),
              { description: 'The properties that are wrong; empty: the reason is no property' },
            ),
          },
          { description: 'Why it is REFUSED' },
        ),
      ),
    }),
    { description: 'One for each id, in their order' },
  ),
})

/** The most ids without a product that an answer names. */
export const UNKNOWN_IDS_MAX = 100
export const EXAMPLES_MAX = 6

export const ProductCountBody = Body({
  shopId: Id('Its shop'),
  accountId: Type.Optional(Id("Who would pay; without it, the caller's account")),
  campaignId: Type.Optional(Id('A campaign of the shop, whose account would pay. In place of accountId')),
  products: Products,
})

export const ProductCount = Type.Object({
  matching: Type.Integer({ description: 'Products that a campaign of the account over these may promote' }),
  available: Type.Integer({ description: 'Those of them that are in stock: only these are shown' }),
  unknownIds: Type.Array(Type.String(), {
    maxItems: UNKNOWN_IDS_MAX,
    description: `Ids that are of no product that the account may promote, at most ${UNKNOWN_IDS_MAX}`,
  }),
  examples: Type.Array(
    Type.Object({
      feedId: Type.String({ description: 'Its feed' }),
      id: Type.String({ description: 'Its id in the feed' }),
      title: Type.String({ description: 'Title' }),
      imageLink: Type.String({ description: 'Main image' }),
      price: Type.Number({ description: 'Price, in its currency' }),
      salePrice: Nullable(Type.Number({ description: 'Sale price that holds now' })),
      currency: Type.String({ description: 'ISO 4217' }),
    }),
    { maxItems: EXAMPLES_MAX, description: `Some of the matching products, at most ${EXAMPLES_MAX}` },
  ),
})
