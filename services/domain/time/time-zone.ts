import { DAY_MS, MINUTE_MS } from '../../../schemas/durations.ts'

/** No zone is further from UTC than this. */
const OFFSET_MAX_MS = DAY_MS
/** The offset is compared at this interval: two changes of a zone's clock are never closer together. */
const STEP_MS = 7 * DAY_MS

/** A period in which the zone's offset from UTC stays the same. */
export interface OffsetSpan {
  /** Its first moment, UTC epoch milliseconds. */
  start: number
  /** Local time minus UTC. */
  offsetMs: number
}

/** The spans that cover [from, to). The first starts at `from`, each later one where the clock is changed. */
export function offsetSpans(timeZone: string, from: number, to: number): OffsetSpan[] {
  const offsetAt = offsetReader(timeZone)
  const spans = [{ start: from, offsetMs: offsetAt(from) }]
  for (let at = from; at < to; at += STEP_MS) {
    const next = Math.min(at + STEP_MS, to)
    const offsetMs = offsetAt(next)
    if (offsetMs !== spans.at(-1)!.offsetMs) spans.push({ start: firstWith(offsetAt, at, next), offsetMs })
  }
  return spans
}

/**
 * The first moment of a day in a zone: midnight, the earlier one where the clock is set back over it, or the moment the
 * clock jumps where it is set forward over it.
 * @param day YYYY-MM-DD
 */
export function startOfDay(day: string, timeZone: string): number {
  const midnightAsUtc = Date.parse(`${day}T00:00:00Z`)
  const spans = offsetSpans(timeZone, midnightAsUtc - OFFSET_MAX_MS, midnightAsUtc + OFFSET_MAX_MS)
  for (const [i, span] of spans.entries()) {
    const end = spans[i + 1]?.start ?? Number.POSITIVE_INFINITY
    const at = Math.max(midnightAsUtc - span.offsetMs, span.start)
    if (at < end) return at
  }
  throw new Error(`${day} does not begin in ${timeZone}`)
}

/** `+01:00`, as it stands after a local time (ISO 8601). */
export function offsetText(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / MINUTE_MS)
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}

/** Binary search for the first moment after `before` that has the offset of `after`. */
function firstWith(offsetAt: (at: number) => number, before: number, after: number): number {
  const wanted = offsetAt(after)
  let low = before
  let high = after
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle) === wanted) high = middle
    else low = middle
  }
  return high
}

function offsetReader(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (at) => {
    const shown = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year, month, day, hour, minute, second } = shown as Record<string, number>
    const local = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!)
    return local - Math.floor(at / 1000) * 1000
  }
}
