import { MINUTE_MS } from '../../../schemas/durations.ts'
import { dayIn } from '../money/counter-keys.ts'

const QUARTER_MS = 15 * MINUTE_MS
/** A day of 26 hours: Antarctica/Troll has one each year. */
const DAY_QUARTERS_MAX = 104
export const HOURS = 24
/** The same share of the traffic for each hour of the day. */
export const EVEN_HOURS: readonly number[] = Array.from({ length: HOURS }, () => 1 / HOURS)

/** One calendar day of a shop, of 22 to 26 hours, and how its traffic is spread over it. UTC epoch milliseconds. */
export interface ShopDay {
  startAt: number
  endAt: number
  /** The share in [0, 1] of the day's traffic that comes before a moment of it. */
  trafficUntil(at: number): number
}

/**
 * The day of an IANA time zone that a moment falls on. An hour that the clock shows twice counts twice; an hour that it
 * skips has no traffic.
 * @param hourShares of the traffic of a day, by the hour that the shop's clock shows; 24 numbers >= 0.
 * @throws RangeError when the zone is unknown.
 */
export function shopDay(timeZone: string, at: number, hourShares: readonly number[]): ShopDay {
  const hourOf = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' })
  const day = dayIn(timeZone, at)
  const isSameDay = (moment: number) => dayIn(timeZone, moment) === day
  // Every zone's offset is a multiple of 15 minutes, so days begin and hours change on a quarter.
  let startAt = Math.floor(at / QUARTER_MS) * QUARTER_MS
  while (isSameDay(startAt - QUARTER_MS)) startAt -= QUARTER_MS
  const sums = [0]
  for (let quarter = 0; quarter < DAY_QUARTERS_MAX && isSameDay(startAt + quarter * QUARTER_MS); quarter++) {
    const hour = Number(hourOf.format(startAt + quarter * QUARTER_MS))
    sums.push(sums.at(-1)! + hourShares[hour]!)
  }
  const quarters = sums.length - 1
  const whole = sums[quarters]!

  return {
    startAt,
    endAt: startAt + quarters * QUARTER_MS,
    trafficUntil(moment) {
      const position = Math.min(Math.max((moment - startAt) / QUARTER_MS, 0), quarters)
      const index = Math.min(Math.floor(position), quarters - 1)
      if (whole <= 0) return position / quarters
      const within = (position - index) * (sums[index + 1]! - sums[index]!)
      return (sums[index]! + within) / whole
    },
  }
}

/**
 * Caches the current day of each shop: computing one takes a hundred calendar look-ups.
 * @param hourSharesOf must return the same list for a shop until its shares change.
 */
export function rememberedShopDays(hourSharesOf: (shopId: string) => readonly number[]) {
  const known = new Map<string, { day: ShopDay; shares: readonly number[]; timeZone: string }>()
  return (shopId: string, timeZone: string, at: number): ShopDay => {
    const shares = hourSharesOf(shopId)
    const found = known.get(shopId)
    if (found?.shares === shares && found.timeZone === timeZone) {
      if (at >= found.day.startAt && at < found.day.endAt) return found.day
    }
    const day = shopDay(timeZone, at, shares)
    known.set(shopId, { day, shares, timeZone })
    return day
  }
}
