import { fits } from '../../domain/campaign/targeting.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { AdChooser, ChoosingContext } from '../ad-chooser.ts'
import { award } from '../budget/allocate.ts'
import { givenAll } from '../candidates/filters.ts'
import type { CampaignKind, Campaigns } from '../eligibility/campaigns.ts'
import { emptySlot, fillSlot, joined, type Round, type SlotEntry } from '../fill-slot.ts'
import type { SlotRules } from '../slots.ts'
import { bannerMembersJson } from './banner-json.ts'
import { bannersInOrder, tieOf } from './banners-in-order.ts'
import type { DisplayBanner, DisplayCampaigns } from './display-campaigns.ts'
import { type DisplaySlot, pageOf } from './page.ts'

/** A banner that competes for a slot. */
export interface BannerEntry extends SlotEntry {
  banner: DisplayBanner
}

export interface DisplayDeps {
  snapshot: Snapshot
  displayCampaigns: DisplayCampaigns
  campaigns: Campaigns
  /** The address that browsers know the server by. */
  publicUrl: string
}

type FillContext = ChoosingContext & DisplayDeps

/** Banners that compete at first; when caps and money leave too few of them, the next ones do, this many times as many. */
const BANNERS_SPARE = 8
const BANNERS_PER_PLACE = 2
const BANNERS_GROWTH = 4
const BANNERS_MAX = 1000

const rules: SlotRules<DisplaySlot> = {
  takes: (algorithm) => algorithm === 'DISPLAY' || algorithm === 'DISPLAY_PHRASE_OR_CATEGORY',
  otherKind: 'is a sponsored ad unit',
  check: ({ country }) => (country === null ? [{ field: 'country', message: 'is required' }] : []),
}

/** Chooses banners among the campaigns of the shop, by what they pay for a thousand views. */
export function displayAds(deps: DisplayDeps): AdChooser<DisplaySlot, BannerEntry> {
  /** What was written once for a banner; gone with it. */
  const written = new WeakMap<DisplayBanner, string>()

  function membersOf(shown: DisplayBanner): string {
    const known = written.get(shown)
    if (known !== undefined) return known
    const made = bannerMembersJson(shown.banner, shown.campaign.body, deps.publicUrl)
    written.set(shown, made)
    return made
  }

  return {
    kind: 'DISPLAY',
    rules,
    async begin(slot, _placesBefore, choosing) {
      if (!slot.active) return async () => emptySlot(slot, 'INACTIVE')
      const context = { ...deps, ...choosing }
      return (taken) => fillSlot(slot, taken, (kind, options) => fillPlaces(slot, kind, options, context), context)
    },
    membersJson: ({ banner }, { shop }) => `${membersOf(banner)},"currency":${JSON.stringify(shop.currency)}`,
  }
}

/** The best compete first, and the next ones for the places that are left: a bid by first price depends on no other. */
async function fillPlaces(
  slot: DisplaySlot,
  kind: CampaignKind,
  { places, taken }: { places: number; taken: ReadonlySet<string> },
  context: FillContext,
): Promise<Round<BannerEntry>> {
  const banners = bannersOf(slot, kind, context)
  const shown = new Set(taken)
  let filled: Round<BannerEntry> = { ads: [], dropped: [], candidates: 0, late: false }
  let limit = BANNERS_SPARE + BANNERS_PER_PLACE * places
  for (;;) {
    const { entries, dropped } = enter(banners, limit, slot, context)
    const options = { pricing: 'FIRST_PRICE', reserveMicros: 0, shop: slot.shop } as const
    const left = places - filled.ads.length
    const awarded = await award(entries, { ...options, places: left, taken: shown }, context)
    for (const { entry } of awarded.ads) shown.add(entry.dedupeKey)
    const round = { ...awarded, dropped: [...dropped, ...awarded.dropped], candidates: entries.length + dropped.length }
    filled = joined(filled, round)
    if (filled.ads.length === places || filled.late || entries.length < limit) return filled
    limit = Math.min(limit * BANNERS_GROWTH, BANNERS_MAX)
  }
}

/** The banners that a slot may show, the best first. */
function bannersOf(slot: DisplaySlot, kind: CampaignKind, context: FillContext): Iterator<DisplayBanner> {
  const { targeting, shop, shopId, algorithm, country } = slot
  const publisher = context.snapshot.body('Account', shop.accountId)
  const isOfShop = algorithm !== 'DISPLAY' || !targeting.currency || targeting.currency.toUpperCase() === shop.currency
  if (!publisher?.displayEnabled || !isOfShop) return [].values()
  const page = pageOf(slot, context.referer)
  const found = context.displayCampaigns.find({ shopId, kind, country: country!, page })
  const fitsFormat = formatFilter(slot)
  return bannersInOrder(found, {
    fits: ({ banner, campaign }) => fitsFormat(banner.adFormatId) && fits(campaign.targeting, page, algorithm),
    tieSeed: context.tieSeed,
  })
}

/** A banner's format is among those of the ad unit, of the technical slot and of the request; an empty list restricts nothing. */
function formatFilter({ adUnit, technical, targeting }: DisplaySlot): (adFormatId: string) => boolean {
  const asked = givenAll(targeting.adFormatIds).map((id) => id.toLowerCase())
  const lists = [adUnit.adFormatIds, technical?.adFormatIds, asked].filter((list) => list && list.length > 0)
  return (adFormatId) => lists.every((list) => list!.includes(adFormatId))
}

/** The next banners whose campaigns run and whose accounts take part, and those on the way that money keeps out. */
function enter(banners: Iterator<DisplayBanner>, limit: number, slot: DisplaySlot, context: FillContext) {
  const entries: BannerEntry[] = []
  const dropped: Round<BannerEntry>['dropped'] = []
  while (entries.length < limit) {
    const { value: banner, done } = banners.next()
    if (done) break
    const { handle, body } = banner.campaign
    if (!context.snapshot.body('Account', body.accountId)?.displayEnabled) continue
    const standing = context.campaigns.standing(handle, slot.shop, context.now)
    if (standing.out === 'NOT_RUNNING') continue
    const entry = entryOf(banner, standing.bidMicros, context.tieSeed)
    if (standing.out === null) entries.push(entry)
    else dropped.push({ entry, reason: standing.out })
  }
  return { entries, dropped }
}

function entryOf(banner: DisplayBanner, bidMicros: number, tieSeed: number): BannerEntry {
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
    likelihood: 1,
    quality: 1,
    bidMicros,
    tie: tieOf(banner, tieSeed),
  }
}
