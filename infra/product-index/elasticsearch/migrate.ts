import type { Client } from '@elastic/elasticsearch'
import { OperatorError } from '../../../services/domain/errors.ts'
import { type ElasticsearchOptions, IndexRejected, indexError, indexNames, openClient } from './client.ts'
import { createFirst, indexBehind } from './indices.ts'
import { productsIndex, type ShardSettings, signalsIndex } from './mapping.ts'
import { refuseOtherClusters } from './one-cluster.ts'
import { allowWrites, reindex } from './write/reindex.ts'

export const DEFAULT_SHARDS: ShardSettings = { shards: 1, replicas: 0, perShop: 0 }

export interface MigrateOptions extends ElasticsearchOptions, Partial<ShardSettings> {
  now?: () => number
  /** Whether missing indices are created, empty. Default: true. */
  creates?: boolean
}

export type Migration = 'CREATED' | 'REINDEXED' | 'UNCHANGED' | 'MISSING'

/**
 * Creates the indices. When the index of products was made for another document format, mapping or number of shards, it is rebuilt
 * from its own documents. May be called repeatedly and by several processes at once. The number of shards of the index of signals
 * changes only when a new pair of indices is built.
 * @throws IndexUnavailable while the server is away; OperatorError when it refuses; DifferentClusters.
 */
export async function migrateElasticsearch({
  now = Date.now,
  creates = true,
  ...options
}: MigrateOptions): Promise<Migration> {
  await refuseOtherClusters(options)
  return withClient(options, async (client) => {
    const { products, signals } = indexNames(options.namespace)
    const shards = { ...DEFAULT_SHARDS, ...given(options) }
    const { format, ...shape } = productsIndex(shards)
    if (creates) {
      await createFirst(client, signals, signalsIndex(shards))
      if (await createFirst(client, products, shape)) return 'CREATED'
    } else if ([await indexBehind(client, products), await indexBehind(client, signals)].includes(null))
      return 'MISSING'
    await allowWrites(client, products)
    for (const index of [products, signals]) {
      await client.indices.putSettings({ index, settings: { number_of_replicas: shards.replicas } })
    }
    if ((await formatOf(client, products)) === format) return 'UNCHANGED'
    try {
      await reindex(client, products, shape, now)
    } catch (error) {
      // Another process may have rebuilt the index in the meantime.
      if ((await formatOf(client, products)) !== format) throw error
    }
    return 'REINDEXED'
  }).catch(namingTheSetting)
}

function namingTheSetting(error: Error): never {
  throw error instanceof IndexRejected ? new OperatorError(`ELASTICSEARCH_URL: ${error.message}`) : error
}

/** Rebuilds the index of products from its own documents, even if nothing changed. @returns how many documents it copied. */
export async function reindexElasticsearch({ now = Date.now, ...options }: MigrateOptions): Promise<number> {
  return withClient(options, async (client) => {
    const { format: _, ...shape } = productsIndex({ ...DEFAULT_SHARDS, ...given(options) })
    return await reindex(client, indexNames(options.namespace).products, shape, now)
  })
}

const given = ({ shards, replicas, perShop }: Partial<ShardSettings>): Partial<ShardSettings> => ({
  ...(shards === undefined ? {} : { shards }),
  ...(replicas === undefined ? {} : { replicas }),
  ...(perShop === undefined ? {} : { perShop }),
})

async function formatOf(client: Client, alias: string): Promise<unknown> {
  const found = await client.indices.getMapping({ index: alias })
  return Object.values(found)[0]?.mappings._meta?.format
}

async function withClient<T>(options: ElasticsearchOptions, use: (client: Client) => Promise<T>): Promise<T> {
  const client = openClient(options)
  try {
    return await use(client)
  } catch (error) {
    throw indexError(error)
  } finally {
    await client.close()
  }
}
