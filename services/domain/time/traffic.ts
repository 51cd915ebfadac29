import { HOURS } from './shop-day.ts'

/** So many requests weigh as much as the belief that every hour brings the same. */
const PRIOR_REQUESTS = 1_000

/**
 * The share of a day's requests that comes in each hour of the day, from counts by hour: smoothed over the hours beside it
 * (1, 2, 1), since what is looked for is the shape of the day and not the hour of one mailing, and drawn towards an even
 * day as long as there is little to go by. 24 numbers > 0, which sum up to 1.
 */
export function smoothedShares(requestsByHour: ReadonlyMap<number, number>): number[] {
  const counts = Array.from({ length: HOURS }, (_, hour) => requestsByHour.get(hour) ?? 0)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const at = (hour: number) => counts[(hour + HOURS) % HOURS]!
  return counts.map((count, hour) => {
    const smoothed = (at(hour - 1) + 2 * count + at(hour + 1)) / 4
    return (smoothed + PRIOR_REQUESTS / HOURS) / (total + PRIOR_REQUESTS)
  })
}
