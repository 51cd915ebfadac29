import type { Counters } from '../../infra/counters/port.ts'
import type { Campaign, Shop } from '../../schemas/entities.ts'
import { dayIn, viewsKey } from '../domain/counter-keys.ts'
import type { MaybePromise } from './fresh-cache.ts'
import type { Person } from './person.ts'

export interface CappedAd {
  campaignId: string
  adId: string
  campaign: Campaign
}

export interface CapContext {
  person: Person
  now: number
  counters: Pick<Counters, 'read'>
}

/**
 * Which of these ads the person may not see again on this day of the shop: views counted by cid and by uid, the larger
 * one against the campaign's capping. Asks the counters only for ads with a capping.
 * Rejects with CountersUnavailable.
 */
export function cappedAds<Ad extends CappedAd>(
  ads: readonly Ad[],
  shop: Pick<Shop, 'timeZone'>,
  context: CapContext,
): MaybePromise<ReadonlySet<Ad>> {
  const limited = ads.filter((ad) => ad.campaign.capping !== null)
  return limited.length === 0 ? new Set() : readCapped(limited, shop.timeZone, context)
}

async function readCapped<Ad extends CappedAd>(
  ads: readonly Ad[],
  timeZone: string,
  { person, now, counters }: CapContext,
) {
  const day = dayIn(timeZone, now)
  const byCid = ads.map((ad) => viewsKey('cid', ad, day, person.cid))
  const byUid = person.uid === null ? [] : ads.map((ad) => viewsKey('uid', ad, day, person.uid!))
  const views = await counters.read([...byCid, ...byUid])
  return new Set(ads.filter((ad, i) => Math.max(views[i]!, views[ads.length + i] ?? 0) >= ad.campaign.capping!))
}
