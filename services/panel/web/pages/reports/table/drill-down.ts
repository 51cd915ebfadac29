import { changedSearch, isWhatIf, type ReportState } from '../report-state.ts'
import { type Dimension, filterNames, filters, isTime, type ReportFilter, type ReportRow } from '../vocabulary.ts'
import { dimensionValue } from './rows.ts'

/** The dimension to which a dimension drills down: from a campaign to its products, from a placement to its ad units. */
const next: Partial<Record<Dimension, Dimension>> = {
  shop: 'campaign',
  account: 'campaign',
  campaign: 'product',
  product: 'adUnit',
  banner: 'adUnit',
  placement: 'adUnit',
  adUnit: 'campaign',
  algorithm: 'campaign',
  country: 'campaign',
  day: 'hour',
}

/** The report that drills down into a value of a row; null when nothing is below. */
export function drillInto(
  state: ReportState,
  row: ReportRow,
  dimension: Dimension,
  isDisplay: (campaignId: string) => boolean,
): Partial<ReportState> | null {
  const value = dimensionValue(row, dimension)
  if (value === null) return null
  const others = state.groupBy.filter((each) => each !== dimension)
  if (dimension === 'shop') return { shopId: value, groupBy: groups(others, 'campaign') }
  if (dimension === 'day') return { period: { from: value, until: value }, groupBy: groups(others, 'hour') }
  const filter = filterNames.find((name) => filters[name] === dimension)
  if (!filter) return null
  const below = dimension === 'campaign' && isDisplay(value) ? 'banner' : next[dimension]!
  const taken = new Set<Dimension>(
    Object.keys({ ...state.filters, [filter]: value }).map((name) => filters[name as ReportFilter]),
  )
  const into = taken.has(below) ? 'day' : below
  return { filters: { ...state.filters, [filter]: value }, groupBy: groups(others, into) }
}

/** Keeps the other groupings: a campaign by day becomes its products by day. */
function groups(others: readonly Dimension[], into: Dimension): Dimension[] {
  const kept = others.filter((each) => each !== into && !(isTime(each) && isTime(into)))
  return [into, ...kept]
}

/** What Sales can be narrowed to, besides days. */
const dimensionsOfSales: readonly Dimension[] = ['purchasedProduct', 'account', 'campaign', 'day']

/** The address of the sales of a shop that a row by purchased product counts; null when Sales cannot be narrowed to them. */
export function salesOf(state: ReportState, row: ReportRow, shopId: string): string | null {
  const { groupBy, filters: given, period, whatIf } = state
  const used = [...groupBy, ...Object.keys(given).map((name) => filters[name as ReportFilter])]
  const purchasedProductId = dimensionValue(row, 'purchasedProduct')
  if (purchasedProductId === null || isWhatIf(whatIf)) return null
  if (used.some((each) => !dimensionsOfSales.includes(each))) return null
  const valueIn = (dimension: Dimension) => (groupBy.includes(dimension) ? dimensionValue(row, dimension) : null)
  const day = valueIn('day')
  const accountId = valueIn('account') ?? given.accountId
  const campaignId = valueIn('campaign') ?? given.campaignId
  const search = changedSearch(new URLSearchParams({ purchasedProductId }), {
    shopId,
    period: day === null ? period : { from: day, until: day },
    filters: { ...(accountId && { accountId }), ...(campaignId && { campaignId }) },
  })
  return `/sales?${search}`
}
