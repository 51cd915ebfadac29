import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decode } from '../../../../schemas/wire/codec.ts'
import { type ImportWorld, NOW, openWorld } from './world.ts'

let world: ImportWorld
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.server.close())

describe('POST /v1/panel/import/returns', () => {
  const returns = () => world.appended.flat().map(({ key, value }) => ({ key, ...decode('TransactionReturn', value!) }))
  const told = { shopId: 'shop', eventId: 'o1', returnedBy: 'pub', receivedAt: NOW, key: 'shop/o1' }

  it('takes NDJSON', async () => {
    const line = { returnId: 'r1', eventId: 'o1', occurredAt: '2019-05-04', reason: 'broken' }
    const lines = [{ shopProductId: 'sku', quantity: 2 }]
    const { body } = await world.send([line, { ...line, returnId: 'r2', lines }, { ...line, lines: [] }], {
      path: 'returns',
    })
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
    const { body } = await world.send(rows.join('\n'), { path: 'returns', type: 'text/csv' })
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
