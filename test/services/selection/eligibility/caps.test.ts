import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { capReservationKey, viewsKey } from '../../../../services/domain/money/counter-keys.ts'
import { RESERVATION_MS } from '../../../../services/domain/money/in-flight.ts'
import { createHttpServer, type HttpServer } from '../../../../services/http/server.ts'
import { noLifts } from '../../../../services/replicas/lifts-follower.ts'
import { unknownTraffic } from '../../../../services/replicas/traffic-follower.ts'
import { selectionApp } from '../../../../services/selection/http/app.ts'
import { requestLimits } from '../../../request-limits.ts'
import { createWorld, PUBLIC_URL, type World } from '../world.ts'

const REQUESTS = 200
const CAP = 3

/** Two selection processes that share one set of counters. */
let world: World
let other: HttpServer
let campaignId: string
beforeEach(async () => {
  world = await createWorld()
  other = createHttpServer({ logger: false })
  const app = selectionApp({
    ...world,
    limits: requestLimits({ snapshot: world.snapshot }),
    now: () => world.now,
    elapsedMicros: () => 0,
    uuid: randomUUID,
    deadlineMs: 5_000,
    publicUrl: PUBLIC_URL,
    traffic: unknownTraffic,
    lifts: noLifts,
    metrics: { adsSelected: () => {}, emissionsLost: () => {} },
  })
  await other.register(app.plugin)
  await other.ready()
  campaignId = world.campaign({ capping: CAP })
  world.offer([campaignId])
})
afterEach(() => Promise.all([world.close(), other.close()]))

/** Request ids of the ads shown for so many concurrent requests, to both processes in turn. */
async function shown(count: number, headersOf: (i: number) => Record<string, string>): Promise<string[]> {
  const targeting = [{ slotHash: world.unit('BESTSELLERS'), adCount: 1 }]
  const answers = await Promise.all(
    Array.from({ length: count }, (_, i) => {
      const headers = { 'content-type': 'application/json', ...headersOf(i) }
      if (i % 2 === 0) return world.ask(targeting, { headers })
      return other.inject({ method: 'POST', url: '/v1/dsa/raw/batch', headers, payload: { targeting } })
    }),
  )
  return answers.flatMap((answer) => answer.json().data[0].ads.map(({ requestId }: { requestId: string }) => requestId))
}
const one = () => ({ cid: 'c' })
const another = () => ({ cid: randomUUID() })

/** After the clock has jumped, waits until both processes have renewed their leases. */
const renewed = () => expect.poll(() => shown(2, another)).toHaveLength(2)

/** Counts a view as the judge does. */
function view(requestId: string): void {
  const { counters } = world
  const shard = counters.shardOf(campaignId)
  const ad = { campaignId, adId: 'p1' }
  const key = viewsKey(shard, 'cid', ad, '2026-05-01', 'c')
  counters.set(key, counters.amountOf(key) + 1)
  counters.release(shard, capReservationKey('cid', ad, '2026-05-01', 'c'), requestId)
}

describe('requests of one person at the same time, over several processes', () => {
  it('show an ad no more often than its cap', async () => {
    expect(await shown(REQUESTS, one)).toHaveLength(CAP)
    expect(await shown(REQUESTS, one)).toEqual([])
    expect(await shown(2, () => ({ cid: 'another' }))).toHaveLength(2)
  })

  it('are of one person by uid, too', async () => {
    expect(await shown(REQUESTS, (i) => ({ cid: `browser-${i}`, uid: 'u' }))).toHaveLength(CAP)
  })

  it('may show it again once it was not viewed in time, and a view counts once', async () => {
    const [first] = await shown(REQUESTS, one)
    view(first!)
    expect(await shown(REQUESTS, one)).toEqual([])
    world.now += RESERVATION_MS
    await renewed()
    expect(await shown(REQUESTS, one)).toHaveLength(CAP - 1)
  })

  it('do not show it again while a view that has come waits to be judged', async () => {
    const { now } = world
    expect(await shown(REQUESTS, one)).toHaveLength(CAP)
    world.counters.judgeWatermark = () => now
    world.now += 2 * RESERVATION_MS
    await renewed()
    expect(await shown(REQUESTS, one)).toEqual([])
    world.counters.judgeWatermark = () => world.now
    await world.refreshed()
    await expect.poll(() => shown(1, one)).toHaveLength(1)
  })

  it('give back a place that is not taken after all', async () => {
    const slotHash = world.unit('BESTSELLERS')
    for (let i = 0; i < 2 * CAP; i++) {
      expect(await world.ads([{ slotHash, adCount: 2, minAdCount: 2 }], { headers: { cid: 'c' } })).toEqual([[]])
    }
    expect(await shown(REQUESTS, one)).toHaveLength(CAP)
  })

  it('fill the place with the next best', async () => {
    world.offer([world.campaign({ cpcMicros: 300_000 })])
    const answers = await shown(REQUESTS, one)
    expect(answers).toHaveLength(REQUESTS)
  })
})
