import { shuffledHash } from '../../domain/auction/auction.ts'
import type { DisplayBanner, DisplayCampaign } from './display-campaigns.ts'

/** Ties are 32 bits. */
const TIES = 2 ** 32
/** Expected in the first portion of equals; the next ones are so many times as large. */
const PORTION = 64
const PORTION_GROWTH = 4

/** Orders banners that bid the same, in another order for each seed: that of a request. */
export function tieOf({ hash }: DisplayBanner, tieSeed: number): number {
  return shuffledHash(hash, tieSeed)
}

export interface BannerOrder {
  fits: (banner: DisplayBanner) => boolean
  tieSeed: number
}

/**
 * The banners of campaigns that fit, in the order of the groups of campaigns that bid the same; those of a group by their
 * ties. It reads on as far as it is read.
 */
export function* bannersInOrder(
  groups: Iterable<readonly DisplayCampaign[]>,
  order: BannerOrder,
): Generator<DisplayBanner, undefined> {
  for (const campaigns of groups) {
    const banners: DisplayBanner[] = []
    for (const campaign of campaigns) for (const each of campaign.banners) banners.push(each)
    yield* byTie(banners, order)
  }
}

/** In portions: a request shows a few of what may be thousands, and need neither judge all nor put all in order. */
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
