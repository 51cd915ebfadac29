import type { Counters } from '../../infra/counters/port.ts'
import type { Campaign, Shop } from '../../schemas/entities.ts'
import type { DropReason } from '../../schemas/records.ts'
import { type AuctionOptions, auction, type Bid } from '../domain/auction.ts'
import { type Deadline, LATE } from './deadline.ts'
import type { Person } from './person.ts'
import { cappedAds } from './view-caps.ts'

/** An ad of a campaign that competes for the places of a slot. */
export interface Entry extends Bid {
  adId: string
  campaign: Campaign
}

export interface AwardContext {
  counters: Pick<Counters, 'read'>
  deadline: Deadline
  person: Person
  now: number
}

/** Who got the places, in the order shown, and who did not. */
export interface Award<E extends Entry> {
  ads: { entry: E; priceMicros: number }[]
  dropped: { entry: E; reason: DropReason }[]
  /** What the counters know did not come in time: ads with a cap were left out. */
  late: boolean
}

/** Gives places to the best of those that the person may still see today. */
export async function award<E extends Entry>(
  entries: readonly E[],
  options: AuctionOptions & { shop: Shop },
  context: AwardContext,
): Promise<Award<E>> {
  const capped = await context.deadline.meet(cappedAds(entries, options.shop, context))
  // A cap that cannot be read is kept: what has one is left out.
  const barred = capped === LATE ? new Set(entries.filter((entry) => entry.campaign.capping !== null)) : capped
  const free = barred.size === 0 ? entries : entries.filter((entry) => !barred.has(entry))
  const { won, lost } = auction(free, options)
  return {
    ads: won.map(({ bid, priceMicros }) => ({ entry: bid, priceMicros })),
    dropped: [
      ...[...barred].map((entry) => ({ entry, reason: 'CAPPED' as const })),
      ...lost.map(({ bid, reason }) => ({ entry: bid, reason })),
    ],
    late: capped === LATE,
  }
}
