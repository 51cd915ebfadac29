import type { Campaign } from '../../../schemas/records/entities.ts'
import type { AdEvent, ShowIdClaims } from '../../../schemas/records/events.ts'
import { TRAFFIC_RULES } from '../../../schemas/records/traffic-rules.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { NO_DISPLAY } from '../../../services/domain/campaign/campaign.ts'
import { UNKNOWN_CLIENT } from '../../../services/domain/identity/client-hashes.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import type { DecodedRecord } from '../../../streams/runtime/pipeline/outcome.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const SHOP_ID = 'aaaaaaaa-1111-4111-8111-111111111111'
/** 12:00 in Warsaw. */
export const NOON = Date.UTC(2026, 2, 10, 11)

export function campaignBody(change: Partial<Campaign> = {}): Campaign {
  return {
    kind: 'SPONSORED',
    accountId: 'account',
    shopId: SHOP_ID,
    name: 'Spring',
    startAt: 0,
    endAt: null,
    status: 'ACTIVE',
    budgetMicros: 1_000_000_000,
    dailyBudgetMicros: null,
    pacing: 'ASAP',
    capping: null,
    attributionProductIds: [],
    productIds: ['p1'],
    productRule: null,
    cpcMicros: 500_000,
    autoPromo: false,
    archivedAt: null,
    ...NO_DISPLAY,
    ...change,
  }
}

export function snapshotOf(campaigns: Record<string, Partial<Campaign>>, timeZone = 'Europe/Warsaw'): Snapshot {
  const snapshot = new Snapshot()
  const entry = { version: 1, updatedAt: 0, updatedBy: 'account', deletedAt: null }
  snapshot.apply({
    ...entry,
    kind: 'Shop',
    id: SHOP_ID,
    body: {
      accountId: 'account',
      name: 'Shop',
      currency: 'PLN',
      lang: 'pl',
      country: 'PL',
      timeZone,
      clickWindowHours: 336,
      viewWindowHours: 24,
      reserveCpcMicros: 0,
      transactionTrust: 'OPEN',
      invalidTraffic: [],
      synonyms: '',
    },
  })
  for (const [id, change] of Object.entries(campaigns)) {
    snapshot.apply({ ...entry, kind: 'Campaign', id, body: campaignBody(change) })
  }
  return snapshot
}

export function claimsOf(change: Partial<ShowIdClaims> = {}): ShowIdClaims {
  return {
    kind: 'SPONSORED',
    requestId: 'request',
    shopId: SHOP_ID,
    slotHash: 'slot',
    adUnitId: 'unit',
    campaignId: 'c',
    accountId: 'account',
    adId: 'p1',
    itemGroupId: null,
    cid: 'cid',
    uid: null,
    algorithm: 'BESTSELLERS',
    position: 1,
    priceMicros: 400_000,
    currency: 'PLN',
    autoPromo: false,
    country: 'PL',
    emittedAt: NOON,
    ...change,
  }
}

/** All rules against invalid traffic, switched off. */
export const RULES_OFF = TRAFFIC_RULES.map((rule) => ({ rule, mode: 'OFF' as const, max: null }))

let ids = 0
export function eventOf(change: Partial<AdEvent> = {}, claims: Partial<ShowIdClaims> = {}): AdEvent {
  const occurredAt = change.occurredAt ?? NOON
  ids += 1
  return {
    eventId: `event ${ids}`,
    type: 'CLICK',
    cid: 'cid',
    uid: null,
    receivedAt: occurredAt,
    bot: false,
    proof: 'ANONYMOUS',
    ...UNKNOWN_CLIENT,
    ...change,
    occurredAt,
    claims: claimsOf({ requestId: `request ${ids}`, ...claims }),
  }
}

export function recordsOf(events: readonly AdEvent[], firstOffset = 0): DecodedRecord<AdEvent>[] {
  return events.map((value, i) => ({
    topic: 'ad-events',
    partition: 0,
    offset: firstOffset + i,
    key: value.claims.campaignId,
    value,
    bytes: encode('AdEvent', value),
    appendedAt: value.receivedAt,
  }))
}
