import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiProblem } from '../../client/problem.ts'
import type { Shop } from '../../client/types.ts'
import { read } from '../../data/use-entity.ts'
import { useShop } from '../../session/shop-context.tsx'
import { addDays, countDays, type Days, dateIn, daysOf, previousOf } from './controls/periods.ts'
import { isWhatIf, type ReportState } from './report-state.ts'
import { type Metric, type ReportAnswer, type ReportParameters, wordsOf } from './vocabulary.ts'

const PATH = '/v1/panel/reports'

/** A report with the one that it is set beside. */
export interface ReportView {
  state: ReportState
  days: Days
  report: ReportAnswer
  /** The days before, or the same days as the shop's settings have it; null: nothing to compare with. */
  reference: { kind: 'previous' | 'settings'; report: ReportAnswer; days: Days; shiftDays: number } | null
}

export interface ReportLoad {
  view: ReportView | undefined
  problem: ApiProblem | null
  /** What is shown is of the report before. */
  isStale: boolean
  retry: () => void
}

/** The days that a report is of now, on the clock of its shop. */
export function useReportDays(state: ReportState): Days {
  const timeZone = useReportShop(state)?.timeZone
  const [openedAt] = useState(Date.now)
  return daysOf(state.period, dateIn(timeZone, openedAt))
}

/** The one shop that the report is of; undefined: of several, or none is known. */
export function useReportShop({ shopId }: ReportState): Shop | undefined {
  const { shops } = useShop()
  if (shopId) return shops?.find(({ id }) => id === shopId)
  return shops?.length === 1 ? shops[0] : undefined
}

/** The report of a state and what it is compared with, read as one; meanwhile the one before is shown. */
export function useReport(state: ReportState, days: Days, isReady: boolean): ReportLoad {
  const { period, sort, charted, ...asked } = state
  const query = useQuery<ReportView, ApiProblem>({
    queryKey: [PATH, asked, days],
    queryFn: ({ signal }) => readView(state, days, signal),
    placeholderData: keepPreviousData,
    enabled: isReady,
  })
  const { data, error, isPlaceholderData, refetch } = query
  // Order and chart are of what is there already.
  const view = data && !isPlaceholderData ? { ...data, state } : data
  return { view, problem: error, isStale: isPlaceholderData, retry: () => void refetch() }
}

async function readView(state: ReportState, days: Days, signal: AbortSignal): Promise<ReportView> {
  const before = referenceOf(state, days)
  const [report, reference] = await Promise.all([
    read(PATH, { params: { query: queryOf(state, days) }, signal }),
    before && read(PATH, { params: { query: before.query }, signal }),
  ])
  return { state, days, report, reference: before && reference ? { ...before, report: reference } : null }
}

/** How the API is asked for a report. Its `to` is the day after. */
export function queryOf(state: ReportState, { from, until }: Days): ReportParameters {
  const { groupBy, metrics, shopId, filters, whatIf } = state
  return {
    from,
    to: addDays(until, 1),
    groupBy: groupBy.join(','),
    metrics: metrics.join(','),
    ...(shopId && { shopId }),
    ...filters,
    ...whatIf,
  }
}

/** Other settings are set beside the shop's own; without them, the days beside those before. */
function referenceOf(state: ReportState, days: Days) {
  const asSet = { ...state, whatIf: {} }
  if (isWhatIf(state.whatIf)) return { kind: 'settings' as const, days, shiftDays: 0, query: queryOf(asSet, days) }
  if (!state.compare) return null
  const previous = previousOf(days)
  return { kind: 'previous' as const, days: previous, shiftDays: countDays(days), query: queryOf(state, previous) }
}

/** Whether a figure may differ from what it is set beside: other settings change what is credited, and nothing else. */
export const mayDiffer = (metric: Metric, { kind }: NonNullable<ReportView['reference']>): boolean =>
  kind === 'previous' || wordsOf(metric).isCredit === true

/** How changes are told: as they are beside other settings, in per cent beside other days. */
export const changeStyle = ({ kind }: NonNullable<ReportView['reference']>) =>
  kind === 'settings' ? ('difference' as const) : ('percent' as const)
