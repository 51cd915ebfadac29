import { DAY_MS } from '../../../schemas/durations.ts'
import type { Campaign } from '../../../schemas/records/entities.ts'
import type { Spend } from '../campaign/eligibility.ts'
import type { ShopDay } from '../time/shop-day.ts'

/**
 * The total that even pacing lets a campaign spend on the shop's day, in micros. It is what was left of the budget when the
 * day began, times this day's share of the traffic until the campaign ends, and at most the daily budget. So what one day
 * leaves unspent is spread over the following days.
 */
export function goalOf(campaign: Campaign, spend: Spend, day: ShopDay): number {
  const { budgetMicros, dailyBudgetMicros, endAt } = campaign
  const leftMicros = budgetMicros - (spend.totalMicros - spend.todayMicros)
  const daysMicros = Math.min(leftMicros, dailyBudgetMicros ?? Number.POSITIVE_INFINITY)
  if (endAt === null) return daysMicros
  const today = activeTraffic(campaign, day, day.endAt)
  // Each whole day to come has the traffic of one day. The campaign may end within the last one.
  const toCome = Math.max(0, endAt - day.endAt) / DAY_MS
  const shareOfToday = today / (today + toCome)
  return Math.min(daysMicros, Number.isNaN(shareOfToday) ? 0 : leftMicros * shareOfToday)
}

/** What the campaign should have spent of the day's goal by `now`: the goal times the share of the day's traffic so far. */
export function idealSpend(campaign: Campaign, spend: Spend, day: ShopDay, now: number): number {
  const whole = activeTraffic(campaign, day, day.endAt)
  if (whole <= 0) return 0
  return (goalOf(campaign, spend, day) * activeTraffic(campaign, day, now)) / whole
}

/** The share of the day's traffic that falls into the time, up to `until`, in which the campaign runs on this day. */
function activeTraffic({ startAt, endAt }: Campaign, day: ShopDay, until: number): number {
  const from = Math.max(day.startAt, startAt)
  const to = Math.min(until, day.endAt, endAt ?? Number.POSITIVE_INFINITY)
  return to <= from ? 0 : day.trafficUntil(to) - day.trafficUntil(from)
}
