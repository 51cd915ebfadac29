import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ImportWorld, openWorld } from './world.ts'

let world: ImportWorld
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.server.close())

describe('CSV', () => {
  const csv = (...rows: string[]) => world.send(rows.join('\r\n'), { type: 'text/csv; charset=utf-8' })

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
    expect(world.stored()).toMatchObject([
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
    expect(world.stored().map(({ eventId }) => eventId)).toEqual(['o3', 'o6'])
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
    expect(world.stored().map(({ eventId }) => eventId)).toEqual(['o2'])
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
      world.appended.length = 0
      const { body } = await csv(header!, row('o1'), row('o2'), unreadable!, row('o3'), row('o3'), row('o4'))
      expect([what, body.accepted, body.rejected]).toEqual([what, 2, 3])
      expect(world.stored().map(({ eventId }) => eventId)).toEqual(['o1', 'o4'])
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
    expect(body.detail).toContain(`${world.stored().length} lines were stored`)
  })

  it('keeps no more rows of one order than an order may have lines', async () => {
    const row = 'o1,2019-05-04,EUR,sku,1,1'
    const { body } = await csv('eventId,occurredAt,currency,shopProductId,price,quantity', ...Array(2_000).fill(row))
    expect(body).toMatchObject({ accepted: 0, rejected: 1, errors: [{ line: 2, path: '/products' }] })
  })
})
