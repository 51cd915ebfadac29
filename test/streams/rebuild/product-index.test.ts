import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { openEmbeddedProductIndex } from '../../../infra/product-index/embedded/product-index.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { offerKey } from '../../../services/domain/catalogue/offer.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { changed, created, openRegistry } from '../../../services/registry/resources/store.ts'
import { checkpointEnd } from '../../../services/replicas/registry-checkpoint.ts'
import { createIndexer, INDEXER_GROUP } from '../../../streams/indexer/indexer.ts'
import { rebuildIndex } from '../../../streams/rebuild/product-index.ts'
import { runToEnd } from '../../../streams/runtime/run-to-end.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { bodies } from '../../schemas/entity-samples.ts'
import { campaignBody } from '../judge/fixtures.ts'

const by = { by: 'tester' }
const silent = { info() {}, warn() {}, error() {} }

it('a rebuilt product index has the same campaigns, and reads the registry from its checkpoint on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rebuild-index-'))
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const index = await openEmbeddedProductIndex({ folder: join(folder, 'index') })
  const snapshot = new Snapshot()
  const registry = await openRegistry({ log, snapshot, now: Date.now, checkpointEvery: 10 })
  const account = { ...bodies.Account, sellerIds: ['s'] }
  const shop = { ...bodies.Shop, accountId: 'publisher' }
  const list = (productIds: string[]) =>
    campaignBody({ shopId: 'shop', accountId: 'account', productIds, productRule: null })
  await registry.write([created('Account', 'account', account), created('Shop', 'shop', shop)], by)
  await registry.write([created('Campaign', 'c', list([]))], by)
  const change = (ids: string[]) => registry.write(() => [changed(snapshot.get('Campaign', 'c')!, list(ids))], by)
  for (let i = 0; i < 30; i++) await change([`${i}`])
  await expect.poll(() => checkpointEnd(log)).not.toBeNull()
  await change(['a', 'b'])
  await log.append(
    ['a', 'b', 'x'].map((id) => ({
      topic: 'products',
      key: offerKey('shop', 'feed', id),
      value: encode('ProductOffer', anOffer({ shopId: 'shop', feedId: 'feed', id, externalSellerId: 's' })),
    })),
  )

  const from: number[] = []
  const watched: EventLog = {
    ...log,
    async reset(group, commits) {
      for (const { topic, offset } of commits ?? [])
        if (group === INDEXER_GROUP && topic === 'registry') from.push(offset)
      await log.reset(group, commits)
    },
  }
  const deps = { log: watched, index, snapshot, now: Date.now, logger: silent }
  expect(await rebuildIndex(deps)).toMatchObject({ equal: true })
  expect(from).toEqual([await checkpointEnd(log)])
  expect(await index.count('shop', [{ kind: 'campaign', campaignId: 'c' }])).toBe(2)

  // Whatever step of it fails, the next indexer brings back all.
  const failing = <T>() => Promise.reject<T>(new Error('killed'))
  for (const broken of [{ log: { ...log, reset: failing<void> } }, { index: { ...index, clear: failing<void> } }]) {
    await expect(rebuildIndex({ ...deps, ...broken })).rejects.toThrow('killed')
    await runToEnd(createIndexer(deps))
    await index.refresh()
    expect(await index.count('shop', [{ kind: 'campaign', campaignId: 'c' }])).toBe(2)
  }
  await registry.close()
  await index.close()
  await log.close()
  await rm(folder, { recursive: true })
})
