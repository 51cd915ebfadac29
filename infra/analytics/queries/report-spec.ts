import type { ReportDimension } from '../../../schemas/http/panel/reports/reports.ts'
import type { Cell } from '../../../services/domain/time/local-cells.ts'
import type { QueryParams } from '../port.ts'
import type { CellGrain, CellSource } from './report-cells.ts'
import type { CutNeeds } from './report-counts.ts'
import { type Fact, type InvalidVerdict, type Measure, measures } from './report-measures.ts'

/** What a report asks for, and what it needs to be answered. `report.ts` makes a query of it. */

/** Shops whose clocks agree over the report's time. */
export interface ReportZone {
  timeZone: string
  shopIds: readonly string[]
  /** UTC epoch milliseconds, [from, to). */
  from: number
  to: number
  /** Where the local clock's distance from UTC changes; the first span starts at `from`. */
  spans: readonly { start: number; offsetMs: number; text: string }[]
}

export interface ReportFilters {
  accountId?: string
  campaignId?: string
  productId?: string
  bannerId?: string
  purchasedProductId?: string
  adUnitIds?: readonly string[]
  algorithm?: string
  country?: string
  verdict?: InvalidVerdict
}

/** Dimensions that only ads have, and not requests or slots. */
const isOfAds = (dimension: ReportDimension): boolean =>
  dimension === 'account' || dimension === 'campaign' || dimension === 'product' || dimension === 'banner'
/** Whether a fact can have this dimension. */
const mayHave = (fact: Fact, dimension: ReportDimension): boolean => {
  if (dimension === 'purchasedProduct') return fact === 'credit'
  return !isOfAds(dimension) || (fact !== 'request' && fact !== 'slot')
}
/** Whether a fact is counted in the rows of a report. If not, it is part of the totals only. */
export const isInRows = (fact: Fact, dimensions: readonly ReportDimension[]): boolean =>
  dimensions.every((dimension) => mayHave(fact, dimension))
/** Dimensions that slots have, and not requests, because a request may have several slots. */
export const isOfSlots = (dimension: ReportDimension): boolean =>
  dimension === 'adUnit' || dimension === 'placement' || dimension === 'algorithm'

/** Where the facts of a zone are read from: cells of `report_counts`, and stored rows for the time between these cells. */
export interface ReadPlan {
  cells: Readonly<Record<CellGrain, readonly Cell[]>>
  stored: readonly Cell[]
}

export interface ReportSpec {
  zones: readonly ReportZone[]
  currencies: ReadonlyMap<string, string>
  /** Placement of each ad unit of the shops. */
  placements: ReadonlyMap<string, string>
  filters: ReportFilters
  dimensions: readonly ReportDimension[]
  measures: readonly Measure[]
  /** What the measure `requests` counts; null when it counts nothing. */
  requestFact: 'request' | 'slot' | null
  /** Credits under other settings; null for the stored credits. */
  credits: { sql: string; params: QueryParams } | null
  /** The measure of which the rows with the most come first, or the two whose quotient it is; empty for the order of the dimensions. */
  order: readonly Measure[]
  limit: number
  /** A plan for each zone. A source without plans is read from stored rows only. */
  plans: Partial<Record<CellSource, readonly ReadPlan[]>>
}

const dimensionOfFilter = {
  accountId: 'account',
  campaignId: 'campaign',
  productId: 'product',
  bannerId: 'banner',
  purchasedProductId: 'purchasedProduct',
  adUnitIds: 'adUnit',
  algorithm: 'algorithm',
  country: 'country',
} as const satisfies Partial<Record<keyof ReportFilters, ReportDimension>>

/** The dimensions by which a report is grouped or filtered. */
export function usedDimensions({ dimensions, filters }: Pick<ReportSpec, 'dimensions' | 'filters'>): ReportDimension[] {
  const given = Object.entries(dimensionOfFilter).filter(([name]) => filters[name as keyof ReportFilters] !== undefined)
  return [...dimensions, ...given.map(([, dimension]) => dimension)]
}

/** Which groups of columns a report needs of counts. */
export function needsOf(spec: Pick<ReportSpec, 'dimensions' | 'filters'>): CutNeeds {
  const used = usedDimensions(spec)
  const uses = (...any: ReportDimension[]) => any.some((dimension) => used.includes(dimension))
  return {
    campaigns: uses('account', 'campaign'),
    ads: uses('product', 'banner'),
    places: uses('adUnit', 'placement', 'algorithm', 'country'),
  }
}

/** The facts that a report counts. */
export const factsOf = (spec: Pick<ReportSpec, 'measures' | 'requestFact' | 'filters'>): Fact[] => [
  ...new Set(spec.measures.flatMap((measure) => factOf(spec, measure) ?? [])),
]

/** The fact that a measure counts; null where the report counts none. */
export function factOf(
  { requestFact, filters }: Pick<ReportSpec, 'requestFact' | 'filters'>,
  measure: Measure,
): Fact | null {
  const { fact } = measures[measure]
  if (filters.purchasedProductId !== undefined && fact !== 'credit') return null
  return fact === 'requestFact' ? requestFact : fact
}
