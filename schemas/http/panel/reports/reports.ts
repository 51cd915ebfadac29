import { type Static, Type } from 'typebox'
import { CAPITAL_COUNTRY_PATTERN } from '../../text.ts'
import { IdText, Nullable } from '../common.ts'

export const reportDimensions = [
  'hour',
  'day',
  'shop',
  'account',
  'campaign',
  'product',
  'banner',
  'adUnit',
  'placement',
  'algorithm',
  'country',
] as const
export type ReportDimension = (typeof reportDimensions)[number]

export const reportMetrics = [
  'requests',
  'emissions',
  'views',
  'clicks',
  'grossViews',
  'grossClicks',
  'invalid',
  'invalidRate',
  'invalidBot',
  'invalidDuplicate',
  'invalidExpired',
  'invalidReplayed',
  'invalidCapped',
  'invalidOverBudget',
  'invalidTraffic',
  'invalidAddressClicks',
  'invalidAgentClicks',
  'invalidNetworkClicks',
  'invalidAddressPeople',
  'invalidAddressViews',
  'invalidCidClicks',
  'invalidCidViews',
  'invalidClicksOnly',
  'invalidTooFast',
  'invalidNoView',
  'invalidVoided',
  'marked',
  'ctr',
  'spend',
  'creditedBack',
  'purchases',
  'directPurchases',
  'haloPurchases',
  'revenue',
  'returnedRevenue',
  'netRevenue',
  'carts',
  'wishlists',
  'roas',
] as const
export type ReportMetric = (typeof reportMetrics)[number]

export const attributionModels = ['LAST_TOUCH', 'FIRST_TOUCH', 'LINEAR', 'TIME_DECAY', 'POSITION'] as const
export type ReportModel = (typeof attributionModels)[number]

export const reportFormats = ['json', 'csv', 'parquet'] as const
export type ReportFormat = (typeof reportFormats)[number]

/** The verdicts of views and clicks that are not counted. */
export const invalidVerdicts = [
  ...(['BOT', 'DUPLICATE', 'EXPIRED', 'REPLAYED'] as const),
  ...(['INVALID_TRAFFIC', 'CAPPED', 'OVER_BUDGET', 'VOIDED'] as const),
] as const

const ROWS_MAX = 10_000
const WINDOW_HOURS_MAX = 2_160
const ID_CHARS_MAX = 200
/** Limit of a list of names, enough for all metrics together. */
const NAMES_CHARS_MAX = 2_000

const Value = (description: string) => Type.String({ minLength: 1, maxLength: ID_CHARS_MAX, description })
const Names = (names: readonly string[], description: string) =>
  Type.String({
    minLength: 1,
    maxLength: NAMES_CHARS_MAX,
    description: `${description}, by commas: ${names.join(', ')}`,
  })
const Hours = (description: string) =>
  Type.Integer({ minimum: 0, maximum: WINDOW_HOURS_MAX, description: `${description}; the shop's without it` })

/** Query of GET /v1/panel/reports. Lists are split, and dates read, by services/registry/reports. */
export const ReportQuery = Type.Object(
  {
    from: Value('First moment. A date is the start of that day in the time zone of each shop'),
    to: Value('First moment after the report, like from. At most 400 days later'),
    groupBy: Type.Optional(Names(reportDimensions, 'What a row stands for, at most 4')),
    metrics: Type.Optional(Names(reportMetrics, 'What is counted; all without it')),
    shopId: Type.Optional(IdText('Only this shop')),
    accountId: Type.Optional(IdText('Only ads of this account')),
    campaignId: Type.Optional(IdText('Only this campaign')),
    productId: Type.Optional(Value('Only ads of this product, by its feed id')),
    bannerId: Type.Optional(IdText('Only ads of this banner')),
    adUnitId: Type.Optional(IdText('Only this ad unit')),
    placementId: Type.Optional(IdText('Only ad units of this placement')),
    algorithm: Type.Optional(Value('Only slots filled by this algorithm')),
    country: Type.Optional(
      Type.String({ pattern: CAPITAL_COUNTRY_PATTERN, description: 'Only this country, ISO 3166-1 alpha-2' }),
    ),
    verdict: Type.Optional(
      Type.Enum([...invalidVerdicts], {
        description: 'Invalid events with this verdict; other metrics stay as they are',
      }),
    ),
    model: Type.Optional(
      Type.Enum([...attributionModels], { description: 'How sales are credited, for this one look' }),
    ),
    clickWindowHours: Type.Optional(Hours('Hours after a click in which a sale counts, for this one look')),
    viewWindowHours: Type.Optional(Hours('Hours after a view in which a sale counts, for this one look')),
    disclosure: Type.Optional(
      Type.Boolean({
        description:
          'Also answers how the figures are made: in CSV as lines above the table, in Parquet in the metadata of the file',
      }),
    ),
    orderBy: Type.Optional(
      Type.Enum([...reportMetrics], {
        description: 'Rows with the most of this metric first; it must be among metrics',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: ROWS_MAX, description: 'At most so many rows; totals are over all' }),
    ),
    format: Type.Optional(
      Type.Enum([...reportFormats], {
        description: 'Accept does the same: application/json, text/csv, application/vnd.apache.parquet',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ReportQuery = Static<typeof ReportQuery>

const Count = (description: string) => Type.Optional(Nullable(Type.Integer({ description })))
const Money = (description: string) => Type.Optional(Nullable(Type.Number({ description })))

const metricFields = {
  requests: Count('Ad requests, or slots asked for when the row is about an ad unit; null for rows about ads'),
  emissions: Count('Ads served'),
  views: Count('Valid views'),
  clicks: Count('Valid clicks'),
  grossViews: Count('Views before filtration: valid or not'),
  grossClicks: Count('Clicks before filtration: valid or not'),
  invalid: Count('Views and clicks that do not count'),
  invalidRate: Money('invalid / (grossViews + grossClicks); null without any'),
  invalidBot: Count('Of these, sent by bots'),
  invalidDuplicate: Count('Of these, repeats of a view or click that was counted'),
  invalidExpired: Count('Of these, too long after the ad was served'),
  invalidReplayed: Count('Of these, from browsers that reported too many ads that others were given'),
  invalidCapped: Count('Of these, views beyond the cap of the campaign'),
  invalidOverBudget: Count('Of these, when the budget was spent'),
  invalidTraffic: Count('Of these, by rules against invalid traffic; those below, by rule, add up to it'),
  invalidAddressClicks: Count('By the rule ADDRESS_CLICKS'),
  invalidAgentClicks: Count('By the rule AGENT_CLICKS'),
  invalidNetworkClicks: Count('By the rule NETWORK_CLICKS'),
  invalidAddressPeople: Count('By the rule ADDRESS_PEOPLE'),
  invalidAddressViews: Count('By the rule ADDRESS_VIEWS'),
  invalidCidClicks: Count('By the rule CID_CLICKS'),
  invalidCidViews: Count('By the rule CID_VIEWS'),
  invalidClicksOnly: Count('By the rule CLICKS_ONLY'),
  invalidTooFast: Count('By the rule TOO_FAST'),
  invalidNoView: Count('By the rule NO_VIEW'),
  invalidVoided: Count('Of the invalid, those that counted until they were voided'),
  marked: Count('Valid views and clicks that a rule against invalid traffic marks'),
  ctr: Money('clicks / views; null without views'),
  spend: Money('What was billed, less what was credited back'),
  creditedBack: Money('What had been billed for events that were voided'),
  purchases: Count('Purchases with a credited line'),
  directPurchases: Count('Purchases with a line credited as DIRECT'),
  haloPurchases: Count('Purchases with a line credited as HALO'),
  revenue: Money('Price of the credited lines of purchases, returned or not'),
  returnedRevenue: Money('The part of revenue that came back'),
  netRevenue: Money('revenue without returnedRevenue'),
  carts: Count('Times put in a cart, with a credited line'),
  wishlists: Count('Times put on a wishlist, with a credited line'),
  roas: Money('netRevenue / spend; null without spend'),
}

const Currency = Nullable(Type.String({ description: 'ISO 4217; null: several, and so no sums of money' }))
const Totals = Type.Object({ currency: Currency, ...metricFields })

const WindowHours = (description: string) => Type.Integer({ description })

/** How the figures of a report are made. */
const Disclosure = Type.Object(
  {
    attributionModel: Type.Enum([...attributionModels], { description: 'How sales are credited' }),
    attributionWindows: Type.Array(
      Type.Object({
        clickWindowHours: WindowHours('Hours after a click in which a sale counts'),
        viewWindowHours: WindowHours('Hours after a view in which a sale counts'),
      }),
      { description: 'Each that a shop of the report has now' },
    ),
    timeZones: Type.Array(Type.String(), { description: 'Of the days and hours of the shops, IANA names' }),
    notCounted: Type.Array(Type.Enum([...invalidVerdicts]), {
      description: 'Verdicts of views and clicks that are neither counted nor billed',
    }),
    refusingRules: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Rules whose breach makes INVALID_TRAFFIC in a shop of the report; null for advertisers',
    }),
  },
  { description: 'With disclosure=true: by the present settings of the shops' },
)
export type ReportDisclosure = Static<typeof Disclosure>

/** Answer of GET /v1/panel/reports; in CSV, the rows alone. */
export const Report = Type.Object({
  rows: Type.Array(
    Type.Object(
      { currency: Currency, ...metricFields },
      {
        additionalProperties: true,
        description: 'Its dimensions, beside them names (campaignName …), its currency, its metrics',
      },
    ),
  ),
  totals: { ...Totals, description: 'Over all rows, those cut off too' },
  totalsByCurrency: Type.Array(Totals),
  truncated: Type.Boolean({ description: 'There are more rows than are answered' }),
  disclosure: Type.Optional(Disclosure),
})
