import { type Static, Type } from 'typebox'
import { CAPITAL_COUNTRY_PATTERN } from '../../text.ts'
import { IdText, Nullable } from '../common.ts'
import { PERIOD_DAYS_MAX, REPORT_WINDOW_HOURS_MAX } from '../limits.ts'

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
  'purchasedProduct',
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
  'units',
  'revenue',
  'returnedRevenue',
  'netRevenue',
  'carts',
  'wishlists',
  'roas',
] as const
export type ReportMetric = (typeof reportMetrics)[number]

const attributionModels = ['LAST_TOUCH', 'FIRST_TOUCH', 'LINEAR', 'TIME_DECAY', 'POSITION'] as const
export type ReportModel = (typeof attributionModels)[number]

const reportFormats = ['json', 'csv', 'parquet'] as const
export type ReportFormat = (typeof reportFormats)[number]

/** The verdicts of views and clicks that are not counted. */
export const invalidVerdicts = [
  ...(['BOT', 'DUPLICATE', 'EXPIRED', 'REPLAYED'] as const),
  ...(['INVALID_TRAFFIC', 'CAPPED', 'OVER_BUDGET', 'VOIDED'] as const),
] as const

const ROWS_MAX = 10_000
const VALUE_CHARS_MAX = 200
/** Limit of a list of names, enough for all metrics together. */
const NAMES_CHARS_MAX = 2_000

const Value = (description: string) => Type.String({ minLength: 1, maxLength: VALUE_CHARS_MAX, description })
const Names = (names: readonly string[], description: string) =>
  Type.String({
    minLength: 1,
    maxLength: NAMES_CHARS_MAX,
    description: `${description}. Names separated by commas: ${names.join(', ')}`,
  })
const Hours = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: REPORT_WINDOW_HOURS_MAX,
    description: `${description}. Default: the window of the shop`,
  })

/** Query of GET /v1/panel/reports. Lists are split, and dates read, by services/registry/reports. */
export const ReportQuery = Type.Object(
  {
    from: Value('Start of the period, inclusive. A date is the start of that day in the time zone of each shop'),
    to: Value(`End of the period, exclusive, in the form of \`from\`. At most ${PERIOD_DAYS_MAX} days later`),
    groupBy: Type.Optional(
      Names(
        reportDimensions,
        'What rows are grouped by, at most 4 names. Without it, there is one row per currency. Only sales have a purchasedProduct: ' +
          'other metrics are null in its rows',
      ),
    ),
    metrics: Type.Optional(Names(reportMetrics, 'Metrics to answer. Default: all')),
    shopId: Type.Optional(IdText('Only this shop')),
    accountId: Type.Optional(IdText('Only ads of this account')),
    campaignId: Type.Optional(IdText('Only this campaign')),
    productId: Type.Optional(Value('Only ads of this product, by its feed id')),
    bannerId: Type.Optional(IdText('Only ads of this banner')),
    purchasedProductId: Type.Optional(
      Value('Only sales of this product, by its feed id. Metrics of what is not a sale are null'),
    ),
    adUnitId: Type.Optional(IdText('Only this ad unit')),
    placementId: Type.Optional(IdText('Only ad units of this placement')),
    algorithm: Type.Optional(Value('Only slots filled by this algorithm')),
    country: Type.Optional(
      Type.String({ pattern: CAPITAL_COUNTRY_PATTERN, description: 'Only this country, ISO 3166-1 alpha-2' }),
    ),
    verdict: Type.Optional(
      Type.Enum([...invalidVerdicts], {
        description:
          '`invalid` and `invalidRate` count only events with this verdict as invalid. Other metrics are not affected',
      }),
    ),
    model: Type.Optional(
      Type.Enum([...attributionModels], { description: 'Attribution model for this report only. Default: LAST_TOUCH' }),
    ),
    clickWindowHours: Type.Optional(
      Hours('For this report only: hours after a click in which a sale is credited; 0 for never'),
    ),
    viewWindowHours: Type.Optional(
      Hours('For this report only: hours after a view in which a sale is credited; 0 for never'),
    ),
    disclosure: Type.Optional(
      Type.Boolean({
        description:
          'If true, the answer also says how the figures are computed. In CSV, as lines above the table; in Parquet, in the ' +
          'metadata of the file',
      }),
    ),
    orderBy: Type.Optional(
      Type.Enum([...reportMetrics], {
        description: 'Sort by this metric, highest first. It must be among `metrics`',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ROWS_MAX,
        description: 'Maximum number of rows. Totals include the rows that are cut off',
      }),
    ),
    format: Type.Optional(
      Type.Enum([...reportFormats], {
        description:
          'Format of the answer. Without it, the header Accept decides: application/json, text/csv or application/vnd.apache.parquet',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ReportQuery = Static<typeof ReportQuery>

const Count = (description: string) => Type.Optional(Nullable(Type.Integer({ description })))
const Money = (description: string) => Type.Optional(Nullable(Type.Number({ description })))

const metricFields = {
  requests: Count(
    'Ad requests. If rows are grouped or filtered by ad unit, placement or algorithm: requested slots. null in rows about ads',
  ),
  emissions: Count('Ads served'),
  views: Count('Valid views'),
  clicks: Count('Valid clicks'),
  grossViews: Count('All views, valid or not'),
  grossClicks: Count('All clicks, valid or not'),
  invalid: Count('Views and clicks that are not valid'),
  invalidRate: Money('invalid / (grossViews + grossClicks); null if there are none'),
  invalidBot: Count('Invalid: sent by bots'),
  invalidDuplicate: Count('Invalid: repeats of a view or click that was counted'),
  invalidExpired: Count('Invalid: too long after the ad was served'),
  invalidReplayed: Count('Invalid: from browsers that reported too many ads that had been served to others'),
  invalidCapped: Count('Invalid: views beyond the cap of the campaign'),
  invalidOverBudget: Count('Invalid: the budget of the campaign was spent'),
  invalidTraffic: Count('Invalid: broke a rule against invalid traffic. The metrics by rule add up to it'),
  invalidAddressClicks: Count('Invalid by the rule ADDRESS_CLICKS'),
  invalidAgentClicks: Count('Invalid by the rule AGENT_CLICKS'),
  invalidNetworkClicks: Count('Invalid by the rule NETWORK_CLICKS'),
  invalidAddressPeople: Count('Invalid by the rule ADDRESS_PEOPLE'),
  invalidAddressViews: Count('Invalid by the rule ADDRESS_VIEWS'),
  invalidCidClicks: Count('Invalid by the rule CID_CLICKS'),
  invalidCidViews: Count('Invalid by the rule CID_VIEWS'),
  invalidClicksOnly: Count('Invalid by the rule CLICKS_ONLY'),
  invalidTooFast: Count('Invalid by the rule TOO_FAST'),
  invalidNoView: Count('Invalid by the rule NO_VIEW'),
  invalidVoided: Count('Invalid: counted until they were voided'),
  marked: Count('Valid views and clicks that a rule against invalid traffic has marked'),
  ctr: Money('clicks / views; null if there are no views'),
  spend: Money('Amount billed, minus the amount credited back'),
  creditedBack: Money('Amount that had been billed for events that were voided'),
  purchases: Count('Purchases with a credited line'),
  directPurchases: Count('Purchases with a line credited as DIRECT'),
  haloPurchases: Count('Purchases with a line credited as HALO'),
  units: Count('Units of the credited lines of purchases, returned or not'),
  revenue: Money('Price of the credited lines of purchases, returned or not'),
  returnedRevenue: Money('Part of revenue that was returned'),
  netRevenue: Money('revenue - returnedRevenue'),
  carts: Count('Cart additions with a credited line'),
  wishlists: Count('Wishlist additions with a credited line'),
  roas: Money('netRevenue / spend; null if nothing was spent'),
}

const Currency = Nullable(
  Type.String({ description: 'ISO 4217; null if there are several currencies. All amounts are null then' }),
)
const Totals = Type.Object({ currency: Currency, ...metricFields })

const WindowHours = (description: string) => Type.Integer({ description })

/** How the figures of a report are made. */
const Disclosure = Type.Object(
  {
    attributionModel: Type.Enum([...attributionModels], { description: 'Attribution model' }),
    attributionWindows: Type.Array(
      Type.Object({
        clickWindowHours: WindowHours('Hours after a click in which a sale is credited'),
        viewWindowHours: WindowHours('Hours after a view in which a sale is credited'),
      }),
      { description: 'Attribution windows of the shops in the report, as they are set now' },
    ),
    timeZones: Type.Array(Type.String(), { description: 'Time zones of days and hours, as IANA names' }),
    notCounted: Type.Array(Type.Enum([...invalidVerdicts]), {
      description: 'Verdicts of views and clicks that are neither counted nor billed',
    }),
    refusingRules: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Rules by which a shop of the report refuses events as INVALID_TRAFFIC; null for advertisers',
    }),
  },
  { description: 'How the figures are computed, by the current settings of the shops. Only with disclosure=true' },
)
export type ReportDisclosure = Static<typeof Disclosure>

/** Answer of GET /v1/panel/reports; in CSV, the rows alone. */
export const Report = Type.Object({
  rows: Type.Array(
    Type.Object(
      { currency: Currency, ...metricFields },
      {
        additionalProperties: true,
        description: 'Dimensions of the row with their names (such as campaignName), its currency and its metrics',
      },
    ),
  ),
  totals: { ...Totals, description: 'Totals over all rows, including those that were cut off' },
  totalsByCurrency: Type.Array(Totals),
  truncated: Type.Boolean({ description: 'True if rows were cut off' }),
  disclosure: Type.Optional(Disclosure),
})
