import type { Campaign } from '../../../schemas/records/entities.ts'
import type { Spend } from '../campaign/eligibility.ts'
import type { ShopDay } from '../time/shop-day.ts'

const DAY_MS = 86_400_000

/**
 * What even pacing lets a campaign spend on the shop's day in all, in micros: what was left of the budget when the day
 * began, by this day's share of the traffic until the campaign ends; at most the daily budget. So what one day leaves
 * is spread over those that follow.
 */
export function goalOf(campaign: Campaign, spend: Spend, day: ShopDay): number {
  const { budgetMicros, dailyBudgetMicros, endAt } = campaign
  const leftMicros = budgetMicros - (spend.totalMicros - spend.todayMicros)
  const daysMicros = Math.min(leftMicros, dailyBudgetMicros ?? Number.POSITIVE_INFINITY)
  if (endAt === null) return daysMicros
  const today = activeTraffic(campaign, day, day.endAt)
  // Each whole day to come weighs as much as a day does; the last one ends somewhere within.
  const toCome = Math.max(0, endAt - day.endAt) / DAY_MS
  const shareOfToday = today / (today + toCome)
  return Math.min(daysMicros, Number.isNaN(shareOfToday) ? 0 : leftMicros * shareOfToday)
}

/** Where the day's spend should stand at `now`: the goal by the share that is over of the day's traffic. */
export function idealSpend(campaign: Campaign, spend: Spend, day: ShopDay, now: number): number {
  const whole = activeTraffic(campaign, day, day.endAt)
  if (whole <= 0) return 0
  return (goalOf(campaign, spend, day) * activeTraffic(campaign, day, now)) / whole
}

/** The share of a day's traffic that falls on the campaign's part of this day, up to `until`. */
function activeTraffic({ startAt, endAt }: Campaign, day: ShopDay, until: number): number {
  const from = Math.max(day.startAt, startAt)
  const to = Math.min(until, day.endAt, endAt ?? Number.POSITIVE_INFINITY)
  return to <= from ? 0 : day.trafficUntil(to) - day.trafficUntil(from)
}
