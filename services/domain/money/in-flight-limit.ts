import type { Campaign } from '../../../schemas/records/entities.ts'
import { VIEWS_PRICED } from '../campaign/campaign.ts'

/** Of a budget of clicks, what may be in flight however little is left: so much is given away at the end. */
const FLIGHT_SHARE = 0.01

/**
 * What an emission is expected to cost, in whole micros: its price times the likelihood that it is billed. A display
 * view is certain to be, once it comes; rounding up makes the whole of what is in flight never less than what is billed.
 */
export function expectedCost(campaign: Pick<Campaign, 'kind'>, priceMicros: number, likelihood: number): number {
  return Math.ceil((priceMicros * likelihood) / (campaign.kind === 'DISPLAY' ? VIEWS_PRICED : 1))
}

export interface Room {
  /** Of the budget and of the day's, the lesser. */
  leftMicros: number
  /** Of the left, what even pacing lets be spent by now; may be negative. Infinity without pacing. */
  pacedMicros: number
  /** What the next click, or thousand views, may cost. */
  bidMicros: number
  /** Billed already of what counts as in flight: of display campaigns. */
  settledMicros: number
  /** The expected cost of the dearest emission. */
  dearestMicros: number
}

/**
 * How much a campaign may have in flight, over all processes, in micros of expected cost.
 *
 * DISPLAY: all that is left. A view costs what was set aside for it, so no ad is shown that is not paid for.
 *
 * SPONSORED: half of what the next click leaves, at least 1 % of the budget (of the day's, where that is less), and at
 * least one emission. Were rare clicks set aside in full, a campaign with money for one click would show one ad a minute for
 * hours; what is in flight when the last click comes is what it gives away.
 */
export function ceilingOf(campaign: Campaign, room: Room): number {
  const { leftMicros, pacedMicros, bidMicros, settledMicros, dearestMicros } = room
  const { kind, budgetMicros, dailyBudgetMicros } = campaign
  if (kind === 'DISPLAY') return Math.max(0, Math.min(leftMicros, pacedMicros) + settledMicros)
  if (leftMicros < bidMicros) return 0
  const always = FLIGHT_SHARE * Math.min(budgetMicros, dailyBudgetMicros ?? budgetMicros)
  const most = Math.max((leftMicros - bidMicros) / 2, always, dearestMicros)
  return Math.max(0, Math.floor(Math.min(most, pacedMicros)))
}
