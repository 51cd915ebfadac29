import type { Answer, Query } from '../../client/types.ts'
import { t } from '../../messages/pages/report-words.ts'

/** The dimensions, metrics and filters of reports, with their labels. `docs/reports.md` defines every metric. */

export type ReportAnswer = Answer<'/v1/panel/reports'>
export type ReportRow = ReportAnswer['rows'][number]
export type Totals = ReportAnswer['totals']
export type ReportParameters = Query<'/v1/panel/reports'>
export type Model = NonNullable<ReportParameters['model']>

export const dimensionNames = [
  ...(['day', 'hour', 'campaign', 'product', 'purchasedProduct', 'banner', 'account'] as const),
  ...(['shop', 'placement', 'adUnit', 'algorithm', 'country'] as const),
] as const
export type Dimension = (typeof dimensionNames)[number]
export const isTime = (dimension: Dimension | undefined): boolean => dimension === 'day' || dimension === 'hour'

interface MetricTraits {
  kind: 'count' | 'money' | 'share' | 'ratio'
  /** Whether an increase is good or bad; absent when it is neither. */
  isGood?: boolean
  /** Whether the metric depends on how sales are credited. */
  isCredit?: boolean
}

export const metrics = {
  views: { kind: 'count', isGood: true },
  clicks: { kind: 'count', isGood: true },
  grossViews: { kind: 'count' },
  grossClicks: { kind: 'count' },
  ctr: { kind: 'share', isGood: true },
  spend: { kind: 'money' },
  purchases: { kind: 'count', isGood: true, isCredit: true },
  units: { kind: 'count', isGood: true, isCredit: true },
  revenue: { kind: 'money', isGood: true, isCredit: true },
  netRevenue: { kind: 'money', isGood: true, isCredit: true },
  returnedRevenue: { kind: 'money', isCredit: true },
  roas: { kind: 'ratio', isGood: true, isCredit: true },
  requests: { kind: 'count' },
  emissions: { kind: 'count' },
  directPurchases: { kind: 'count', isGood: true, isCredit: true },
  haloPurchases: { kind: 'count', isGood: true, isCredit: true },
  carts: { kind: 'count', isGood: true, isCredit: true },
  wishlists: { kind: 'count', isGood: true, isCredit: true },
  invalid: { kind: 'count' },
  invalidRate: { kind: 'share' },
  invalidBot: { kind: 'count' },
  invalidDuplicate: { kind: 'count' },
  invalidExpired: { kind: 'count' },
  invalidReplayed: { kind: 'count' },
  invalidCapped: { kind: 'count' },
  invalidOverBudget: { kind: 'count' },
  invalidTraffic: { kind: 'count' },
  invalidVoided: { kind: 'count' },
  invalidAddressClicks: { kind: 'count' },
  invalidAgentClicks: { kind: 'count' },
  invalidNetworkClicks: { kind: 'count' },
  invalidAddressPeople: { kind: 'count' },
  invalidAddressViews: { kind: 'count' },
  invalidCidClicks: { kind: 'count' },
  invalidCidViews: { kind: 'count' },
  invalidClicksOnly: { kind: 'count' },
  invalidTooFast: { kind: 'count' },
  invalidNoView: { kind: 'count' },
  marked: { kind: 'count' },
  creditedBack: { kind: 'money' },
} as const satisfies Record<string, MetricTraits>
export type Metric = keyof typeof metrics
export const metricNames = Object.keys(metrics) as Metric[]
export const traitsOf = (metric: Metric): MetricTraits => metrics[metric]
export const wordFor = (name: Metric | Dimension | Model): string => t(name)
/** The metrics that rows of a report can have: products that were bought have sales, and neither views nor spend. */
export const metricsFor = (groupBy: readonly Dimension[]): readonly Metric[] =>
  groupBy.includes('purchasedProduct')
    ? metricNames.filter((metric) => traitsOf(metric).isCredit && metric !== 'roas')
    : metricNames
/** What a metric counts, in a sentence. */
export const aboutOf = (name: Metric | Model): string => t(`${name}About`)

/** The metrics that count invalid views and clicks by reason. */
export const invalidReasons = [
  ...(['invalidBot', 'invalidDuplicate', 'invalidExpired', 'invalidReplayed'] as const),
  ...(['invalidCapped', 'invalidOverBudget', 'invalidTraffic', 'invalidVoided'] as const),
] as const satisfies readonly Metric[]

export const INVALID_METRICS: readonly Metric[] = ['invalid', ...invalidReasons]

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

export const modelNames = ['LAST_TOUCH', 'FIRST_TOUCH', 'LINEAR', 'TIME_DECAY', 'POSITION'] as const satisfies Model[]

export const algorithmLabel = (algorithm: string): string =>
  algorithm.charAt(0) + algorithm.slice(1).toLowerCase().replaceAll('_', ' ')
