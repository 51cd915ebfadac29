import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { apply } from '../reports/world.ts'
import { type ImportWorld, NOW, OPERATOR, openWorld, order } from './world.ts'

let world: ImportWorld
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.server.close())

describe('POST /v1/panel/import/transactions', () => {
  it('stores past orders, marked as imported', async () => {
    const { status, body } = await world.send([
      order(),
      order({ eventId: 'o2', cid: null, customer: 'c7', kind: 'CART', shopId: 'shop' }),
    ])
    expect([status, body]).toEqual([200, { accepted: 2, rejected: 0, errors: [] }])
    expect(world.stored()).toEqual([
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
    expect(world.appended[0]!.map(({ topic, key }) => [topic, key])).toEqual([
      ['transactions', 'me'],
      ['transactions', 'customer:c7'],
    ])
  })

  it('knows a shop by its id in any case', async () => {
    const shopId = 'abcdefab-cdef-4abc-8def-abcdefabcdef'
    apply(world.snapshot, 'Shop', shopId, { accountId: 'pub', name: 'Second', timeZone: 'UTC' })
    const { body } = await world.send([order({ shopId: shopId.toUpperCase() }), order({ eventId: 'o2' })], {
      query: `?shopId=${shopId.toUpperCase()}`,
    })
    expect(body).toEqual({ accepted: 2, rejected: 0, errors: [] })
    expect(world.stored()).toMatchObject([{ shopId }, { shopId }])
  })

  it('takes a date as the start of that day on the clock of the shop', async () => {
    apply(world.snapshot, 'Shop', 'auckland', { accountId: 'pub', name: 'Far', timeZone: 'Pacific/Auckland' })
    // It is the 2nd of June in Auckland.
    const dated = [
      ['shop', '2019-05-04', '2019-05-04T04:00:00Z'],
      ['shop', '2019-12-04', '2019-12-04T05:00:00Z'],
      ['auckland', '2026-06-02', '2026-06-01T12:00:00Z'],
      ['auckland', '1970-01-01', '1970-01-01T00:00:00Z'],
    ] as const
    const { body } = await world.send(
      dated.map(([shopId, occurredAt], i) => order({ eventId: `o${i}`, shopId, occurredAt })),
      { query: '?shopId=shop' },
    )
    expect(body).toEqual({ accepted: 4, rejected: 0, errors: [] })
    expect(world.stored().map(({ occurredAt }) => occurredAt)).toEqual(dated.map(([, , at]) => Date.parse(at)))
    const refused = await world.send([order({ occurredAt: '2026-06-02' }), order({ occurredAt: '0000-01-01' })], {
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
    const { status, body } = await world.send(lines.join('\r\n'))
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
    expect(world.stored().map(({ eventId }) => eventId)).toEqual(['o1', 'o9'])
  })

  it('lists no more than 100 fieldErrors', async () => {
    const { body } = await world.send(Array.from({ length: 500 }, () => 'no order'))
    expect([body.rejected, body.errors.length]).toEqual([500, 100])
  })

  it('appends in batches, in the order of the lines', async () => {
    await world.send(
      Array.from({ length: 2_100 }, (_, i) =>
        order({ eventId: `o${i}`, products: [{ shopProductId: 's', price: 1, quantity: 1 }] }),
      ),
    )
    expect(world.appended.map((batch) => batch.length)).toEqual([1_000, 1_000, 100])
    expect(world.stored().map(({ eventId }) => eventId)).toEqual(Array.from({ length: 2_100 }, (_, i) => `o${i}`))
  })

  it('says what is stored when a limit or the log ends the import', async () => {
    const many = await world.send(Array.from({ length: 2_600 }, () => ({})))
    expect([many.status, many.body.code]).toEqual([413, 'TOO_LARGE'])
    world.failLog()
    const down = await world.send([order()])
    expect([down.status, down.body.code]).toEqual([503, 'UNAVAILABLE'])
    expect(down.body.detail).toContain('0 lines were stored')
  })

  it('answers 413 while the body is still coming', async () => {
    const url = await world.server.listen({ port: 0, host: '127.0.0.1' })
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
    expect(world.appended.flat().length).toBeGreaterThan(1_000)
  })

  it('reads a file to its end that it refuses in the middle, so that its answer arrives', async () => {
    const { port, hostname } = new URL(await world.server.listen({ port: 0, host: '127.0.0.1' }))
    const socket = connect(Number(port), hostname)
    let told = ''
    socket.on('data', (bytes) => {
      told += bytes
    })
    const head = ['POST /v1/panel/import/transactions HTTP/1.1', 'host: x', 'authorization: Bearer token-of-pub']
    const rows = `eventId,shopId\n${'x'.repeat(8_000_000)}`
    socket.write([...head, 'content-type: text/csv', `content-length: ${rows.length}`, '', rows].join('\r\n'))
    socket.write('GET /next HTTP/1.1\r\nhost: x\r\n\r\n')
    await expect.poll(() => told).toContain('HTTP/1.1 404')
    socket.destroy()
    expect(told).toContain('HTTP/1.1 413')
  })

  it('takes two imports of an account at a time, and those of others meanwhile', async () => {
    const { port, hostname } = new URL(await world.server.listen({ port: 0, host: '127.0.0.1' }))
    const head = ['POST /v1/panel/import/transactions HTTP/1.1', 'host: x', 'authorization: Bearer token-of-pub']
    const body = ['content-type: application/x-ndjson', 'content-length: 1000', 'expect: 100-continue', '', '']
    const stalled = [1, 2].map(() => connect(Number(port), hostname))
    for (const socket of stalled) {
      socket.write([...head, ...body].join('\r\n'))
      expect(String((await once(socket, 'data'))[0])).toContain('100 Continue')
    }
    const refused = await world.send([order()])
    expect([refused.status, refused.body.detail]).toEqual([429, '2 imports of this account are already in progress'])
    expect((await world.send([order()], { token: 'token-of-other' })).status).toBe(200)
    for (const socket of stalled) socket.destroy()
    await expect.poll(async () => (await world.send([order()])).status).toBe(200)
  })

  it('refuses a body that is not encoded as it says', async () => {
    for (const type of ['application/x-ndjson', 'text/csv']) {
      const headers = { 'content-type': type, 'content-encoding': 'gzip', authorization: 'Bearer token-of-pub' }
      const url = '/v1/panel/import/transactions'
      const answer = await world.server.inject({ method: 'POST', url, headers, payload: 'no gzip' })
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
    expect((await world.send([order()], options)).status).toBe(status)
    expect(world.appended).toEqual([])
  })

  it('says which types it takes', async () => {
    const { body } = await world.send([order()], { type: 'application/json' })
    expect(body).toMatchObject({
      detail: 'Send the content type application/x-ndjson or application/ndjson or application/jsonl or text/csv',
    })
  })

  it('asks for the shop where there are several', async () => {
    expect((await world.send([order()], { token: OPERATOR })).body.errors).toEqual([
      { line: 1, path: '/shopId', message: expect.stringContaining('is required') },
    ])
    expect((await world.send([order()], { token: OPERATOR, query: '?shopId=elsewhere' })).body.accepted).toBe(1)
  })

  it('refuses a body without lines', async () => {
    expect((await world.send('')).status).toBe(400)
  })
})
