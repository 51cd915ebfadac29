import type { Account } from '../../../schemas/records/accounts.ts'
import type { Campaign, Shop } from '../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { isExpired } from '../catalogue/offer.ts'
import { bidsBelowReserve, campaignState, leastPrice } from './campaign.ts'

/** Why a product cannot be shown as an ad now. */
export const whyNotCodes = [
  'NOT_AVAILABLE',
  'EXPIRED',
  'NO_CAMPAIGN',
  'SELLER_MISMATCH',
  'CAMPAIGN_DRAFT',
  'CAMPAIGN_NOT_STARTED',
  'CAMPAIGN_ENDED',
  'CAMPAIGN_PAUSED',
  'BID_BELOW_RESERVE',
  'BUDGET_EXHAUSTED',
  'DAILY_BUDGET_EXHAUSTED',
] as const
export type WhyNotCode = (typeof whyNotCodes)[number]

export interface WhyNot {
  code: WhyNotCode
  /** The campaign that the reason is about; null when it is about the product. */
  campaignId: string | null
}

/** A campaign whose products include this one. */
export interface NamingCampaign {
  id: string
  body: Campaign
  account: Account
  spend: { totalMicros: number; todayMicros: number }
}

/**
 * Every reason why a product cannot be shown at `now`; empty when it takes part in auctions. One campaign that can show the
 * product is enough, so the campaigns' reasons are given only when no campaign can. The rules are those of selection.
 */
export function whyNot(
  offer: Pick<ProductOffer, 'isAvailable' | 'expiresAt' | 'externalSellerId'>,
  campaigns: readonly NamingCampaign[],
  { shop, now }: { shop: Shop; now: number },
): WhyNot[] {
  const reasons: WhyNot[] = []
  if (!offer.isAvailable) reasons.push({ code: 'NOT_AVAILABLE', campaignId: null })
  if (isExpired(offer, now)) reasons.push({ code: 'EXPIRED', campaignId: null })
  const codes = campaigns.map((campaign) => ({
    code: campaignFault(offer, campaign, { shop, now }),
    campaignId: campaign.id,
  }))
  if (codes.some(({ code }) => code === null)) return reasons
  if (codes.length === 0) return [...reasons, { code: 'NO_CAMPAIGN', campaignId: null }]
  return [...reasons, ...(codes as WhyNot[])]
}

/** Why this campaign cannot show the product now; null when it can. */
function campaignFault(
  offer: Pick<ProductOffer, 'externalSellerId'>,
  { body, account, spend }: NamingCampaign,
  { shop, now }: { shop: Shop; now: number },
): WhyNotCode | null {
  if (account.kind === 'ADVERTISER' && !account.sellerIds.includes(offer.externalSellerId ?? '')) {
    return 'SELLER_MISMATCH'
  }
  // The budget is checked later, where the missing money can be named as the reason.
  const state = campaignState(body, { now, spentMicros: 0, leastPriceMicros: Number.NEGATIVE_INFINITY })
  switch (state) {
    case 'DRAFT':
      return 'CAMPAIGN_DRAFT'
    case 'SCHEDULED':
      return 'CAMPAIGN_NOT_STARTED'
    case 'ENDED':
    // To somebody who looks for the reason, an archived campaign has ended, too.
    case 'ARCHIVED':
      return 'CAMPAIGN_ENDED'
    case 'PAUSED':
      return 'CAMPAIGN_PAUSED'
    // Sponsored campaigns are not moderated, and no others name products.
    case 'IN_MODERATION':
    case 'REJECTED':
    case 'RUNNING':
    case 'EXHAUSTED':
      return body.autoPromo ? null : moneyFault(body, spend, shop)
  }
}

function moneyFault(
  campaign: Campaign,
  { totalMicros, todayMicros }: NamingCampaign['spend'],
  shop: Shop,
): WhyNotCode | null {
  if (bidsBelowReserve(campaign, shop)) return 'BID_BELOW_RESERVE'
  const { budgetMicros, dailyBudgetMicros } = campaign
  const leastMicros = leastPrice(campaign, shop)
  if (budgetMicros - totalMicros < leastMicros) return 'BUDGET_EXHAUSTED'
  if (dailyBudgetMicros !== null && dailyBudgetMicros - todayMicros < leastMicros) return 'DAILY_BUDGET_EXHAUSTED'
  return null
}
