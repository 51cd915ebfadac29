import { REPORT_WINDOW_HOURS_MAX } from '../../../../../schemas/http/panel/limits.ts'
import { type Period, periodIn } from './controls/periods.ts'
import {
  type Dimension,
  dimensionNames,
  filterNames,
  isTime,
  type Metric,
  type Model,
  metricsFor,
  modelNames,
  type ReportFilter,
  traitsOf,
} from './vocabulary.ts'

export const GROUP_BY_MAX = 2
const CHARTED_MAX = 4

/** What-if attribution settings; empty means the settings of the shop. */
export interface WhatIf {
  model?: Model
  clickWindowHours?: number
  viewWindowHours?: number
}

/** The state of the report page. All of it is in the address. */
export interface ReportState {
  period: Period
  /** Null for all shops that the user may see; undefined until one is chosen. */
  shopId: string | null | undefined
  groupBy: readonly Dimension[]
  metrics: readonly Metric[]
  /** The metrics in the chart, as `chartable` allows them. */
  charted: readonly Metric[]
  compare: boolean
  filters: Readonly<Partial<Record<ReportFilter, string>>>
  whatIf: WhatIf
  sort: { column: Dimension | Metric; descending: boolean }
}

export const METRICS_DEFAULT: readonly Metric[] = ['views', 'clicks', 'ctr', 'spend', 'purchases', 'revenue', 'roas']
const SALES_METRICS_DEFAULT: readonly Metric[] = ['revenue', 'units', 'purchases', 'returnedRevenue', 'netRevenue']
const ALL_SHOPS = 'all'

/** Reads the state from an address. Unknown and invalid values fall back to the defaults. */
export function readReportState(search: URLSearchParams): ReportState {
  const groupBy = namesOf(search.get('groupBy'), dimensionNames).slice(0, GROUP_BY_MAX)
  const dimensions: readonly Dimension[] = groupBy.length > 0 ? groupBy : ['day']
  const metrics = namesOf(search.get('metrics'), metricsFor(dimensions))
  const ofSales = dimensions.includes('purchasedProduct')
  const shown = metrics.length > 0 ? metrics : ofSales ? SALES_METRICS_DEFAULT : METRICS_DEFAULT
  const shopId = shopIdOf(search.get('shopId'))
  const asked = namesOf(search.get('chart'), shown)
  const charted = chartable(asked.length > 0 ? asked : [shown[0]!], dimensions)
  return {
    period: periodIn(search),
    shopId,
    groupBy: dimensions,
    metrics: shown,
    charted,
    compare: search.get('compare') === 'previous',
    filters: Object.fromEntries(filterNames.flatMap((name) => given(search, name))),
    // Attribution windows require a single shop.
    whatIf: shopId === null ? {} : whatIfOf(search),
    sort: sortOf(search.get('sort'), [...dimensions, ...shown]) ?? {
      column: isTime(dimensions[0]) ? dimensions[0]! : charted[0]!,
      descending: !isTime(dimensions[0]),
    },
  }
}

/** The address of a changed state. Unset values are left out. */
export function changedSearch(search: URLSearchParams, changes: Partial<ReportState>): URLSearchParams {
  const next = new URLSearchParams(search)
  const put = (name: string, value: string | number | null | undefined) =>
    value === undefined || value === null || value === '' ? next.delete(name) : next.set(name, String(value))
  const { period, groupBy, metrics, charted, compare, filters, whatIf, sort } = changes
  if (period !== undefined) {
    const days = typeof period === 'string' ? null : period
    put('period', days ? null : (period as string))
    put('from', days?.from)
    put('until', days?.until)
  }
  if ('shopId' in changes) put('shopId', changes.shopId === null ? ALL_SHOPS : changes.shopId)
  if (groupBy) put('groupBy', groupBy.join(','))
  if (metrics) put('metrics', metrics.join(','))
  if (charted) put('chart', charted.join(','))
  if (compare !== undefined) put('compare', compare ? 'previous' : null)
  if (filters) for (const name of filterNames) put(name, filters[name])
  if (whatIf) {
    put('model', whatIf.model)
    put('clickWindowHours', whatIf.clickWindowHours)
    put('viewWindowHours', whatIf.viewWindowHours)
  }
  if (sort) put('sort', `${sort.descending ? '-' : ''}${sort.column}`)
  // The column that the rows were sorted by may be gone.
  else if (groupBy) next.delete('sort')
  return next
}

/** Those of the metrics that fit into one chart: four with at most two units, or one if each value of a dimension has a line. */
export function chartable(metrics: readonly Metric[], groupBy: readonly Dimension[]): readonly Metric[] {
  if (groupBy.length > 1 && groupBy.some(isTime)) return metrics.slice(0, 1)
  const units = new Set(metrics.map((metric) => traitsOf(metric).kind))
  const [first, second] = units
  return metrics
    .filter((metric) => traitsOf(metric).kind === first || traitsOf(metric).kind === second)
    .slice(0, CHARTED_MAX)
}

/** Adds a metric to the chart or removes it. The last metric stays. A new one replaces the oldest ones that do not fit next to it. */
export function toggled({ charted, groupBy }: ReportState, metric: Metric): readonly Metric[] {
  const others = charted.filter((each) => each !== metric)
  if (others.length < charted.length) return others.length > 0 ? others : charted
  const next = [...charted, metric]
  while (!chartable(next, groupBy).includes(metric)) next.shift()
  return next
}

export const isWhatIf = (whatIf: WhatIf): boolean => Object.keys(whatIf).length > 0

function namesOf<T extends string>(text: string | null, known: readonly T[]): T[] {
  const names = new Set((text ?? '').split(','))
  return [...names].flatMap((name) => known.filter((each) => each === name))
}

const shopIdOf = (text: string | null) => (text === ALL_SHOPS ? null : (text ?? undefined))

const given = (search: URLSearchParams, name: ReportFilter): [ReportFilter, string][] => {
  const value = search.get(name)
  return value ? [[name, value]] : []
}

function whatIfOf(search: URLSearchParams): WhatIf {
  const [model] = namesOf(search.get('model'), modelNames)
  const clickWindowHours = hoursOf(search.get('clickWindowHours'))
  const viewWindowHours = hoursOf(search.get('viewWindowHours'))
  return {
    ...(model && { model }),
    ...(clickWindowHours !== undefined && { clickWindowHours }),
    ...(viewWindowHours !== undefined && { viewWindowHours }),
  }
}

function hoursOf(text: string | null): number | undefined {
  const hours = Number(text)
  return text !== null && /^\d+$/.test(text) && hours <= REPORT_WINDOW_HOURS_MAX ? hours : undefined
}

function sortOf(text: string | null, columns: readonly (Dimension | Metric)[]): ReportState['sort'] | null {
  const descending = text?.startsWith('-') === true
  const [column] = namesOf(descending ? text!.slice(1) : text, columns)
  return column ? { column, descending } : null
}
