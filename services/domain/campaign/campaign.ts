import type { Campaign } from '../../../schemas/records/entities.ts'
import { heldBy } from './moderation.ts'

/** Prices of display ads are of this many views. */
export const VIEWS_PRICED = 1_000

/** What a campaign is at a moment; follows from the moderation, its switch, its dates and its money. */
export const CAMPAIGN_STATES = [
  'DRAFT',
  'IN_MODERATION',
  'REJECTED',
  'SCHEDULED',
  'RUNNING',
  'PAUSED',
  'EXHAUSTED',
  'ENDED',
  'ARCHIVED',
] as const
export type CampaignState = (typeof CAMPAIGN_STATES)[number]

/**
 * The state at `now` (UTC epoch ms). The first that holds wins: ARCHIVED (put away), IN_MODERATION, REJECTED (display campaigns only), DRAFT
 * (never switched on), ENDED (`endAt` reached), EXHAUSTED (what is left of the budget does not pay for one more click or
 * view), PAUSED, SCHEDULED (before `startAt`), RUNNING.
 * `leastPriceMicros` is the least that one click or view can cost: see `leastPrice`.
 */
export function campaignState(
  campaign: Pick<Campaign, 'status' | 'startAt' | 'endAt' | 'budgetMicros' | 'moderation' | 'archivedAt'>,
  at: { now: number; spentMicros: number; leastPriceMicros: number },
): CampaignState {
  if (campaign.archivedAt !== null) return 'ARCHIVED'
  const held = heldBy(campaign)
  if (held !== null) return held
  if (campaign.status === 'DRAFT') return 'DRAFT'
  if (campaign.endAt !== null && at.now >= campaign.endAt) return 'ENDED'
  if (campaign.budgetMicros - at.spentMicros < at.leastPriceMicros) return 'EXHAUSTED'
  if (campaign.status === 'PAUSED') return 'PAUSED'
  return at.now < campaign.startAt ? 'SCHEDULED' : 'RUNNING'
}

/** States in which a campaign can be put away: it cannot run by itself. */
export const ARCHIVABLE: ReadonlySet<CampaignState> = new Set(['DRAFT', 'REJECTED', 'PAUSED', 'EXHAUSTED', 'ENDED'])

/**
 * The least a click (a view, of a display campaign) can cost, in micros: the shop's reserve, which only clicks have.
 * Self-promotion is free.
 */
export function leastPrice(campaign: Pick<Campaign, 'kind' | 'autoPromo'>, shop: { reserveCpcMicros: number }): number {
  if (campaign.autoPromo) return 0
  return campaign.kind === 'DISPLAY' ? 1 : Math.max(shop.reserveCpcMicros, 1)
}

/** The display side of a sponsored campaign: there is none. */
export const NO_DISPLAY: Pick<
  Campaign,
  'country' | 'targetUrl' | 'mobileDeepLink' | 'cpmMicros' | 'banners' | 'targeting' | 'moderation'
> = {
  country: null,
  targetUrl: null,
  mobileDeepLink: null,
  cpmMicros: null,
  banners: [],
  targeting: null,
  moderation: null,
}
