import type { DisplayTargeting } from '../../../schemas/http/display.ts'
import type { DisplayAlgorithm } from '../../../schemas/records/entities.ts'
import { shuffledHash } from '../../domain/auction/auction.ts'
import { normalBrand } from '../../domain/campaign/promotion.ts'
import { NO_ADDRESS, refererAddress } from '../../domain/campaign/referer.ts'
import { fits, type Page } from '../../domain/campaign/targeting.ts'
import { pathAndAbove } from '../../domain/catalogue/categories.ts'
import { indexTerms } from '../../domain/catalogue/text.ts'
import { memoized } from '../../domain/memoized.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { ShopRequest } from '../ad-steps.ts'
import { given, givenAll } from '../candidates/filters.ts'
import type { CampaignKind } from '../eligibility/campaigns.ts'
import type { Slot } from '../slots.ts'
import type { DisplayBanner, DisplayCampaign, DisplayCampaigns } from './display-campaigns.ts'

export type DisplaySlot = Slot<DisplayTargeting, DisplayAlgorithm>

/** The banners that a slot may show, the best first, whether or not their campaigns run. */
export function bannersFor(
  slot: DisplaySlot,
  campaignKind: CampaignKind,
  { referer, tieSeed }: Pick<ShopRequest, 'referer' | 'tieSeed'>,
  { snapshot, displayCampaigns }: { snapshot: Snapshot; displayCampaigns: DisplayCampaigns },
): Iterator<DisplayBanner, undefined> {
  const { targeting, shop, shopId, algorithm, country } = slot
  const publisher = snapshot.body('Account', shop.accountId)
  const isOfShop = algorithm !== 'DISPLAY' || !targeting.currency || targeting.currency.toUpperCase() === shop.currency
  if (!publisher?.displayEnabled || !isOfShop) return [].values()
  const page = pageOf(slot, referer)
  const found = displayCampaigns.find({ shopId, kind: campaignKind, country: country!, page })
  const fitsFormat = formatFilter(slot)
  // Checked once for all banners of a campaign.
  const fitsPage = memoized((campaign: DisplayCampaign) => fits(campaign.targeting, page, algorithm))
  return bannersInOrder(found, {
    fits: ({ banner, campaign }) => fitsFormat(banner.adFormatId) && fitsPage(campaign),
    tieSeed,
  })
}

/** A banner's format must be among those of the ad unit, the technical ad unit and the request; an empty list does not restrict. */
function formatFilter({ adUnit, technical, targeting }: DisplaySlot): (adFormatId: string) => boolean {
  const asked = givenAll(targeting.adFormatIds).map((id) => id.toLowerCase())
  const lists = [adUnit.adFormatIds, technical?.adFormatIds, asked].filter((list) => list && list.length > 0)
  return (adFormatId) => lists.every((list) => list!.includes(adFormatId))
}

/** What a request says about the page and the person, as far as the ad unit's settings let it be used for targeting. */
function pageOf({ targeting, adUnit, algorithm, shop }: DisplaySlot, referer: string | null): Page {
  const chosen = new Set(adUnit.targeting)
  const list = (name: string, values: readonly (string | undefined)[] | undefined = []) =>
    chosen.has(name) ? givenAll(values.filter((value) => value !== undefined)) : []
  const { searchData, productTitle, categoryPaths, brand, productId, profiles } = targeting
  // Phrases are also looked for in the title of the page's product, if the algorithm takes one.
  const texts = list('searchData', [searchData, algorithm === 'DISPLAY' ? productTitle : undefined])
  const address = chosen.has('referer') ? given(referer ?? undefined) : null
  return {
    texts: texts.map((text) => new Set(indexTerms(text, shop.lang))),
    categories: new Set(list('categoryPaths', categoryPaths).flatMap(pathAndAbove)),
    brands: new Set(list('brand', [brand]).map(normalBrand)),
    productIds: new Set(list('productId', [productId])),
    profiles: new Set(list('profiles', profiles)),
    address: address === null ? NO_ADDRESS : refererAddress(address),
  }
}

/** Ties are 32 bits. */
const TIES = 2 ** 32
/** The expected size of the first portion of equal bids; each further one is this many times as large. */
const PORTION = 64
const PORTION_GROWTH = 4

/** Orders banners with equal bids, differently for each seed. The seed is that of the request. */
export function tieOf({ hash }: DisplayBanner, tieSeed: number): number {
  return shuffledHash(hash, tieSeed)
}

interface BannerOrder {
  fits: (banner: DisplayBanner) => boolean
  tieSeed: number
}

/**
 * The banners that fit, in the order of the groups of campaigns with equal bids, and within a group by their ties. Lazy: a
 * group is read only when its first banner is needed.
 */
function* bannersInOrder(
  groups: Iterable<readonly DisplayCampaign[]>,
  order: BannerOrder,
): Generator<DisplayBanner, undefined> {
  for (const campaigns of groups) {
    const banners: DisplayBanner[] = []
    for (const campaign of campaigns) for (const each of campaign.banners) banners.push(each)
    yield* byTie(banners, order)
  }
}

/** Works in portions: a request shows a few of what may be thousands, and need neither check nor sort them all. */
function* byTie(
  banners: readonly DisplayBanner[],
  { fits, tieSeed }: BannerOrder,
): Generator<DisplayBanner, undefined> {
  let from = 0
  for (let size = PORTION; from < TIES; size *= PORTION_GROWTH) {
    const to = from + (TIES * size) / Math.max(banners.length, 1)
    const portion = banners.filter((banner) => {
      const tie = tieOf(banner, tieSeed)
      return tie >= from && tie < to && fits(banner)
    })
    yield* portion.sort((a, b) => tieOf(a, tieSeed) - tieOf(b, tieSeed))
    from = to
  }
}
