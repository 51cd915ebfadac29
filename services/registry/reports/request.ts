import { DAY_MS, HOUR_MS } from '../../../schemas/durations.ts'
import { PERIOD_DAYS_MAX } from '../../../schemas/http/panel/limits.ts'
import {
  type ReportDimension,
  type ReportMetric,
  type ReportModel,
  type ReportQuery,
  reportDimensions,
  reportMetrics,
} from '../../../schemas/http/panel/reports/reports.ts'
import { startOfDay } from '../../domain/time/time-zone.ts'
import { invalid } from '../../http/violations.ts'
import { FieldErrors } from '../resources/field-errors.ts'

const GROUP_BY_MAX = 4
/** The clock may be set back within the range, which makes the range longer. */
const CLOCK_CHANGE_MAX_MS = 2 * HOUR_MS
const FIRST_YEAR = 1970
const LAST_YEAR = 2200
const LATER = 'must be later than from'

/** A moment, or the start of a day, which differs between time zones. */
export type Moment = { at: number } | { day: string }

export interface ReportRequest {
  from: Moment
  to: Moment
  dimensions: ReportDimension[]
  metrics: ReportMetric[]
  filters: Pick<
    ReportQuery,
    | 'shopId'
    | 'accountId'
    | 'campaignId'
    | 'productId'
    | 'bannerId'
    | 'purchasedProductId'
    | 'adUnitId'
    | 'placementId'
    | 'algorithm'
    | 'country'
    | 'verdict'
  >
  /** Whether the answer also says how the figures are made. */
  isDisclosing: boolean
  /** Null for the order of the dimensions. */
  orderBy: ReportMetric | null
  /** Maximum number of rows; null for all. */
  limit: number | null
  /** Null for sales as they were attributed. */
  whatIf: { model: ReportModel; clickWindowHours: number | null; viewWindowHours: number | null } | null
}

/** Reads and checks what the schema does not. @throws Problem INVALID that lists every wrong parameter. */
export function readReportRequest(query: ReportQuery): ReportRequest {
  const { from, to, groupBy, metrics, model, clickWindowHours, viewWindowHours, format: _, disclosure, ...more } = query
  const { orderBy = null, limit = null, ...filters } = more
  const fieldErrors = new FieldErrors()
  const request: ReportRequest = {
    ...readRange({ from, to }, fieldErrors),
    dimensions: readNames(groupBy, reportDimensions, 'groupBy', fieldErrors) ?? [],
    metrics: readNames(metrics, reportMetrics, 'metrics', fieldErrors) ?? [...reportMetrics],
    filters,
    isDisclosing: disclosure === true,
    orderBy,
    limit,
    whatIf:
      model === undefined && clickWindowHours === undefined && viewWindowHours === undefined
        ? null
        : {
            model: model ?? 'LAST_TOUCH',
            clickWindowHours: clickWindowHours ?? null,
            viewWindowHours: viewWindowHours ?? null,
          },
  }
  fieldErrors.check(
    request.dimensions.length <= GROUP_BY_MAX,
    at('groupBy'),
    `takes at most ${GROUP_BY_MAX} dimensions`,
  )
  fieldErrors.check(orderBy === null || request.metrics.includes(orderBy), at('orderBy'), 'must be among metrics')
  fieldErrors.throwIfAny()
  return request
}

/**
 * The time range of a query. Adds what is wrong with it in every time zone to `fieldErrors`; `throwIfReversed` finds what is
 * wrong in one.
 */
export function readRange(query: { from: string; to: string }, fieldErrors: FieldErrors): { from: Moment; to: Moment } {
  const [from, to] = [momentOf(query.from), momentOf(query.to)]
  const readable = `must be a date (2026-03-29) or a time with its zone (2026-03-29T12:00:00Z) between ${FIRST_YEAR} and ${LAST_YEAR}`
  fieldErrors.check(from !== null, at('from'), readable)
  fieldErrors.check(to !== null, at('to'), readable)
  if (from === null || to === null) return { from: { at: 0 }, to: { at: 0 } }
  const length = momentIn(to, 'UTC') - momentIn(from, 'UTC')
  // Where a day begins before or after midnight UTC, it may begin before or after a moment of the same date.
  const isOfDays = 'day' in from && 'day' in to
  const isOfMoments = 'at' in from && 'at' in to
  fieldErrors.check(length > (isOfDays || isOfMoments ? 0 : -DAY_MS), at('to'), LATER)
  const longest = PERIOD_DAYS_MAX * DAY_MS + CLOCK_CHANGE_MAX_MS
  fieldErrors.check(length <= longest, at('to'), `must be at most ${PERIOD_DAYS_MAX} days after from`)
  return { from, to }
}

/** @throws Problem INVALID when a range, as UTC epoch milliseconds, ends before it begins. */
export function throwIfReversed({ from, to }: { from: number; to: number }): void {
  if (to < from) throw invalid([{ path: at('to'), message: LATER }])
}

/** UTC epoch milliseconds of a moment as a shop in this time zone means it. */
export function momentIn(moment: Moment, timeZone: string): number {
  return 'at' in moment ? moment.at : startOfDay(moment.day, timeZone)
}

const at = (name: string) => `querystring/${name}`

function momentOf(text: string): Moment | null {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return exists(text) ? { day: text } : null
  // An unescaped + of a time zone arrives as a space.
  const time = text.replace(/ (?=\d\d:\d\d$)/, '+')
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(time)) return null
  const epochMs = Date.parse(time)
  return exists(time.slice(0, 10)) && !Number.isNaN(epochMs) ? { at: epochMs } : null
}

/** False for days such as the 30th of February, which Date would take for the 2nd of March. */
function exists(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  const year = Number(day.slice(0, 4))
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) && year > FIRST_YEAR && year < LAST_YEAR
}

export function readNames<T extends string>(
  text: string | undefined,
  known: readonly T[],
  name: string,
  fieldErrors: FieldErrors,
): T[] | null {
  if (text === undefined) return null
  const names = [...new Set(text.split(',').map((each) => each.trim()))]
  const isKnown = (each: string): each is T => (known as readonly string[]).includes(each)
  const wrong = names.filter((each) => !isKnown(each))
  fieldErrors.check(wrong.length === 0, at(name), `${JSON.stringify(wrong[0])} is not one of ${known.join(', ')}`)
  return names.filter(isKnown)
}
