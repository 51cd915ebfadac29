import type { Campaign, Shop } from '../../../schemas/records/entities.ts'
import type { DropReason } from '../../../schemas/records/events.ts'
import { campaignState, leastPrice, VIEWS_PRICED } from './campaign.ts'

export interface Spend {
  /** Billed since the campaign began. */
  totalMicros: number
  /** Billed on the shop's present day. */
  todayMicros: number
}

/** Whether a campaign takes part in an auction now, and with what; NOT_RUNNING: it is not even a candidate. */
export type Standing =
  | { out: null; bidMicros: number }
  | { out: Extract<DropReason, 'BUDGET' | 'BELOW_RESERVE'>; bidMicros: number }
  | { out: 'NOT_RUNNING' }

/** Self-promotion is free: neither budget nor reserve apply. */
const NOT_RUNNING = { out: 'NOT_RUNNING' } as const
const FREE = { out: null, bidMicros: 0 } as const

/**
 * A campaign bids its cpc, or its cpm for 1000 views, but never more than what is left of its budget and of the day's: a
 * click or view that could not be billed is not sold.
 */
export function standing(campaign: Campaign, shop: Shop, at: { now: number; spend: Spend }): Standing {
  // Money is judged below, where its lack has a name.
  const state = campaignState(campaign, {
    now: at.now,
    spentMicros: at.spend.totalMicros,
    leastPriceMicros: Number.NEGATIVE_INFINITY,
  })
  if (state !== 'RUNNING') return NOT_RUNNING
  if (campaign.autoPromo) return FREE
  const leftMicros = leftOf(campaign, at.spend)
  const bidMicros = campaign.kind === 'DISPLAY' ? campaign.cpmMicros! : campaign.cpcMicros
  if (campaign.kind === 'SPONSORED' && bidMicros < shop.reserveCpcMicros) return { out: 'BELOW_RESERVE', bidMicros }
  if (leftMicros < leastPrice(campaign, shop)) return { out: 'BUDGET', bidMicros }
  return { out: null, bidMicros: Math.min(bidMicros, leftMicros * unitsPriced(campaign)) }
}

/** What is left of the budget or of the day's, the lesser. */
export function leftOf(campaign: Pick<Campaign, 'budgetMicros' | 'dailyBudgetMicros'>, spend: Spend): number {
  const ofDay = (campaign.dailyBudgetMicros ?? Number.POSITIVE_INFINITY) - spend.todayMicros
  return Math.min(campaign.budgetMicros - spend.totalMicros, ofDay)
}

/** A price is of one click, or of a thousand views. */
const unitsPriced = ({ kind }: Campaign): number => (kind === 'DISPLAY' ? VIEWS_PRICED : 1)
