import type { Banner, Campaign } from '../../../schemas/records/entities.ts'
import { imageUrl } from '../../domain/campaign/image.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { AdBid, AdSteps, CandidateBatch, Dropped } from '../ad-steps.ts'
import type { Campaigns } from '../eligibility/campaigns.ts'
import type { SlotRules } from '../slots.ts'
import { bannersFor, type DisplaySlot, tieOf } from './banners.ts'
import type { DisplayBanner, DisplayCampaigns } from './display-campaigns.ts'

/** A banner that competes for a slot. */
export interface BannerBid extends AdBid {
  banner: DisplayBanner
}

/** The next banners of a slot, the best first. */
interface BannerBatch extends CandidateBatch {
  /** The next banner, or undefined when there are no more. */
  next(): DisplayBanner | undefined
  /** How many of the banners compete, at most. */
  bidsMax: number
}

/**
 * At first, BANNERS_SPARE banners and BANNERS_PER_PLACE for each place compete. While places are left, the next banners
 * compete, each time BANNERS_GROWTH times as many, up to BANNERS_MAX.
 */
const BANNERS_SPARE = 8
const BANNERS_PER_PLACE = 2
const BANNERS_GROWTH = 4
const BANNERS_MAX = 1000

const slotRules: SlotRules<DisplaySlot> = {
  takes: (algorithm) => algorithm === 'DISPLAY' || algorithm === 'DISPLAY_PHRASE_OR_CATEGORY',
  otherKind: 'is a sponsored ad unit',
  check: ({ country }) => (country === null ? [{ field: 'country', message: 'is required' }] : []),
}

/** Display ads: banners of the shop's campaigns, ranked by their bid for a thousand views. They pay what they bid. */
export function displayAds(deps: {
  snapshot: Snapshot
  displayCampaigns: DisplayCampaigns
  campaigns: Campaigns
  /** The server's address for browsers. */
  publicUrl: string
}): AdSteps<DisplaySlot, BannerBatch, BannerBid> {
  const { snapshot, displayCampaigns, campaigns, publicUrl } = deps
  /** The JSON of each banner, serialized once. It is garbage-collected with the banner. */
  const written = new WeakMap<DisplayBanner, string>()

  function bannerJson(shown: DisplayBanner): string {
    const known = written.get(shown)
    if (known !== undefined) return known
    const made = bannerMembersJson(shown.banner, shown.campaign.body, publicUrl)
    written.set(shown, made)
    return made
  }

  return {
    kind: 'DISPLAY',
    slotRules,
    // A first price depends on no other bid.
    isCumulative: false,
    async beginSearch(slot, _placesBefore, request) {
      if (!slot.active) return 'INACTIVE'
      return async function* (campaignKind, places) {
        const banners = bannersFor(slot, campaignKind, request, { snapshot, displayCampaigns })
        let isExhausted = false
        const next = () => {
          const { value, done } = banners.next()
          isExhausted = done === true
          return value
        }
        let bidsMax = BANNERS_SPARE + BANNERS_PER_PLACE * places
        for (;;) {
          const { ads, deadlineExceeded } = yield { next, bidsMax }
          if (ads.length === places || deadlineExceeded || isExhausted) return undefined
          bidsMax = Math.min(bidsMax * BANNERS_GROWTH, BANNERS_MAX)
        }
      }
    },
    dropIneligible({ next, bidsMax }, shop, _campaignKind, { now, tieSeed }) {
      const bids: BannerBid[] = []
      const dropped: Dropped<BannerBid>[] = []
      while (bids.length < bidsMax) {
        const banner = next()
        if (!banner) break
        const { handle, body } = banner.campaign
        if (!snapshot.body('Account', body.accountId)?.displayEnabled) continue
        const eligibility = campaigns.eligibility(handle, shop, now)
        if (eligibility.reason === 'NOT_RUNNING') continue
        const bid = bidOf(banner, eligibility.bidMicros, tieSeed)
        if (eligibility.reason === null) bids.push(bid)
        else dropped.push({ bid, reason: eligibility.reason })
      }
      return { bids, dropped, candidates: bids.length + dropped.length }
    },
    pricing: () => ({ pricing: 'FIRST_PRICE', reserveMicros: 0 }),
    membersJson: ({ banner }, { shop }) => `${bannerJson(banner)},"currency":${JSON.stringify(shop.currency)}`,
  }
}

function bidOf(banner: DisplayBanner, bidMicros: number, tieSeed: number): BannerBid {
  const { handle, body } = banner.campaign
  const { id } = banner.banner
  return {
    campaignId: handle.id,
    adId: id,
    itemGroupId: null,
    campaign: body,
    banner,
    dedupeKey: id,
    relevance: 1,
    clickRate: 0,
    lift: 1,
    likelihood: 1,
    quality: 1,
    bidMicros,
    tie: tieOf(banner, tieSeed),
  }
}

/** The part of a banner's ad that does not depend on the request, as JSON members without braces. */
function bannerMembersJson(banner: Banner, campaign: Campaign, publicUrl: string): string {
  const urlOf = (imageId: string) => imageUrl(publicUrl, imageId)
  const images = banner.images.map((image) => ({ ...image, imageUrl: urlOf(image.imageId) }))
  const members = {
    bannerId: banner.id,
    bannerUrl: campaign.targetUrl,
    mobileDeepLink: campaign.mobileDeepLink ?? campaign.targetUrl,
    shopId: campaign.shopId,
    lang: banner.lang,
    bannerLogoUrl: banner.logoImageId && urlOf(banner.logoImageId),
    bannerImageUrl: images[0]?.imageUrl ?? null,
    adFormatId: banner.adFormatId,
    bannerProducts: null,
    images,
    textFields: banner.textFields,
  }
  return JSON.stringify(members).slice(1, -1)
}
