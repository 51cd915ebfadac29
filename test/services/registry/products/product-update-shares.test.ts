import { expect, it } from 'vitest'
import { inlineProductReader } from '../../../../services/registry/products/product-reader.ts'
import { discard, openOffice, openPublisher } from '../office.ts'

const product = {
  id: 'lamp-1',
  title: 'Lamp',
  price: 20.5,
  isAvailable: true,
  link: 'https://shop.example/lamp',
  imageLink: 'https://shop.example/lamp.jpg',
}

it('product updates of one account are read two at a time, and those of others meanwhile', async () => {
  const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>()
  const read: typeof inlineProductReader.read = (...body) => mayRead.then(() => inlineProductReader.read(...body))
  const busy = await openOffice({ productReader: { ...inlineProductReader, read } })
  const [own, other] = [await openPublisher(busy), await openPublisher(busy)]
  const update = ({ feedId, token }: typeof own) => {
    const entries = [{ batchId: 'b', method: 'UPSERT', product: { feedId, ...product } }]
    return busy.call('POST', '/v1/feed/product', { entries }, token)
  }
  const reading = [update(own), update(own)]
  expect(await update(own)).toMatchObject({ status: 429, headers: { 'retry-after': '2' } })
  reading.push(update(other))
  letRead()
  expect((await Promise.all(reading)).map(({ status }) => status)).toEqual([202, 202, 202])
  expect((await update(own)).status).toBe(202)
  await discard(busy)
})
