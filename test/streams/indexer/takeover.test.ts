import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { openEmbeddedProductIndex } from '../../../infra/product-index/embedded/product-index.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { offerKey } from '../../../services/domain/catalogue/offer.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { created, openRegistry } from '../../../services/registry/resources/store.ts'
import { followRegistry } from '../../../services/replicas/registry-follower.ts'
import { createIndexer } from '../../../streams/indexer/indexer.ts'
import { runToEnd } from '../../../streams/runtime/run-to-end.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { bodies } from '../../schemas/entity-samples.ts'
import { campaignBody } from '../judge/fixtures.ts'

test('an indexer waits until its process knows the registry as far as the one before has applied it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'indexer-takeover-'))
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const index = await openEmbeddedProductIndex({ folder: join(folder, 'index') })
  const registry = await openRegistry({ log, snapshot: new Snapshot(), now: Date.now })
  const deps = { log, index, now: Date.now, logger: { info() {}, warn() {}, error() {} } }
  const campaign = campaignBody({ shopId: 'shop', accountId: 'account', productIds: ['a'], productRule: null })
  await registry.write(
    [created('Account', 'account', { ...bodies.Account, sellerIds: ['s'] }), created('Campaign', 'c', campaign)],
    { by: 'tester' },
  )
  await runToEnd(createIndexer({ ...deps, snapshot: registry.snapshot }))

  const value = encode('ProductOffer', anOffer({ shopId: 'shop', feedId: 'feed', id: 'a', externalSellerId: 's' }))
  await log.append([{ topic: 'products', key: offerKey('shop', 'feed', 'a'), value }])
  const snapshot = new Snapshot()
  const indexer = createIndexer({ ...deps, snapshot })
  const ended = indexer.run()
  await expect.poll(() => indexer.state().lastError?.message).toMatch(/registry is known up to offset 0/)
  const follower = await followRegistry({ log, snapshot })
  const promoted = async () => {
    await index.refresh()
    return (await index.get('shop', ['a'])).map(({ campaignIds }) => campaignIds)
  }
  await expect.poll(promoted).toEqual([['c']])

  await indexer.stop()
  await ended
  await follower.close()
  await registry.close()
  await index.close()
  await log.close()
  await rm(folder, { recursive: true })
})
