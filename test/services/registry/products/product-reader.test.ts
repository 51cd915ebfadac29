import { expect, it } from 'vitest'
import { threadedProductReader } from '../../../../services/registry/products/product-reader.ts'
import { readProductUpdate } from '../../../../services/registry/products/product-update.ts'
import { NOW } from '../office.ts'
import { everything } from './product.fixture.ts'

it('product updates are read alike in a thread of their own', async () => {
  const reader = threadedProductReader()
  const feeds = new Map([['f', { shopId: 's', currency: 'EUR', lang: null }]])
  const bytes = (body: unknown) => new Uint8Array(Buffer.from(JSON.stringify(body)))
  const right = { entries: [{ batchId: 'a', method: 'UPSERT', product: { ...everything, feedId: 'f' } }] }
  for (const body of [right, { entries: [{ batchId: 1 }] }, null]) {
    expect(await reader.read(bytes(body), feeds, NOW)).toEqual(readProductUpdate(bytes(body), feeds, NOW))
  }
  await reader.close()
})
