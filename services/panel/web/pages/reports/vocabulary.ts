import type { Answer, Query } from '../../client/types.ts'

/** The dimensions, metrics and filters of reports, with their labels. `docs/reports.md` defines every metric. */

export type ReportAnswer = Answer<'/v1/panel/reports'>
export type ReportRow = ReportAnswer['rows'][number]
export type Totals = ReportAnswer['totals']
export type ReportParameters = Query<'/v1/panel/reports'>
export type Model = NonNullable<ReportParameters['model']>

export const dimensions = {
  day: 'Day',
  hour: 'Hour',
  campaign: 'Campaign',
  product: 'Product',
  banner: 'Banner',
  account: 'Advertiser',
  shop: 'Shop',
  placement: 'Placement',
  adUnit: 'Ad unit',
  algorithm: 'Algorithm',
  country: 'Country',
} as const
export type Dimension = keyof typeof dimensions
export const dimensionNames = Object.keys(dimensions) as Dimension[]
export const isTime = (dimension: Dimension | undefined): boolean => dimension === 'day' || dimension === 'hour'

interface MetricWords {
  label: string
  kind: 'count' | 'money' | 'share' | 'ratio'
  /** Whether a rise is good or bad; absent when it is neither. */
  isGood?: boolean
  /** Whether it depends on how sales are credited. */
  isCredit?: boolean
}

export const metrics = {
  views: { label: 'Views', kind: 'count', isGood: true },
  clicks: { label: 'Clicks', kind: 'count', isGood: true },
  grossViews: { label: 'Views before filtration', kind: 'count' },
  grossClicks: { label: 'Clicks before filtration', kind: 'count' },
  ctr: { label: 'CTR', kind: 'share', isGood: true },
  spend: { label: 'Spend', kind: 'money' },
  purchases: { label: 'Purchases', kind: 'count', isGood: true, isCredit: true },
  revenue: { label: 'Revenue', kind: 'money', isGood: true, isCredit: true },
  netRevenue: { label: 'Net revenue', kind: 'money', isGood: true, isCredit: true },
  returnedRevenue: { label: 'Returned', kind: 'money', isCredit: true },
  roas: { label: 'ROAS', kind: 'ratio', isGood: true, isCredit: true },
  requests: { label: 'Requests', kind: 'count' },
  emissions: { label: 'Ads served', kind: 'count' },
  directPurchases: { label: 'Direct purchases', kind: 'count', isGood: true, isCredit: true },
  haloPurchases: { label: 'Halo purchases', kind: 'count', isGood: true, isCredit: true },
  carts: { label: 'Carts', kind: 'count', isGood: true, isCredit: true },
  wishlists: { label: 'Wishlists', kind: 'count', isGood: true, isCredit: true },
  invalid: { label: 'Invalid', kind: 'count' },
  invalidRate: { label: 'Invalid rate', kind: 'share' },
  invalidBot: { label: 'Bots', kind: 'count' },
  invalidDuplicate: { label: 'Duplicates', kind: 'count' },
  invalidExpired: { label: 'Expired', kind: 'count' },
  invalidReplayed: { label: 'Replayed', kind: 'count' },
  invalidCapped: { label: 'Over the cap', kind: 'count' },
  invalidOverBudget: { label: 'Over budget', kind: 'count' },
  invalidTraffic: { label: 'Invalid traffic', kind: 'count' },
  invalidVoided: { label: 'Voided', kind: 'count' },
  invalidAddressClicks: { label: 'Clicks of an address', kind: 'count' },
  invalidAgentClicks: { label: 'Clicks of a User-Agent', kind: 'count' },
  invalidNetworkClicks: { label: 'Clicks of a network', kind: 'count' },
  invalidAddressPeople: { label: 'People of an address', kind: 'count' },
  invalidAddressViews: { label: 'Views of an address', kind: 'count' },
  invalidCidClicks: { label: 'Clicks of a browser', kind: 'count' },
  invalidCidViews: { label: 'Views of a browser', kind: 'count' },
  invalidClicksOnly: { label: 'Only clicks', kind: 'count' },
  invalidTooFast: { label: 'Too fast', kind: 'count' },
  invalidNoView: { label: 'Clicks without a view', kind: 'count' },
  marked: { label: 'Marked', kind: 'count' },
  creditedBack: { label: 'Credited back', kind: 'money' },
} as const satisfies Record<string, MetricWords>
export type Metric = keyof typeof metrics
export const metricNames = Object.keys(metrics) as Metric[]
export const wordsOf = (metric: Metric): MetricWords => metrics[metric]

/** Why a view or click did not count, by the metric that counts it. */
export const invalidReasons = {
  invalidBot: 'Sent by a bot',
  invalidDuplicate: 'The same ad of the same request had been counted already',
  invalidExpired: 'Too long after the ad was served',
  invalidReplayed: 'From browsers that reported many ads which others had been given',
  invalidCapped: 'A view beyond what the campaign allows a person in a day',
  invalidOverBudget: 'When the budget of the campaign was spent',
  invalidTraffic: 'Broke a rule against invalid traffic',
  invalidVoided: 'Counted until it was found out not to, and was credited back',
} as const satisfies Partial<Record<Metric, string>>

/** The filters of a report, each with its dimension. */
export const filters = {
  accountId: 'account',
  campaignId: 'campaign',
  productId: 'product',
  bannerId: 'banner',
  placementId: 'placement',
  adUnitId: 'adUnit',
  algorithm: 'algorithm',
  country: 'country',
} as const satisfies Record<string, Dimension>
export type ReportFilter = keyof typeof filters
export const filterNames = Object.keys(filters) as ReportFilter[]

export const models: Record<Model, string> = {
  LAST_TOUCH: 'Last touch',
  FIRST_TOUCH: 'First touch',
  LINEAR: 'Linear: all alike',
  TIME_DECAY: 'Time decay: later ones more',
  POSITION: 'Position: first and last more',
}
export const modelNames = Object.keys(models) as Model[]

export const algorithmLabel = (algorithm: string): string =>
  algorithm.charAt(0) + algorithm.slice(1).toLowerCase().replaceAll('_', ' ')
