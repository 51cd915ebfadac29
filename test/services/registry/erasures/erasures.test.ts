import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Erasure } from '../../../../schemas/records/records.ts'
import { decode, encode } from '../../../../schemas/wire/codec.ts'
import { erased } from '../../../../services/domain/erasure/erase-record.ts'
import { Erasures, isDigestOf } from '../../../../services/domain/erasure/erasures.ts'
import { readOrder } from '../../../../services/registry/import/order.ts'
import { discard, type Office, openAccount, openOffice, openPublisher, paths } from '../office.ts'

const CID = 'a-browser-of-somebody'
const PATH = '/v1/panel/erasures'

let office: Office
let publisher: Awaited<ReturnType<typeof openPublisher>>
beforeAll(async () => {
  office = await openOffice()
  publisher = await openPublisher(office)
})
afterAll(() => discard(office))

/** The text of the topic of erasures, and the latest state of each erasure. */
async function logged(): Promise<{ text: string; erasures: Map<string, Erasure> }> {
  const records = await office.log.read('erasures', 0, 0, 5_000)
  const erasures = new Map(records.map(({ key, value }) => [key!, decode('Erasure', value!)]))
  return { text: Buffer.concat(records.map(({ value }) => value!)).toString('latin1'), erasures }
}

const ask = (body: object, token: string | null = publisher.token) => office.call('POST', PATH, body, token)

describe('the API of erasures', () => {
  it('writes down who is to be erased without the identifier, and answers the same one until it is done', async () => {
    const { shopId } = publisher
    const first = await ask({ shopId, cid: CID })
    expect(first).toMatchObject({
      status: 201,
      body: { shopId, identifier: 'cid', status: 'PENDING', erasedAt: null, logFreeAt: null },
    })
    expect(await ask({ shopId, cid: CID })).toEqual({ ...first, status: 200, headers: expect.anything() })
    const { text, erasures } = await logged()
    const erasure = erasures.get(first.body.id)!
    expect(text).not.toContain(CID)
    expect(isDigestOf(erasure.digest!, CID)).toBe(true)
    expect(isDigestOf(erasure.digest!, `${CID}2`)).toBe(false)

    const done = { ...erasure, erasedAt: office.clock.now, logFreeAt: office.clock.now }
    await office.log.append([{ topic: 'erasures', key: done.id, value: encode('Erasure', done) }])
    await expect
      .poll(async () => (await office.call('GET', `${PATH}/${done.id}`, undefined, publisher.token)).body)
      .toMatchObject({ status: 'ERASED', erasedAt: '2026-06-01T12:00:00.000Z' })
    expect(await ask({ shopId, cid: CID })).toMatchObject({ status: 201 })
    expect(await ask({ shopId, uid: CID })).toMatchObject({ status: 201, body: { identifier: 'uid' } })
  })

  it('names the field that is wrong', async () => {
    const { shopId } = publisher
    const wrong = async (body: object) => paths(await ask(body))
    expect(await wrong({ shopId })).toEqual(['/'])
    expect(await wrong({ shopId, cid: 'c', uid: 'u' })).toEqual(['/uid'])
    expect(await wrong({ shopId: randomUUID(), cid: 'c' })).toEqual(['/shopId'])
    expect(await wrong({ shopId, cid: '' })).toEqual(['/cid'])
    expect(await wrong({ shopId, cid: 'c'.repeat(257) })).toEqual(['/cid'])
    const both = { shopId, cid: 'c', uid: 'u' }
    expect(paths(await office.call('POST', '/v1/panel/personal-data', both, publisher.token))).toEqual(['/uid'])
  })

  it('shows a publisher the erasures of its shops alone, and nobody else any', async () => {
    const other = await openPublisher(office)
    const advertiser = await openAccount(office, 'ADVERTISER')
    await ask({ shopId: other.shopId, cid: CID }, other.token)
    const shopsOf = async (token?: string) =>
      new Set((await office.call('GET', PATH, undefined, token)).body.items.map((each: Erasure) => each.shopId))
    expect(await shopsOf(publisher.token)).toEqual(new Set([publisher.shopId]))
    expect(await shopsOf()).toEqual(new Set([publisher.shopId, other.shopId]))
    expect(await ask({ shopId: other.shopId, cid: CID })).toMatchObject({ status: 400 })
    expect(await ask({ shopId: publisher.shopId, cid: CID }, advertiser.token)).toMatchObject({ status: 403 })
    expect(await office.call('GET', PATH, undefined, advertiser.token)).toMatchObject({ status: 403 })
    expect(await ask({ shopId: publisher.shopId, cid: CID }, null)).toMatchObject({ status: 401 })
  })

  it('pages the list, the latest first', async () => {
    const page = await office.call('GET', `${PATH}?limit=2&shopId=${publisher.shopId}`)
    expect(page.body.items).toHaveLength(2)
    const rest = await office.call('GET', `${PATH}?shopId=${publisher.shopId}&cursor=${page.body.nextCursor}`)
    const { shopId } = publisher
    expect(rest.body).toMatchObject({ items: [{ shopId }, { shopId }], nextCursor: null })
    const all: { id: string; createdAt: string }[] = (await office.call('GET', `${PATH}?shopId=${shopId}`)).body.items
    expect([...page.body.items, ...rest.body.items]).toEqual(all)
    const times = all.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  it('tells the security log who asked, and never for whom', async () => {
    const events = async () => {
      const records = await office.log.read('security-events', 0, 0, 1_000)
      return records.map(({ value }) => decode('SecurityEvent', value!))
    }
    const { id, shopId, token } = await openPublisher(office)
    const before = (await events()).length
    const uid = 'somebody-who-asks'
    const { body } = await ask({ shopId, uid }, token)
    await ask({ shopId, uid }, token)
    await office.call('POST', '/v1/panel/personal-data', { shopId, uid }, token)
    await office.call('POST', '/v1/panel/personal-data', { shopId: randomUUID(), uid }, token)
    const told = (await events()).slice(before)
    const common = { actorKind: 'TOKEN', accountId: id, subjectKind: 'Shop', subjectId: shopId }
    expect(told).toMatchObject([
      { ...common, kind: 'ERASURE_REQUESTED', detail: body.id },
      { ...common, kind: 'PERSONAL_DATA_READ', detail: 'uid' },
    ])
    expect(JSON.stringify(told)).not.toContain(uid)
  })

  it('erases a uid also where imported orders have made a cid of it', async () => {
    const { shopId, token } = await openPublisher(office)
    const uid = 'customer-7@shop.example'
    const products = [{ shopProductId: 'sku', price: 1, quantity: 1 }]
    const order = { eventId: 'past-1', occurredAt: '2025-11-03', currency: 'EUR', customer: uid, products }
    const rules = {
      ...{ timeZoneOf: () => 'UTC', startOfDay: (day: string) => Date.parse(day) },
      ...{ defaultShopId: shopId, by: '', now: office.clock.now },
    }
    const read = readOrder(order, rules)
    if (read.tag === 'REFUSED') throw new Error(JSON.stringify(read.errors))
    expect(await ask({ shopId, uid }, token)).toMatchObject({ status: 201, body: { identifier: 'uid' } })
    expect(await ask({ shopId, uid }, token)).toMatchObject({ status: 200, body: { identifier: 'uid' } })

    const known = new Erasures()
    for (const { value } of await office.log.read('erasures', 0, 0, 5_000)) known.take(value)
    expect(known.all().filter((each) => each.shopId === shopId)).toHaveLength(2)
    const { key, value } = erased(known, 'transactions', read.record)!
    expect(`${key} ${value!.toString('latin1')}`).not.toContain(uid)
  })

  it('answers the same one to requests of the same moment', async () => {
    const { shopId, token } = await openPublisher(office)
    const answers = await Promise.all([ask({ shopId, cid: CID }, token), ask({ shopId, cid: CID }, token)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201])
    expect(answers[0]!.body.id).toBe(answers[1]!.body.id)
  })

  it('lets so many wait', async () => {
    const erasures = [...(await logged()).erasures.values()]
    const waiting = erasures.filter(({ erasedAt }) => erasedAt === null).length
    const copies = Array.from({ length: 1_000 - waiting }, () => ({ ...erasures.at(-1)!, id: randomUUID() }))
    await office.log.append(copies.map((each) => ({ topic: 'erasures', key: each.id, value: encode('Erasure', each) })))
    await expect
      .poll(() => ask({ shopId: publisher.shopId, cid: randomUUID() }))
      .toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  })
})
