import { afterAll, describe, expect, it } from 'vitest'
import type { ShardSettings } from '../../../infra/product-index/elasticsearch/mapping.ts'
import { migrateElasticsearch } from '../../../infra/product-index/elasticsearch/migrate.ts'
import { connectElasticsearch } from '../../../infra/product-index/elasticsearch/product-index.ts'
import type { ProductIndex } from '../../../infra/product-index/port.ts'
import { turnsOfReading } from '../../infra/product-index/synonyms.fixture.ts'
import { productIndexSuite } from '../../ports/product-index/product-index.suite.ts'
import { addresses, removeIndices, testNamespace } from '../addresses.ts'

const url = addresses.elasticsearchUrl
/** The first of the nodes is away. */
const nodes = `http://127.0.0.1:1,${url}`
const namespaces: string[] = []
/** Far longer than a shop's page waits: the suite asks what is answered, and other suites share the cores and the server. */
const searchTimeoutMs = 60_000

async function openNew(shards: ShardSettings) {
  const namespace = testNamespace()
  namespaces.push(namespace)
  await migrateElasticsearch({ url: nodes, namespace, ...shards })
  return { index: connectElasticsearch({ url: nodes, namespace, shards, searchTimeoutMs }), namespace }
}

afterAll(async () => {
  for (const namespace of namespaces) await removeIndices(url, namespace)
})

describe.each<ShardSettings>([
  { shards: 1, replicas: 0, perShop: 0 },
  { shards: 3, replicas: 0, perShop: 2 },
])('Elasticsearch product index, $shards shards, $perShop of them for a shop', (shards) => {
  const namespaceOf = new Map<ProductIndex, string>()
  /** Indices that tests have finished with, to be emptied and used again. */
  const idle: ProductIndex[] = []
  productIndexSuite({
    async open() {
      const emptied = idle.pop()
      if (emptied) return emptied
      const { index, namespace } = await openNew(shards)
      namespaceOf.set(index, namespace)
      return index
    },
    async reopen(index) {
      const namespace = namespaceOf.get(index)!
      await index.close()
      const again = connectElasticsearch({ url: nodes, namespace, shards, searchTimeoutMs })
      namespaceOf.set(again, namespace)
      return again
    },
    async dispose(index) {
      await index.clear()
      idle.push(index)
    },
  })
  afterAll(async () => {
    for (const index of idle) await index.close()
  })
})

it('Elasticsearch product index: a search with synonyms that are new analyses them in many turns of the event loop', async () => {
  const { index } = await openNew({ shards: 1, replicas: 0, perShop: 0 })
  const turns = await turnsOfReading((synonyms) =>
    index.search([
      {
        ...{ shopId: 'shop', rank: { by: 'none' }, campaigns: null, priorClickRate: 0.004, limit: 5, tieSeed: 1 },
        ...{ filters: [{ kind: 'text', text: 'lampe', lang: 'de', minShare: 1, in: 'ALL_FIELDS' }], synonyms },
      },
    ]),
  )
  expect(turns.filter((each) => each.length !== 1)).toEqual([])
  expect(new Set(turns.flat()).size).toBeGreaterThan(1)
  await index.close()
})
