import type { Campaign, Shop } from '../../client/types.ts'

/** How far the spend may deviate from even pacing, as a share of the budget, before the verdict is BEHIND or AHEAD. */
const TOLERANCE = 0.1

export interface Pacing {
  /** Share of the budget, 0 to 1; null while unknown. */
  spentShare: number | null
  /** Share of the campaign's time, 0 to 1; null when it has no end or has not begun. */
  timeShare: number | null
  /** Null when the campaign has no end or does not run, or while `spentShare` is unknown. */
  verdict: 'BEHIND' | 'ON_PACE' | 'AHEAD' | null
}

/** Compares the spend of a campaign with its time at `now` (UTC epoch ms). */
export function pacingOf(
  campaign: Pick<Campaign, 'budget' | 'spent' | 'startAt' | 'endAt' | 'state'>,
  now: number,
): Pacing {
  const { budget, spent, startAt, endAt, state } = campaign
  const spentShare = spent === null ? null : budget > 0 ? Math.min(spent / budget, 1) : 0
  const start = Date.parse(startAt)
  if (endAt === null || now < start) return { spentShare, timeShare: null, verdict: null }
  const timeShare = Math.min((now - start) / (Date.parse(endAt) - start), 1)
  if (spentShare === null || state !== 'RUNNING' || budget === 0) return { spentShare, timeShare, verdict: null }
  const lead = spentShare - timeShare
  return { spentShare, timeShare, verdict: lead < -TOLERANCE ? 'BEHIND' : lead > TOLERANCE ? 'AHEAD' : 'ON_PACE' }
}

type MoneyOf = Pick<Campaign, 'cpc' | 'cpm' | 'dailyBudget' | 'autoPromo'>

/**
 * Why a running campaign cannot be shown now, in the terms of the product page; null when it can. `spentToday` is undefined while it is
 * unknown. A click costs at least the shop's reserve; a view of a banner costs what was bid for it.
 */
export function whyNotShown(
  { cpc, cpm = 0, dailyBudget, autoPromo }: MoneyOf,
  { reserveCpc }: Pick<Shop, 'reserveCpc'>,
  spentToday: number | undefined,
): 'BID_BELOW_RESERVE' | 'DAILY_BUDGET_EXHAUSTED' | null {
  if (autoPromo) return null
  if (cpc !== undefined && cpc < reserveCpc) return 'BID_BELOW_RESERVE'
  if (dailyBudget === null || spentToday === undefined) return null
  const leastPrice = cpc === undefined ? cpm / 1000 : reserveCpc
  return toMicros(dailyBudget - spentToday) < Math.max(toMicros(leastPrice), 1) ? 'DAILY_BUDGET_EXHAUSTED' : null
}

/** Micros are exact where a difference of amounts is not. */
const toMicros = (amount: number) => Math.round(amount * 1_000_000)
