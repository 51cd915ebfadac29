import type { Reservation } from '../../../infra/counters/port.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import type { Campaign, Shop } from '../../../schemas/records/entities.ts'
import { capReservationKey, dayIn, viewsKey } from '../../domain/money/counter-keys.ts'
import { RESERVATION_MS } from '../../domain/money/in-flight.ts'
import type { SpendView } from '../budget/spend.ts'
import type { MaybePromise } from '../deadline.ts'
import type { Person } from '../request/parameters.ts'
import type { FrequencyCapStore } from './frequency-cap-store.ts'

interface CappedAd {
  campaignId: string
  adId: string
  campaign: Campaign
}
type OfShop = Pick<Shop, 'timeZone'>

/** Who asks, and when (UTC epoch milliseconds). */
interface Asked {
  requestId: string
  person: Person
  now: number
}

/** The frequency caps of campaigns: how often one person may see one ad on one day of the shop. */
export interface FrequencyCaps {
  /**
   * Which of these ads the person may not see again today: views are counted by cid and by uid, and the larger count is
   * compared with the campaign's capping. Reads the counters only for ads with a capping. Rejects with CountersUnavailable.
   */
  capped<Ad extends CappedAd>(ads: readonly Ad[], shop: OfShop, asked: Asked): MaybePromise<ReadonlySet<Ad>>
  /**
   * Reserves one view of each of these ads for the person, if its capping allows one more than those viewed and those that
   * other requests have reserved. A reservation ends when the view is judged, or `RESERVATION_MS` later by the judge watermark.
   * @returns the ads whose capping allows no more.
   */
  reserve<Ad extends CappedAd>(ads: readonly Ad[], shop: OfShop, asked: Asked): Promise<Ad[]>
  /** Releases what `reserve` has reserved for ads that are not shown after all. */
  release(ads: readonly CappedAd[], shop: OfShop, asked: Asked): Promise<void>
}

export function createFrequencyCaps(deps: {
  store: FrequencyCapStore
  spend: Pick<SpendView, 'judgeWatermark'>
}): FrequencyCaps {
  const { store, spend } = deps
  const shardOfAd = ({ campaignId }: CappedAd) => shardOf(campaignId, store.shards)

  async function readCapped<Ad extends CappedAd>(ads: readonly Ad[], { timeZone }: OfShop, { person, now }: Asked) {
    const day = dayIn(timeZone, now)
    const keyOf = (by: 'cid' | 'uid', who: string) => (ad: Ad) => viewsKey(shardOfAd(ad), by, ad, day, who)
    const byCid = ads.map(keyOf('cid', person.cid))
    const byUid = person.uid === null ? [] : ads.map(keyOf('uid', person.uid))
    const views = await store.read([...byCid, ...byUid])
    return new Set(ads.filter((ad, i) => Math.max(views[i]!, views[ads.length + i] ?? 0) >= ad.campaign.capping!))
  }

  function reservationOf(
    ad: CappedAd,
    requested: number,
    { timeZone }: OfShop,
    { requestId, person, now }: Asked,
  ): Reservation {
    const day = dayIn(timeZone, now)
    const shard = shardOfAd(ad)
    const limitOf = (by: 'cid' | 'uid', who: string) => ({
      key: capReservationKey(by, ad, day, who),
      counted: viewsKey(shard, by, ad, day, who),
      max: ad.campaign.capping ?? 0,
    })
    const limits = [limitOf('cid', person.cid)]
    if (person.uid !== null) limits.push(limitOf('uid', person.uid))
    return {
      shard,
      holder: requestId,
      retained: 0,
      requested,
      minimum: 1,
      limits,
      expiresAt: now + RESERVATION_MS,
      now: spend.judgeWatermark,
    }
  }

  return {
    capped(ads, shop, asked) {
      const limited = ads.filter((ad) => ad.campaign.capping !== null)
      return limited.length === 0 ? new Set() : readCapped(limited, shop, asked)
    },
    async reserve(ads, shop, asked) {
      const granted = await store.reserve(ads.map((ad) => reservationOf(ad, 1, shop, asked)))
      return ads.filter((_, i) => granted[i] === 0)
    },
    release: (ads, shop, asked) => store.release(ads.map((ad) => reservationOf(ad, 0, shop, asked))),
  }
}
