import { type IncomingMessage, request } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { AnalyticsUnavailable, type QueryParams } from '../../../../infra/analytics/port.ts'
import { decode } from '../../../../schemas/wire/codec.ts'
import { createPersonalDataExports } from '../../../../services/registry/erasures/personal-data-exports.ts'
import { discard, type Office, openOffice, openPublisher } from '../office.ts'

const PATH = '/v1/panel/personal-data'
const away = () => new AnalyticsUnavailable('The store is away')

/** Answers the queries of pages. */
type Store = (sql: string, params: QueryParams) => Promise<object[]>
const empty: Store = async () => []

let office: Office
let publisher: Awaited<ReturnType<typeof openPublisher>>
let store = empty
let pagesRead = 0
let url: string
beforeAll(async () => {
  const query = async <Row extends object>(sql: string, params: QueryParams = {}) => {
    const rows = await store(sql, params)
    pagesRead += 1
    return rows as Row[]
  }
  office = await openOffice({ analytics: { query } })
  publisher = await openPublisher(office)
  url = await office.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => discard(office))
afterEach(() => {
  store = empty
  pagesRead = 0
})

/** As many page views as `count`, in the pages that are asked for. */
const pageViews =
  (count: number, text = ''): Store =>
  async (sql, { after__offset = -1, limit }) => {
    if (!sql.includes('FROM page_views')) return []
    const first = Number(after__offset) + 1
    return Array.from({ length: Math.min(Number(limit), count - first) }, (_, i) => ({
      ...{ _topic: 'page-views', _partition: 0, _offset: first + i, id: `view-${first + i}`, text },
      occurredAt: 1_000,
    }))
  }

/** The head of the answer, whose body is not read yet. */
function opened({ token, shopId } = publisher): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    request(`${url}${PATH}`, { method: 'POST', headers, agent: false }, resolve)
      .on('error', reject)
      .end(JSON.stringify({ shopId, uid: 'u' }))
  })
}

async function textOf(answer: IncomingMessage): Promise<string> {
  return (await answer.setEncoding('utf8').toArray()).join('')
}

async function readsInLog(): Promise<number> {
  const records = await office.log.read('security-events', 0, 0, 1_000)
  return records.filter(({ value }) => decode('SecurityEvent', value!).kind === 'PERSONAL_DATA_READ').length
}

describe('the export of a person', () => {
  it('is one document, however many rows there are', async () => {
    store = pageViews(25_500)
    const answer = await opened()
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json; charset=utf-8' } })
    const data = JSON.parse(await textOf(answer))
    expect(data.pageViews.map(({ id }: { id: string }) => id)).toEqual(
      Array.from({ length: 25_500 }, (_, i) => `view-${i}`),
    )
    expect({ ...data, pageViews: null }).toEqual({
      ...{ shopId: publisher.shopId, identifier: 'uid', exportedAt: new Date(office.clock.now).toISOString() },
      ...{ identifiersSince: null, linked: [], adRequests: [], adEvents: [], transactions: [], pageViews: null },
      ...{ credits: [], corrections: [] },
    })
  })

  it('is refused when the store is away from the beginning, and is then not noted as given out', async () => {
    const before = await readsInLog()
    store = async () => {
      throw away()
    }
    const answer = await opened()
    expect(answer.statusCode).toBe(503)
    expect(JSON.parse(await textOf(answer))).toMatchObject({ code: 'REPORTS_UNAVAILABLE' })
    expect(await readsInLog()).toBe(before)
  })

  it('breaks off when the store goes away later, so that nobody takes it for complete', async () => {
    const before = await readsInLog()
    const pages = pageViews(25_500)
    store = async (sql, params) => {
      if (Number(params.after__offset ?? 0) > 5_000) throw away()
      return pages(sql, params)
    }
    const answer = await opened()
    expect(answer.statusCode).toBe(200)
    await expect(textOf(answer)).rejects.toThrow('aborted')
    expect(await readsInLog()).toBe(before + 1)
  })

  it('is read from the store only as fast as it is taken, and no further when its reader hangs up', async () => {
    store = pageViews(Number.MAX_SAFE_INTEGER, 'x'.repeat(1_000))
    const [first, second] = await Promise.all([opened(), opened()])
    /** Resolves when no page has been read for a while. @returns how many were read. */
    async function waiting(): Promise<number> {
      let seen = 0
      await expect
        .poll(
          () => {
            const isSame = seen === pagesRead
            seen = pagesRead
            return isSame
          },
          { interval: 200 },
        )
        .toBe(true)
      return seen
    }
    const unread = await waiting()
    let taken = 0
    for await (const chunk of first) {
      taken += chunk.length
      if (taken > 50_000_000) break
    }
    expect(pagesRead).toBeGreaterThan(unread)

    const third = await opened()
    second.destroy()
    await expect.poll(() => opened().then((answer) => answer.destroy().statusCode)).toBe(200)
    third.destroy()
    await waiting()
  })

  it('runs for an account twice at once, and for others meanwhile', async () => {
    store = pageViews(Number.MAX_SAFE_INTEGER, 'x'.repeat(1_000))
    const running = await Promise.all([opened(), opened()])
    const refused = await opened()
    expect(refused).toMatchObject({ statusCode: 429, headers: { 'retry-after': '30' } })
    expect(JSON.parse(await textOf(refused))).toMatchObject({ code: 'RATE_LIMITED' })
    const other = await opened(await openPublisher(office))
    expect(other.statusCode).toBe(200)
    for (const each of [...running, other]) each.destroy()
    await expect.poll(() => opened().then((answer) => answer.destroy().statusCode)).toBe(200)
  })

  it('ends when it is not read in time', async () => {
    const query = async <Row extends object>(sql: string, params: QueryParams = {}) =>
      (await pageViews(Number.MAX_SAFE_INTEGER)(sql, params)) as Row[]
    const begin = createPersonalDataExports({ analytics: { query }, now: () => 0, timeMaxMs: 50 })
    const person = { shopId: 's', identifier: 'uid', value: 'u' } as const
    const stream = begin({ accountId: 'a', person, onAnswer: async () => {} })
    await expect(new Promise((_, reject) => stream.once('error', reject))).rejects.toThrow('within 50 ms')
    for (let i = 0; i < 2; i++) begin({ accountId: 'a', person, onAnswer: async () => {} }).destroy()
  })
})
