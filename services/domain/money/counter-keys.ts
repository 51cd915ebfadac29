import { DAY_MS, MINUTE_MS } from '../../../schemas/durations.ts'
import { EVENT_LIFE_MS, RECEIVED_AFTER_MAX_MS } from '../../../schemas/event-times.ts'
import { memoized } from '../memoized.ts'

/**
 * Keys of the counters that the judge increments and selection reads. A campaign's counters are in the shard of its partition
 * of `ad-events`; the caller passes the shard.
 */

/** How far the judge may be behind before counters that it still needs expire. */
export const LAG_MAX_MS = 3 * DAY_MS
/**
 * This long after an ad was emitted or an event was received, all counters of it have expired, except those of what a
 * campaign has spent since it began. The ids of clicks, by which repeats are recognised, are kept the longest: by the minute
 * of the emission. One more day allows for differing clocks.
 */
export const COUNTED_FOR_MS = EVENT_LIFE_MS.CLICK + RECEIVED_AFTER_MAX_MS + LAG_MAX_MS + DAY_MS
/** This long after a day began in UTC, it has ended in every time zone. */
const DAY_ENDS_MS = 1.5 * DAY_MS

const spendGroup = { name: 'spend', keptUntil: null, spread: 16, exact: true }

/** Micros billed to a campaign since it began. */
export function spendKey(shard: number, campaignId: string) {
  return { shard, group: spendGroup, id: campaignId }
}

/** Thousandths of a micro that a campaign owes for views and that do not make up a whole micro yet. */
export function thousandthsKey(shard: number, campaignId: string) {
  return { shard, group: spendGroup, id: `${campaignId}/t` }
}

/** Micros billed to a campaign on one day of the shop (`dayIn`). */
export function dailySpendKey(shard: number, campaignId: string, day: string) {
  return { shard, group: groupsOf(day).spend, id: campaignId }
}

/** Valid views of one ad with a cap, on one day of the shop, by one browser (`cid`) or one known person (`uid`). */
export function viewsKey(shard: number, by: 'cid' | 'uid', ad: AdId, day: string, person: string) {
  return { shard, group: groupsOf(day).views, id: viewsId(by, ad, person) }
}

/** Counts the valid events that one browser sent, on one day of the shop, for ads that were given to other browsers. */
export function crossClientKey(shard: number, shopId: string, day: string, cid: string) {
  return { shard, group: groupsOf(day).foreign, id: `${shopId}/${cid}` }
}

/** What a selection process has reserved of a campaign's budget. */
export function budgetReservationKey(campaignId: string): string {
  return `budget/${campaignId}`
}

/** Views of one ad that a person's requests have reserved of its cap. */
export function capReservationKey(by: 'cid' | 'uid', ad: AdId, day: string, person: string): string {
  return `cap/${day}/${viewsId(by, ad, person)}`
}

/** The group that remembers the views or clicks of the ads that were emitted in one minute. */
export function seenGroup(type: 'VIEW' | 'CLICK', emittedAt: number) {
  return seenGroups(Math.floor(emittedAt / MINUTE_MS))[type]
}

interface AdId {
  campaignId: string
  adId: string
}

// The length keeps apart ids that contain the separator themselves.
const viewsId = (by: 'cid' | 'uid', { campaignId, adId }: AdId, person: string) =>
  `${by}/${campaignId}/${adId.length}:${adId}/${person}`

const groupsOf = memoized((day: string) => {
  const keptUntil = Date.parse(day) + DAY_ENDS_MS + RECEIVED_AFTER_MAX_MS + LAG_MAX_MS
  return {
    spend: { name: `spend/${day}`, keptUntil, spread: 16, exact: true },
    views: { name: `views/${day}`, keptUntil, spread: 1024 },
    foreign: { name: `foreign/${day}`, keptUntil, spread: 64 },
  }
})

const seenGroups = memoized((minute: number) => {
  const keptUntil = (minute + 1) * MINUTE_MS + RECEIVED_AFTER_MAX_MS + LAG_MAX_MS
  return {
    VIEW: { name: `viewed/${minute}`, keptUntil: keptUntil + EVENT_LIFE_MS.VIEW },
    CLICK: { name: `clicked/${minute}`, keptUntil: keptUntil + EVENT_LIFE_MS.CLICK },
  }
})

const QUARTER_HOUR_MS = 15 * MINUTE_MS
/** Time zones whose current day is cached. */
const ZONES_MAX = 1000
const zones = new Map<string, { format: Intl.DateTimeFormat; quarter: number; day: string }>()

/**
 * The calendar day, `2026-03-29`, that a moment (UTC epoch milliseconds) falls on in an IANA time zone.
 * @throws RangeError when the zone is unknown.
 */
export function dayIn(timeZone: string, at: number): string {
  let zone = zones.get(timeZone)
  if (!zone) {
    // en-CA writes dates as ISO 8601 does.
    const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    zone = { format, quarter: Number.NaN, day: '' }
    if (zones.size >= ZONES_MAX) zones.clear()
    zones.set(timeZone, zone)
  }
  // Every zone's offset is a multiple of 15 minutes, so a day never changes within a quarter of an hour.
  const quarter = Math.floor(at / QUARTER_HOUR_MS)
  if (zone.quarter !== quarter) {
    zone.day = zone.format.format(at)
    zone.quarter = quarter
  }
  return zone.day
}
