import { personShard } from '../../../infra/counters/shards.ts'
import { HOUR_MS } from '../../../schemas/durations.ts'
import type { SpendCheckpoint } from '../../../schemas/records/records.ts'
import type { TrafficRuleName } from '../../../schemas/records/traffic-rules.ts'
import type { JudgedEventReader } from '../../../schemas/wire/judged-event.ts'
import {
  capReservationKey,
  crossClientKey,
  dailySpendKey,
  dayIn,
  spendKey,
  thousandthsKey,
  viewsKey,
} from '../../../services/domain/money/counter-keys.ts'
import { bucketOf, endOfFlight, settledKey } from '../../../services/domain/money/in-flight.ts'
import type { SharedBy } from '../counted/owners.ts'
import { COUNTED, type Counted, WINDOWS_MS, type Window } from '../counted/windows.ts'
import { isInSpend } from '../spend/restore.ts'
import { seenKey, unitViewsGroup } from '../traffic.ts'
import { chargeOf, type Terms } from '../verdict.ts'
import type { PageCounts } from './page-counts.ts'

const THOUSANDTHS = 1_000

/** The campaign of an event, and the shop that it belongs to. */
export interface CountedCampaign {
  shopId: string
  shard: number
  /** True when the event is in another partition than that of its campaign's shard, from when there were fewer partitions. */
  hasMoved: boolean
  terms: Pick<Terms, 'capping' | 'timeZone'>
  /** The checkpoint that its spend was restored from. */
  spent: SpendCheckpoint | undefined
}

/** Whether an event has changed any counter. The campaign of an event that has not may be unknown. */
export function isCounted({ verdict }: JudgedEventReader): boolean {
  return verdict !== 'BOT' && verdict !== 'EXPIRED' && verdict !== 'DUPLICATE'
}

/** Whether the windows that count the event are still open. */
export const isInWindow = ({ receivedAt }: JudgedEventReader, now: number): boolean => receivedAt > now - WINDOWS_MS

/**
 * Adds what a counted event has changed, by its verdict alone. These are the changes of the step that judged the event (`verdict.ts`),
 * made without checking its limits. A test compares the two.
 */
export function countEvent(event: JudgedEventReader, campaign: CountedCampaign, page: PageCounts): void {
  const ofCampaign = page.isNew(event.sourceOffset, campaign.shard)
  if (ofCampaign) countSeen(event, campaign, page)
  if (event.verdict !== 'VALID') return
  countPeople(event, campaign, page)
  if (ofCampaign) {
    countCaps(event, campaign, page)
    countSpend(event, campaign, page)
  }
}

function countSeen(event: JudgedEventReader, { shard, terms }: CountedCampaign, page: PageCounts): void {
  const { type, emittedAt } = event
  const { campaignId, adId, requestId } = event
  page.see(shard, seenKey(type, { requestId, emittedAt, campaignId, adId }))
  // An older reservation has expired, unless the judge is as far behind: then it lasts until the judge watermark gets there.
  if (type !== 'VIEW' || terms.capping === null || emittedAt < page.now - HOUR_MS) return
  const day = dayIn(terms.timeZone, emittedAt)
  const ad = { campaignId, adId }
  const uid = event.claimsUid
  page.release(shard, { key: capReservationKey('cid', ad, day, event.claimsCid), holder: requestId })
  if (uid) page.release(shard, { key: capReservationKey('uid', ad, day, uid), holder: requestId })
}

function countCaps(event: JudgedEventReader, { shard, terms }: CountedCampaign, page: PageCounts): void {
  if (event.type !== 'VIEW' || terms.capping === null) return
  const day = dayIn(terms.timeZone, event.occurredAt)
  const { uid, campaignId, adId } = event
  const ad = { campaignId, adId }
  page.add(viewsKey(shard, 'cid', ad, day, event.cid), 1)
  if (uid) page.add(viewsKey(shard, 'uid', ad, day, uid), 1)
}

function countSpend(event: JudgedEventReader, campaign: CountedCampaign, page: PageCounts): void {
  const { micros, thousandths } = chargeOf(event.type, event)
  if (micros === 0 && thousandths === 0) return
  const { shard, hasMoved, terms, spent } = campaign
  const { campaignId, emittedAt, receivedAt, occurredAt, sourceOffset } = event
  const carried = event.billedMicros > micros ? 1 : 0
  const billedMicros = micros + carried
  if (!isInSpend(spent, { of: 'sourceOffset', at: sourceOffset, hasMoved })) {
    page.add(spendKey(shard, campaignId), billedMicros)
    page.add(thousandthsKey(shard, campaignId), thousandths - carried * THOUSANDTHS)
  }
  page.add(dailySpendKey(shard, campaignId, dayIn(terms.timeZone, occurredAt)), billedMicros)
  const bucket = bucketOf(emittedAt)
  if (event.type === 'VIEW' && receivedAt < endOfFlight(bucket))
    page.add(settledKey(shard, campaignId, bucket), billedMicros)
}

/** Counts what belongs to people, addresses and ad units, whichever shards they are in. */
function countPeople(event: JudgedEventReader, { terms }: CountedCampaign, page: PageCounts): void {
  const { type, sourceOffset: offset } = event
  const { positions } = page
  if (!event.isOwn && !(event.uid && event.uid === event.claimsUid)) {
    const { cid, shopId } = event
    const shard = personShard(cid, positions.length)
    const day = dayIn(terms.timeZone, event.occurredAt)
    if (page.isNew(offset, shard)) page.add(crossClientKey(shard, shopId, day, cid), 1)
  }
  if (!event.hasAddress) return
  if (isInWindow(event, page.now)) countWindows(event, page)
  if (type !== 'VIEW') return
  const { adUnitId, receivedAt } = event
  const shard = personShard(adUnitId, positions.length)
  if (page.isNew(offset, shard)) page.add({ shard, group: unitViewsGroup(receivedAt), id: adUnitId }, 1)
  page.people.saw(event.cid, event.receivedAt, { offset, positions })
}

/** Counts what the rules against invalid traffic count, except the rules that the event is marked by. */
function countWindows(event: JudgedEventReader, page: PageCounts): void {
  const { type, kind, autoPromo, receivedAt, marks, sourceOffset, shopId, cid } = event
  const { owners, windows } = page
  const { agentHash, networkHash } = event
  const windowOf = (by: SharedBy, name: string) => windows.of(owners.owner(by, shopId, name), receivedAt)
  const address = windowOf('address', event.addressHash!)
  const agent = agentHash === null ? null : windowOf('agent', agentHash)
  const network = networkHash === null ? null : windowOf('network', networkHash)
  const count = (window: Window | null, counted: Counted, rule?: TrafficRuleName) => {
    if (window === null || !page.isNew(sourceOffset, windows.shard(window))) return
    if (rule === undefined || !marks.includes(rule)) windows.add(window, counted, 1)
  }
  if (type === 'CLICK') {
    count(address, COUNTED.clicks, 'ADDRESS_CLICKS')
    count(agent, COUNTED.clicks, 'AGENT_CLICKS')
    count(network, COUNTED.clicks, 'NETWORK_CLICKS')
    count(windowOf('cid', cid), COUNTED.clicks, 'CID_CLICKS')
    return
  }
  const acquaintance = page.people.acquaintance(cid, receivedAt)
  if (kind === 'DISPLAY' && !autoPromo) {
    count(windowOf('cid', cid), COUNTED.views, 'CID_VIEWS')
    if (acquaintance === 'FIRST') count(address, COUNTED.people, 'ADDRESS_PEOPLE')
    if (acquaintance !== 'KNOWN') count(address, COUNTED.views, 'ADDRESS_VIEWS')
  }
  const counted = acquaintance === 'KNOWN' ? COUNTED.known : COUNTED.new
  for (const each of [address, agent, network]) count(each, counted)
}
