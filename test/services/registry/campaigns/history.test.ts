import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findVersionsIn } from '../../../../infra/analytics/queries/campaign-versions.ts'
import { checkpointEnd } from '../../../../services/replicas/registry-checkpoint.ts'
import { runToEnd } from '../../../../streams/runtime/run-to-end.ts'
import { createSink } from '../../../../streams/sink/sink.ts'
import { openNewAnalytics } from '../../../new-analytics.ts'
import { campaignBody, discard, type Office, openAccount, openOffice, openPublisher } from '../office.ts'

let office: Office
let publisher: Awaited<ReturnType<typeof openPublisher>>
let advertiser: Awaited<ReturnType<typeof openAccount>>
let id: string
beforeAll(async () => {
  office = await openOffice()
  publisher = await openPublisher(office)
  advertiser = await openAccount(office, 'ADVERTISER', { sellerIds: ['s1'] })
  const made = await office.make('/v1/panel/campaigns', campaignBody(publisher.shopId), advertiser.token)
  id = made.id
  await patch({ dailyBudget: 20 })
  office.clock.now += 60_000
  await patch({ dailyBudget: 35, status: 'PAUSED' }, undefined)
  await patch({ products: { ids: Array.from({ length: 1_000 }, (_, i) => `product-${i}`) } })
})
afterAll(() => discard(office))

const patch = (body: object, token: string | undefined = advertiser.token) =>
  office.call('PATCH', `/v1/panel/campaigns/${id}`, body, token)
const history = (query = '', token = advertiser.token) =>
  office.call('GET', `/v1/panel/campaigns/${id}/history${query}`, undefined, token)

describe('the history of a campaign', () => {
  it('says who changed which properties, the latest first', async () => {
    const { status, body } = await history()
    expect(status).toBe(200)
    const byName = 'ADVERTISER account'
    expect(body).toEqual({
      items: [
        {
          ...{ version: 4, at: '2026-06-01T12:01:00.000Z', byName },
          changes: [{ field: 'products', before: null, after: null, omitted: true }],
        },
        {
          ...{ version: 3, at: '2026-06-01T12:01:00.000Z', byName },
          changes: expect.arrayContaining([
            { field: 'dailyBudget', before: 20, after: 35, omitted: false },
            { field: 'status', before: 'ACTIVE', after: 'PAUSED', omitted: false },
          ]),
        },
        {
          ...{ version: 2, at: '2026-06-01T12:00:00.000Z', byName },
          changes: [{ field: 'dailyBudget', before: null, after: 20, omitted: false }],
        },
        { version: 1, at: '2026-06-01T12:00:00.000Z', byName, changes: [] },
      ],
      nextCursor: null,
    })
  })

  it('comes page by page', async () => {
    const first = await history('?limit=3')
    expect(first.body.items.map(({ version }: { version: number }) => version)).toEqual([4, 3, 2])
    expect(first.body.items[2].changes).toHaveLength(1)
    const second = await history(`?limit=3&cursor=${first.body.nextCursor}`)
    expect(second.body.items.map(({ version }: { version: number }) => version)).toEqual([1])
    expect(second.body.nextCursor).toBeNull()
    expect((await history('?cursor=99')).status).toBe(400)
    expect((await history('?limit=51')).status).toBe(400)
  })

  it('lets others be answered in between, however long the lists of products are', async () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => `product-${i}-${'x'.repeat(70)}`)
    const long = await office.make('/v1/panel/campaigns', campaignBody(publisher.shopId), advertiser.token)
    const path = `/v1/panel/campaigns/${long.id}`
    await office.call('PATCH', path, { products: { ids } }, advertiser.token)
    for (let i = 0; i < 20; i++) await office.call('PATCH', path, { name: `${i}` }, advertiser.token)
    const { read } = office.log
    let turns = 0
    const countTurn = () => {
      turns += 1
      turning = setImmediate(countTurn)
    }
    let turning = setImmediate(countTurn)
    office.log.read = async (...args) => {
      const records = await read(...args)
      turns = 0
      return records
    }
    const { body } = await office.call('GET', `${path}/history?limit=20`, undefined, advertiser.token)
    clearImmediate(turning)
    office.log.read = read
    expect(body.items).toHaveLength(20)
    // Since the last version was read: decoding and comparing them all takes many times as long as a slice.
    expect(turns).toBeGreaterThan(0)
  })

  it('is for those who may see the campaign', async () => {
    const other = await openAccount(office, 'ADVERTISER', { sellerIds: ['s1'] })
    expect((await history('', other.token)).status).toBe(404)
    expect((await history('', publisher.token)).status).toBe(200)
  })

  it('is the same after a restart', async () => {
    const before = (await history()).body
    await office.stop()
    office = await openOffice({ folder: office.folder })
    expect((await history()).body).toEqual(before)
  })

  it('is the same when a start has read the checkpoint only: Analytics knows where older versions lie', async () => {
    const before = (await history()).body
    const { folder } = office
    await office.stop()
    office = await openOffice({ folder, checkpointEvery: 1 })
    await expect.poll(() => checkpointEnd(office.log)).not.toBeNull()
    const analytics = await openNewAnalytics({ folder: join(folder, 'analytics') })
    const logger = { info() {}, warn() {}, error() {} }
    await runToEnd(createSink({ log: office.log, analytics, now: Date.now, logger }))
    await office.stop()
    office = await openOffice({ folder, findVersions: findVersionsIn(analytics) })
    expect(office.registry.recentVersion(id, 1)).toBeUndefined()
    expect((await history()).body).toEqual(before)
    expect((await history('?limit=2')).body).toEqual({ items: before.items.slice(0, 2), nextCursor: '2' })
    await analytics.close()
  })
})
