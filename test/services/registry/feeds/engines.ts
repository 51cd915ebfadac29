import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedEventLog } from '../../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../../infra/event-log/port.ts'
import { openEmbeddedProductIndex } from '../../../../infra/product-index/embedded/product-index.ts'
import type { IndexWrite, ProductIndex } from '../../../../infra/product-index/port.ts'
import type { FeedIssue, ProductOffer } from '../../../../schemas/records/records.ts'
import { decode } from '../../../../schemas/wire/codec.ts'

const READ_RECORDS = 1_000

/** The embedded log and index in their own folder, and an indexer that runs when it is told to. */
export interface Engines {
  folder: string
  log: EventLog
  index: ProductIndex
  /** Brings the index up to the end of the topic `products`. */
  catchUp(): Promise<void>
  /** The offers of a shop by id, from the latest values in the log. */
  offers(shopId: string): Promise<Map<string, ProductOffer>>
  /** Every [id, item group] in the log. */
  itemGroups(shopId: string): Promise<[string, string][]>
  issues(shopId: string): Promise<FeedIssue[]>
  close(): Promise<void>
}

export async function openEngines(): Promise<Engines> {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-feeds-'))
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const index = await openEmbeddedProductIndex({ folder: join(folder, 'index') })
  const next = new Map<number, number>()

  async function* readAll(topic: 'products' | 'item-groups' | 'feed-issues', from: Map<number, number>) {
    for (const { partition, start } of await log.bounds(topic)) {
      let offset = from.get(partition) ?? start
      while (true) {
        const records = await log.read(topic, partition, offset, READ_RECORDS)
        if (records.length === 0) break
        yield* records
        offset = records.at(-1)!.offset + 1
      }
      from.set(partition, offset)
    }
  }

  return {
    folder,
    log,
    index,
    async catchUp() {
      const writes: IndexWrite[] = []
      for await (const { key, value, offset } of readAll('products', next)) {
        const [shopId, feedId, ...id] = key!.split('/')
        writes.push(
          value
            ? { kind: 'offer', version: offset + 1, offer: decode('ProductOffer', value) }
            : { kind: 'remove', version: offset + 1, shopId: shopId!, feedId: feedId!, id: id.join('/') },
        )
      }
      for (let at = 0; at < writes.length; at += READ_RECORDS) await index.write(writes.slice(at, at + READ_RECORDS))
      await index.refresh()
    },
    async offers(wantedShopId) {
      const offers = new Map<string, ProductOffer>()
      for await (const { key, value } of readAll('products', new Map())) {
        const [shopId, , ...rest] = key!.split('/')
        const id = rest.join('/')
        if (shopId !== wantedShopId) continue
        if (value) offers.set(id, decode('ProductOffer', value))
        else offers.delete(id)
      }
      return offers
    },
    async itemGroups(shopId) {
      const groups: [string, string][] = []
      for await (const { value } of readAll('item-groups', new Map())) {
        const group = decode('ItemGroup', value!)
        if (group.shopId === shopId) groups.push([group.id, group.itemGroupId])
      }
      return groups.sort()
    },
    async issues(shopId) {
      const issues: FeedIssue[] = []
      for await (const { value } of readAll('feed-issues', new Map())) issues.push(decode('FeedIssue', value!))
      return issues.filter((issue) => issue.shopId === shopId)
    },
    async close() {
      await index.close()
      await log.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
