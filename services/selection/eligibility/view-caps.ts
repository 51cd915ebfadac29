import type { Reservation } from '../../../infra/counters/port.ts'
import type { Campaign, Shop } from '../../../schemas/records/entities.ts'
import { dayIn, onceKey, viewsKey } from '../../domain/money/counter-keys.ts'
import { RESERVATION_MS } from '../../domain/money/in-flight.ts'
import type { SpendView } from '../budget/spend.ts'
import type { MaybePromise } from '../candidates/fresh-cache.ts'
import type { Person } from '../http/person.ts'
import type { ViewCounters } from './frequency-caps.ts'

export interface CappedAd {
  campaignId: string
  adId: string
  campaign: Campaign
}

export interface CapContext {
  person: Person
  now: number
  requestId: string
  counters: ViewCounters
  spend: Pick<SpendView, 'judgeWatermark'>
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

/**
 * Holds one view of each of these ads for the person, if its capping leaves one beside those viewed and those that other
 * requests hold: until it is viewed, or was not for `RESERVATION_MS`, by what has been judged. @returns the ads that the capping
 * leaves none.
 */
export async function holdViews<Ad extends CappedAd>(
  ads: readonly Ad[],
  shop: Pick<Shop, 'timeZone'>,
  context: CapContext,
): Promise<Ad[]> {
  const granted = await context.counters.reserve(ads.map((ad) => reservationOf(ad, 1, shop, context)))
  return ads.filter((_, i) => granted[i] === 0)
}

/** Gives back what `holdViews` holds for ads that are not shown after all. */
export async function releaseViews(
  ads: readonly CappedAd[],
  shop: Pick<Shop, 'timeZone'>,
  context: CapContext,
): Promise<void> {
  await context.counters.reserve(ads.map((ad) => reservationOf(ad, 0, shop, context)))
}

function reservationOf(
  ad: CappedAd,
  requested: number,
  shop: Pick<Shop, 'timeZone'>,
  context: CapContext,
): Reservation {
  const { person, now, requestId, spend } = context
  const day = dayIn(shop.timeZone, now)
  const keys = [viewsKey('cid', ad, day, person.cid)]
  if (person.uid !== null) keys.push(viewsKey('uid', ad, day, person.uid))
  return {
    holder: requestId,
    retained: 0,
    requested,
    minimum: 1,
    limits: keys.map((key) => ({ key, counted: key, max: ad.campaign.capping ?? 0 })),
    settledBy: onceKey('VIEW', { requestId, campaignId: ad.campaignId, adId: ad.adId }),
    expiresAt: now + RESERVATION_MS,
    now: spend.judgeWatermark,
  }
}
