import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOTSTRAP_TOKEN, discard, type Office, openOffice, openPublisher, paths } from '../office.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describe('technical ad units', () => {
  let office: Office
  let a: Awaited<ReturnType<typeof openPublisher>>
  let b: Awaited<ReturnType<typeof openPublisher>>
  let base: { name: string; shopId: string; businessSlot: { id: string } }
  const url = (id: string) => `/v1/slots/technical/${encodeURIComponent(id)}`
  const put = (id: string, body: unknown, token = a.token) => office.call('PUT', url(id), body, token)
  const get = (id: string, token = a.token) => office.call('GET', url(id), undefined, token)

  beforeAll(async () => {
    office = await openOffice()
    a = await openPublisher(office)
    b = await openPublisher(office)
    base = { name: 'Listing', shopId: a.shopId, businessSlot: { id: a.unitId } }
  })
  afterAll(() => discard(office))

  it('are created, read, modified and deleted by the name that the caller gave', async () => {
    const location = { country: 'PL', street: 'Prosta 1', city: 'Warszawa', postalCode: '00-001' }
    const made = await put('list/top 1', { ...base, adFormatIds: [a.formatId], metadata: { location } })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      publisherSlotId: 'list/top 1',
      ...base,
      status: 'ACTIVE',
      adFormatIds: [a.formatId],
      metadata: { location },
    })
    expect(await get('list/top 1')).toMatchObject({ status: 200, body: made.body })

    const modified = await put('list/top 1', { ...made.body, name: 'Search', status: 'INACTIVE', metadata: {} })
    expect(modified.status).toBe(201)
    expect(modified.body).toEqual({
      ...made.body,
      name: 'Search',
      status: 'INACTIVE',
      metadata: { location: { country: '', street: '', city: '', postalCode: '' } },
    })
    const again = await put('list/top 1', { id: made.body.id, ...base })
    expect(again.body).toMatchObject({ status: 'INACTIVE', adFormatIds: [] })

    expect((await office.call('DELETE', url('list/top 1'), undefined, a.token)).status).toBe(204)
    expect((await get('list/top 1')).status).toBe(404)
    expect((await office.call('DELETE', url('list/top 1'), undefined, a.token)).status).toBe(404)
    expect((await put('list/top 1', { id: made.body.id, ...base })).status).toBe(404)
    const anew = await put('list/top 1', base)
    expect(anew.status).toBe(201)
    expect(anew.body.id).not.toBe(made.body.id)
  })

  it('are listed for the panel of their account only', async () => {
    const { body: made } = await put('listed', base)
    const list = (query: string, token = a.token) =>
      office.call('GET', `/v1/panel/technical-slots?${query}`, undefined, token)
    const own = await list(`shopId=${a.shopId}&businessSlotId=${a.unitId}`)
    expect(own.status).toBe(200)
    const item = { ...made, version: 1, updatedAt: expect.any(String) }
    expect(own.body.items.filter(({ id }: { id: string }) => id === made.id)).toEqual([item])
    expect((await list(`businessSlotId=${UNKNOWN}`)).body.items).toEqual([])
    expect((await list(`shopId=${a.shopId}`, b.token)).body.items).toEqual([])
    const one = await office.call('GET', `/v1/panel/technical-slots/${made.id}`, undefined, a.token)
    expect(one).toMatchObject({ status: 200, body: item })
  })

  it('are listed for the publisher of their shop, too, when the operator has made them', async () => {
    const { body: made } = await put('made by the operator', base, BOOTSTRAP_TOKEN)
    const idsFor = async (token: string) => {
      const { body } = await office.call('GET', `/v1/panel/technical-slots?shopId=${a.shopId}`, undefined, token)
      return body.items.map(({ id }: { id: string }) => id)
    }
    expect(await idsFor(a.token)).toContain(made.id)
    expect(await idsFor(b.token)).toEqual([])
    expect((await get('made by the operator')).status).toBe(404)
    const removal = await office.call('DELETE', url('made by the operator'), undefined, BOOTSTRAP_TOKEN)
    expect(removal.status).toBe(204)
  })

  it('take null for missing, and ids in any case', async () => {
    const nothing = { id: null, publisherSlotId: null, status: null, adFormatIds: null }
    const made = await put('nulls', { ...base, ...nothing, metadata: null })
    expect(made).toMatchObject({ status: 201, body: { status: 'ACTIVE', adFormatIds: [] } })

    const location = { country: 'PL', street: null, city: null, postalCode: null }
    const inCapitals = {
      name: 'Listing',
      id: made.body.id.toUpperCase(),
      shopId: base.shopId.toUpperCase(),
      businessSlot: { id: base.businessSlot.id.toUpperCase() },
      adFormatIds: [a.formatId.toUpperCase()],
      metadata: { location },
    }
    const { status, body } = await put('nulls', inCapitals)
    expect(status).toBe(201)
    expect(body).toMatchObject({ ...base, id: made.body.id, adFormatIds: [a.formatId] })
    expect(body.metadata.location).toEqual({ country: 'PL', street: '', city: '', postalCode: '' })
    expect((await put('nulls', { ...inCapitals, metadata: { location: null } })).status).toBe(201)

    // Names given by the caller keep their case, even if they look like a UUID.
    const name = UNKNOWN.replace('0', 'A')
    expect((await put(name, base)).body.publisherSlotId).toBe(name)
    expect((await get(name.toLowerCase())).status).toBe(404)
  })

  it('conflict without the id, or with the id of another', async () => {
    const { body } = await put('one', base)
    await put('two', base)
    expect(await put('one', base)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', errors: [{ path: '/publisherSlotId', message: 'already in use' }] },
    })
    expect((await put('two', { ...base, id: body.id })).status).toBe(409)
    expect((await put('three', { ...base, id: body.id })).status).toBe(404)
  })

  it('are created once when asked for many times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => put('raced', base)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)])
  })

  it('are unique per account, and invisible to others', async () => {
    await put('shared', base)
    expect((await get('shared', b.token)).status).toBe(404)
    const theirs = await put('shared', { name: 'x', shopId: b.shopId, businessSlot: { id: b.unitId } }, b.token)
    expect(theirs.status).toBe(201)
    expect((await get('shared')).body.name).toBe('Listing')
    expect((await office.call('DELETE', url('shared'), undefined, b.token)).status).toBe(204)
    expect((await get('shared')).status).toBe(200)
  })

  it('do not show the ad units of the panel, which they keep from being removed', async () => {
    expect((await get(a.unitId)).status).toBe(404)
    await put('holding', base)
    const removal = await office.call('DELETE', `/v1/panel/ad-units/${a.unitId}`)
    expect(removal).toMatchObject({ status: 409, body: { detail: 'The ad unit still has 9 technical ad units' } })
  })

  it.each([
    ['nothing', {}, ['/name', '/shopId', '/businessSlot']],
    ['no ad unit', { businessSlot: {} }, ['/businessSlot/id']],
    ['an ad unit that is not there', { businessSlot: { id: UNKNOWN } }, ['/businessSlot/id']],
    ['a shop that is not there', { shopId: UNKNOWN }, ['/shopId']],
    ['a status of its own', { status: 'ON' }, ['/status']],
    ['another name than in the path', { publisherSlotId: 'other' }, ['/publisherSlotId']],
    ['a country by its name', { metadata: { location: { country: 'Poland' } } }, ['/metadata/location/country']],
    ['a place that is a number', { metadata: { location: { city: 1 } } }, ['/metadata/location/city']],
    ['an unknown property', { adFormats: [] }, ['/adFormats']],
    ['formats that are none', { adFormatIds: ['f1'] }, ['/adFormatIds/0']],
    ['formats twice', { adFormatIds: ['a', 'a'] }, ['/adFormatIds']],
  ])('refuse %s', async (name, extra, expected) => {
    const answer = await put('wrong', name === 'nothing' ? {} : { ...base, ...extra })
    expect(answer.status).toBe(400)
    expect(paths(answer)).toEqual(expected)
  })

  it("refuse another publisher's shop, and its ad unit in one's own", async () => {
    expect(paths(await put('wrong', { ...base, shopId: b.shopId }))).toEqual(['/shopId'])
    expect(paths(await put('wrong', { ...base, businessSlot: { id: b.unitId } }))).toEqual(['/businessSlot/id'])
    expect(paths(await put('x'.repeat(256), base))).toEqual(['params/publisherSlotId'])
  })
})
