import type { Campaign, Shop } from '../../schemas/entities.ts'
import type { DropReason } from '../../schemas/records.ts'
import { campaignState } from './campaign.ts'

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
 * A campaign bids its cpc, but never more than what is left of its budget and of the day's: a click that could not be
 * billed is not sold.
 */
export function standing(campaign: Campaign, shop: Shop, at: { now: number; spend: Spend }): Standing {
  const { totalMicros, todayMicros } = at.spend
  // Money is judged below, where its lack has a name.
  const state = campaignState(campaign, {
    now: at.now,
    spentMicros: totalMicros,
    leastPriceMicros: Number.NEGATIVE_INFINITY,
  })
  if (campaign.kind !== 'SPONSORED' || state !== 'RUNNING') return NOT_RUNNING
  if (campaign.autoPromo) return FREE
  const { cpcMicros, budgetMicros, dailyBudgetMicros } = campaign
  if (cpcMicros < shop.reserveCpcMicros) return { out: 'BELOW_RESERVE', bidMicros: cpcMicros }
  const leftMicros = Math.min(budgetMicros - totalMicros, (dailyBudgetMicros ?? Number.POSITIVE_INFINITY) - todayMicros)
  if (leftMicros < Math.max(shop.reserveCpcMicros, 1)) return { out: 'BUDGET', bidMicros: cpcMicros }
  return { out: null, bidMicros: Math.min(cpcMicros, leftMicros) }
}
