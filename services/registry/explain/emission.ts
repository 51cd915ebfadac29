import type { Analytics } from '../../../infra/analytics/port.ts'
import {
  type EmissionEventRow,
  type EmissionRow,
  emissionEventsQuery,
  emissionQuery,
} from '../../../infra/analytics/queries/explain/emission.ts'
import { readClosedUntil } from '../../../infra/analytics/retention/closed-months.ts'
import type { EmittedAd, EmittedSlot } from '../../../schemas/records/events.ts'
import { fromMicros } from '../../domain/money/money.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { scopeOf } from '../reports/scope.ts'
import { toIso } from '../resources/conversions.ts'
import type { Principal } from '../rights/auth.ts'
import { namesFor, type Pseudonyms } from './pseudonyms.ts'
import { whyNotShown, whyShort, whyVerdict } from './reasons.ts'

/** Explains an ad request: how it was answered, and what became of its ads. Null when there is none that the caller may see. */
export async function explainEmission(
  { analytics, snapshot, pseudonyms }: { analytics: Analytics; snapshot: Snapshot; pseudonyms: Pseudonyms },
  { principal, requestId }: { principal: Principal; requestId: string },
) {
  const shopIds = scopeOf(snapshot, principal, {}).shops.map(({ id }) => id)
  const from = Math.max(0, await readClosedUntil(analytics))
  const find = emissionQuery({ requestId, shopIds, from })
  const [emission] = await analytics.query<EmissionRow>(find.sql, find.params)
  if (!emission) return null
  const isVisible = visibleAd(snapshot, principal)
  const slots = withLifts(emission).map((slot) => ({
    ...slot,
    ads: slot.ads.filter(isVisible),
    dropped: slot.dropped.filter(isVisible),
  }))
  // Advertisers see only requests that concern ads of their own.
  const hasOwn = slots.some(({ ads, dropped }) => ads.length + dropped.length > 0)
  if (principal.role === 'ADVERTISER' && !hasOwn) return null
  const happened = emissionEventsQuery(emission)
  const events = await analytics.query<EmissionEventRow>(happened.sql, happened.params)
  const { shopId, kind, cid, uid, occurredAt, country, elapsedMicros } = emission
  const names = namesFor(principal, pseudonyms)
  return {
    requestId,
    shopId,
    shopName: nameOf(snapshot, 'Shop', shopId),
    kind,
    clientId: names.person(shopId, cid),
    userId: names.person(shopId, uid),
    occurredAt: toIso(occurredAt),
    country,
    elapsedMs: elapsedMicros / 1000,
    slots: slots.map((slot) => slotView(snapshot, slot, { kind, events })),
  }
}

interface LiftedAd extends EmittedAd {
  /** The factor by which its predicted click rate was multiplied. */
  lift: number
}
type LiftedSlot = Omit<EmittedSlot, 'ads'> & { ads: LiftedAd[] }

function withLifts({ slots, lifts }: EmissionRow): LiftedSlot[] {
  const rest = lifts.values()
  return slots.map((slot) => ({ ...slot, ads: slot.ads.map((ad) => ({ ...ad, lift: rest.next().value ?? 1 })) }))
}

/** Advertisers see only their own ads, because they must not learn what others bid. */
function visibleAd(snapshot: Snapshot, { role, accountId }: Principal) {
  return ({ campaignId }: { campaignId: string }) =>
    role !== 'ADVERTISER' || snapshot.getEver('Campaign', campaignId)?.body.accountId === accountId
}

function slotView(
  snapshot: Snapshot,
  slot: LiftedSlot,
  { kind, events }: { kind: string; events: readonly EmissionEventRow[] },
) {
  const { slotHash, adUnitId, algorithm, candidates, shortfall, ads, dropped } = slot
  const campaignName = (id: string) => nameOf(snapshot, 'Campaign', id)
  return {
    slotHash,
    adUnitId,
    adUnitName: nameOf(snapshot, 'AdUnit', adUnitId),
    algorithm,
    candidates,
    shortfall,
    ...(shortfall === null ? {} : { why: whyShort(shortfall, candidates) }),
    ads: ads.map((ad) => ({
      ...adView(ad, kind),
      campaignName: campaignName(ad.campaignId),
      events: events
        .filter((event) => event.slotHash === slotHash && event.campaignId === ad.campaignId && event.adId === ad.adId)
        .map(eventView),
    })),
    dropped: dropped.map(({ campaignId, adId, relevance, bidMicros, reason }) => ({
      campaignId,
      campaignName: campaignName(campaignId),
      adId,
      relevance,
      bid: fromMicros(bidMicros),
      reason,
      why: whyNotShown(reason, kind),
    })),
  }
}

function adView({ bidMicros, priceMicros, ...ad }: LiftedAd, kind: string) {
  const bid = fromMicros(bidMicros)
  // Banners are paid per view, so no click rate is predicted.
  const rankScore = kind === 'DISPLAY' ? bid : ad.relevance * ad.predictedClickRate * bid
  return { ...ad, bid, price: fromMicros(priceMicros), rankScore }
}

function eventView({ eventId, type, verdict, billedMicros, occurredAt }: EmissionEventRow) {
  const billed = fromMicros(billedMicros)
  return { eventId, type, occurredAt: toIso(occurredAt), verdict, why: whyVerdict[verdict], billed }
}

function nameOf(snapshot: Snapshot, kind: 'Shop' | 'Campaign' | 'AdUnit', id: string): string | null {
  return snapshot.getEver(kind, id)?.body.name ?? null
}
