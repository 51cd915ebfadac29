import { shuffledHash } from '../../domain/auction.ts'
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

/**
 * The banners of campaigns whose format fits, in the order of the groups of campaigns that bid the same; those of a group by
 * their ties. It reads on as far as it is read.
 */
export function* bannersInOrder(
  groups: Iterable<readonly DisplayCampaign[]>,
  { fits, tieSeed }: { fits: (adFormatId: string) => boolean; tieSeed: number },
): Generator<DisplayBanner, undefined> {
  for (const campaigns of groups) {
    const banners: DisplayBanner[] = []
    for (const campaign of campaigns) {
      for (const each of campaign.banners) if (fits(each.banner.adFormatId)) banners.push(each)
    }
    yield* byTie(banners, tieSeed)
  }
}

/** In portions: a request shows a few of what may be thousands, and need not put all in order. */
function* byTie(banners: readonly DisplayBanner[], tieSeed: number): Generator<DisplayBanner, undefined> {
  const tie = (banner: DisplayBanner) => tieOf(banner, tieSeed)
  let from = 0
  for (let size = PORTION; from < TIES; size *= PORTION_GROWTH) {
    const to = from + (TIES * size) / Math.max(banners.length, 1)
    const portion = banners.filter((banner) => tie(banner) >= from && tie(banner) < to)
    yield* portion.sort((a, b) => tie(a) - tie(b))
    from = to
  }
}
