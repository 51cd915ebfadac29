import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ApiProblem } from '../../client/problem.ts'
import type { Shop } from '../../client/types.ts'
import { dateIn, useNow } from '../../components/values/times.tsx'
import { read } from '../../data/use-entity.ts'
import { t } from '../../messages/pages/reports.ts'
import { useShop } from '../../session/shop-context.tsx'
import { addDays, countDays, type Days, daysLabel, daysOf, previousOf, sameClock } from './controls/periods.ts'
import { isWhatIf, type ReportState } from './report-state.ts'
import { type Metric, type ReportAnswer, type ReportParameters, traitsOf } from './vocabulary.ts'

const PATH = '/v1/panel/reports'

/** A report and the report that it is compared with. */
export interface ReportView {
  state: ReportState
  days: Days
  /** The time zone of the report's shop; undefined when the report covers several shops. */
  timeZone: string | undefined
  report: ReportAnswer
  /** When the report was read, by the clock of its shop. `clock` is YYYY-MM-DDTHH; `label` is null when the report covers several zones. */
  now: { clock: string; label: string | null }
  /** The previous period, or the same days under the shop's own settings; null when nothing is compared. */
  reference: { kind: 'previous' | 'settings'; report: ReportAnswer; shiftDays: number; label: string } | null
}

export interface ReportLoad {
  view: ReportView | undefined
  problem: ApiProblem | null
  /** The data is still that of the previous report. */
  isStale: boolean
  retry: () => void
}

/** The current days of a report, in the time zone of its shop. */
export function useReportDays(state: ReportState): Days {
  const { shops } = useShop()
  const shop = useReportShop(state)
  const now = useNow()
  return daysOf(state.period, dateIn(zoneOfToday(shop ? [shop] : shops, now), now))
}

/**
 * The time zone that says which day is today for a report over shops: the browser's, undefined, while that is the day in one of
 * them, or else the one whose day is the latest. Otherwise a report in another part of the world would lack their newest figures.
 */
export function zoneOfToday(shops: readonly Shop[] | undefined, now: number): string | undefined {
  const [first, ...others] = shops ?? []
  const dateOf = ({ timeZone }: Shop) => dateIn(timeZone, now)
  if (!first || others.length === 0) return first?.timeZone
  const latest = others.reduce((late, each) => (dateOf(each) > dateOf(late) ? each : late), first)
  const isOfBrowser = shops!.some((each) => dateOf(each) === dateIn(undefined, now))
  return isOfBrowser ? undefined : latest.timeZone
}

/** The shop of the report; undefined when it covers several, or while it is loading. */
export function useReportShop({ shopId }: ReportState): Shop | undefined {
  const { shops } = useShop()
  if (shopId) return shops?.find(({ id }) => id === shopId)
  return shops?.length === 1 ? shops[0] : undefined
}

/** Reads a report together with the one it is compared with. The previous report is shown until both are there. */
export function useReport(state: ReportState, days: Days, isReady: boolean): ReportLoad {
  const { period, sort, charted, ...asked } = state
  const { shops } = useShop()
  const shop = useReportShop(state)
  const query = useQuery<ReportView, ApiProblem>({
    queryKey: [PATH, asked, days],
    queryFn({ signal }) {
      const now = Date.now()
      const moment = { days, timeZone: shop?.timeZone, todayZone: zoneOfToday(shop ? [shop] : shops, now), now }
      return readView(state, moment, signal)
    },
    placeholderData: keepPreviousData,
    enabled: isReady,
  })
  const { data, error, isPlaceholderData, refetch } = query
  // A change of the order or of the charted metrics needs no new request.
  const view = data && !isPlaceholderData ? { ...data, state } : data
  return { view, problem: error, isStale: isPlaceholderData, retry: () => void refetch() }
}

interface Moment {
  days: Days
  /** Undefined when the report covers several shops. */
  timeZone: string | undefined
  /** The time zone that says which day is today; undefined for the browser's. */
  todayZone: string | undefined
  /** UTC epoch milliseconds. */
  now: number
}

async function readView(state: ReportState, moment: Moment, signal: AbortSignal): Promise<ReportView> {
  const before = referenceOf(state, moment)
  const [report, reference] = await Promise.all([
    read(PATH, { params: { query: { ...queryOf(state, moment.days), disclosure: true } }, signal }),
    before && read(PATH, { params: { query: before.query }, signal }),
  ])
  const { days, now, timeZone, todayZone } = moment
  const style = { dateStyle: 'short', timeStyle: 'short', timeZone: todayZone } as const
  const clock = new Intl.DateTimeFormat('sv-SE', style).format(now)
  return {
    state,
    days,
    timeZone,
    report,
    now: { clock: clock.slice(0, 13).replace(' ', 'T'), label: timeZone === undefined ? null : timeIn(timeZone, now) },
    reference: before && reference ? { ...before, report: reference } : null,
  }
}

/** A time of day with its zone: 14:05 CET. */
const timeIn = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone }).format(at)

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

/**
 * The query that a report is compared with. What-if settings are compared with the shop's settings, and a period with the previous
 * one. While the period includes today, the previous one ends at the same time of day.
 */
function referenceOf(state: ReportState, { days, todayZone: timeZone, now }: Moment) {
  const asSet = { ...state, whatIf: {} }
  if (isWhatIf(state.whatIf))
    return { kind: 'settings' as const, shiftDays: 0, label: t('vsSettings'), query: queryOf(asSet, days) }
  if (!state.compare) return null
  const today = dateIn(timeZone, now)
  const isRunning = days.from <= today && today <= days.until
  const begun = isRunning ? { from: days.from, until: today } : days
  const shiftDays = countDays(begun)
  const previous = previousOf(begun)
  const query = queryOf(state, previous)
  const told = { kind: 'previous' as const, shiftDays }
  if (!isRunning) return { ...told, label: t('vsPreviousDays', { days: daysLabel(previous) }), query }
  const to = new Date(sameClock(now, shiftDays, timeZone)).toISOString()
  const time = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit', timeZone }).format(now)
  return {
    ...told,
    label: t('vsPreviousDaysUntil', { days: daysLabel(previous), time }),
    query: { ...query, to },
  }
}

/** Whether a figure can differ from its reference: what-if settings change only what is credited. */
export const mayDiffer = (metric: Metric, { kind }: NonNullable<ReportView['reference']>): boolean =>
  kind === 'previous' || traitsOf(metric).isCredit === true

/** The form of changes: absolute against other settings, in per cent against another period. */
export const changeStyle = ({ kind }: NonNullable<ReportView['reference']>) =>
  kind === 'settings' ? ('difference' as const) : ('percent' as const)
