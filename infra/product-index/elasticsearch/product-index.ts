import type { Client, estypes } from '@elastic/elasticsearch'
import type { Filter, IndexBuilds, ProductIndex } from '../port.ts'
import { phrasesOf } from '../searched-phrases.ts'
import { createIndexBuilds } from './builds.ts'
import {
  createIndexGuard,
  type ElasticsearchOptions,
  type IndexNames,
  indexNames,
  openClient,
  SEARCH_TIMEOUT_MS,
  WRITE_TIMEOUT_MS,
} from './client.ts'
import type { ProductDocument } from './document.ts'
import { emptyIndices } from './indices.ts'
import { productsIndex, type ShardSettings, signalsIndex } from './mapping.ts'
import { DEFAULT_SHARDS } from './migrate.ts'
import { placedBehind, routingOf } from './placement.ts'
import { filterQuery } from './search/filters.ts'
import { createSearch, productFields, productOf, type StoredFields } from './search/search.ts'
import { similarTerms } from './search/similar-terms.ts'
import { createVocabulary } from './search/vocabulary.ts'
import { createWriter } from './write/writer.ts'

/** How many sellers each shard counts. With several shards, a high number keeps undercounted sellers few. */
const SELLERS_PER_SHARD = 10_000
/** Hits per request. */
const PAGE_MAX = 1_000

/**
 * The index on an Elasticsearch 9 server. Connects on the first call; `migrateElasticsearch` creates its indices. Any number
 * of processes may read and write.
 */
export function connectElasticsearch({
  url,
  apiKey,
  namespace,
  searchTimeoutMs = SEARCH_TIMEOUT_MS,
  writeTimeoutMs = WRITE_TIMEOUT_MS,
  shards = DEFAULT_SHARDS,
  now = Date.now,
}: ElasticsearchOptions & {
  /** For the empty index that `clear` creates. */
  shards?: ShardSettings
  /** UTC epoch milliseconds. */
  now?: () => number
}): ProductIndex {
  const client = openClient({ url, apiKey }, writeTimeoutMs)
  const open = (names: IndexNames, builds: IndexBuilds | null) =>
    openIndex({ client, names, builds, searchTimeoutMs, writeTimeoutMs, shards, now })
  const builds = createIndexBuilds({ client, namespace, shards, open: (names) => open(names, null) })
  const index = open(indexNames(namespace), builds)
  return {
    ...index,
    async close() {
      await index.close()
      await client.close()
    },
  }
}

interface QueryInShop {
  shopId: string
  query: estypes.QueryDslQueryContainer
}

/** The index behind these aliases. Its `close` leaves the client open. */
function openIndex({
  client,
  names,
  builds,
  searchTimeoutMs,
  writeTimeoutMs,
  shards,
  now,
}: {
  client: Client
  names: IndexNames
  builds: IndexBuilds | null
  searchTimeoutMs: number
  writeTimeoutMs: number
  shards: ShardSettings
  now: () => number
}): ProductIndex {
  const guard = createIndexGuard()
  const behind = (alias: string) => placedBehind({ client, alias, timeoutMs: searchTimeoutMs, now })
  const placed = { products: behind(names.products), signals: behind(names.signals) }
  const vocabulary = createVocabulary({ client, placed: placed.products, now })
  const search = createSearch({ client, placed: placed.products, timeoutMs: searchTimeoutMs, vocabulary })
  const write = createWriter({ client, names, placed, now })
  const refresh = async () => {
    await client.indices.refresh({ index: Object.values(names) })
    vocabulary.forget()
  }

  /** The offers of a shop that satisfy all filters. */
  async function matching(shopId: string, filters: readonly Filter[], timeoutMs: number) {
    const { frequency } = await vocabulary.of(shopId, phrasesOf(filters), timeoutMs)
    return { bool: filterQuery(shopId, filters, frequency) }
  }

  /** Sends a request about a shop's offers. */
  const ofShop = <T>(shopId: string, request: (where: { index: string; routing?: string }) => Promise<T>) =>
    placed.products.use((placement) => request({ index: placement.index, ...routingOf(placement, shopId) }))

  /** Documents in the order of `sort`. Every document must have its fields. */
  async function page<Fields>(
    { shopId, query }: QueryInShop,
    fields: string[],
    sort: string[],
    after: string[] | null,
    limit: number,
    timeoutMs = writeTimeoutMs,
  ): Promise<Fields[]> {
    const found: Fields[] = []
    let last: estypes.SortResults | null = after
    while (found.length < limit) {
      const size = Math.min(PAGE_MAX, limit - found.length)
      const after = last ? { search_after: last } : {}
      const { hits } = await ofShop(shopId, (where) =>
        client.search<Fields>(
          { ...where, ...after, query, _source: fields, sort, size, track_total_hits: false },
          { requestTimeout: timeoutMs },
        ),
      )
      found.push(...hits.hits.map(({ _source }) => _source!))
      if (hits.hits.length < size) break
      last = hits.hits.at(-1)!.sort!
    }
    return found
  }
  const stored = (wanted: QueryInShop, after: string[] | null, limit: number, timeoutMs?: number) => {
    type Stored = StoredFields & Pick<ProductDocument, 'offerVersion'>
    const fields = [...productFields, 'offerVersion']
    return page<Stored>(wanted, fields, ['feed', 'id'], after, limit, timeoutMs)
  }

  async function shops(): Promise<string[]> {
    const found: string[] = []
    for (let after: Record<string, string> | undefined; ; ) {
      const { aggregations } = await client.search<never, { shops: estypes.AggregationsCompositeAggregate }>(
        {
          index: names.products,
          size: 0,
          track_total_hits: false,
          query: { term: { live: true } },
          aggs: {
            shops: {
              composite: {
                size: PAGE_MAX,
                sources: [{ shop: { terms: { field: 'shop' } } }],
                ...(after ? { after } : {}),
              },
            },
          },
        },
        { requestTimeout: writeTimeoutMs },
      )
      const { buckets, after_key } = aggregations!.shops
      found.push(...(buckets as estypes.AggregationsCompositeBucket[]).map(({ key }) => String(key.shop)))
      if (!after_key) return found
      after = after_key as Record<string, string>
    }
  }

  return {
    write: (writes) => guard.run(() => write(writes)),
    refresh: () => guard.run(refresh),
    search: (queries) => guard.run(() => search(queries)),
    get: (shopId, ids) =>
      guard.run(async () => {
        const ofTheShop = await matching(shopId, [], searchTimeoutMs)
        const query = { bool: { filter: [ofTheShop, { terms: { id: [...ids] } }] } }
        const found = await stored({ shopId, query }, null, Number.POSITIVE_INFINITY, searchTimeoutMs)
        return found.map(productOf)
      }),
    count: (shopId, filters) =>
      guard.run(async () => {
        const query = await matching(shopId, filters, searchTimeoutMs)
        const options = { requestTimeout: searchTimeoutMs }
        return (await ofShop(shopId, (where) => client.count({ ...where, query }, options))).count
      }),
    sellers: ({ shopId, contains, anyOf, limit }) =>
      guard.run(async () => {
        const filters: Filter[] = anyOf === null ? [] : [{ kind: 'sellers', anyOf: [...anyOf] }]
        const query = await matching(shopId, filters, searchTimeoutMs)
        const { aggregations } = await ofShop(shopId, (where) =>
          client.search<never, { sellers: estypes.AggregationsStringTermsAggregate }>(
            {
              ...where,
              size: 0,
              track_total_hits: false,
              query,
              aggs: {
                sellers: {
                  terms: {
                    field: 'seller',
                    size: limit,
                    shard_size: SELLERS_PER_SHARD,
                    order: [{ _count: 'desc' }, { _key: 'asc' }],
                    ...(contains === '' ? {} : { include: containing(contains) }),
                  },
                },
              },
            },
            { requestTimeout: searchTimeoutMs },
          ),
        )
        const buckets = aggregations!.sellers.buckets as estypes.AggregationsStringTermsBucket[]
        return buckets.map(({ key, doc_count }) => ({ sellerId: String(key), offers: doc_count }))
      }),
    revision: () => null,
    similarTerms: (terms) =>
      guard.run(() => similarTerms(client, { index: names.products, terms, timeoutMs: searchTimeoutMs })),
    scan: ({ shopId, filters, after, limit }) =>
      guard.run(async () => {
        const query = await matching(shopId, filters, writeTimeoutMs)
        const found = await stored({ shopId, query }, after === null ? null : keyOf(after), limit)
        return found.map((each) => ({ ...productOf(each), offerVersion: each.offerVersion }))
      }),
    digests: (shopId, feedId, after, limit) =>
      guard.run(async () => {
        const query = await matching(shopId, [{ kind: 'feed', feedId }], writeTimeoutMs)
        const fields = ['id', 'digest']
        return page<{ id: string; digest: string }>(
          { shopId, query },
          fields,
          ['id'],
          after === null ? null : [after],
          limit,
        )
      }),
    clear: () =>
      guard.run(async () => {
        const { format: _, ...shape } = productsIndex(shards)
        await emptyIndices(client, { [names.products]: shape, [names.signals]: signalsIndex(shards) })
        vocabulary.forget()
      }),
    shops: () => guard.run(shops),
    builds,
    close: async () => guard.close(),
  }
}

/** A page's key is feedId/id; the id may contain slashes. */
function keyOf(after: string): string[] {
  const [feedId, ...id] = after.split('/')
  return [feedId!, id.join('/')]
}

/** Lucene's regular expression for texts that contain this one, ignoring the case of A to Z. */
function containing(text: string): string {
  const chars = [...text].map((char) =>
    /[a-z]/i.test(char) ? `[${char.toLowerCase()}${char.toUpperCase()}]` : char.replace(/[^\p{L}\p{N}]/u, '\\$&'),
  )
  return `.*${chars.join('')}.*`
}
