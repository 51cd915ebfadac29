import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbeddedProductIndex } from '../../../infra/product-index/embedded/product-index.ts'
import type { ProductIndex } from '../../../infra/product-index/port.ts'
import type { RegistryEntry } from '../../../schemas/records/entities.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createIndexerStep } from '../../../streams/indexer/indexer-step.ts'
import { createPromotionBook } from '../../../streams/indexer/promotion-book.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { bodies } from '../../schemas/entity-samples.ts'
import { campaignBody } from '../judge/fixtures.ts'

const RULE = { categoryPaths: [], labels: [], sellerIds: [], priceMinMicros: null, priceMaxMicros: null }

const entry = (kind: 'Account' | 'Campaign', id: string, body: object, version = 1) =>
  ({ kind, id, version, updatedAt: 0, updatedBy: '', deletedAt: null, body }) as RegistryEntry
const promoting = (brand: string, version: number) => {
  const productRule = { ...RULE, brands: [brand] }
  const body = campaignBody({ shopId: 'shop', accountId: 'publisher', productIds: null, productRule })
  return entry('Campaign', 'c', body, version)
}

const REGISTRY = [
  entry('Account', 'publisher', { ...bodies.Account, kind: 'PUBLISHER' }),
  promoting('another', 1),
  promoting('acme', 2),
]

/** An indexer that knows the registry up to an offset. */
function openIndexer(index: ProductIndex, knownTo: number) {
  const snapshot = new Snapshot()
  for (const each of REGISTRY.slice(0, knownTo)) snapshot.apply(each)
  snapshot.readTo(knownTo)
  const book = createPromotionBook(snapshot)
  const step = createIndexerStep({ index, snapshot, book, progress: new Map(), isRegistryApplied: true })
  return (topic: TopicName, offset: number, value: object) => {
    const record = { topic, partition: 0, offset, key: null, value, bytes: null, appendedAt: 0 }
    return step({ topic, partition: 0, records: [record], turn: async () => null, lastOffset: offset })
  }
}

test('a late list of a former leader does not count once the offer has changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'indexer-former-'))
  const index = await openEmbeddedProductIndex({ folder })
  const successor = openIndexer(index, 2)
  const former = openIndexer(
    {
      ...index,
      async scan(request) {
        const page = await index.scan(request)
        // The former leader has read the offer with its old brand, and writes after the successor has written the new one.
        if (page.length > 0) await successor('products', 1, anOffer({ id: 'a', brand: 'another brand' }))
        return page
      },
    },
    2,
  )
  await former('products', 0, anOffer({ id: 'a', brand: 'acme' }))
  await former('registry', 2, REGISTRY[2]!)
  await successor('registry', 2, REGISTRY[2]!)

  await index.refresh()
  expect((await index.get('shop', ['a'])).map(({ offer, campaignIds }) => [offer.brand, campaignIds])).toEqual([
    ['another brand', []],
  ])
  await index.close()
  rmSync(folder, { recursive: true })
})
