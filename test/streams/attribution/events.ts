import type { Campaign, RegistryEntry, Shop, TransactionTrust } from '../../../schemas/records/entities.ts'
import type {
  Emission,
  EventCorrection,
  JudgedEvent,
  PageView,
  Proof,
  Transaction,
  TransactionReturn,
} from '../../../schemas/records/events.ts'
import { NO_DISPLAY } from '../../../services/domain/campaign/campaign.ts'
import { UNKNOWN_CLIENT } from '../../../services/domain/identity/client-hashes.ts'

/** Complete records for attribution tests, from the few fields that matter to them. */
export const T0 = 1_760_000_000_000
export const HOUR = 3_600_000

export interface TouchFields {
  eventId: string
  type?: 'VIEW' | 'CLICK'
  verdict?: JudgedEvent['verdict']
  cid: string
  uid?: string | null
  shopId?: string
  at: number
  adId: string
  itemGroupId?: string | null
  campaignId?: string
  kind?: 'SPONSORED' | 'DISPLAY'
}

export function touch(fields: TouchFields): JudgedEvent {
  return {
    eventId: fields.eventId,
    type: fields.type ?? 'CLICK',
    cid: fields.cid,
    uid: fields.uid ?? null,
    occurredAt: fields.at,
    receivedAt: fields.at,
    bot: false,
    proof: 'ANONYMOUS',
    ...UNKNOWN_CLIENT,
    invalidReason: null,
    marks: [],
    verdict: fields.verdict ?? 'VALID',
    billedMicros: 0,
    sourcePartition: 0,
    sourceOffset: 0,
    claims: {
      kind: fields.kind ?? 'SPONSORED',
      requestId: 'request',
      shopId: fields.shopId ?? 'shop',
      slotHash: 'slot',
      adUnitId: 'unit',
      campaignId: fields.campaignId ?? 'campaign',
      accountId: 'account',
      adId: fields.adId,
      itemGroupId: fields.itemGroupId ?? null,
      cid: fields.cid,
      uid: null,
      algorithm: 'BESTSELLERS',
      position: 1,
      priceMicros: 100_000,
      currency: 'EUR',
      autoPromo: false,
      country: null,
      emittedAt: fields.at,
    },
  }
}

/** @param fields those of the event that is voided. */
export function correction(fields: TouchFields): EventCorrection {
  const { eventId, type, cid, occurredAt, claims } = touch(fields)
  const { shopId, campaignId, accountId, currency } = claims
  const ofEvent = { eventId, type, cid, occurredAt, shopId, campaignId, accountId, currency }
  const decision = { correctionId: 'correction', reason: '', correctedBy: 'account', correctedAt: occurredAt }
  return { ...ofEvent, ...decision, creditedMicros: 0 }
}

export interface PurchaseFields {
  eventId: string
  kind?: Transaction['kind']
  cid: string
  uid?: string | null
  shopId?: string
  at: number
  /** Default: `at`. */
  receivedAt?: number
  imported?: boolean
  proof?: Proof
  /** Each product costs 10. A number is its quantity. */
  products: (string | [id: string, quantity: number])[]
}

export function purchase(fields: PurchaseFields): Transaction {
  return {
    eventId: fields.eventId,
    kind: fields.kind ?? 'PURCHASE',
    shopId: fields.shopId ?? 'shop',
    cid: fields.cid,
    uid: fields.uid ?? null,
    currency: 'EUR',
    locale: null,
    occurredAt: fields.at,
    receivedAt: fields.receivedAt ?? fields.at,
    imported: fields.imported ?? false,
    lines: fields.products.map((product) => ({
      shopProductId: typeof product === 'string' ? product : product[0],
      priceMicros: 10_000_000,
      quantity: typeof product === 'string' ? 1 : product[1],
      productTitle: null,
      brand: null,
      sellerId: null,
    })),
    proof: fields.proof ?? 'ANONYMOUS',
  }
}

export interface ReturnFields {
  returnId: string
  eventId: string
  shopId?: string
  at: number
  lines?: [id: string, quantity: number][]
}

export function returned(fields: ReturnFields): TransactionReturn {
  const { returnId, eventId, shopId = 'shop', at, lines = [] } = fields
  return {
    ...{ returnId, shopId, eventId, reason: null, returnedBy: 'account', occurredAt: at, receivedAt: at },
    lines: lines.map(([shopProductId, quantity]) => ({ shopProductId, quantity })),
  }
}

export function pageView(fields: {
  id: string
  cid: string
  uid: string | null
  shopId?: string
  at: number
  receivedAt?: number
  proof?: Proof
}): PageView {
  const { id, cid, uid, at, receivedAt = at, proof = 'ANONYMOUS' } = fields
  const none = { shopProductId: null, gclid: null, utmSource: null, utmMedium: null, utmCampaign: null }
  const shopId = fields.shopId ?? 'shop'
  return { id, shopId, cid, uid, referer: 'https://shop.example/', ...none, occurredAt: at, receivedAt, proof }
}

export function emission(fields: {
  id: string
  cid: string
  uid: string | null
  shopId?: string
  at: number
}): Emission {
  return {
    requestId: fields.id,
    shopId: fields.shopId ?? 'shop',
    kind: 'SPONSORED',
    cid: fields.cid,
    uid: fields.uid,
    occurredAt: fields.at,
    country: null,
    elapsedMicros: 1,
    slots: [],
    phrases: [],
    lifts: [],
  }
}

export function campaign(fields: {
  id?: string
  version: number
  at: number
  list: string[]
  shopId?: string
}): RegistryEntry {
  const body: Campaign = {
    kind: 'SPONSORED',
    accountId: 'account',
    shopId: fields.shopId ?? 'shop',
    name: 'name',
    startAt: 0,
    endAt: null,
    status: 'ACTIVE',
    budgetMicros: 1,
    dailyBudgetMicros: null,
    pacing: 'ASAP',
    capping: null,
    attributionProductIds: fields.list,
    productIds: [],
    productRule: null,
    cpcMicros: 1,
    autoPromo: false,
    archivedAt: null,
    ...NO_DISPLAY,
  }
  const { version, at } = fields
  return {
    kind: 'Campaign',
    id: fields.id ?? 'campaign',
    version,
    updatedAt: at,
    updatedBy: 'x',
    deletedAt: null,
    body,
  }
}

export function shop(fields: {
  id?: string
  version: number
  at?: number
  clickWindowHours: number
  viewWindowHours: number
  transactionTrust?: TransactionTrust
}): RegistryEntry {
  const body: Shop = {
    accountId: 'account',
    name: 'name',
    currency: 'EUR',
    lang: 'en',
    country: 'DE',
    timeZone: 'Europe/Berlin',
    clickWindowHours: fields.clickWindowHours,
    viewWindowHours: fields.viewWindowHours,
    reserveCpcMicros: 0,
    transactionTrust: fields.transactionTrust ?? 'OPEN',
    invalidTraffic: [],
    synonyms: '',
  }
  const { version, at = T0 } = fields
  return { kind: 'Shop', id: fields.id ?? 'shop', version, updatedAt: at, updatedBy: 'x', deletedAt: null, body }
}
