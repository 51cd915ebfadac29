import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../schemas/durations.ts'

const REFRESH_MS = 20_000
const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1_000],
]

export interface DateTimeProps {
  /** ISO 8601; null shows a dash. */
  at: string | null | undefined
  /** IANA name; default: the time zone of the browser. */
  timeZone?: string | undefined
  /** Leaves out the time of day. */
  dateOnly?: boolean
}

/** A date and time: 21 Nov 2026, 10:15 CET. */
export function DateTime({ at, timeZone, dateOnly = false }: DateTimeProps) {
  if (!at) return <>–</>
  return <time dateTime={at}>{formatMoment(at, timeZone, dateOnly)}</time>
}

/** Formats a date and time with its zone, or a date alone. */
function formatMoment(at: string, timeZone: string | undefined, dateOnly = false): string {
  const date: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric', timeZone }
  const time: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }
  return new Intl.DateTimeFormat(undefined, dateOnly ? date : { ...date, ...time }).format(new Date(at))
}

/** The distance from now: 5 minutes ago. The element's title is the exact time. */
export function RelativeTime({ at, timeZone }: Omit<DateTimeProps, 'dateOnly'>) {
  const now = usePresent(REFRESH_MS)
  if (!at) return <>–</>
  return (
    <time dateTime={at} title={formatMoment(at, timeZone)}>
      {relative(Date.parse(at) - now)}
    </time>
  )
}

/** A distance from now in words: 5 minutes ago. */
export function relative(differenceMs: number): string {
  const [unit, ms] = STEPS.find(([, each]) => Math.abs(differenceMs) >= each) ?? STEPS.at(-1)!
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(Math.round(differenceMs / ms), unit)
}

/** Formats a duration: 3.2 s, 4 min, 2 h. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < MINUTE_MS) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`
  return `${Math.round(ms / HOUR_MS)} h`
}

const QUARTER_MS = 15 * MINUTE_MS
const quarterOf = (ms: number) => Math.floor(ms / QUARTER_MS)

/** The current time in UTC epoch milliseconds. It changes with every quarter of an hour, because in every zone days begin on one. */
export function useNow(): number {
  return usePresent(REFRESH_MS, (before) => (quarterOf(before) === quarterOf(Date.now()) ? before : Date.now()))
}

/** The current time in UTC epoch milliseconds, updated every `everyMs`. @param next the new value, from the previous one. */
export function usePresent(everyMs: number, next: (before: number) => number = Date.now): number {
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(next), everyMs, { autoInvoke: true })
  return now
}

/** The date YYYY-MM-DD in a time zone; default: the browser's. */
export const dateIn = (timeZone: string | undefined, ms: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(ms)
