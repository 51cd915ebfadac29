import type { Shop } from '../../../schemas/records/entities.ts'
import type { DropReason } from '../../../schemas/records/events.ts'
import { type AuctionOptions, auction, type Bid, type Lost, type Won } from '../../domain/auction/auction.ts'
import { type CapContext, cappedAds, holdViews, releaseViews } from '../eligibility/view-caps.ts'
import { type Deadline, LATE } from '../http/deadline.ts'
import type { Budgets, Spender } from './budgets.ts'

/** When winners are refused, their places are auctioned again among the rest, so often at most. */
const AUCTIONS_MAX = 20

/** An ad of a campaign that competes for the places of a slot. */
export interface Entry extends Bid, Spender {
  adId: string
}

export interface AwardContext extends CapContext {
  budgets: Pick<Budgets, 'isOpen' | 'take' | 'giveBack'>
  deadline: Deadline
}

export interface AwardOptions extends AuctionOptions {
  shop: Shop
}

export interface AwardedAd<E extends Entry> extends Omit<Won<E>, 'bid'> {
  entry: E
}

/** Who got the places, in the order shown, and who did not. */
export interface Award<E extends Entry> {
  ads: AwardedAd<E>[]
  dropped: { entry: E; reason: DropReason }[]
  /** What the counters know did not come in time: ads with a cap were left out. */
  late: boolean
}

/**
 * Gives places to the best of those that the person may still see today and whose campaigns have money. It is set aside,
 * and the views held, for those who got a place; `giveBack` undoes that.
 */
export async function award<E extends Entry>(
  entries: readonly E[],
  options: AwardOptions,
  context: AwardContext,
): Promise<Award<E>> {
  const barred = new Map<E, 'BUDGET' | 'CAPPED'>()
  for (const entry of entries) if (!context.budgets.isOpen(entry, context.now)) barred.set(entry, 'BUDGET')
  // A cap that cannot be read is kept: what has one is left out.
  const capped = await context.deadline.meet(cappedAds(entries, options.shop, context))
  for (const entry of capped === LATE ? entries.filter(hasCap) : capped) barred.set(entry, 'CAPPED')

  let late = capped === LATE
  for (let round = 1; ; round++) {
    const { ads, lost } = afford(entries, barred, options, context)
    const limited = ads.map(({ entry }) => entry).filter(hasCap)
    const refused = limited.length === 0 ? [] : await context.deadline.meet(holdViews(limited, options.shop, context))
    late ||= refused === LATE
    const unseen = new Set(refused === LATE ? limited : refused)
    for (const entry of unseen) barred.set(entry, 'CAPPED')
    if (unseen.size === 0 || round === AUCTIONS_MAX) {
      const shown = ads.filter((ad) => !unseen.has(ad.entry))
      giveBackMoney(
        ads.filter((ad) => unseen.has(ad.entry)),
        context,
      )
      return { ads: shown, dropped: droppedOf(barred, lost), late }
    }
    giveBack(ads, options.shop, context)
  }
}

/** What was set aside and held for ads that are not shown after all. */
export function giveBack<E extends Entry>(ads: readonly AwardedAd<E>[], shop: Shop, context: AwardContext): void {
  giveBackMoney(ads, context)
  const limited = ads.map(({ entry }) => entry).filter(hasCap)
  if (limited.length > 0) void context.deadline.meet(releaseViews(limited, shop, context))
}

function giveBackMoney<E extends Entry>(ads: readonly AwardedAd<E>[], { budgets, now }: AwardContext): void {
  for (const { entry, priceMicros } of ads) budgets.giveBack(entry, priceMicros, now)
}

/** The auction among those whose campaigns can pay for the place that they win; who cannot is added to `barred`. */
function afford<E extends Entry>(
  entries: readonly E[],
  barred: Map<E, 'BUDGET' | 'CAPPED'>,
  options: AwardOptions,
  context: AwardContext,
): { ads: AwardedAd<E>[]; lost: Lost<E>[] } {
  for (let round = 1; ; round++) {
    const free = barred.size === 0 ? entries : entries.filter((entry) => !barred.has(entry))
    const { won, lost } = auction(free, options)
    const ads: AwardedAd<E>[] = []
    const broke = new Set<string>()
    for (const { bid: entry, ...price } of won) {
      if (broke.has(entry.campaignId)) continue
      if (context.budgets.take(entry, price.priceMicros, context.now)) ads.push({ entry, ...price })
      else broke.add(entry.campaignId)
    }
    if (broke.size === 0) return { ads, lost }
    // Its better ads may have taken what there was.
    const paid = new Set(ads.map(({ entry }) => entry))
    for (const entry of free) if (broke.has(entry.campaignId) && !paid.has(entry)) barred.set(entry, 'BUDGET')
    if (round === AUCTIONS_MAX) return { ads, lost: lost.filter(({ bid }) => !barred.has(bid)) }
    giveBackMoney(ads, context)
  }
}

function droppedOf<E extends Entry>(barred: ReadonlyMap<E, DropReason>, lost: readonly Lost<E>[]): Award<E>['dropped'] {
  return [
    ...[...barred].map(([entry, reason]) => ({ entry, reason })),
    ...lost.map(({ bid, reason }) => ({ entry: bid, reason })),
  ]
}

const hasCap = (entry: Entry): boolean => entry.campaign.capping !== null
