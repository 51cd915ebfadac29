import type { ShowIdClaims } from '../../../schemas/records/events.ts'

/** Keys of the counters that the judge raises and selection reads. */

/**
 * 1 when the counters are complete: they hold everything that was judged. The key is missing after the counters were emptied
 * or replaced, until everything is counted again; without it, a 0 does not mean that nothing was spent.
 */
export const COUNTERS_COMPLETE_KEY = 'whole'

/** Micros billed to a campaign since it began. */
export function spendKey(campaignId: string): string {
  return `spend/${campaignId}`
}

/** Micros billed to a campaign on one day of the shop (`dayIn`). */
export function dailySpendKey(campaignId: string, day: string): string {
  return `spend/${campaignId}/${day}`
}

/** Valid views of one ad on one day of the shop by one browser (`cid`) or one known person (`uid`). */
export function viewsKey(by: 'cid' | 'uid', ad: { campaignId: string; adId: string }, day: string, person: string) {
  // The length keeps apart ids that contain the separator themselves.
  return `views/${by}/${day}/${ad.campaignId}/${ad.adId.length}:${ad.adId}/${person}`
}

/** An ad that was shown once counts one view and one click: a repeated event has the same key. */
export function onceKey(
  type: 'VIEW' | 'CLICK',
  claims: Pick<ShowIdClaims, 'requestId' | 'campaignId' | 'adId'>,
): string {
  return `once/${type}/${claims.requestId}/${claims.campaignId}/${claims.adId}`
}

/** Counts the valid events that one browser sent, on one day of the shop, for ads that were given to other browsers. */
export function crossClientKey(shopId: string, day: string, cid: string): string {
  return `foreign/${day}/${shopId}/${cid}`
}

const QUARTER_HOUR_MS = 15 * 60_000
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
