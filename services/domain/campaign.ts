import type { Campaign } from '../../schemas/records.ts'

/** What a campaign is at a moment; follows from its switch, its dates and its money. */
export type CampaignState = 'DRAFT' | 'SCHEDULED' | 'RUNNING' | 'PAUSED' | 'EXHAUSTED' | 'ENDED'

export const CAMPAIGN_STATES: readonly CampaignState[] = [
  'DRAFT',
  'SCHEDULED',
  'RUNNING',
  'PAUSED',
  'EXHAUSTED',
  'ENDED',
]

/**
 * The state at `now` (UTC epoch ms). The first that holds wins: DRAFT (never switched on), ENDED (`endAt` reached),
 * EXHAUSTED (what is left of the budget does not pay for one more click), PAUSED, SCHEDULED (before `startAt`), RUNNING.
 * `leastPriceMicros` is the least that one click can cost: see `leastPrice`.
 */
export function campaignState(
  campaign: Pick<Campaign, 'status' | 'startAt' | 'endAt' | 'budgetMicros'>,
  at: { now: number; spentMicros: number; leastPriceMicros: number },
): CampaignState {
  if (campaign.status === 'DRAFT') return 'DRAFT'
  if (campaign.endAt !== null && at.now >= campaign.endAt) return 'ENDED'
  if (campaign.budgetMicros - at.spentMicros < at.leastPriceMicros) return 'EXHAUSTED'
  if (campaign.status === 'PAUSED') return 'PAUSED'
  return at.now < campaign.startAt ? 'SCHEDULED' : 'RUNNING'
}

/** The least a click of this campaign can cost, in micros: the shop's reserve. Self-promotion is free. */
export function leastPrice(campaign: Pick<Campaign, 'autoPromo'>, shop: { reserveCpcMicros: number }): number {
  return campaign.autoPromo ? 0 : Math.max(shop.reserveCpcMicros, 1)
}
