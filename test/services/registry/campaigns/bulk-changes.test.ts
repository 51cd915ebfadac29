import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { campaignBody, discard, type Office, openAccount, openOffice, openPublisher } from '../office.ts'

const PATH = '/v1/panel/campaign-changes'
const NOBODY = '01a00000-0000-7000-8000-000000000000'

let office: Office
let publisher: Awaited<ReturnType<typeof openPublisher>>
let advertiser: Awaited<ReturnType<typeof openAccount>>
let other: Awaited<ReturnType<typeof openAccount>>
let ids: [string, string, string]
beforeAll(async () => {
  office = await openOffice()
  publisher = await openPublisher(office)
  advertiser = await openAccount(office, 'ADVERTISER', { sellerIds: ['s1'] })
  other = await openAccount(office, 'ADVERTISER', { sellerIds: ['s1'] })
})
beforeEach(async () => {
  const make = async (budget: number) => (await makeCampaign({ budget })).id as string
  ids = [await make(100), await make(200), await make(300)]
})
afterAll(() => discard(office))

const makeCampaign = (extra: object = {}) =>
  office.make('/v1/panel/campaigns', campaignBody(publisher.shopId, extra), advertiser.token)
const change = (body: object, token = advertiser.token) => office.call('POST', PATH, body, token)
const read = async (id: string) => (await office.call('GET', `/v1/panel/campaigns/${id}`)).body
const outcomes = (answer: { body: { results: { outcome: string }[] } }) =>
  answer.body.results.map(({ outcome }) => outcome)

describe('a change of many campaigns', () => {
  it('changes those that allow it, and says of each other one why not', async () => {
    office.spent.set(ids[0], 60_000_000)
    const answer = await change({ ids: [...ids, NOBODY], change: { budget: 50 } })
    expect(answer.status).toBe(200)
    expect(answer.body.results).toEqual([
      {
        id: ids[0],
        outcome: 'REFUSED',
        version: null,
        problem: {
          code: 'INVALID',
          detail: expect.stringContaining('60'),
          errors: [{ path: '/budget', message: 'must not be below the 60 that the campaign has spent' }],
        },
      },
      { id: ids[1], outcome: 'CHANGED', version: 2, problem: null },
      { id: ids[2], outcome: 'CHANGED', version: 2, problem: null },
      { id: NOBODY, outcome: 'REFUSED', version: null, problem: expect.objectContaining({ code: 'NOT_FOUND' }) },
    ])
    expect(await read(ids[0])).toMatchObject({ budget: 100, version: 1 })
    expect(await read(ids[2])).toMatchObject({ budget: 50, version: 2 })
  })

  it('changes nothing more when it is made again', async () => {
    const body = { ids, change: { status: 'PAUSED' } }
    expect(outcomes(await change(body))).toEqual(['CHANGED', 'CHANGED', 'CHANGED'])
    expect(outcomes(await change(body))).toEqual(['UNCHANGED', 'UNCHANGED', 'UNCHANGED'])
    expect(await read(ids[1])).toMatchObject({ state: 'PAUSED', version: 2 })
  })

  it('changes bids, and refuses those of campaigns of the other kind', async () => {
    expect(outcomes(await change({ ids, change: { cpc: 0.75 } }))).toEqual(['CHANGED', 'CHANGED', 'CHANGED'])
    const answer = await change({ ids, change: { cpm: 3 } })
    expect(outcomes(answer)).toEqual(['REFUSED', 'REFUSED', 'REFUSED'])
    expect(answer.body.results[0].problem.errors).toEqual([
      { path: '/cpm', message: 'can only be set for DISPLAY campaigns' },
    ])
  })

  it('takes no campaign of another account, and none from the publisher of the shop', async () => {
    const wanted = { ids, change: { status: 'PAUSED' } }
    const byOther = await change(wanted, other.token)
    expect(byOther.body.results.map((each: { problem: { code: string } }) => each.problem.code)).toEqual(
      Array(3).fill('NOT_FOUND'),
    )
    const byPublisher = await change(wanted, publisher.token)
    expect(byPublisher.body.results[0].problem.code).toBe('FORBIDDEN')
    expect((await office.call('POST', PATH, wanted, null)).status).toBe(401)
    expect(await read(ids[0])).toMatchObject({ status: 'ACTIVE', version: 1 })
  })

  it('refuses a call without a change, with unknown properties, twice the same id or too many of them', async () => {
    const many = Array.from({ length: 501 }, (_, i) => `01a00000-0000-7000-8000-${String(i).padStart(12, '0')}`)
    for (const body of [
      { ids, change: {} },
      { ids, change: { name: 'One for all' } },
      { ids: [ids[0], ids[0]], change: { status: 'PAUSED' } },
      { ids: [], change: { status: 'PAUSED' } },
      { ids: many, change: { status: 'PAUSED' } },
    ]) {
      expect((await change(body)).status, JSON.stringify(body).slice(0, 90)).toBe(400)
    }
  })

  it('pauses campaigns whose bid has fallen below the reserve of the shop', async () => {
    await office.call('PATCH', `/v1/panel/shops/${publisher.shopId}`, { reserveCpc: 9 })
    expect(outcomes(await change({ ids, change: { status: 'PAUSED' } }))).toEqual(['CHANGED', 'CHANGED', 'CHANGED'])
    expect(outcomes(await change({ ids, change: { status: 'ACTIVE' } }))).toEqual(['REFUSED', 'REFUSED', 'REFUSED'])
    await office.call('PATCH', `/v1/panel/shops/${publisher.shopId}`, { reserveCpc: 0 })
  })

  it('does not lower a budget while nobody knows what is spent', async () => {
    office.counters.areThere = false
    const answer = await change({ ids, change: { budget: 150 } })
    office.counters.areThere = true
    expect(answer.body.results.map((each: { outcome: string }) => each.outcome)).toEqual([
      'CHANGED',
      'REFUSED',
      'REFUSED',
    ])
    expect(answer.body.results[1].problem.code).toBe('UNAVAILABLE')
  })
})

describe('archived campaigns', () => {
  const patch = (id: string, body: object, token = advertiser.token) =>
    office.call('PATCH', `/v1/panel/campaigns/${id}`, body, token)
  const listed = async (query: string) => {
    const { body } = await office.call('GET', `/v1/panel/campaigns?limit=1000${query}`, undefined, advertiser.token)
    return body.items.map(({ id }: { id: string }) => id)
  }

  it('are left out of lists, and listed when asked for', async () => {
    expect((await patch(ids[0], { status: 'PAUSED', archived: true })).body).toMatchObject({
      state: 'ARCHIVED',
      archivedAt: '2026-06-01T12:00:00.000Z',
    })
    expect(await listed('')).not.toContain(ids[0])
    expect(await listed('&archived=false')).not.toContain(ids[0])
    expect(await listed('&archived=true')).toContain(ids[0])
    expect(await listed('&archived=true')).not.toContain(ids[1])
    expect(await read(ids[0])).toMatchObject({ state: 'ARCHIVED' })
  })

  it('were not running, or waiting to', async () => {
    const running = await patch(ids[0], { archived: true })
    expect(running.body.errors).toEqual([
      { path: '/archived', message: 'can only be true for a campaign that cannot run: this one is RUNNING' },
    ])
    const scheduled = await patch(ids[1], { startAt: '2026-07-01T00:00:00Z', archived: true })
    expect(scheduled.status).toBe(400)
    office.spent.set(ids[2], 300_000_000)
    expect((await patch(ids[2], { archived: true })).body.state).toBe('ARCHIVED')
    const draft = await makeCampaign({ status: 'DRAFT' })
    expect((await patch(draft.id, { archived: true })).body.state).toBe('ARCHIVED')
  })

  it('wait until their spend is known, if they may be exhausted', async () => {
    office.spent.set(ids[2], 300_000_000)
    office.counters.areThere = false
    const unknown = await patch(ids[2], { archived: true })
    const paused = await patch(ids[1], { status: 'PAUSED', archived: true })
    office.counters.areThere = true
    expect([unknown.status, unknown.body.errors]).toEqual([
      503,
      [{ path: '/archived', message: 'can only be true once the spend of the campaign is known' }],
    ])
    expect(paused.body.state).toBe('ARCHIVED')
    expect((await patch(ids[2], { archived: true })).body.state).toBe('ARCHIVED')
  })

  it('do not change until they are restored, and are paused then', async () => {
    await patch(ids[0], { status: 'PAUSED', archived: true })
    expect((await patch(ids[0], { status: 'ACTIVE' })).status).toBe(409)
    expect((await patch(ids[0], { name: 'Another' })).status).toBe(409)
    expect((await patch(ids[0], { archived: true })).body.state).toBe('ARCHIVED')
    expect((await patch(ids[0], { archived: false })).body).toMatchObject({ state: 'PAUSED', archivedAt: null })
    expect((await patch(ids[0], { status: 'ACTIVE' })).body.state).toBe('RUNNING')
  })

  it('are put away and restored by the dozen', async () => {
    const away = await change({ ids, change: { archived: true } })
    expect(outcomes(away)).toEqual(['REFUSED', 'REFUSED', 'REFUSED'])
    await change({ ids, change: { status: 'PAUSED' } })
    expect(outcomes(await change({ ids, change: { archived: true } }))).toEqual(['CHANGED', 'CHANGED', 'CHANGED'])
    expect(outcomes(await change({ ids, change: { archived: true } }))).toEqual(['UNCHANGED', 'UNCHANGED', 'UNCHANGED'])
    expect(outcomes(await change({ ids, change: { status: 'ACTIVE' } }))).toEqual(['REFUSED', 'REFUSED', 'REFUSED'])
    expect(outcomes(await change({ ids, change: { archived: false } }))).toEqual(['CHANGED', 'CHANGED', 'CHANGED'])
  })

  it('are put away only by those who may change them', async () => {
    await patch(ids[0], { status: 'PAUSED' })
    expect((await patch(ids[0], { archived: true }, publisher.token)).status).toBe(403)
    expect((await patch(ids[0], { archived: true }, other.token)).status).toBe(404)
  })
})
