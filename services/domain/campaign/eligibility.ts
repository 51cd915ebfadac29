import type { Campaign, Shop } from '../../../schemas/records/entities.ts'
import type { DropReason } from '../../../schemas/records/events.ts'
import { bidsBelowReserve, campaignState, leastPrice, VIEWS_PRICED } from './campaign.ts'

export interface Spend {
  /** Billed since the campaign began. */
  totalMicros: number
  /** Billed on the shop's current day. */
  todayMicros: number
}

/**
 * Whether a campaign takes part in an auction now. `reason` says why not; it is null when the campaign bids `bidMicros`.
 * A campaign that is NOT_RUNNING is not even a candidate; the other reasons are recorded with the emission.
 */
export type Eligibility =
  | { reason: null; bidMicros: number }
  | { reason: Extract<DropReason, 'BUDGET' | 'BELOW_RESERVE'>; bidMicros: number }
  | { reason: 'NOT_RUNNING' }

const NOT_RUNNING = { reason: 'NOT_RUNNING' } as const
/** Self-promotion is free: neither budget nor reserve apply. */
const FREE = { reason: null, bidMicros: 0 } as const

/**
 * A campaign bids its cpc, or its cpm for 1000 views, but never more than what is left of its budget and of its daily
 * budget: a click or view that could not be billed is not sold.
 */
export function eligibilityOf(campaign: Campaign, shop: Shop, at: { now: number; spend: Spend }): Eligibility {
  // Budget is checked below, so that BUDGET is reported as the reason.
  const state = campaignState(campaign, {
    now: at.now,
    spentMicros: at.spend.totalMicros,
    leastPriceMicros: Number.NEGATIVE_INFINITY,
  })
  if (state !== 'RUNNING') return NOT_RUNNING
  if (campaign.autoPromo) return FREE
  const leftMicros = leftOf(campaign, at.spend)
  const bidMicros = campaign.kind === 'DISPLAY' ? campaign.cpmMicros! : campaign.cpcMicros
  if (bidsBelowReserve(campaign, shop)) return { reason: 'BELOW_RESERVE', bidMicros }
  if (leftMicros < leastPrice(campaign, shop)) return { reason: 'BUDGET', bidMicros }
  return { reason: null, bidMicros: Math.min(bidMicros, leftMicros * unitsPriced(campaign)) }
}

/** Whether a campaign may spend a budget, now or once it starts, without being changed. The money left is not checked. */
export function maySpend(campaign: Campaign, now: number): boolean {
  if (campaign.autoPromo) return false
  const state = campaignState(campaign, { now, spentMicros: 0, leastPriceMicros: Number.NEGATIVE_INFINITY })
  return state === 'RUNNING' || state === 'SCHEDULED'
}

/** What is left of the budget or of the daily budget, whichever is less. */
export function leftOf(campaign: Pick<Campaign, 'budgetMicros' | 'dailyBudgetMicros'>, spend: Spend): number {
  const ofDay = (campaign.dailyBudgetMicros ?? Number.POSITIVE_INFINITY) - spend.todayMicros
  return Math.min(campaign.budgetMicros - spend.totalMicros, ofDay)
}

/** How many clicks or views the campaign's price is for. */
const unitsPriced = ({ kind }: Campaign): number => (kind === 'DISPLAY' ? VIEWS_PRICED : 1)
