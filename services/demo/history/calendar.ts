import type { Sequence } from '../sequence.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Share of a day's visits by hour of the day, as online shops see them: quiet nights, a lunch hump, a long evening. */
const HOURS = [9, 5, 3, 2, 2, 4, 10, 20, 32, 42, 48, 52, 56, 54, 50, 48, 50, 56, 66, 80, 90, 84, 58, 27]
/** Monday first: Sundays are strong, Saturdays are for the town. */
const WEEKDAYS = [1.06, 1, 0.97, 0.96, 0.92, 0.9, 1.19]
/** How much busier the last day is than the first. */
const GROWTH = 0.55

/** When visits begin, in order: `total` of them over `days` days that end at `now`. */
export function visitTimes(plan: { total: number; days: number; now: number; random: Sequence }): number[] {
  const { total, days, now, random } = plan
  const start = now - days * DAY_MS
  const weightOf = (at: number) => {
    const date = new Date(at)
    const weekday = WEEKDAYS[(date.getUTCDay() + 6) % 7]!
    return HOURS[date.getUTCHours()]! * weekday * (1 + (GROWTH * (at - start)) / (days * DAY_MS))
  }
  const hours = Array.from({ length: days * 24 }, (_, hour) => start + hour * HOUR_MS)
  const sum = hours.reduce((all, hour) => all + weightOf(hour), 0)
  const times: number[] = []
  let due = 0
  for (const hour of hours) {
    due += (total * weightOf(hour)) / sum
    // Whole visits; the rest waits for the next hour.
    while (times.length < Math.floor(due)) times.push(Math.floor(hour + random.next() * HOUR_MS))
  }
  return times.sort((a, b) => a - b)
}
