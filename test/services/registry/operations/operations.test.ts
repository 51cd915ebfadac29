import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encode } from '../../../../schemas/wire/codec.ts'
import { hashToken } from '../../../../services/domain/identity/tokens.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createHttpServer, type HttpServer } from '../../../../services/http/server.ts'
import { auditApp } from '../../../../services/registry/operations/audit.ts'
import { deadLettersApp } from '../../../../services/registry/operations/dead-letters.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { apply } from '../reports/world.ts'

const OPERATOR = 'the-bootstrap-token-of-the-tests-1234'
const figures = { logged: 9, stored: 8, duplicates: 0, deadLetters: 1, uncounted: 0, lagMs: 0 }
const checkFigures = { logged: 9, stored: 7, duplicates: 1, deadLetters: 0, expired: 1, missing: 1 }
const checked = {
  ...checkFigures,
  missingAt: [{ partition: 2, offset: 6 }],
  repeatedAt: [{ partition: 2, offset: 7 }],
}
const pageView = {
  ...{ id: 'pv', shopId: 's', cid: 'me', uid: null, referer: 'https://shop', shopProductId: null, gclid: null },
  ...{ utmSource: null, utmMedium: null, utmCampaign: null, occurredAt: 5, receivedAt: 5, proof: 'ANONYMOUS' as const },
}
const letter = {
  ...{
    stream: 'sink',
    topic: 'page-views',
    partition: 1,
    offset: 7,
    key: 'me',
    code: 'REJECTED',
    message: 'no',
    failedAt: 0,
  },
  value: encode('PageView', pageView),
}

let server: HttpServer
let asked: object[]
let audits: number
beforeEach(() => {
  asked = []
  audits = 0
  const snapshot = new Snapshot()
  apply(snapshot, 'Account', 'pub', { kind: 'PUBLISHER', name: 'pub' })
  const secretHash = hashToken('token-of-pub')
  apply(snapshot, 'Token', 't', {
    accountId: 'pub',
    scopes: ['panel'],
    secretHash,
    expiresAt: null,
    revokedAt: null,
    createdBy: null,
  })
  const authorize = createAuthorize({ snapshot, bootstrapToken: OPERATOR, now: () => 0 })
  server = createHttpServer({ logger: false })
  server.register(
    auditApp({
      authorize,
      async audit() {
        audits++
        await new Promise((resolve) => setTimeout(resolve, 200))
        return { ...figures, topics: [{ topic: 'page-views', ...figures }] }
      },
      async check(span) {
        asked.push(span)
        await new Promise((resolve) => setTimeout(resolve, 200))
        return { ...checked, partitions: [{ partition: 2, from: 5, to: 14, next: 14, ...checkFigures }] }
      },
    }),
  )
  server.register(
    deadLettersApp({
      authorize,
      async list(filter) {
        asked.push(filter)
        const letters = [
          { offset: 3, letter, replayed: false },
          { offset: 4, letter: { ...letter, value: Buffer.from('broken') }, replayed: true },
        ]
        return { letters, nextOffset: 12 }
      },
      async replay(filter) {
        asked.push(filter)
        return { replayed: 2, skipped: 1, gone: 0 }
      },
    }),
  )
})
afterEach(() => server.close())

async function call(
  method: 'GET' | 'POST',
  path: string,
  { body, token = OPERATOR }: { body?: object; token?: string } = {},
) {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await server.inject({ method, url: `/v1/panel/${path}`, headers, ...(body ? { payload: body } : {}) })
  return { status: answer.statusCode, body: answer.json() }
}

describe('GET /v1/panel/audit', () => {
  it('answers the figures, counted once for callers that come together', async () => {
    const [first, second] = await Promise.all([call('GET', 'audit'), call('GET', 'audit')])
    expect(first.body).toEqual({ ...figures, topics: [{ topic: 'page-views', ...figures }] })
    expect(second.body).toEqual(first.body)
    expect(audits).toBe(1)
    await call('GET', 'audit')
    expect(audits).toBe(2)
  })
})

describe('GET /v1/panel/audit/check', () => {
  it('checks what the query names, one check at a time', async () => {
    const path = 'audit/check?topic=page-views&partition=2&fromOffset=5&from=2026-01-01T00:00:00Z'
    const [first, second] = await Promise.all([call('GET', path), call('GET', path)])
    expect(first.body).toEqual({
      ...checked,
      partitions: [{ partition: 2, from: 5, to: 14, next: 14, ...checkFigures }],
    })
    expect(second).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    expect(asked).toEqual([{ topic: 'page-views', partition: 2, from: 5, since: Date.UTC(2026, 0, 1) }])
    expect((await call('GET', path)).status).toBe(200)
  })

  it.each([
    ['topic=products', 'querystring/topic'],
    ['topic=page-views&fromOffset=5', 'querystring/fromOffset'],
    ['topic=page-views&partition=-1', 'querystring/partition'],
    ['topic=page-views&from=yesterday', 'querystring/from'],
  ])('refuses %s', async (query, path) => {
    const { status, body } = await call('GET', `audit/check?${query}`)
    expect({ status, paths: body.errors.map((each: { path: string }) => each.path) }).toEqual({
      status: 400,
      paths: [path],
    })
    expect(asked).toEqual([])
  })
})

describe('dead letters', () => {
  it('are listed with what is known of the record', async () => {
    const { body } = await call('GET', 'dead-letters?stream=sink&topic=page-views&limit=2&cursor=3')
    expect(asked).toEqual([{ stream: 'sink', topic: 'page-views', fromOffset: 3, limit: 2 }])
    expect(body.nextCursor).toBe('12')
    expect(body.items[0]).toEqual({
      ...{
        id: 3,
        stream: 'sink',
        topic: 'page-views',
        partition: 1,
        offset: 7,
        key: 'me',
        code: 'REJECTED',
        message: 'no',
      },
      ...{ failedAt: '1970-01-01T00:00:00.000Z', replayed: false, bytes: letter.value.length, record: pageView },
    })
    expect(body.items[1]).toMatchObject({ id: 4, replayed: true, record: null })
  })

  it('are replayed as asked', async () => {
    const { status, body } = await call('POST', 'dead-letters/replay', {
      body: { topic: 'page-views', fromId: 3, toId: 5 },
    })
    expect([status, body]).toEqual([200, { replayed: 2, skipped: 1, gone: 0 }])
    expect(asked).toEqual([{ topic: 'page-views', fromOffset: 3, toOffset: 5, limit: 1_000 }])
  })

  it.each([
    ['GET', 'dead-letters?topic=nothing', undefined, 'querystring/topic'],
    ['GET', 'dead-letters?cursor=x', undefined, 'querystring/cursor'],
    ['GET', 'dead-letters?limit=0', undefined, 'querystring/limit'],
    ['POST', 'dead-letters/replay', { fromId: -1 }, '/fromId'],
    ['POST', 'dead-letters/replay', { from: 1 }, '/from'],
  ] as const)('refuse %s %s %o and name the field', async (method, path, body, field) => {
    const answer = await call(method, path, body ? { body } : {})
    expect([answer.status, answer.body.errors[0].path]).toEqual([400, field])
  })
})

it.each([
  ['GET', 'audit'],
  ['GET', 'dead-letters'],
  ['POST', 'dead-letters/replay'],
] as const)('%s %s is for the operator', async (method, path) => {
  expect((await call(method, path, { token: 'token-of-pub', ...(method === 'POST' ? { body: {} } : {}) })).status).toBe(
    403,
  )
  expect((await call(method, path, { token: 'nobody', ...(method === 'POST' ? { body: {} } : {}) })).status).toBe(401)
})
