import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Problem } from '../../../../services/domain/errors.ts'
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
  paths,
} from '../office.ts'

describe('moderation', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let stranger: Awaited<ReturnType<typeof openPublisher>>
  let brand: Awaited<ReturnType<typeof openAccount>>
  let given: Parameters<typeof displayBody>[0]
  let campaign: Json

  const decide = (id: string, verb: 'accept' | 'reject', body?: object, token = publisher.token) =>
    office.call('POST', `/v1/panel/moderation/${id}/${verb}`, body, token)
  const list = async (query: string, token = publisher.token): Promise<string[]> => {
    const { body } = await office.call('GET', `/v1/panel/moderation?${query}`, undefined, token)
    return body.items.map(({ id }: Json) => id)
  }
  const patch = (body: object) => office.call('PATCH', `/v1/panel/campaigns/${campaign.id}`, body, brand.token)

  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office, { displayEnabled: true })
    stranger = await openPublisher(office, { displayEnabled: true })
    brand = await openAccount(office, 'ADVERTISER', { displayEnabled: true })
    const image = await upload(office, brand.token, await picture('jpeg', { width: 40, height: 20 }))
    given = { shopId: publisher.shopId, formatId: publisher.formatId, imageId: image.body.id }
  })
  beforeEach(async () => {
    campaign = await office.make('/v1/panel/campaigns', displayBody(given), brand.token)
  })
  afterAll(() => discard(office))

  it('moves a campaign from one list to another, with who and when', async () => {
    office.clock.now = NOW + 5_000
    expect(await list('state=IN_MODERATION')).toContain(campaign.id)
    const accepted = await decide(campaign.id, 'accept')
    const [submittedAt, decidedAt] = [NOW, NOW + 5_000].map((at) => new Date(at).toISOString())
    const first = {
      state: 'ACCEPTED',
      reason: null,
      decidedAt,
      decidedBy: publisher.id,
      decidedByName: 'PUBLISHER account',
    }
    expect(accepted.status).toBe(200)
    expect(accepted.body).toMatchObject({ state: 'RUNNING', version: 2 })
    expect(accepted.body.moderation).toEqual({ ...first, history: [{ ...first, version: 1 }], submittedAt })
    expect(await list('state=IN_MODERATION')).not.toContain(campaign.id)
    expect(await list('state=ACCEPTED')).toContain(campaign.id)

    const rejected = await decide(campaign.id, 'reject', { reason: 'The title is misspelt' }, BOOTSTRAP_TOKEN)
    const by = { decidedBy: 'bootstrap', decidedByName: null }
    const second = { state: 'REJECTED', reason: 'The title is misspelt', decidedAt, ...by }
    expect(rejected.body.state).toBe('REJECTED')
    expect(rejected.body.moderation).toEqual({
      ...second,
      history: [
        { ...first, version: 1 },
        { ...second, version: 2 },
      ],
      submittedAt,
    })
    expect(await list('state=REJECTED')).toContain(campaign.id)
    expect(await list('')).toContain(campaign.id)
    expect((await decide(campaign.id, 'accept', {})).body.state).toBe('RUNNING')
    const seen = await office.call('GET', `/v1/panel/campaigns/${campaign.id}`, undefined, brand.token)
    expect(seen.body.moderation.history).toHaveLength(3)
    office.clock.now = NOW
  })

  describe('undo', () => {
    const undo = (token = publisher.token) =>
      office.call('POST', `/v1/panel/moderation/${campaign.id}/undo`, undefined, token)
    const moderation = async () =>
      (await office.call('GET', `/v1/panel/campaigns/${campaign.id}`, undefined, brand.token)).body.moderation

    it('takes back a decision as if it had not been made', async () => {
      const before = await moderation()
      await decide(campaign.id, 'accept')
      const undone = await undo()
      expect(undone).toMatchObject({ status: 200, body: { version: 3, moderation: before } })
      await decide(campaign.id, 'reject', { reason: 'The title is misspelt' })
      const rejected = await moderation()
      expect(rejected).toMatchObject({ state: 'REJECTED', history: [{ state: 'REJECTED' }] })
      await decide(campaign.id, 'accept')
      await undo()
      expect(await moderation()).toEqual(rejected)
    })

    it('is possible again when it could not be stored', async () => {
      await decide(campaign.id, 'accept')
      vi.spyOn(office.registry, 'write').mockImplementationOnce(async (changes) => {
        await (changes as () => unknown)()
        throw new Problem('UNAVAILABLE', 'The log does not answer')
      })
      expect((await undo()).status).toBe(503)
      expect((await moderation()).state).toBe('ACCEPTED')
      expect((await undo()).status).toBe(200)
      expect((await moderation()).state).toBe('IN_MODERATION')
    })

    it('is refused when there is nothing to undo, after a change, to others, and after a while', async () => {
      expect((await undo()).status).toBe(409)
      await decide(campaign.id, 'accept')
      expect((await undo(BOOTSTRAP_TOKEN)).status).toBe(409)
      expect((await undo(stranger.token)).status).toBe(404)
      expect((await undo(brand.token)).status).toBe(403)
      await patch({ name: 'Another name' })
      expect((await undo()).status).toBe(409)
      await decide(campaign.id, 'reject', { reason: 'x' })
      expect((await undo()).status).toBe(200)
      expect((await undo()).status).toBe(409)
      await decide(campaign.id, 'reject', { reason: 'x' })
      office.clock.now = NOW + 31_000
      expect((await undo()).status).toBe(409)
      office.clock.now = NOW
      expect((await moderation()).state).toBe('REJECTED')
    })
  })

  it('lists by shop and page, and no sponsored campaigns', async () => {
    await office.make('/v1/panel/campaigns', campaignBody(publisher.shopId), publisher.token)
    const { body } = await office.call('GET', '/v1/panel/moderation?limit=1', undefined, publisher.token)
    expect(body.items).toHaveLength(1)
    const rest = await list(`limit=1000&cursor=${body.nextCursor}`)
    expect(rest).not.toContain(body.items[0].id)
    const whole = await list('limit=1000')
    expect(whole).toEqual([body.items[0].id, ...rest])
    expect(await list(`shopId=${publisher.shopId}&limit=1000`)).toEqual(whole)
    expect(await list(`shopId=${stranger.shopId}`, BOOTSTRAP_TOKEN)).toEqual([])
    const wrong = await office.call('GET', '/v1/panel/moderation?state=MAYBE', undefined, publisher.token)
    expect([wrong.status, paths(wrong)]).toEqual([400, ['querystring/state']])
  })

  it('is for the publisher of the shop and the operator', async () => {
    expect(await list('', stranger.token)).toEqual([])
    expect(await list('limit=1000', BOOTSTRAP_TOKEN)).toContain(campaign.id)
    expect((await office.call('GET', '/v1/panel/moderation', undefined, brand.token)).status).toBe(403)
    expect((await office.call('GET', '/v1/panel/moderation', undefined, null)).status).toBe(401)
    for (const verb of ['accept', 'reject'] as const) {
      const status = (token: string) => decide(campaign.id, verb, { reason: 'x' }, token).then((a) => a.status)
      const body = verb === 'accept' ? {} : { reason: 'x' }
      expect((await decide(campaign.id, verb, body, stranger.token)).status).toBe(404)
      expect((await decide(campaign.id, verb, body, brand.token)).status).toBe(403)
      if (verb === 'accept') expect(await status(publisher.token)).toBe(400)
      expect((await decide('00000000-0000-4000-8000-000000000000', verb, body)).status).toBe(404)
    }
  })

  it('cannot be set by a change of the campaign', async () => {
    const answer = await patch({ moderation: { state: 'ACCEPTED' } })
    expect([answer.status, paths(answer)[0]]).toEqual([400, '/moderation'])
  })

  it.each([
    ['another target', { targetUrl: 'https://other.example/' }],
    ['a link into an app', { mobileDeepLink: 'brand://lamps' }],
    ['another text', (banner: Json) => ({ banners: [{ ...banner, textFields: [{ type: 'TITLE', value: 'x' }] }] })],
  ])('begins anew with %s', async (_name, change) => {
    for (const verb of ['accept', 'reject'] as const) {
      await decide(campaign.id, verb, verb === 'reject' ? { reason: 'x' } : undefined)
      const { body } = await patch(typeof change === 'function' ? change(campaign.banners[0]) : change)
      if (verb === 'reject') {
        // The creative is the same again, so there is nothing new to moderate.
        expect(body.state).toBe('REJECTED')
        continue
      }
      expect(body).toMatchObject({
        state: 'IN_MODERATION',
        moderation: { reason: null, decidedAt: null, decidedBy: null },
      })
      expect(body.moderation.history).toHaveLength(1)
      expect(await list('state=IN_MODERATION&limit=1000')).toContain(campaign.id)
    }
  })

  it('says since when the creative waits, whatever else changes meanwhile', async () => {
    const submittedAt = async () => (await patch({ name: 'Another name' })).body.moderation.submittedAt
    const time = (afterMs: number) => new Date(NOW + afterMs).toISOString()
    office.clock.now = NOW + 60_000
    expect(await submittedAt()).toBe(time(0))
    await patch({ targetUrl: 'https://other.example/' })
    office.clock.now = NOW + 120_000
    expect(await submittedAt()).toBe(time(60_000))
    await decide(campaign.id, 'reject', { reason: 'x' })
    await patch({ targetUrl: 'https://mended.example/' })
    expect(await submittedAt()).toBe(time(120_000))
    office.clock.now = NOW
  })

  it('sends a mended rejected campaign back', async () => {
    await decide(campaign.id, 'reject', { reason: 'x' })
    const { body } = await patch({ targetUrl: 'https://mended.example/' })
    expect(body).toMatchObject({ state: 'IN_MODERATION', moderation: { history: [{ reason: 'x' }] } })
  })

  it('lasts over changes that nobody sees', async () => {
    await decide(campaign.id, 'accept')
    const changes = { budget: 50, cpm: 1, name: 'Winter', endAt: '2027-01-01T00:00:00.000Z', country: 'PL', capping: 2 }
    const { body } = await patch({ ...changes, banners: campaign.banners, targeting: { brands: ['b'] } })
    expect(body).toMatchObject({ ...changes, state: 'RUNNING', moderation: { state: 'ACCEPTED' } })
    expect((await patch({ status: 'PAUSED' })).body.state).toBe('PAUSED')
  })

  it('lasts when the same banners are sent again, in whatever order their properties are', async () => {
    await decide(campaign.id, 'accept')
    const turned = (value: Json): Json =>
      Array.isArray(value)
        ? value.map(turned)
        : value === null || typeof value !== 'object'
          ? value
          : Object.fromEntries(
              Object.entries(value)
                .toReversed()
                .map(([name, each]) => [name, turned(each)]),
            )
    const { body } = await patch({ banners: turned(campaign.banners) })
    expect(body).toMatchObject({ banners: campaign.banners, state: 'RUNNING' })
  })

  it('comes before all other states', async () => {
    const late = displayBody(given, { status: 'DRAFT' })
    const { id, state } = await office.make('/v1/panel/campaigns', late, brand.token)
    expect(state).toBe('IN_MODERATION')
    expect((await decide(id, 'accept')).body.state).toBe('DRAFT')
    office.spent.set(campaign.id, 100_000_000)
    expect((await decide(campaign.id, 'reject', { reason: 'x' })).body.state).toBe('REJECTED')
    expect((await decide(campaign.id, 'accept')).body.state).toBe('EXHAUSTED')
  })

  it('conflicts when the campaign was changed since it was looked at, and when nothing would change', async () => {
    await patch({ targetUrl: 'https://swapped.example/' })
    const late = await decide(campaign.id, 'accept', { version: campaign.version })
    expect(late).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    expect((await decide(campaign.id, 'accept', { version: 2 })).status).toBe(200)
    expect((await decide(campaign.id, 'accept')).status).toBe(409)
    const sponsored = await office.make('/v1/panel/campaigns', campaignBody(publisher.shopId), publisher.token)
    expect((await decide(sponsored.id, 'accept')).status).toBe(409)
  })

  it.each([
    ['no reason', {}, ['/reason']],
    ['an empty one', { reason: ' ' }, ['/reason']],
    ['a long one', { reason: 'x'.repeat(1_001) }, ['/reason']],
    ['a version of nothing', { reason: 'x', version: 0 }, ['/version']],
  ])('refuses a rejection with %s', async (_name, body, expected) => {
    const answer = await decide(campaign.id, 'reject', body)
    expect([answer.status, paths(answer)]).toEqual([400, expected])
  })
})
