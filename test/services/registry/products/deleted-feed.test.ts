import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../../infra/event-log/port.ts'
import { openOffice, openPublisher } from '../office.ts'

const lamp = {
  id: 'lamp-1',
  title: 'Lamp',
  price: 20.5,
  isAvailable: true,
  link: 'https://shop.example/lamp',
  imageLink: 'http://shop.example/lamp.jpg',
}

it('leaves no product in a feed that is deleted while the update is stored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'product-updates-'))
  const log = await openEmbeddedEventLog({ folder })
  let beforeProducts = async () => {}
  const exclusiveWriter: EventLog['exclusiveWriter'] = async (name) => {
    const writer = await log.exclusiveWriter(name)
    return {
      ...writer,
      async append(records) {
        if (records[0]?.topic === 'products') await beforeProducts()
        return writer.append(records)
      },
    }
  }
  const office = await openOffice({ folder, log: { ...log, exclusiveWriter } })
  const { feedId, shopId, token } = await openPublisher(office)
  const { id: otherId } = await office.make('/v1/panel/feeds', { shopId, name: 'Other' }, token)
  beforeProducts = async () => {
    beforeProducts = async () => {}
    await office.call('DELETE', `/v1/panel/feeds/${feedId}`, undefined, token)
  }
  const entries = [feedId, otherId].map((id) => ({ batchId: id, method: 'UPSERT', product: { feedId: id, ...lamp } }))
  expect(await office.call('POST', '/v1/feed/product', { entries }, token)).toMatchObject({ status: 202 })
  const partitions = (await log.bounds('products')).map((_, partition) => log.read('products', partition, 0, 10))
  const records = (await Promise.all(partitions)).flat()
  const last = new Map(records.map(({ key, value }) => [key, value !== null]))
  expect(last).toEqual(
    new Map([
      [`${shopId}/${feedId}/lamp-1`, false],
      [`${shopId}/${otherId}/lamp-1`, true],
    ]),
  )
  await office.stop()
  await log.close()
  await rm(folder, { recursive: true })
})
