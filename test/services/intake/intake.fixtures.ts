import { randomBytes, randomUUID } from 'node:crypto'
import type { Appender, NewRecord } from '../../../infra/event-log/port.ts'
import { topics } from '../../../schemas/topics.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import type { Limits } from '../../../services/domain/limits.ts'
import { createShowIds } from '../../../services/domain/show-id/show-id.ts'
import type { Snapshot } from '../../../services/domain/snapshot.ts'
import { createHttpServer } from '../../../services/http/server.ts'
import { intakeApp } from '../../../services/intake/app.ts'
import { createClientHasher } from '../../../services/intake/client/client-hasher.ts'
import { requestLimits } from '../../request-limits.ts'
import { claimsOf, SHOP_ID, snapshotOf } from '../../streams/judge/fixtures.ts'

/** 2026-03-10T12:00:00Z */
export const NOW = Date.UTC(2026, 2, 10, 12)
export const showIds = createShowIds({ keys: [{ id: 1, secret: randomBytes(32) }] })
export const CAMPAIGN_ID = '22222222-2222-4222-8222-222222222222'
export const clientHasher = createClientHasher({
  counters: { agree: async (_name, proposed) => proposed },
  now: () => NOW,
  randomBytes: () => Buffer.alloc(32, 7),
})
await clientHasher.refresh()
const ids = {
  slotHash: '33333333-3333-4333-8333-333333333333',
  adUnitId: '44444444-4444-4444-8444-444444444444',
  accountId: '55555555-5555-4555-8555-555555555555',
  campaignId: CAMPAIGN_ID,
}
export const showIdOf = (change: Parameters<typeof claimsOf>[0] = {}) =>
  showIds.seal(claimsOf({ ...ids, requestId: randomUUID(), ...change }))

/** Parts of bodies, and bodies, that are taken as they are. */
export const line = { shopProductId: 'p1', price: 19.99, quantity: 2 }
export const purchase = { eventId: 'order-1', kind: 'PURCHASE', shopId: SHOP_ID, currency: 'PLN', products: [line] }
export const pageView = { id: 'pv-1', referer: 'https://shop.example/p/1?q=ą', shopId: SHOP_ID }
/** As the deprecated endpoints take it. */
export const oldPurchase = { shopId: SHOP_ID, currency: 'PLN', products: [{ ...line, productTitle: 'Kettle' }] }

/** The endpoints of views and clicks, with the type of their events and the kind of their ads. */
export const adEndpoints = [
  ['/v1/dsa/view-event', 'VIEW', 'SPONSORED'],
  ['/v1/dsa/click-event', 'CLICK', 'SPONSORED'],
  ['/v1/banner/dsa/view-event', 'VIEW', 'DISPLAY'],
  ['/v1/banner/dsa/click-event', 'CLICK', 'DISPLAY'],
] as const

/** The intake over a log in memory, whose appends can be made to fail. `through` puts another appender between the two. */
export function intakeOverMemory(
  through: (log: Appender) => Appender = (log) => log,
  deps: {
    snapshot?: Snapshot
    bootstrapToken?: string
    now?: () => number
    limits?: Partial<Limits>
    limited?: string[]
    trustedProxies?: string[]
  } = {},
) {
  const { snapshot = snapshotOf({}), now = () => NOW, limits, limited, trustedProxies = [], ...others } = deps
  const stored: NewRecord[] = []
  const state = { failWith: null as Error | null, calls: 0 }
  const log = {
    async append(records: readonly NewRecord[]) {
      state.calls += 1
      if (state.failWith) throw state.failWith
      stored.push(...records)
      return []
    },
  }
  const server = createHttpServer({ logger: false, trustedProxies })
  let uuids = 0
  const uuid = () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`
  server.register(
    intakeApp({
      log: through(log),
      metrics: { eventsTaken() {}, repeatsLeftOut() {} },
      limits: requestLimits({ ...others, limits, limited, snapshot, now }),
      showIds,
      clientHasher,
      now,
      uuid,
      ...others,
      snapshot,
    }),
  )
  return {
    server,
    snapshot,
    state,
    /** The appended records, decoded, with topic and key. */
    records: () =>
      stored.map(({ topic, key, value }) => ({ topic, key, value: decode(topics[topic].record, value!) as object })),
    async post(url: string, body: unknown, headers: Record<string, string> = {}) {
      const response = await server.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', ...headers },
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      })
      return { status: response.statusCode, headers: response.headers, body: response.json() }
    },
  }
}
