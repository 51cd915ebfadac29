import { describe, expect, it } from 'vitest'
import type { Account } from '../../../../schemas/records/accounts.ts'
import type { Campaign, Shop } from '../../../../schemas/records/entities.ts'
import { type NamingCampaign, whyNot } from '../../../../services/domain/campaign/why-not.ts'

const NOW = 1_000_000
const shop = { reserveCpcMicros: 100 } as Shop
const offer = { isAvailable: true, expiresAt: null as number | null, externalSellerId: 'seller' }
const publisher = { kind: 'PUBLISHER', sellerIds: [] as string[] } as Account

function campaign(changes: Partial<Campaign> = {}, more: Partial<NamingCampaign> = {}): NamingCampaign {
  const body = {
    ...{ kind: 'SPONSORED', status: 'ACTIVE', startAt: 0, endAt: null, budgetMicros: 1_000, dailyBudgetMicros: null },
    ...{ cpcMicros: 200, autoPromo: false, archivedAt: null },
    ...changes,
  } as Campaign
  return { id: 'C', body, account: publisher, spend: { totalMicros: 0, todayMicros: 0 }, ...more }
}
const codes = (campaigns: NamingCampaign[], given = offer) =>
  whyNot(given, campaigns, { shop, now: NOW }).map(({ code, campaignId }) => [code, campaignId])

describe('why a product is not shown', () => {
  it('has no reason when a campaign can show it, whatever the others are', () => {
    expect(codes([campaign({ status: 'PAUSED' }), campaign()])).toEqual([])
  })

  it('is told of the product and of each of its campaigns', () => {
    const campaigns = [campaign({ status: 'PAUSED' }), campaign({ endAt: NOW }, { id: 'D' })]
    expect(codes(campaigns, { ...offer, isAvailable: false })).toEqual([
      ['NOT_AVAILABLE', null],
      ['CAMPAIGN_PAUSED', 'C'],
      ['CAMPAIGN_ENDED', 'D'],
    ])
  })

  it('is its expiration, from that moment on', () => {
    expect(codes([campaign()], { ...offer, expiresAt: NOW })).toEqual([['EXPIRED', null]])
    expect(codes([campaign()], { ...offer, expiresAt: NOW + 1 })).toEqual([])
  })

  it('is no campaign', () => {
    expect(codes([])).toEqual([['NO_CAMPAIGN', null]])
    expect(codes([campaign()], { ...offer, isAvailable: false })).toEqual([['NOT_AVAILABLE', null]])
  })

  const advertiser = { kind: 'ADVERTISER', sellerIds: ['other'] } as Account
  it.each([
    ['SELLER_MISMATCH', campaign({}, { account: advertiser })],
    ['CAMPAIGN_DRAFT', campaign({ status: 'DRAFT' })],
    ['CAMPAIGN_NOT_STARTED', campaign({ startAt: NOW + 1 })],
    ['CAMPAIGN_ENDED', campaign({ endAt: NOW })],
    ['CAMPAIGN_PAUSED', campaign({ status: 'PAUSED' })],
    ['BID_BELOW_RESERVE', campaign({ cpcMicros: 99 })],
    ['BUDGET_EXHAUSTED', campaign({}, { spend: { totalMicros: 901, todayMicros: 0 } })],
    ['DAILY_BUDGET_EXHAUSTED', campaign({ dailyBudgetMicros: 500 }, { spend: { totalMicros: 401, todayMicros: 401 } })],
  ])('is %s', (code, given) => {
    expect(codes([given])).toEqual([[code, 'C']])
  })

  it('is not money for self-promotion, nor the seller for a seller of the account', () => {
    expect(codes([campaign({ autoPromo: true, budgetMicros: 0, cpcMicros: 0 })])).toEqual([])
    expect(codes([campaign({}, { account: { ...advertiser, sellerIds: ['seller'] } })])).toEqual([])
    expect(codes([campaign({}, { spend: { totalMicros: 900, todayMicros: 0 } })])).toEqual([])
  })
})
