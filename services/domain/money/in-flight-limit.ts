import type { Campaign } from '../../../schemas/records/entities.ts'
import { VIEWS_PRICED } from '../campaign/campaign.ts'

/** The share of a click budget that may be in flight however little is left. This much may be given away at the end. */
const IN_FLIGHT_SHARE = 0.01

/**
 * What an emission is expected to cost, in whole micros: its price times the probability that it is billed. A display view
 * that is reported is always billed. Rounding up keeps the sum in flight from falling below the sum billed.
 */
export function expectedCost(campaign: Pick<Campaign, 'kind'>, priceMicros: number, likelihood: number): number {
  return Math.ceil((priceMicros * likelihood) / (campaign.kind === 'DISPLAY' ? VIEWS_PRICED : 1))
}

/** The state of a campaign from which its in-flight limit is computed. */
export interface InFlightState {
  /** What is left of the budget or of the daily budget, whichever is less. */
  leftMicros: number
  /** How much more even pacing lets the campaign spend by now; may be negative. Infinity without pacing. */
  pacedMicros: number
  /** The most that the next click, or thousand views, may cost. */
  bidMicros: number
  /** For display campaigns: what is already billed for views that still count as in flight. */
  settledMicros: number
  /** The expected cost of the most expensive emission. */
  highestCostMicros: number
}

/**
 * How much a campaign may have in flight, over all processes, in micros of expected cost.
 *
 * DISPLAY: everything that is left. A view costs what was reserved for it, so no ad is shown that is not paid for.
 *
 * SPONSORED: half of what is left after the next click, at least 1 % of the budget (or of the daily budget, if that is
 * less), and at least one emission. If rare clicks were reserved in full, a campaign with money for one click would show one
 * ad a minute for hours. Ads that are in flight when the last click comes are given away.
 */
export function inFlightLimit(campaign: Campaign, state: InFlightState): number {
  const { leftMicros, pacedMicros, bidMicros, settledMicros, highestCostMicros } = state
  const { kind, budgetMicros, dailyBudgetMicros } = campaign
  if (kind === 'DISPLAY') return Math.max(0, Math.min(leftMicros, pacedMicros) + settledMicros)
  if (leftMicros < bidMicros) return 0
  const floor = IN_FLIGHT_SHARE * Math.min(budgetMicros, dailyBudgetMicros ?? budgetMicros)
  const limit = Math.max((leftMicros - bidMicros) / 2, floor, highestCostMicros)
  return Math.max(0, Math.floor(Math.min(limit, pacedMicros)))
}
