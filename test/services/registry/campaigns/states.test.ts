import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IndexedProduct } from '../../../../infra/product-index/port.ts'
import { spendKey } from '../../../../services/domain/money/counter-keys.ts'
import { createShowIds } from '../../../../services/domain/show-id/show-id.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createHttpServer, type HttpServer } from '../../../../services/http/server.ts'
import { noLifts } from '../../../../services/replicas/lifts-follower.ts'
import { followRegistry } from '../../../../services/replicas/registry-follower.ts'
import { unknownTraffic } from '../../../../services/replicas/traffic-follower.ts'
import { selectionApp } from '../../../../services/selection/http/app.ts'
import { requestLimits } from '../../../request-limits.ts'
import { waitFor } from '../../../wait-for.ts'
import { bruteForceIndex } from '../../selection/brute-force-index.ts'
import { fakeCounters, fakeLog } from '../../selection/fakes.ts'
import { makeOffer } from '../../selection/world.ts'
import { picture, upload } from '../images/pictures.ts'
import {
  BOOTSTRAP_TOKEN,
  campaignBody,
  discard,
  displayBody,
  type Json,
  NOW,
  type Office,
  openAccount,
  openOffice,
  openPublisher,
  PUBLIC_URL,
} from '../office.ts'

const PROCESSES = 2
const TICK_MS = 20
const DAY_MS = 86_400_000

/** The registry, and selection processes that know it only through the log. */
describe('a change of a campaign is in force in every process that selects ads', () => {
  const counters = fakeCounters()
  const products: IndexedProduct[] = []
  const ends: (() => Promise<unknown>)[] = []
  let office: Office
  let servers: HttpServer[]
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let brand: Awaited<ReturnType<typeof openAccount>>
  let displayUnit: string
  let sponsored: Json
  let display: Json

  async function openProcess(): Promise<HttpServer> {
    const snapshot = new Snapshot()
    const tail = await followRegistry({ log: office.log, snapshot })
    const server = createHttpServer({ logger: false })
    const selection = selectionApp({
      snapshot,
      limits: requestLimits({ snapshot }),
      index: bruteForceIndex(products),
      counters,
      log: fakeLog(),
      showIds: createShowIds({ keys: [{ id: 1, secret: Buffer.alloc(32, 1) }] }),
      now: () => office.clock.now,
      elapsedMicros: () => office.clock.now * 1000,
      uuid: randomUUID,
      deadlineMs: 5_000,
      publicUrl: PUBLIC_URL,
      traffic: unknownTraffic,
      lifts: noLifts,
      metrics: { adsSelected: () => {}, emissionsLost: () => {} },
    })
    await server.register(selection.plugin)
    ends.push(
      () => server.close(),
      () => tail.close(),
    )
    return server
  }

  async function emits(server: HttpServer, kind: 'SPONSORED' | 'DISPLAY'): Promise<boolean> {
    const slotHash = kind === 'SPONSORED' ? publisher.unitId : displayUnit
    const answer = await server.inject({
      method: 'POST',
      url: kind === 'SPONSORED' ? '/v1/dsa/raw/batch' : '/v1/banner/dsa/raw/batch',
      headers: { cid: randomUUID() },
      payload: {
        targeting: [{ slotHash, adCount: 1, ...(kind === 'DISPLAY' ? { country: 'DE' } : { searchData: 'lamp' }) }],
      },
    })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json().data[0].ads.length === 1
  }

  /** Lets time pass while the processes follow the log. */
  async function untilAll(kind: 'SPONSORED' | 'DISPLAY', wanted: boolean): Promise<void> {
    await waitFor(async () => {
      office.clock.now += TICK_MS
      return (await Promise.all(servers.map((server) => emits(server, kind)))).every((each) => each === wanted)
    })
  }

  const patch = async (path: string, body: object, token: string = brand.token) => {
    const answer = await office.call('PATCH', `/v1/panel/${path}`, body, token)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  }
  const decide = async (verb: 'accept' | 'reject', body: object) => {
    const answer = await office.call('POST', `/v1/panel/moderation/${display.id}/${verb}`, body, publisher.token)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  }

  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office, { displayEnabled: true })
    brand = await openAccount(office, 'ADVERTISER', { displayEnabled: true, sellerIds: ['s'] })
    const { shopId, formatId } = publisher
    const placement = { shopId, name: 'Top', kind: 'DISPLAY' }
    const { id: placementId } = await office.make('/v1/panel/placements', placement, publisher.token)
    const unit = { placementId, name: 'Banner', algorithm: 'DISPLAY', adFormatIds: [formatId] }
    displayUnit = (await office.make('/v1/panel/ad-units', unit, publisher.token)).id
    const image = await upload(office, brand.token, await picture('jpeg', { width: 40, height: 20 }))
    sponsored = await office.make('/v1/panel/campaigns', campaignBody(shopId), brand.token)
    display = await office.make(
      '/v1/panel/campaigns',
      displayBody({ shopId, formatId, imageId: image.body.id }),
      brand.token,
    )
    const offer = makeOffer(shopId, { id: 'a', title: 'A lamp', externalSellerId: 's' })
    products.push({ offer, campaignIds: [sponsored.id], signals: null })
    servers = await Promise.all(Array.from({ length: PROCESSES }, openProcess))
    await untilAll('SPONSORED', true)
  })
  afterAll(async () => {
    for (const end of ends) await end()
    await discard(office)
  })

  it('paused and taken up again', async () => {
    await patch(`campaigns/${sponsored.id}`, { status: 'PAUSED' })
    await untilAll('SPONSORED', false)
    await patch(`campaigns/${sponsored.id}`, { status: 'ACTIVE' })
    await untilAll('SPONSORED', true)
  })

  it('its money spent, and given more', async () => {
    counters.set(spendKey(counters.shardOf(sponsored.id), sponsored.id), 100_000_000)
    office.spent.set(sponsored.id, 100_000_000)
    await untilAll('SPONSORED', false)
    await patch(`campaigns/${sponsored.id}`, { budget: 200 })
    await untilAll('SPONSORED', true)
    const below = await office.call('PATCH', `/v1/panel/campaigns/${sponsored.id}`, { budget: 99 }, brand.token)
    expect([below.status, below.body.errors[0].path]).toEqual([400, '/budget'])
  })

  it('to begin later, and to end', async () => {
    const at = (ms: number) => new Date(NOW + ms).toISOString()
    await patch(`campaigns/${sponsored.id}`, { startAt: at(DAY_MS), endAt: at(3 * DAY_MS) })
    await untilAll('SPONSORED', false)
    office.clock.now = NOW + DAY_MS
    await untilAll('SPONSORED', true)
    office.clock.now = NOW + 3 * DAY_MS
    await untilAll('SPONSORED', false)
    await patch(`campaigns/${sponsored.id}`, { endAt: null })
    await untilAll('SPONSORED', true)
  })

  it('accepted by moderation, rejected, and accepted again', async () => {
    await untilAll('DISPLAY', false)
    await decide('accept', {})
    await untilAll('DISPLAY', true)
    await decide('reject', { reason: 'No' })
    await untilAll('DISPLAY', false)
    await decide('accept', {})
    await untilAll('DISPLAY', true)
  })

  it.each(['advertiser', 'publisher'])('display switched off for the %s', async (who) => {
    const account = `accounts/${who === 'advertiser' ? brand.id : publisher.id}`
    await patch(account, { displayEnabled: false }, BOOTSTRAP_TOKEN)
    await untilAll('DISPLAY', false)
    await patch(account, { displayEnabled: true }, BOOTSTRAP_TOKEN)
    await untilAll('DISPLAY', true)
  })

  it('deleted, and its account after it', async () => {
    const account = `/v1/panel/accounts/${brand.id}`
    expect((await office.call('DELETE', account)).status).toBe(409)
    for (const { id } of [sponsored, display]) {
      expect((await office.call('DELETE', `/v1/panel/campaigns/${id}`, undefined, brand.token)).status).toBe(204)
    }
    await untilAll('SPONSORED', false)
    await untilAll('DISPLAY', false)
    expect((await office.call('DELETE', account)).status).toBe(204)
  })
})
