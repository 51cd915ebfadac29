import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Analytics } from '../../../../infra/analytics/port.ts'
import type { IndexedProduct } from '../../../../infra/product-index/port.ts'
import type { EntityBodies, EntityKind, RegistryEntry } from '../../../../schemas/records/entities.ts'
import { hashToken } from '../../../../services/domain/identity/tokens.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createHttpServer, type HttpServer } from '../../../../services/http/server.ts'
import type { TitleIndex } from '../../../../services/registry/reports/names.ts'
import { type Authorize, createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { openNewAnalytics } from '../../../new-analytics.ts'

export const OPERATOR = 'the-bootstrap-token-of-the-tests-1234'

/** Later than all facts of the tests. */
export const AFTERWARDS = Date.parse('2027-01-01T00:00:00Z')

/** The attribution windows of each shop: hours after a click and after a view. */
export const WINDOWS = { click: 336, view: 24 }

/** Two publishers (three shops with different clocks and currencies) and two advertisers. Ids are readable. */
export const shops = {
  warsaw: { accountId: 'pub-a', timeZone: 'Europe/Warsaw', currency: 'PLN' },
  newYork: { accountId: 'pub-a', timeZone: 'America/New_York', currency: 'USD' },
  lordHowe: { accountId: 'pub-b', timeZone: 'Australia/Lord_Howe', currency: 'USD' },
} as const
export type ShopId = keyof typeof shops
export const shopIds = Object.keys(shops) as ShopId[]

export const campaigns: Record<string, { shopId: ShopId; accountId: string; display: boolean }> = {
  'c-warsaw-1': { shopId: 'warsaw', accountId: 'adv-1', display: false },
  'c-warsaw-2': { shopId: 'warsaw', accountId: 'adv-2', display: false },
  'c-warsaw-3': { shopId: 'warsaw', accountId: 'adv-1', display: true },
  'c-newYork-1': { shopId: 'newYork', accountId: 'adv-2', display: false },
  'c-newYork-2': { shopId: 'newYork', accountId: 'pub-a', display: false },
  'c-lordHowe-1': { shopId: 'lordHowe', accountId: 'adv-1', display: false },
  'c-lordHowe-2': { shopId: 'lordHowe', accountId: 'adv-1', display: true },
}

export const adUnits: Record<string, { shopId: ShopId; placementId: string; algorithm: string }> = Object.fromEntries(
  shopIds.flatMap((shopId) => [
    [`u-${shopId}-1`, { shopId, placementId: `p-${shopId}-1`, algorithm: 'CONTEXT_MATCH' }],
    [`u-${shopId}-2`, { shopId, placementId: `p-${shopId}-1`, algorithm: 'BESTSELLERS' }],
    [`u-${shopId}-3`, { shopId, placementId: `p-${shopId}-2`, algorithm: 'DISPLAY' }],
  ]),
)

/** Titles of products by shop and id. Other products are in no feed any more. */
export const titles = { 'warsaw/sku': 'Red shoes' }

export const tokens = {
  'pub-a': 'token-of-pub-a',
  'pub-b': 'token-of-pub-b',
  'adv-1': 'token-of-adv-1',
  'adv-2': 'token-of-adv-2',
}
export type Who = keyof typeof tokens | 'operator'

export interface World {
  analytics: Analytics
  snapshot: Snapshot
  index: TitleIndex
  authorize: Authorize
  /** Later than all facts, so that each of their hours and days is over. */
  now: () => number
  server: HttpServer
  /** A GET request as `who`. The answer is parsed if it is JSON, with spend and revenue as text. */
  get(path: string, who?: Who, headers?: Record<string, string>): Promise<Answer>
  /** Empties every table of events. */
  clear(): Promise<void>
  close(): Promise<void>
}

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as what the API says they are
  body: any
  headers: Record<string, unknown>
}

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown
/** Parses money as text, because a double may not hold all its digits. */
const parseExact = (text: string) =>
  JSON.parse(text, ((key, value, { source }) =>
    ['spend', 'creditedBack', 'revenue', 'returnedRevenue', 'netRevenue'].includes(key) && typeof value === 'number'
      ? source
      : value) as Reviver as () => unknown)

const EVENT_TABLES = [
  ...['emissions', 'judged_events', 'event_corrections', 'transactions', 'attributed_lines', 'credited_lines'],
  ...['report_counts', 'report_cells', 'report_closed_quarters', 'forgotten_rows'],
]

/** The registry above, an embedded store unless another store is given, and a server for the routes under test. */
export async function openWorld(given?: Analytics): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-reports-'))
  const analytics = given ?? (await openNewAnalytics({ folder }))
  const snapshot = registry()
  const authorize = createAuthorize({ snapshot, bootstrapToken: OPERATOR, now: () => 0 })
  const server = createHttpServer({ logger: false })
  let lastError: Error | undefined
  server.addHook('onError', async (_request, _reply, error) => {
    lastError = error
  })
  await analytics.insert('campaign_versions', campaignVersions(), { token: 'campaigns' })
  return {
    analytics,
    snapshot,
    index: titleIndex(titles),
    authorize,
    now: () => AFTERWARDS,
    server,
    async get(path, who = 'operator', headers = {}) {
      const token = who === 'operator' ? OPERATOR : tokens[who]
      const answer = await server.inject({ url: path, headers: { authorization: `Bearer ${token}`, ...headers } })
      if (answer.statusCode >= 500) throw new Error(`GET ${path} answered ${answer.statusCode}`, { cause: lastError })
      const isJson = /\/(problem\+)?json/.test(String(answer.headers['content-type']))
      return {
        status: answer.statusCode,
        body: isJson ? parseExact(answer.body) : answer.body,
        headers: answer.headers,
      }
    },
    async clear() {
      for (const table of EVENT_TABLES) await analytics.command(`TRUNCATE TABLE ${table}`)
    },
    async close() {
      await server.close()
      if (!given) await analytics.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** An index of products that have only a title, by shop and id. Records how many ids each call asked for. */
export function titleIndex(titles: Readonly<Record<string, string>>): TitleIndex & { asked: number[] } {
  const asked: number[] = []
  return {
    asked,
    async get(shopId, ids) {
      asked.push(ids.length)
      const found = ids.filter((id) => titles[`${shopId}/${id}`] !== undefined)
      return found.map((id) => ({ offer: { shopId, id, title: titles[`${shopId}/${id}`]! } }) as IndexedProduct)
    },
  }
}

/** Puts an entity into a snapshot, with only those fields that the test needs. */
export function apply<K extends EntityKind>(
  snapshot: Snapshot,
  kind: K,
  id: string,
  body: Partial<EntityBodies[K]>,
  deletedAt: number | null = null,
): void {
  snapshot.apply({ kind, id, version: 1, updatedAt: 0, updatedBy: 'test', deletedAt, body } as unknown as RegistryEntry)
}

function registry(): Snapshot {
  const snapshot = new Snapshot()
  for (const [accountId, token] of Object.entries(tokens)) {
    const kind = accountId.startsWith('pub') ? 'PUBLISHER' : 'ADVERTISER'
    apply(snapshot, 'Account', accountId, { kind, name: `Account ${accountId}` })
    const secretHash = hashToken(token)
    apply(snapshot, 'Token', `t-${accountId}`, {
      accountId,
      scopes: ['panel', 'import'],
      secretHash,
      expiresAt: null,
      revokedAt: null,
      createdBy: null,
    })
  }
  const settings = { clickWindowHours: WINDOWS.click, viewWindowHours: WINDOWS.view, invalidTraffic: [], synonyms: '' }
  for (const [id, shop] of Object.entries(shops))
    apply(snapshot, 'Shop', id, { ...shop, ...settings, name: `Shop ${id}` })
  for (const [id, { shopId, placementId, algorithm }] of Object.entries(adUnits)) {
    apply(snapshot, 'Placement', placementId, { shopId, name: `Placement ${placementId}` })
    apply(snapshot, 'AdUnit', id, { shopId, placementId, name: `Unit ${id}`, algorithm: algorithm as 'DISPLAY' })
  }
  // One campaign is deleted; history still has its name.
  for (const [id, { shopId, accountId }] of Object.entries(campaigns)) {
    const body = { shopId, accountId, name: `Campaign ${id}`, banners: [] }
    apply(snapshot, 'Campaign', id, body, id === 'c-warsaw-2' ? 1 : null)
  }
  return snapshot
}

function campaignVersions() {
  return Object.entries(campaigns).map(([campaignId, { shopId, accountId }], i) => ({
    _topic: 'registry',
    _partition: 0,
    _offset: i,
    campaignId,
    version: 1,
    shopId,
    accountId,
    updatedAt: 0,
    attributionProductIds: [],
  }))
}
