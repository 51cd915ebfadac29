import { DAY_MS } from '../../../../../../schemas/durations.ts'
import { t } from '../../../messages/pages/reports.ts'

const HALF_HOUR_MS = 1_800_000

/** The days of a report: YYYY-MM-DD, both inclusive. */
export interface Days {
  from: string
  until: string
}

const presets = {
  today: (today: string) => last(today, 1),
  yesterday: (today: string) => last(addDays(today, -1), 1),
  '7-days': (today: string) => last(today, 7),
  'last-week': (today: string) => last(addDays(today, -weekdayOf(today)), 7),
  '28-days': (today: string) => last(today, 28),
  '90-days': (today: string) => last(today, 90),
  month: (today: string) => ({ from: firstOfMonth(today), until: today }),
  'last-month': (today: string) => monthOf(addDays(firstOfMonth(today), -1)),
} as const
export type Preset = keyof typeof presets
export const presetNames = Object.keys(presets) as Preset[]
export const isPreset = (name: string | null): name is Preset => name !== null && Object.hasOwn(presets, name)
export const presetLabel = (preset: Preset): string => t(preset)

/** A period relative to today, or fixed days. */
export type Period = Preset | Days

export const daysOf = (period: Period, today: string): Days =>
  typeof period === 'string' ? presets[period](today) : period

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10)
}

export const countDays = ({ from, until }: Days): number => (Date.parse(until) - Date.parse(from)) / DAY_MS + 1

/** Every day of the period: YYYY-MM-DD. */
export function daysIn({ from, until }: Days): string[] {
  const days: string[] = []
  for (let day = from; day <= until; day = addDays(day, 1)) days.push(day)
  return days
}

/**
 * The hours that clocks of the zone show in the period, each once: YYYY-MM-DDTHH. The hour that is left out when the clock is set
 * forward is none of them. Without a zone, every day has 24 hours.
 */
export function hoursIn({ from, until }: Days, timeZone = 'UTC'): string[] {
  const clock = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone })
  const hours = new Set<string>()
  // No zone is further from UTC than a day, and some clocks are set by half an hour.
  for (let at = Date.parse(from) - DAY_MS; at < Date.parse(until) + 2 * DAY_MS; at += HALF_HOUR_MS) {
    const hour = clock.format(at).slice(0, 13).replace(' ', 'T')
    const day = hour.slice(0, 10)
    if (from <= day && day <= until) hours.add(hour)
  }
  return [...hours]
}

/** The last `count` days including today, for the API, whose `to` is exclusive. */
export const rangeUntil = (today: string, count: number) => ({ from: addDays(today, 1 - count), to: addDays(today, 1) })

/** The same number of days, immediately before. */
export function previousOf(days: Days): Days {
  const length = countDays(days)
  return { from: addDays(days.from, -length), until: addDays(days.until, -length) }
}

/** The time, in UTC epoch milliseconds, at which clocks of the zone showed the same time of day `daysBefore` days earlier. */
export function sameClock(at: number, daysBefore: number, timeZone: string | undefined): number {
  const shifted = at - daysBefore * DAY_MS
  return shifted + offsetOf(at, timeZone) - offsetOf(shifted, timeZone)
}

/** How far clocks of a zone are ahead of UTC, in milliseconds. */
function offsetOf(at: number, timeZone: string | undefined): number {
  const seconds = Math.floor(at / 1_000) * 1_000
  const clock = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone }).format(seconds)
  return Date.parse(`${clock.replace(' ', 'T')}Z`) - seconds
}

/** Formats YYYY-MM-DD in the locale of the browser: 21 Nov 2026. */
export function dayLabel(day: string, style: Intl.DateTimeFormatOptions = { dateStyle: 'medium' }): string {
  return new Intl.DateTimeFormat(undefined, { ...style, timeZone: 'UTC' }).format(Date.parse(day))
}

export const daysLabel = ({ from, until }: Days): string =>
  from === until ? dayLabel(from) : `${dayLabel(from)} – ${dayLabel(until)}`

/** Whether a text is a day of the calendar. JavaScript reads 30 February as 2 March. */
export const isDay = (text: string | null): text is string =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && addDays(text, 0) === text

const last = (until: string, count: number): Days => ({ from: addDays(until, 1 - count), until })
/** From 1 for Monday to 7 for Sunday (ISO 8601). */
const weekdayOf = (day: string) => new Date(day).getUTCDay() || 7
const firstOfMonth = (day: string) => `${day.slice(0, 8)}01`
const monthOf = (lastDay: string): Days => ({ from: firstOfMonth(lastDay), until: lastDay })

/** The period in an address. Without a valid one, it is the last 28 days. */
export function periodIn(search: URLSearchParams): Period {
  const [from, until, preset] = [search.get('from'), search.get('until'), search.get('period')]
  if (isDay(from) && isDay(until) && from <= until) return { from, until }
  return isPreset(preset) ? preset : '28-days'
}
