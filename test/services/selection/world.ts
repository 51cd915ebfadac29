import { randomUUID } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import type { IndexedProduct, ProductIndex } from '../../../infra/product-index/port.ts'
import type { Account } from '../../../schemas/records/accounts.ts'
import type {
  AdUnit,
  Algorithm,
  Campaign,
  EntityBodies,
  EntityKind,
  RegistryEntry,
  Shop,
} from '../../../schemas/records/entities.ts'
import type { Emission } from '../../../schemas/records/events.ts'
import type { ProductOffer, ProductSignals } from '../../../schemas/records/records.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { NO_DISPLAY } from '../../../services/domain/campaign/campaign.ts'
import type { Limits } from '../../../services/domain/limits.ts'
import { RESERVATION_MS } from '../../../services/domain/money/in-flight.ts'
import { createShowIds } from '../../../services/domain/show-id/show-id.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createHttpServer } from '../../../services/http/server.ts'
import { noLifts, type PhraseLiftsView } from '../../../services/replicas/lifts-follower.ts'
import { unknownTraffic } from '../../../services/replicas/traffic-follower.ts'
import { selectionApp } from '../../../services/selection/http/app.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { requestLimits } from '../../request-limits.ts'
import { waitFor } from '../../wait-for.ts'
import { bruteForceIndex } from './brute-force-index.ts'
import { fakeCounters, fakeLog } from './fakes.ts'

/** A shop with an ad unit for every algorithm, its clock, and fakes of the engines, behind the HTTP server. */

export const NOW = Date.parse('2026-05-01T12:00:00Z')
export const PUBLIC_URL = 'https://ads.example'
export const DAY_MS = 86_400_000
/** Waits of 10 ms each: the limit ends the wait for counters that do not answer. */
const RENEWAL_WAITS_MAX = 100
const FEED_ID = '00000000-0000-4000-8000-0000000000fe'

export interface Ad {
  adUnitId: string
  systemProductId: string
  shopProductId: string
  productTitle: string
  productPrice: number
  productSalePrice?: number
  showId: string
  requestId: string
  slotHash: string
  autoPromo: boolean
  productData?: Record<string, unknown>
  [field: string]: unknown
}
export interface Answer {
  data: { slotHash: string; ads: Ad[] }[]
  meta: null
  clientId: string
}

export interface AskOptions {
  headers?: Record<string, string>
  query?: string
  /** The address of the socket. */
  address?: string
}

export type World = Awaited<ReturnType<typeof createWorld>>

export async function createWorld(
  options: {
    index?: ProductIndex
    deadlineMs?: number
    shop?: Partial<Shop>
    clickRate?: number
    lifts?: PhraseLiftsView
    limits?: Partial<Limits>
  } = {},
) {
  const { clickRate = unknownTraffic.clickRate('') } = options
  const snapshot = new Snapshot()
  const put = <K extends EntityKind>(kind: K, body: EntityBodies[K], id: string = randomUUID()) => {
    const version = (snapshot.getEver(kind, id)?.version ?? 0) + 1
    const entry = { kind, id, version, updatedAt: NOW, updatedBy: '', deletedAt: null, body } as RegistryEntry
    snapshot.apply(entry)
    return id
  }
  const remove = (kind: EntityKind, id: string) => {
    const entry = snapshot.getEver(kind, id)!
    snapshot.apply({ ...entry, version: entry.version + 1, deletedAt: NOW } as RegistryEntry)
  }

  const account: Account = {
    kind: 'ADVERTISER',
    name: 'Lamps & Co',
    companyName: 'Lamps and Company GmbH',
    taxNumber: 'DE123',
    sellerIds: ['s1', 's2'],
    displayEnabled: false,
  }
  const accountId = put('Account', account)
  const shopBody: Shop = {
    accountId,
    name: 'Shop',
    currency: 'EUR',
    lang: 'en',
    country: 'DE',
    timeZone: 'Europe/Berlin',
    clickWindowHours: 336,
    viewWindowHours: 24,
    reserveCpcMicros: 10_000,
    transactionTrust: 'OPEN',
    invalidTraffic: [],
    synonyms: '',
    ...options.shop,
  }
  const shopId = put('Shop', shopBody)
  const units = new Map<Algorithm, string>()

  const products: IndexedProduct[] = []
  const index = options.index ?? bruteForceIndex(products)
  const counters = fakeCounters()
  counters.judgeWatermark = () => world.now
  const log = fakeLog()
  const showIds = createShowIds({ keys: [{ id: 1, secret: Buffer.alloc(32, 1) }] })
  const selections: { shortfalls: readonly string[] }[] = []
  const world = {
    now: NOW,
    /** By how much the clock was set back. Durations go on as if it had not been. */
    setBackMs: 0,
    lost: 0,
    snapshot,
    put,
    remove,
    accountId,
    shopId,
    shop: shopBody,
    products,
    index,
    counters,
    log,
    showIds,
    selections,
    /** The ad unit of an algorithm. */
    unit(algorithm: Algorithm, changes: Partial<AdUnit> = {}): string {
      const known = Object.keys(changes).length === 0 ? units.get(algorithm) : undefined
      if (known) return known
      const body: AdUnit = {
        placementId: randomUUID(),
        shopId,
        name: algorithm,
        algorithm,
        status: 'ACTIVE',
        adFormatIds: [],
        targeting: [],
        ...changes,
      }
      const id = put('AdUnit', body)
      if (Object.keys(changes).length === 0) units.set(algorithm, id)
      return id
    },
    campaign(changes: Partial<Campaign> = {}, id?: string): string {
      return put('Campaign', { ...sponsored(shopId, accountId), ...changes }, id)
    },
    /** Adds an offer that these campaigns promote. */
    offer(campaignIds: string[], changes: Partial<ProductOffer> = {}, signals: Partial<ProductSignals> | null = null) {
      const offer = makeOffer(shopId, { id: `p${products.length + 1}`, ...changes })
      const made = signals && {
        shopId,
        id: offer.id,
        popularity: 0,
        views: 0,
        clicks: 0,
        alsoBought: [],
        computedAt: NOW,
        ...signals,
      }
      products.push({ offer, campaignIds, signals: made })
      return offer.id
    },
    async ask(targeting: object[], request: AskOptions = {}): Promise<LightMyRequestResponse> {
      await seenTime()
      return server.inject({
        method: 'POST',
        url: `/v1/dsa/raw/batch${request.query ?? ''}`,
        headers: { 'content-type': 'application/json', ...request.headers },
        payload: { targeting },
        ...(request.address === undefined ? {} : { remoteAddress: request.address }),
      })
    },
    /** The ads of the requested slots. */
    async ads(targeting: object[], request: AskOptions = {}): Promise<Ad[][]> {
      const answer = await world.ask(targeting, request)
      if (answer.statusCode !== 200) throw new Error(answer.body)
      return answer.json<Answer>().data.map(({ ads }) => ads)
    },
    /** Feed ids of the ads in one slot. */
    async ids(algorithm: Algorithm, targeting: object = {}, request: AskOptions = {}): Promise<string[]> {
      const [ads] = await world.ads([{ slotHash: world.unit(algorithm), adCount: 10, ...targeting }], request)
      return ads!.map((ad) => ad.shopProductId)
    },
    async askDisplay(targeting: object[], request: AskOptions = {}): Promise<LightMyRequestResponse> {
      return server.inject({
        method: 'POST',
        url: '/v1/banner/dsa/raw/batch',
        headers: { 'content-type': 'application/json', ...request.headers },
        payload: { targeting },
      })
    },
    async emissionInfo(body: object): Promise<LightMyRequestResponse> {
      return server.inject({ method: 'POST', url: '/v1/dsa/emissionInfo', payload: body })
    },
    async displayEmissionInfo(body: object): Promise<LightMyRequestResponse> {
      return server.inject({ method: 'POST', url: '/v1/banner/dsa/emissionInfo', payload: body })
    },
    /** Emissions in the log, once all are written. */
    async emissions(): Promise<Emission[]> {
      await waitFor(() => selection.emissionsQueued() === 0)
      return log.records.map(({ value }) => decode('Emission', value!))
    },
    /** Waits until the background turns have read the current values of the counters. */
    refreshed: () => waitFor(turnsTaken()),
    close: () => server.close(),
  }

  /** Returns a check whether a background turn has been completed that began after this call. */
  function turnsTaken(): () => boolean {
    const { turns } = counters
    return () => counters.turns >= turns + 2
  }

  let seenNow = world.now
  /** After a jump of the clock that ends the budget leases, waits until the background has had time to renew them. */
  async function seenTime(): Promise<void> {
    if (world.now - seenNow < RESERVATION_MS) return
    seenNow = world.now
    const seen = turnsTaken()
    for (let waits = 0; waits < RENEWAL_WAITS_MAX && !seen(); waits++)
      await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const server = createHttpServer({ logger: false })
  const selection = selectionApp({
    snapshot,
    limits: requestLimits({ snapshot, limits: options.limits, now: () => world.now }),
    index,
    counters,
    log,
    showIds,
    now: () => world.now,
    elapsedMicros: () => (world.now + world.setBackMs) * 1000,
    uuid: randomUUID,
    deadlineMs: options.deadlineMs ?? 5_000,
    publicUrl: PUBLIC_URL,
    traffic: { ...unknownTraffic, clickRate: () => clickRate },
    lifts: options.lifts ?? noLifts,
    metrics: {
      adsSelected: (selected) => selections.push(selected),
      emissionsLost: (count) => {
        world.lost += count
      },
    },
  })
  await server.register(selection.plugin)
  await server.ready()
  return world
}

export function sponsored(shopId: string, accountId: string): Campaign {
  return {
    kind: 'SPONSORED',
    accountId,
    shopId,
    name: 'Campaign',
    startAt: NOW - DAY_MS,
    endAt: NOW + DAY_MS,
    status: 'ACTIVE',
    budgetMicros: 100_000_000,
    dailyBudgetMicros: null,
    pacing: 'ASAP',
    capping: null,
    attributionProductIds: [],
    productIds: [],
    productRule: null,
    cpcMicros: 500_000,
    autoPromo: false,
    archivedAt: null,
    ...NO_DISPLAY,
  }
}

export const makeOffer = (shopId: string, changes: Partial<ProductOffer> & { id: string }): ProductOffer =>
  anOffer({
    shopId,
    feedId: FEED_ID,
    title: `Product ${changes.id}`,
    imageLink: `https://img.example/a/${changes.id}.jpg`,
    digest: '',
    updatedAt: NOW,
    ...changes,
  })
