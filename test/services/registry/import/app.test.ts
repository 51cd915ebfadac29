import { request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LogUnavailable, type NewRecord } from '../../../../infra/event-log/port.ts'
import { decode } from '../../../../schemas/wire/codec.ts'
import { hashToken } from '../../../../services/domain/identity/tokens.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createHttpServer, type HttpServer } from '../../../../services/http/server.ts'
import { importApp } from '../../../../services/registry/import/app.ts'
import { createAccess } from '../../../../services/registry/rights/access.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { apply } from '../reports/world.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const OPERATOR = 'the-bootstrap-token-of-the-tests-1234'

let server: HttpServer
let appended: NewRecord[][]
let snapshot: Snapshot
let logFails: boolean

beforeEach(() => {
  appended = []
  logFails = false
  snapshot = new Snapshot()
  for (const [id, kind] of [
    ['pub', 'PUBLISHER'],
    ['other', 'PUBLISHER'],
    ['adv', 'ADVERTISER'],
  ] as const) {
    apply(snapshot, 'Account', id, { kind, name: id })
    const secretHash = hashToken(`token-of-${id}`)
    apply(snapshot, 'Token', `t-${id}`, {
      accountId: id,
      scopes: ['import'],
      secretHash,
      expiresAt: null,
      revokedAt: null,
      createdBy: null,
    })
  }
  apply(snapshot, 'Shop', 'shop', { accountId: 'pub', name: 'Shop', timeZone: 'America/New_York' })
  apply(snapshot, 'Shop', 'elsewhere', { accountId: 'other', name: 'Elsewhere', timeZone: 'UTC' })
  server = createHttpServer({ logger: false })
  server.register(
    importApp({
      log: {
        async append(records) {
          if (logFails) throw new LogUnavailable('down')
          appended.push([...records])
          return []
        },
      },
      access: createAccess(snapshot),
      authorize: createAuthorize({ snapshot, bootstrapToken: OPERATOR, now: () => NOW }),
      now: () => NOW,
      importLimits: { bytesMax: 400_000, linesMax: 2_500, lineMaxBytes: 2_000 },
    }),
  )
})
afterEach(() => server.close())

const order = (rest: object = {}) => ({
  ...{ eventId: 'o1', currency: 'eur', occurredAt: '2019-05-04T10:00:00+02:00', cid: 'me' },
  products: [{ shopProductId: 'sku', price: 12.345678, quantity: 2 }],
  ...rest,
})

async function send(
  lines: unknown[] | string,
  options: { token?: string; query?: string; type?: string; path?: string } = {},
) {
  const { token = 'token-of-pub', query = '', type = 'application/x-ndjson', path = 'transactions' } = options
  const payload = typeof lines === 'string' ? lines : lines.map((line) => JSON.stringify(line)).join('\n')
  const answer = await server.inject({
    method: 'POST',
    url: `/v1/panel/import/${path}${query}`,
    headers: { 'content-type': type, authorization: `Bearer ${token}` },
    payload,
  })
  return { status: answer.statusCode, body: answer.json() }
}
const stored = () => appended.flat().map(({ value }) => decode('Transaction', value!))

describe('POST /v1/panel/import/transactions', () => {
  it('stores past orders, marked as imported', async () => {
    const { status, body } = await send([
      order(),
      order({ eventId: 'o2', cid: null, customer: 'c7', kind: 'CART', shopId: 'shop' }),
    ])
    expect([status, body]).toEqual([200, { accepted: 2, rejected: 0, errors: [] }])
    expect(stored()).toEqual([
      {
        ...{ eventId: 'o1', kind: 'PURCHASE', shopId: 'shop', cid: 'me', uid: null, currency: 'EUR', locale: null },
        ...{ occurredAt: Date.parse('2019-05-04T08:00:00Z'), receivedAt: NOW, imported: true, proof: 'TOKEN' },
        lines: [
          {
            shopProductId: 'sku',
            priceMicros: 12_345_678,
            quantity: 2,
            productTitle: null,
            brand: null,
            sellerId: null,
          },
        ],
      },
      expect.objectContaining({ eventId: 'o2', kind: 'CART', cid: 'customer:c7', uid: 'c7' }),
    ])
    expect(appended[0]!.map(({ topic, key }) => [topic, key])).toEqual([
      ['transactions', 'me'],
      ['transactions', 'customer:c7'],
    ])
  })

  it('knows a shop by its id in any case', async () => {
    const shopId = 'abcdefab-cdef-4abc-8def-abcdefabcdef'
    apply(snapshot, 'Shop', shopId, { accountId: 'pub', name: 'Second', timeZone: 'UTC' })
    const { body } = await send([order({ shopId: shopId.toUpperCase() }), order({ eventId: 'o2' })], {
      query: `?shopId=${shopId.toUpperCase()}`,
    })
    expect(body).toEqual({ accepted: 2, rejected: 0, errors: [] })
    expect(stored()).toMatchObject([{ shopId }, { shopId }])
  })

  it('takes a date as the start of that day on the clock of the shop', async () => {
    apply(snapshot, 'Shop', 'auckland', { accountId: 'pub', name: 'Far', timeZone: 'Pacific/Auckland' })
    // It is the 2nd of June in Auckland.
    const dated = [
      ['shop', '2019-05-04', '2019-05-04T04:00:00Z'],
      ['shop', '2019-12-04', '2019-12-04T05:00:00Z'],
      ['auckland', '2026-06-02', '2026-06-01T12:00:00Z'],
      ['auckland', '1970-01-01', '1970-01-01T00:00:00Z'],
    ] as const
    const { body } = await send(
      dated.map(([shopId, occurredAt], i) => order({ eventId: `o${i}`, shopId, occurredAt })),
      { query: '?shopId=shop' },
    )
    expect(body).toEqual({ accepted: 4, rejected: 0, errors: [] })
    expect(stored().map(({ occurredAt }) => occurredAt)).toEqual(dated.map(([, , at]) => Date.parse(at)))
    const refused = await send([order({ occurredAt: '2026-06-02' }), order({ occurredAt: '0000-01-01' })], {
      query: '?shopId=shop',
    })
    expect(refused.body.errors.map(({ message }: { message: string }) => message)).toEqual([
      'is in the future',
      'is before 1970',
    ])
  })

  it('takes the good lines and lists the bad ones by number and field', async () => {
    const lines = [
      JSON.stringify(order()),
      '{"eventId": "broken',
      '',
      JSON.stringify(order({ occurredAt: '2026-06-02T00:00:00Z' })),
      JSON.stringify(order({ occurredAt: '2019-02-30' })),
      JSON.stringify(order({ shopId: 'elsewhere' })),
      JSON.stringify(order({ products: [{ shopProductId: 'sku', price: -1, quantity: 1.5 }] })),
      '[]',
      'x'.repeat(2_001),
      JSON.stringify(order({ eventId: 'o9', occurredAt: '2019-02-28' })),
    ]
    const { status, body } = await send(lines.join('\r\n'))
    expect(status).toBe(200)
    expect([body.accepted, body.rejected]).toEqual([2, 7])
    expect(body.errors.map(({ line, path }: { line: number; path: string }) => `${line} ${path}`)).toEqual([
      '2 /',
      '4 /occurredAt',
      '5 /occurredAt',
      '6 /shopId',
      '7 /products/0/price',
      '7 /products/0/quantity',
      '8 /',
      '9 /',
    ])
    expect(stored().map(({ eventId }) => eventId)).toEqual(['o1', 'o9'])
  })

  it('lists no more than 100 fieldErrors', async () => {
    const { body } = await send(Array.from({ length: 500 }, () => 'no order'))
    expect([body.rejected, body.errors.length]).toEqual([500, 100])
  })

  it('appends in batches, in the order of the lines', async () => {
    await send(
      Array.from({ length: 2_100 }, (_, i) =>
        order({ eventId: `o${i}`, products: [{ shopProductId: 's', price: 1, quantity: 1 }] }),
      ),
    )
    expect(appended.map((batch) => batch.length)).toEqual([1_000, 1_000, 100])
    expect(stored().map(({ eventId }) => eventId)).toEqual(Array.from({ length: 2_100 }, (_, i) => `o${i}`))
  })

  it('says what is stored when a limit or the log ends the import', async () => {
    const many = await send(Array.from({ length: 2_600 }, () => ({})))
    expect([many.status, many.body.code]).toEqual([413, 'TOO_LARGE'])
    logFails = true
    const down = await send([order()])
    expect([down.status, down.body.code]).toEqual([503, 'UNAVAILABLE'])
    expect(down.body.detail).toContain('0 lines were stored')
  })

  it('answers 413 while the body is still coming', async () => {
    const url = await server.listen({ port: 0, host: '127.0.0.1' })
    const line = `${JSON.stringify(order())}\n`
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        'content-type': 'application/x-ndjson',
        authorization: 'Bearer token-of-pub',
        connection: 'close',
      }
      const upload = request(`${url}/v1/panel/import/transactions`, { method: 'POST', headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      upload.on('error', reject)
      for (let i = 0; i < 3_000; i++) upload.write(line)
      upload.end()
    })
    expect(status).toBe(413)
    expect(appended.flat().length).toBeGreaterThan(1_000)
  })

  it('reads a file to its end that it refuses in the middle, so that its answer arrives', async () => {
    const { port, hostname } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }))
    const socket = connect(Number(port), hostname)
    let told = ''
    socket.on('data', (bytes) => {
      told += bytes
    })
    const head = ['POST /v1/panel/import/transactions HTTP/1.1', 'host: x', 'authorization: Bearer token-of-pub']
    const rows = `eventId,shopId\n${'x'.repeat(8_000_000)}`
    socket.write([...head, 'content-type: text/csv', `content-length: ${rows.length}`, '', rows].join('\r\n'))
    socket.write('GET /next HTTP/1.1\r\nhost: x\r\n\r\n')
    await vi.waitFor(() => expect(told).toContain('HTTP/1.1 404'), { timeout: 20_000 })
    socket.destroy()
    expect(told).toContain('HTTP/1.1 413')
  })

  it('refuses a body that is not encoded as it says', async () => {
    for (const type of ['application/x-ndjson', 'text/csv']) {
      const headers = { 'content-type': type, 'content-encoding': 'gzip', authorization: 'Bearer token-of-pub' }
      const url = '/v1/panel/import/transactions'
      const answer = await server.inject({ method: 'POST', url, headers, payload: 'no gzip' })
      expect([answer.statusCode, answer.json().code], type).toEqual([400, 'INVALID'])
    }
  })

  it.each([
    ['no token', { token: 'nobody' }, 401],
    ['an advertiser', { token: 'token-of-adv' }, 403],
    ["another's shop", { query: '?shopId=elsewhere' }, 404],
    ['JSON', { type: 'application/json' }, 415],
    ['an unknown parameter', { query: '?shop=shop' }, 400],
  ])('refuses %s', async (_, options, status) => {
    expect((await send([order()], options)).status).toBe(status)
    expect(appended).toEqual([])
  })

  it('asks for the shop where there are several', async () => {
    expect((await send([order()], { token: OPERATOR })).body.errors).toEqual([
      { line: 1, path: '/shopId', message: expect.stringContaining('is required') },
    ])
    expect((await send([order()], { token: OPERATOR, query: '?shopId=elsewhere' })).body.accepted).toBe(1)
  })

  it('refuses a body without lines', async () => {
    expect((await send('')).status).toBe(400)
  })
})

describe('CSV', () => {
  const csv = (...rows: string[]) => send(rows.join('\r\n'), { type: 'text/csv; charset=utf-8' })

  it('is orders of a row a product, rows of an order together', async () => {
    const { status, body } = await csv(
      '\uFEFFeventId, occurredAt,currency,customer,shopProductId,price,quantity,productTitle,note',
      'o1,2019-05-04,EUR,c7,sku-1,10.5,1,"Lamp, ""small""",x',
      'o1,,,,sku-2,3,2,,',
      '',
      'o2,2019-05-05T08:00:00Z,EUR,,sku-1,10.50,1,,',
    )
    expect([status, body]).toEqual([200, { accepted: 2, rejected: 0, errors: [] }])
    const line = { brand: null, sellerId: null }
    expect(stored()).toMatchObject([
      {
        ...{ eventId: 'o1', uid: 'c7', imported: true },
        lines: [
          { ...line, shopProductId: 'sku-1', priceMicros: 10_500_000, quantity: 1, productTitle: 'Lamp, "small"' },
          { ...line, shopProductId: 'sku-2', priceMicros: 3_000_000, quantity: 2, productTitle: null },
        ],
      },
      { eventId: 'o2', uid: null, lines: [{ priceMicros: 10_500_000 }] },
    ])
  })

  it('takes the good orders and lists the bad ones by row and column', async () => {
    const { body } = await csv(
      'eventId,occurredAt,currency,shopProductId,price,quantity',
      'o1,2019-05-04,EUR,sku,ten,1',
      'o2,2019-05-04,EUR,sku,1',
      'o3,2019-05-04,EUR,sku,1,1',
      'o5,,EUR,sku,1,1',
      'o6,2019-05-04,EUR,sku,1,1',
    )
    expect([body.accepted, body.rejected]).toEqual([2, 3])
    const places = body.errors.map(({ line, path }: { line: number; path: string }) => `${line} ${path}`)
    expect(new Set(places)).toEqual(new Set(['2 /products/0/price', '3 /', '5 /occurredAt']))
    expect(stored().map(({ eventId }) => eventId)).toEqual(['o3', 'o6'])
  })

  it('takes no order of which a row cannot be read', async () => {
    const { body } = await csv(
      'eventId,occurredAt,currency,shopProductId,price,quantity',
      'o1,2019-05-04,EUR,a,1,1',
      'o1,2019-05-04,EUR,b,c,1,1',
      'o2,2019-05-04,EUR,a,1,1',
    )
    expect(body).toMatchObject({ accepted: 1, rejected: 1, errors: [{ line: 2, path: '/' }] })
    expect(body.errors[0].message).toContain('line 3')
    expect(stored().map(({ eventId }) => eventId)).toEqual(['o2'])
  })

  it('takes neither neighbour of a row whose order is unknown', async () => {
    const rows = {
      'a broken quote': ['eventId,occurredAt,currency,shopProductId,price,quantity', 'o2,2019-05-04,EUR,5" pot,1,1'],
      'a cell too many before the id': [
        'shopProductId,eventId,occurredAt,currency,price,quantity',
        'a,b,o2,2019,EUR,1,1',
      ],
    }
    for (const [what, [header, unreadable]] of Object.entries(rows)) {
      const row = (eventId: string) =>
        header!.startsWith('eventId') ? `${eventId},2019-05-04,EUR,a,1,1` : `a,${eventId},2019-05-04,EUR,1,1`
      appended.length = 0
      const { body } = await csv(header!, row('o1'), row('o2'), unreadable!, row('o3'), row('o3'), row('o4'))
      expect([what, body.accepted, body.rejected]).toEqual([what, 2, 3])
      expect(stored().map(({ eventId }) => eventId)).toEqual(['o1', 'o4'])
    }
  })

  it('ends at a row that is too long, and says what is stored', async () => {
    const { status, body } = await csv(
      'eventId,occurredAt,currency,shopProductId,price,quantity',
      'o1,2019-05-04,EUR,sku,1,1',
      'o2,2019-05-04,EUR,sku,1,1',
      `o3,2019-05-04,EUR,"${'x'.repeat(3_000)}",1,1`,
    )
    expect([status, body.code]).toEqual([413, 'TOO_LARGE'])
    expect(body.detail).toContain(`${stored().length} lines were stored`)
  })

  it('keeps no more rows of one order than an order may have lines', async () => {
    const row = 'o1,2019-05-04,EUR,sku,1,1'
    const { body } = await csv('eventId,occurredAt,currency,shopProductId,price,quantity', ...Array(2_000).fill(row))
    expect(body).toMatchObject({ accepted: 0, rejected: 1, errors: [{ line: 2, path: '/products' }] })
  })
})

describe('POST /v1/panel/import/returns', () => {
  const returns = () => appended.flat().map(({ key, value }) => ({ key, ...decode('TransactionReturn', value!) }))
  const told = { shopId: 'shop', eventId: 'o1', returnedBy: 'pub', receivedAt: NOW, key: 'shop/o1' }

  it('takes NDJSON', async () => {
    const line = { returnId: 'r1', eventId: 'o1', occurredAt: '2019-05-04', reason: 'broken' }
    const lines = [{ shopProductId: 'sku', quantity: 2 }]
    const { body } = await send([line, { ...line, returnId: 'r2', lines }, { ...line, lines: [] }], { path: 'returns' })
    expect(body).toMatchObject({ accepted: 2, rejected: 1, errors: [{ line: 3, path: '/lines' }] })
    const occurredAt = Date.parse('2019-05-04T00:00:00-04:00')
    expect(returns()).toEqual([
      { ...told, returnId: 'r1', occurredAt, reason: 'broken', lines: [] },
      { ...told, returnId: 'r2', occurredAt, reason: 'broken', lines },
    ])
  })

  it('takes CSV, where a row without a product is the whole order', async () => {
    const rows = [
      'returnId,eventId,occurredAt,shopProductId,quantity',
      'r1,o1,2019-05-04,a,1',
      'r1,o1,,b,2',
      'r2,o1,2019-05-04,,',
    ]
    const { body } = await send(rows.join('\n'), { path: 'returns', type: 'text/csv' })
    expect(body).toMatchObject({ accepted: 2, rejected: 0 })
    expect(returns()).toMatchObject([
      {
        returnId: 'r1',
        lines: [
          { shopProductId: 'a', quantity: 1 },
          { shopProductId: 'b', quantity: 2 },
        ],
      },
      { returnId: 'r2', lines: [] },
    ])
  })
})
