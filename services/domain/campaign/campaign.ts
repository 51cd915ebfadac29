import type { Campaign } from '../../../schemas/records/entities.ts'
import { heldBy } from './moderation.ts'

/** The price of a display ad is for this many views. */
export const VIEWS_PRICED = 1_000

/** The state of a campaign at a moment. It follows from the moderation, the switch, the dates and the money spent. */
const CAMPAIGN_STATES = [
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
 * The state at `now` (UTC epoch ms). The first that applies wins: ARCHIVED, IN_MODERATION, REJECTED (display campaigns only),
 * DRAFT (never switched on), ENDED (`endAt` reached), EXHAUSTED (the budget left does not pay for one more click or view),
 * PAUSED, SCHEDULED (before `startAt`), RUNNING.
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

/** States in which a campaign can be archived: it cannot start to run by itself. */
export const ARCHIVABLE: ReadonlySet<CampaignState> = new Set(['DRAFT', 'REJECTED', 'PAUSED', 'EXHAUSTED', 'ENDED'])

/**
 * The least that a click, or a view of a display campaign, can cost, in micros. Clicks cost at least the shop's reserve;
 * views have no reserve. Self-promotion is free.
 */
export function leastPrice(campaign: Pick<Campaign, 'kind' | 'autoPromo'>, shop: { reserveCpcMicros: number }): number {
  if (campaign.autoPromo) return 0
  return campaign.kind === 'DISPLAY' ? 1 : Math.max(shop.reserveCpcMicros, 1)
}

/** Whether the campaign is in no auction because of its bid, which the shop may have accepted before it raised its reserve. */
export function bidsBelowReserve(
  { kind, autoPromo, cpcMicros }: Pick<Campaign, 'kind' | 'autoPromo' | 'cpcMicros'>,
  shop: { reserveCpcMicros: number },
): boolean {
  return kind === 'SPONSORED' && !autoPromo && cpcMicros < shop.reserveCpcMicros
}

/** The display fields of a sponsored campaign: all are empty. */
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
