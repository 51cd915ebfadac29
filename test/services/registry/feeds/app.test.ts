import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Analytics } from '../../../../infra/analytics/port.ts'
import type { Account } from '../../../../schemas/records/accounts.ts'
import { hashToken } from '../../../../services/domain/identity/tokens.ts'
import { defaultLimits } from '../../../../services/domain/limits.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createHttpServer, type HttpServer } from '../../../../services/http/server.ts'
import { feedsApp } from '../../../../services/registry/feeds/app.ts'
import { createFeedRuns, type FeedRuns } from '../../../../services/registry/feeds/runs/feed-runs.ts'
import { createFeedRunner } from '../../../../services/registry/feeds/runs/runner.ts'
import { fetchOptions } from '../../../../services/registry/feeds/source/fetch.ts'
import { openFeedFiles } from '../../../../services/registry/feeds/source/files.ts'
import { created, openRegistry, type Registry } from '../../../../services/registry/resources/store.ts'
import { createAccess } from '../../../../services/registry/rights/access.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { openNewAnalytics } from '../../../new-analytics.ts'
import { waitFor } from '../../../wait-for.ts'
import { item, rss } from './documents.ts'
import { type Engines, openEngines } from './engines.ts'

const token = 'operator-token-of-these-tests-0123456789'
const publisherToken = 'publisher-token'
const stranger = 'stranger-token'
const shopId = randomUUID()
const feedId = randomUUID()
const emptyFeedId = randomUUID()
const FEED = `/v1/panel/feeds/${feedId}`

let engines: Engines
let analytics: Analytics
let registry: Registry
let runs: FeedRuns
let server: HttpServer
let now = Date.UTC(2026, 5, 15)

beforeAll(async () => {
  engines = await openEngines()
  analytics = await openNewAnalytics({ folder: join(engines.folder, 'analytics') })
  const { log, index, catchUp: caughtUp } = engines
  const clock = () => now
  const snapshot = new Snapshot()
  registry = await openRegistry({ log, snapshot, now: clock })
  const fetch = fetchOptions(defaultLimits, false)
  runs = createFeedRuns({
    limits: defaultLimits,
    registry,
    runner: createFeedRunner({ log, index, caughtUp, fetch, now: clock }),
    files: await openFeedFiles(join(engines.folder, 'uploads'), 2_000_000),
    intervalMs: 3_600_000,
    now: clock,
    uuid: randomUUID,
    logger: { error: () => {} },
  })
  await runs.start()
  server = createHttpServer({ logger: false })
  const authorize = createAuthorize({ snapshot, bootstrapToken: token, now: clock })
  feedsApp(server, { snapshot, access: createAccess(snapshot), authorize, analytics, runs })
  await setUp()
})
afterAll(async () => {
  await server.close()
  await runs.close()
  await registry.close()
  await analytics.close()
  await engines.close()
})

async function setUp() {
  const [publisher, other] = [randomUUID(), randomUUID()]
  const account: Account = {
    ...{ kind: 'PUBLISHER', name: '', companyName: '', taxNumber: '', sellerIds: [], displayEnabled: false },
  }
  const bearer = (accountId: string, secret: string) => ({
    ...{
      accountId,
      name: '',
      scopes: ['panel' as const],
      secretHash: hashToken(secret),
      expiresAt: null,
      revokedAt: null,
      createdBy: null,
      createdAt: null,
      lastUsedAt: null,
    },
  })
  const shop = { accountId: publisher, name: 'S', currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'UTC' }
  const windows = {
    clickWindowHours: 1,
    viewWindowHours: 1,
    reserveCpcMicros: 1,
    transactionTrust: 'OPEN' as const,
    invalidTraffic: [],
    synonyms: '',
  }
  const feed = { shopId, name: 'F', url: null, currency: 'EUR', lang: 'en', ...unfetched }
  await registry.write(
    [
      created('Account', publisher, account),
      created('Account', other, account),
      created('Token', randomUUID(), bearer(publisher, publisherToken)),
      created('Token', randomUUID(), bearer(other, stranger)),
      created('Shop', shopId, { ...shop, ...windows }),
      created('Feed', feedId, feed),
      created('Feed', emptyFeedId, feed),
    ],
    { by: 'test' },
  )
}

type Headers = Record<string, string>
async function call(method: 'GET' | 'POST', url: string, payload?: string | Buffer, headers: Headers = {}) {
  const answer = await server.inject({
    method,
    url,
    headers: { authorization: `Bearer ${publisherToken}`, ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
  const json = String(answer.headers['content-type']).includes('json')
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as what the API says they are
  return { status: answer.statusCode, headers: answer.headers, body: (json ? answer.json() : answer.body) as any }
}

/** Uploads a file, waits until the run has ended, and stores its issues as the sink would. */
async function uploaded(content: string | Buffer, headers: Headers = { 'content-type': 'application/xml' }) {
  now += 1_000
  const answer = await call('POST', `${FEED}/content`, content, headers)
  expect(answer).toMatchObject({ status: 202, body: { status: 'QUEUED', trigger: 'UPLOAD', feedId, shopId } })
  const path = `${FEED}/runs/${answer.body.id}`
  await waitFor(async () => !['QUEUED', 'RUNNING'].includes((await call('GET', path)).body.status))
  const issues = (await engines.issues(shopId)).filter((issue) => issue.runId === answer.body.id)
  const rows = issues.map((issue, i) => ({ _topic: 'feed-issues', _partition: 0, _offset: i, ...issue }))
  await analytics.insert('feed_issues', rows, { token: answer.body.id })
  return (await call('GET', path)).body
}

const unfetched = {
  ...{ etag: null, lastModified: null, contentHash: null, username: null, password: null, keptUpload: null },
}

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
    const run = await uploaded(pack(rss(item({ id: 'a' }), item({ id: 'b' }))), headers as Headers)
    expect(run).toMatchObject({ status: 'DONE', total: 2, rejected: 0, message: null, issueCounts: {} })
    expect(run.startedAt).toBe(new Date(now).toISOString())
  })

  it('takes bodies over the usual limit', async () => {
    const large = rss(
      ...Array.from({ length: 1_500 }, (_, i) => item({ id: `p${i}`, description: randomBytes(300).toString('hex') })),
    )
    expect(large.length).toBeGreaterThan(1_048_576)
    expect(await uploaded(large)).toMatchObject({ total: 1_500 })
    await uploaded(rss(...Array.from({ length: 800 }, (_, i) => item({ id: `p${i}` }))))
  })

  it.each([
    ['a multipart form', { 'content-type': 'multipart/form-data; boundary=x' }, '--x', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['JSON', { 'content-type': 'application/json' }, '{}', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['nothing', {}, undefined, 400, 'INVALID'],
    ['too much', { 'content-type': 'text/xml' }, 'x'.repeat(2_000_001), 413, 'TOO_LARGE'],
    ['no gzip', { 'content-type': 'text/xml', 'content-encoding': 'gzip' }, '<rss/>', 400, 'INVALID'],
  ])('refuses %s', async (_name, headers, content, status, code) => {
    expect(await call('POST', `${FEED}/content`, content, headers as Headers)).toMatchObject({ status, body: { code } })
  })

  it('answers XML that is none with a run that fails', async () => {
    expect(await uploaded('{"not": "xml"}')).toMatchObject({
      status: 'FAILED',
      message: expect.stringContaining('Line 1'),
    })
  })
})

describe('runs', () => {
  it('are listed the latest first, in pages', async () => {
    const first = await uploaded(rss(item({ id: 'a' })))
    const second = await uploaded(rss(item({ id: 'a' })))
    const page = await call('GET', `${FEED}/runs?limit=1`)
    expect(page.body.items).toMatchObject([{ id: second.id }])
    const next = await call('GET', `${FEED}/runs?limit=1&cursor=${page.body.nextCursor}`)
    expect(next.body.items).toMatchObject([{ id: first.id }])
    const all = await call('GET', `${FEED}/runs`)
    expect(all.body.items.length).toBeGreaterThan(2)
    expect(all.body.nextCursor).toBeNull()
  })

  it('cannot be asked for without a url or a kept upload', async () => {
    const name = `/v1/panel/feeds/${emptyFeedId}/run`
    expect(await call('POST', name)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  })

  it('read the last upload anew when asked to', async () => {
    await uploaded(rss(item({ id: 'a' })))
    now += 1_000
    const { status, body } = await call('POST', `${FEED}/run`)
    expect(status).toBe(202)
    const path = `${FEED}/runs/${body.id}`
    await waitFor(async () => !['QUEUED', 'RUNNING'].includes((await call('GET', path)).body.outcome))
    expect((await call('GET', path)).body).toMatchObject({ trigger: 'MANUAL', unchanged: 1 })
  })

  it('say what they came to and why', async () => {
    const prices = ['1 TRY', '2 TRY', '3 TRY']
    expect(await uploaded(rss(...prices.map((price, i) => item({ id: `p${i}`, price }))))).toMatchObject({
      causes: [{ code: 'CURRENCY_MISMATCH', value: 'TRY', count: 3 }],
      ...{ currency: 'EUR', shopCurrency: 'EUR', betterCurrency: 'TRY' },
    })
    expect(await uploaded('<!doctype html><html><body>')).toMatchObject({ outcome: 'FAILED', failure: 'WEB_PAGE' })
  })

  it('that are held are let through by confirming', async () => {
    await uploaded(rss(...['a', 'b', 'c', 'd', 'e'].map((id) => item({ id }))))
    const held = await uploaded(rss(item({ id: 'a' })))
    // Offers left by earlier tests count as removals too.
    expect(held).toMatchObject({ status: 'HELD', removed: 0, message: expect.stringContaining('confirm') })
    const path = `${FEED}/runs/${held.id}`
    expect(await call('POST', `${path}/confirm`)).toMatchObject({
      status: 202,
      body: { id: held.id, status: 'QUEUED' },
    })
    await waitFor(async () => (await call('GET', path)).body.status === 'DONE')
    expect((await call('GET', path)).body.removed).toBeGreaterThanOrEqual(4)
    expect([...(await engines.offers(shopId)).keys()]).toEqual(['a'])
    expect(await call('POST', `${path}/confirm`)).toMatchObject({ status: 409 })
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
      await call(method, url, bodied, { authorization: `Bearer ${stranger}`, ...(bodied ? typed : {}) }),
    ).toMatchObject({ status: 404 })
    expect(await call(method, url, bodied, { authorization: 'Bearer none', ...(bodied ? typed : {}) })).toMatchObject({
      status: 401,
    })
  })
})

describe('issues', () => {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  let run: any
  let issues: string
  beforeAll(async () => {
    run = await uploaded(
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
    const { body } = await call('GET', issues)
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
      const page = await call('GET', `${issues}?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      paged.push(...page.body.items)
      cursor = page.body.nextCursor
    }
    expect(paged).toEqual(body.items)
    const counted = Object.values(run.issueCounts as Record<string, number>).reduce((a, b) => a + b, 0)
    expect(body.items).toHaveLength(counted)
  })

  it('are filtered by severity, code and text', async () => {
    const count = async (query: string) => (await call('GET', `${issues}?${query}`)).body.items.length
    expect(await count('severity=WARNING')).toBe(2)
    expect(await count('severity=REJECTED')).toBe(7)
    expect(await count('code=INVALID_GTIN')).toBe(1)
    expect(await count('q=ODD')).toBe(1)
    expect(await count('q=%25')).toBe(0)
    expect(await count('severity=REJECTED&q=link')).toBe(3)
  })

  it.each([`?format=csv`, ''])('come as CSV that no spreadsheet runs (%s)', async (query) => {
    const { headers, body } = await call('GET', `${issues}${query}`, undefined, query ? {} : { accept: 'text/csv' })
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
      const answer = await call('GET', `${issues}?${query}`)
      expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID' } })
      expect(answer.body.errors[0].path).toBe(`querystring/${query.split('=')[0]}`)
    },
  )
})
