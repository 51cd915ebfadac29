import { randomBytes, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '../../../wait-for.ts'
import { item, rss } from './documents.ts'
import {
  emptyFeedId,
  FEED,
  type FeedsApi,
  type Headers,
  openFeedsApi,
  shopId,
  stranger,
  UPLOAD_BYTES_MAX,
} from './feeds-api.ts'

let api: FeedsApi
beforeAll(async () => {
  api = await openFeedsApi()
})
afterAll(() => api.close())

describe('uploading', () => {
  it.each([
    ['XML', { 'content-type': 'application/xml' }, (xml: string) => xml],
    ['text with a charset', { 'content-type': 'text/xml; charset=utf-8' }, (xml: string) => xml],
    ['what curl says by itself', { 'content-type': 'application/x-www-form-urlencoded' }, (xml: string) => xml],
    ['gzip', { 'content-type': 'application/gzip' }, (xml: string) => gzipSync(xml)],
    [
      'packed content',
      { 'content-type': 'application/xml', 'content-encoding': 'gzip' },
      (xml: string) => gzipSync(xml),
    ],
    ['no type at all', {}, (xml: string) => xml],
  ])('takes %s', async (_name, headers, pack) => {
    const run = await api.uploaded(pack(rss(item({ id: 'a' }), item({ id: 'b' }))), headers as Headers)
    expect(run).toMatchObject({ status: 'DONE', total: 2, rejected: 0, message: null, issueCounts: {} })
    expect(run.startedAt).toBe(new Date(api.clock.now).toISOString())
  })

  it('takes bodies over the usual limit', async () => {
    const large = rss(
      ...Array.from({ length: 1_500 }, (_, i) => item({ id: `p${i}`, description: randomBytes(300).toString('hex') })),
    )
    expect(large.length).toBeGreaterThan(1_048_576)
    expect(await api.uploaded(large)).toMatchObject({ total: 1_500 })
    await api.uploaded(rss(...Array.from({ length: 800 }, (_, i) => item({ id: `p${i}` }))))
  })

  it.each([
    ['a multipart form', { 'content-type': 'multipart/form-data; boundary=x' }, '--x', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['JSON', { 'content-type': 'application/json' }, '{}', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['nothing', {}, undefined, 400, 'INVALID'],
    ['too much', { 'content-type': 'text/xml' }, 'x'.repeat(UPLOAD_BYTES_MAX + 1), 413, 'TOO_LARGE'],
    ['no gzip', { 'content-type': 'text/xml', 'content-encoding': 'gzip' }, '<rss/>', 400, 'INVALID'],
  ])('refuses %s', async (_name, headers, content, status, code) => {
    expect(await api.call('POST', `${FEED}/content`, content, headers as Headers)).toMatchObject({
      status,
      body: { code },
    })
  })

  it('answers XML that is none with a run that fails', async () => {
    expect(await api.uploaded('{"not": "xml"}')).toMatchObject({
      status: 'FAILED',
      message: expect.stringContaining('Line 1'),
    })
  })
})

describe('runs', () => {
  it('are listed the latest first, in pages', async () => {
    const first = await api.uploaded(rss(item({ id: 'a' })))
    const second = await api.uploaded(rss(item({ id: 'a' })))
    const page = await api.call('GET', `${FEED}/runs?limit=1`)
    expect(page.body.items).toMatchObject([{ id: second.id }])
    const next = await api.call('GET', `${FEED}/runs?limit=1&cursor=${page.body.nextCursor}`)
    expect(next.body.items).toMatchObject([{ id: first.id }])
    const all = await api.call('GET', `${FEED}/runs`)
    expect(all.body.items.length).toBeGreaterThan(2)
    expect(all.body.nextCursor).toBeNull()
  })

  it('cannot be asked for without a url or a kept upload', async () => {
    const name = `/v1/panel/feeds/${emptyFeedId}/run`
    expect(await api.call('POST', name)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  })

  it('read the last upload anew when asked to', async () => {
    await api.uploaded(rss(item({ id: 'a' })))
    api.clock.now += 1_000
    const { status, body } = await api.call('POST', `${FEED}/run`)
    expect(status).toBe(202)
    const path = `${FEED}/runs/${body.id}`
    await waitFor(async () => !['QUEUED', 'RUNNING'].includes((await api.call('GET', path)).body.outcome))
    expect((await api.call('GET', path)).body).toMatchObject({ trigger: 'MANUAL', unchanged: 1 })
  })

  it('say what they came to and why', async () => {
    const prices = ['1 TRY', '2 TRY', '3 TRY']
    expect(await api.uploaded(rss(...prices.map((price, i) => item({ id: `p${i}`, price }))))).toMatchObject({
      causes: [{ code: 'CURRENCY_MISMATCH', value: 'TRY', count: 3 }],
      ...{ currency: 'EUR', shopCurrency: 'EUR', betterCurrency: 'TRY' },
    })
    expect(await api.uploaded('<!doctype html><html><body>')).toMatchObject({ outcome: 'FAILED', failure: 'WEB_PAGE' })
  })

  it('that are held are let through by confirming', async () => {
    await api.uploaded(rss(...['a', 'b', 'c', 'd', 'e'].map((id) => item({ id }))))
    const held = await api.uploaded(rss(item({ id: 'a' })))
    // Offers left by earlier tests count as removals too.
    expect(held).toMatchObject({ status: 'HELD', removed: 0, message: expect.stringContaining('confirm') })
    const path = `${FEED}/runs/${held.id}`
    expect(await api.call('POST', `${path}/confirm`)).toMatchObject({
      status: 202,
      body: { id: held.id, status: 'QUEUED' },
    })
    await waitFor(async () => (await api.call('GET', path)).body.status === 'DONE')
    expect((await api.call('GET', path)).body.removed).toBeGreaterThanOrEqual(4)
    expect([...(await api.engines.offers(shopId)).keys()]).toEqual(['a'])
    expect(await api.call('POST', `${path}/confirm`)).toMatchObject({ status: 409 })
  })

  it.each([
    ['GET', `${FEED}/runs`],
    ['GET', `${FEED}/runs/${randomUUID()}`],
    ['GET', `${FEED}/runs/${randomUUID()}/issues`],
    ['POST', `${FEED}/run`],
    ['POST', `${FEED}/content`],
    ['POST', `${FEED}/runs/${randomUUID()}/confirm`],
  ] as const)('do not exist for strangers: %s %s', async (method, url) => {
    const payload = method === 'POST' ? '<rss/>' : undefined
    const typed: Headers = payload ? { 'content-type': 'text/xml' } : {}
    const bodied = url.endsWith('/content') ? payload : undefined
    expect(
      await api.call(method, url, bodied, { authorization: `Bearer ${stranger}`, ...(bodied ? typed : {}) }),
    ).toMatchObject({ status: 404 })
    expect(
      await api.call(method, url, bodied, { authorization: 'Bearer none', ...(bodied ? typed : {}) }),
    ).toMatchObject({
      status: 401,
    })
  })
})

describe('issues', () => {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  let run: any
  let issues: string
  beforeAll(async () => {
    run = await api.uploaded(
      rss(
        item({ id: 'a', gtin: '1' }),
        item({ id: 'b', link: '' }),
        item({ id: '=c', title: 'x', condition: '"odd", \n' }),
        '<item/>',
      ),
    )
    issues = `${FEED}/runs/${run.id}/issues`
  })

  it('are listed in the order of the file, in pages', async () => {
    const { body } = await api.call('GET', issues)
    expect(body.nextCursor).toBeNull()
    expect(body.items.slice(0, 3)).toEqual([
      {
        severity: 'WARNING',
        line: 2,
        productId: 'a',
        field: 'gtin',
        code: 'INVALID_GTIN',
        message: '"1" is not the GTIN of a product',
      },
      {
        severity: 'REJECTED',
        line: 3,
        productId: 'b',
        field: 'link',
        code: 'MISSING_FIELD',
        message: 'Every product needs a link',
      },
      {
        severity: 'WARNING',
        line: 4,
        productId: '=c',
        field: 'condition',
        code: 'INVALID_VALUE',
        message: '""odd"," is not an accepted value',
      },
    ])
    const paged = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await api.call('GET', `${issues}?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      paged.push(...page.body.items)
      cursor = page.body.nextCursor
    }
    expect(paged).toEqual(body.items)
    const counted = Object.values(run.issueCounts as Record<string, number>).reduce((a, b) => a + b, 0)
    expect(body.items).toHaveLength(counted)
  })

  it('are filtered by severity, code and text', async () => {
    const count = async (query: string) => (await api.call('GET', `${issues}?${query}`)).body.items.length
    expect(await count('severity=WARNING')).toBe(2)
    expect(await count('severity=REJECTED')).toBe(7)
    expect(await count('code=INVALID_GTIN')).toBe(1)
    expect(await count('q=ODD')).toBe(1)
    expect(await count('q=%25')).toBe(0)
    expect(await count('severity=REJECTED&q=link')).toBe(3)
  })

  it.each([`?format=csv`, ''])('come as CSV that no spreadsheet runs (%s)', async (query) => {
    const { headers, body } = await api.call('GET', `${issues}${query}`, undefined, query ? {} : { accept: 'text/csv' })
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    const lines = body.split('\r\n')
    expect(lines.slice(0, 2)).toEqual([
      'severity,line,productId,field,code,message',
      'WARNING,2,a,gtin,INVALID_GTIN,"""1"" is not the GTIN of a product"',
    ])
    expect(lines[3]).toBe(`WARNING,4,'=c,condition,INVALID_VALUE,"""""odd"","" is not an accepted value"`)
  })

  it.each(['severity=BAD', 'limit=0', 'limit=x', 'cursor=nonsense', 'cursor=WyJhIl0', 'format=pdf', 'nosuch=1'])(
    'refuse the query %s',
    async (query) => {
      const answer = await api.call('GET', `${issues}?${query}`)
      expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID' } })
      expect(answer.body.errors[0].path).toBe(`querystring/${query.split('=')[0]}`)
    },
  )
})
