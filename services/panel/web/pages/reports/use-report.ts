import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiProblem } from '../../client/problem.ts'
import type { Shop } from '../../client/types.ts'
import { dateIn } from '../../components/values/times.tsx'
import { read } from '../../data/use-entity.ts'
import { useShop } from '../../session/shop-context.tsx'
import { addDays, countDays, type Days, daysOf, previousOf } from './controls/periods.ts'
import { isWhatIf, type ReportState } from './report-state.ts'
import { type Metric, type ReportAnswer, type ReportParameters, wordsOf } from './vocabulary.ts'

const PATH = '/v1/panel/reports'

/** A report and the one that it is compared with. */
export interface ReportView {
  state: ReportState
  days: Days
  report: ReportAnswer
  /** The previous days, or the same days with the shop's settings; null when nothing is compared. */
  reference: { kind: 'previous' | 'settings'; report: ReportAnswer; days: Days; shiftDays: number } | null
}

export interface ReportLoad {
  view: ReportView | undefined
  problem: ApiProblem | null
  /** The data is still of the previous report. */
  isStale: boolean
  retry: () => void
}

/** The current days of a report, in the time zone of its shop. */
export function useReportDays(state: ReportState): Days {
  const timeZone = useReportShop(state)?.timeZone
  const [openedAt] = useState(Date.now)
  return daysOf(state.period, dateIn(timeZone, openedAt))
}

/** The shop of the report; undefined when it covers several, or while it is loading. */
export function useReportShop({ shopId }: ReportState): Shop | undefined {
  const { shops } = useShop()
  if (shopId) return shops?.find(({ id }) => id === shopId)
  return shops?.length === 1 ? shops[0] : undefined
}

/** Reads the report of a state and the one it is compared with, as one. Until then the previous report is shown. */
export function useReport(state: ReportState, days: Days, isReady: boolean): ReportLoad {
  const { period, sort, charted, ...asked } = state
  const query = useQuery<ReportView, ApiProblem>({
    queryKey: [PATH, asked, days],
    queryFn: ({ signal }) => readView(state, days, signal),
    placeholderData: keepPreviousData,
    enabled: isReady,
  })
  const { data, error, isPlaceholderData, refetch } = query
  // The order and the charted metric need no new request.
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

/** The query of a report. The API's `to` is exclusive. */
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

/** What-if settings are compared with the shop's own; otherwise the days with the previous ones. */
function referenceOf(state: ReportState, days: Days) {
  const asSet = { ...state, whatIf: {} }
  if (isWhatIf(state.whatIf)) return { kind: 'settings' as const, days, shiftDays: 0, query: queryOf(asSet, days) }
  if (!state.compare) return null
  const previous = previousOf(days)
  return { kind: 'previous' as const, days: previous, shiftDays: countDays(days), query: queryOf(state, previous) }
}

/** Whether a figure can differ from its reference: what-if settings change only what is credited. */
export const mayDiffer = (metric: Metric, { kind }: NonNullable<ReportView['reference']>): boolean =>
  kind === 'previous' || wordsOf(metric).isCredit === true

/** The unit of changes: absolute against other settings, in per cent against other days. */
export const changeStyle = ({ kind }: NonNullable<ReportView['reference']>) =>
  kind === 'settings' ? ('difference' as const) : ('percent' as const)
