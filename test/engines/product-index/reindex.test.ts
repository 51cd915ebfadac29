import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '@elastic/elasticsearch'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { productsIndex, type ShardSettings } from '../../../infra/product-index/elasticsearch/mapping.ts'
import {
  DEFAULT_SHARDS,
  migrateElasticsearch,
  reindexElasticsearch,
} from '../../../infra/product-index/elasticsearch/migrate.ts'
import { connectElasticsearch } from '../../../infra/product-index/elasticsearch/product-index.ts'
import { reindex } from '../../../infra/product-index/elasticsearch/write/reindex.ts'
import { IndexUnavailable, type ProductIndex } from '../../../infra/product-index/port.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { waitFor } from '../../wait-for.ts'
import { addresses, removeIndices, testNamespace } from '../addresses.ts'
import { id, offer, promotions, query, removal, signals } from './writes.ts'

const url = addresses.elasticsearchUrl
const options = { url, namespace: testNamespace() }
const index = connectElasticsearch(options)
const client = new Client({ node: url })

beforeAll(async () => {
  await migrateElasticsearch(options)
})
afterAll(async () => {
  await removeIndices(url, options.namespace)
  await index.close()
  await client.close()
})

const OFFERS = 300
const UNSEEN = { views: 0, clicks: 0, alsoBought: [], computedAt: 1 }
const numbers = Array.from({ length: OFFERS }, (_, n) => n)
const indicesOf = async () => Object.keys(await client.indices.getAlias({ name: `${options.namespace}-products` }))

describe('reindex', () => {
  test('under writes, each made once, by shop and back: none is lost, reads go on, and the old index is gone', async () => {
    await index.write(numbers.flatMap((n) => [offer(n, 1), promotions(n, 1)]))
    await index.refresh()
    const before = await indicesOf()
    let writing = true
    let written = 0
    const failures: unknown[] = []
    /** Writes a new offer and a part of an old one at a time. What the reindex misses is never written again. */
    const writer = (async () => {
      for (; writing; written++) {
        const old = written % OFFERS
        const version = 2 + Math.floor(written / OFFERS)
        await index.write([offer(OFFERS + written, 1), promotions(old, version), signals(old, version)])
      }
    })().catch((error) => failures.push(error))
    const reader = (async () => {
      while (writing) {
        if ((await index.count('shop', [])) < OFFERS) throw new Error('an offer was missing')
        await delay(5)
      }
    })().catch((error) => failures.push(error))
    for (const made of [{ shards: 2, perShop: 1 }, { shards: 3, perShop: 2 }, DEFAULT_SHARDS]) {
      expect(await reindexElasticsearch({ ...options, ...made })).toBeGreaterThanOrEqual(OFFERS)
    }
    writing = false
    await Promise.all([writer, reader])
    expect(failures).toEqual([])
    await index.refresh()
    const found = await index.scan({ shopId: 'shop', filters: [], after: null, limit: OFFERS + written + 1 })
    expect(found).toHaveLength(OFFERS + written)
    const known = new Map(found.map((product) => [product.offer.id, product]))
    expect([...known.keys()].sort()).toEqual(Array.from({ length: OFFERS + written }, (_, n) => id(n)).sort())
    const timesOf = (n: number) => Math.floor(written / OFFERS) + (n < written % OFFERS ? 1 : 0)
    for (const n of numbers) {
      const { campaignIds, signals } = known.get(id(n))!
      expect([id(n), campaignIds, signals?.popularity ?? 1]).toEqual([id(n), [`c${1 + timesOf(n)}`], 1 + timesOf(n)])
    }
    const after = await indicesOf()
    expect(after).not.toEqual(before)
    const all = Object.keys(await client.indices.get({ index: `${options.namespace}-products*` }))
    expect(all).toEqual(after)
  })

  test('a removed offer stays removed: its versions move too', async () => {
    await index.write([removal(0, 1_000_000)])
    await reindexElasticsearch(options)
    expect(await index.write([offer(0, 999_999)])).toBe(0)
    await index.refresh()
    expect((await index.get('shop', [id(0)])).length).toBe(0)
    expect(await index.write([offer(0, 1_000_001)])).toBe(1)
  })

  test('migrating again changes nothing; a mapping of another program is replaced, with what it held', async () => {
    expect(await migrateElasticsearch(options)).toBe('UNCHANGED')
    await index.refresh()
    const held = await index.count('shop', [])
    const [present] = await indicesOf()
    await client.indices.putMapping({ index: present!, _meta: { format: 'older' } })
    expect(await migrateElasticsearch(options)).toBe('REINDEXED')
    expect(await index.count('shop', [])).toBe(held)
    expect(await migrateElasticsearch(options)).toBe('UNCHANGED')
  })

  test('an index from before there were click rates answers, and knows them once it is made anew', async () => {
    const old = { url, namespace: testNamespace() }
    const { format: _, mappings, settings } = productsIndex(DEFAULT_SHARDS)
    const { views: _views, clicks: _clicks, ...properties } = mappings.properties
    const alias = `${old.namespace}-products`
    await client.indices.create({
      index: `${alias}-old`,
      settings,
      mappings: { dynamic: false, properties, _meta: { format: 'older' } },
      aliases: { [alias]: {} },
    })
    const given = connectElasticsearch(old)
    const seen = (n: number, clicks: number) => signals(n, 1, { views: 1_000, clicks })
    const signalsAlias = `${old.namespace}-signals`
    await client.indices.create({ index: `${signalsAlias}-first`, aliases: { [signalsAlias]: {} } })
    await given.write([1, 2, 3].flatMap((n) => [offer(n, 1), promotions(n, 1)]))
    await given.write([seen(1, 1), seen(2, 50), seen(3, 20)])
    await given.refresh()
    await client.updateByQuery({
      index: alias,
      refresh: true,
      script: "ctx._source.remove('views'); ctx._source.remove('clicks')",
    })
    const found = async () => {
      const [result] = await given.search([{ ...query, campaigns: [{ campaignIds: ['c1'], weight: 1 }], limit: 3 }])
      return result!.hits.map(({ product }) => product.offer.id)
    }
    expect((await found()).sort()).toEqual([id(1), id(2), id(3)])
    expect(await migrateElasticsearch(old)).toBe('REINDEXED')
    expect(await found()).toEqual([id(2), id(3), id(1)])
    await given.close()
    await removeIndices(url, old.namespace)
  })

  test('an index that another process begins to fill stays, while the one that has just been replaced is removed', async () => {
    const builds = index.builds!
    const serving = (await builds.begin()).serve()
    await waitFor(async () => (await builds.look()).build === null)
    const begun = await builds.begin()
    await serving
    expect((await builds.look()).build?.id).toBe(begun.id)
    await begun.drop()
  })

  test.each(['products', 'signals'])('a new index that has lost its %s is begun again', async (kind) => {
    const builds = index.builds!
    const begun = await builds.begin()
    const lost = Object.keys(await client.indices.getAlias({ name: `${options.namespace}-${kind}-next` }))
    await client.indices.delete({ index: lost })
    expect((await builds.look()).build).toBeNull()
    const again = await builds.begin()
    expect(again.id).not.toBe(begun.id)
    await again.index.refresh()
    expect((await builds.look()).build?.id).toBe(again.id)
    await again.drop()
  })

  test('programs of any settings read and write an index that others have made by shop, or no longer by shop', async () => {
    const ours = { url, namespace: testNamespace() }
    const shops = ['shop', 'other', 'third']
    const offersIn = async (program: ProductIndex, shopId: string) => {
      const offers = await program.scan({ shopId, filters: [], after: null, limit: 100 })
      const [found] = await program.search([{ ...query, shopId, campaigns: null, limit: 100 }])
      const ids = found!.hits.map(({ product }) => product.offer.id)
      expect(ids.sort()).toEqual(offers.map((each) => each.offer.id).sort())
      expect(await program.count(shopId, [])).toBe(ids.length)
      return offers.map(({ offer, signals }) => [offer.id, offer.title, signals?.popularity ?? 0])
    }
    const settings: ShardSettings[] = [0, 1, 2].map((perShop) => ({ shards: 3, replicas: 0, perShop }))
    await migrateElasticsearch({ ...ours, ...settings[0] })
    const programs = settings.map((shards) => connectElasticsearch({ ...ours, shards }))
    let version = 0
    /** Each program replaces the others' offers, one of them before it has signals and one after. */
    const tryEach = async (programs: readonly ProductIndex[]) => {
      for (const program of programs) {
        version++
        for (const shopId of shops) {
          const written = [1, 2].map((n) => anOffer({ id: id(n), shopId, title: `lamp version ${version}` }))
          const told = [1, 2].map((n) => ({ shopId, id: id(n), popularity: version, ...UNSEEN }))
          await program.write([{ kind: 'offer', version, offer: written[0]! }])
          await program.write(told.map((signals) => ({ kind: 'signals', version, signals })))
          await program.write([{ kind: 'offer', version, offer: written[1]! }])
        }
        await program.refresh()
        for (const other of programs) {
          for (const shopId of shops) {
            const expected = [1, 2].map((n) => [id(n), `lamp version ${version}`, version])
            expect(await offersIn(other, shopId)).toEqual(expected)
          }
        }
      }
    }
    const shardsOf = async (kind: string) => {
      const asked = shops.map((routing) => client.count({ index: `${ours.namespace}-${kind}`, routing }))
      return new Set((await Promise.all(asked)).map(({ _shards }) => _shards.total))
    }
    await tryEach(programs)
    for (const perShop of [1, 0]) {
      expect(await migrateElasticsearch({ ...ours, ...settings[perShop]! })).toBe('REINDEXED')
      await tryEach(programs)
      if (perShop > 0) expect(await shardsOf('products')).toEqual(new Set([perShop]))
    }
    // Both indices of a new build, also that of the signals, get the settings of the program that starts the build.
    const build = await programs[2]!.builds!.begin()
    const seen = await Promise.all(programs.map((program) => program.builds!.look()))
    await tryEach(seen.map((each) => each.build!.index))
    await build.serve()
    await tryEach(programs)
    for (const kind of ['products', 'signals']) expect(await shardsOf(kind)).toEqual(new Set([2]))
    expect((await client.count({ index: `${ours.namespace}-products` })).count).toBe(2 * shops.length)
    expect(await programs[0]!.shops()).toEqual([...shops].sort())
    for (const program of programs) await program.close()
    await removeIndices(url, ours.namespace)
  })

  test('a process that starts in the middle of a last copy, or after one was killed there, loses no write', async () => {
    const alias = `${options.namespace}-products`
    const { format: _, ...shape } = productsIndex(DEFAULT_SHARDS)
    const copying = new Client({ node: url })
    const refresh = copying.indices.refresh.bind(copying.indices)
    const [present] = await indicesOf()
    await index.write([offer(2, 3_000_000)])
    copying.indices.refresh = (async (params: { index: string }) => {
      const answer = await refresh(params)
      // All has been copied, and the new index is about to serve.
      if (params.index !== present) {
        await migrateElasticsearch(options)
        expect(await index.write([offer(2, 3_000_001)])).toBe(1)
      }
      return answer
    }) as typeof copying.indices.refresh
    await reindex(copying, alias, shape, Date.now).catch((error) => expect(error).toBeInstanceOf(IndexUnavailable))
    await index.refresh()
    expect(await index.get('shop', [id(2)])).toMatchObject([{ offer: { title: 'lamp version 3000001' } }])
    const [served] = await indicesOf()
    await client.indices.addBlock({ index: served!, block: 'write' })
    expect(await migrateElasticsearch(options)).toBe('UNCHANGED')
    expect(await index.write([offer(2, 3_000_001)])).toBe(0)
    expect(await index.write([offer(2, 3_000_002)])).toBe(1)
    expect(Object.keys(await client.indices.get({ index: `${alias}*` }))).toEqual(await indicesOf())
    await copying.close()
  })

  test('may be migrated by several processes at once', async () => {
    const fresh = { url, namespace: testNamespace() }
    const done = await Promise.all(Array.from({ length: 4 }, () => migrateElasticsearch(fresh)))
    expect(done.filter((each) => each === 'CREATED')).toHaveLength(1)
    await removeIndices(url, fresh.namespace)
  })
})

describe('writers that overlap', () => {
  test('end with the newest version of each part, whoever comes last', async () => {
    const other = connectElasticsearch(options)
    const parts = [offer, promotions].flatMap((part) => [2_000_000, 2_000_001, 2_000_002].map((v) => part(1, v)))
    const counts = await Promise.all(
      [...parts, ...parts].map((write, at) => (at % 2 === 0 ? index : other).write([write])),
    )
    // Each version is accepted at most once; the newest is always accepted.
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(parts.length)
    await index.refresh()
    const [product] = await index.get('shop', [id(1)])
    expect(product).toMatchObject({ offer: { title: 'lamp version 2000002' }, campaignIds: ['c2000002'] })
    await other.close()
  })

  test('a large offer and many small ones are taken', async () => {
    const long = 'x'.repeat(900_000)
    const offers = Array.from({ length: 20 }, (_, n) => anOffer({ id: `large${n}`, customParameters: { a: long } }))
    expect(await index.write(offers.map((each) => ({ kind: 'offer', version: 1, offer: each })))).toBe(20)
    await index.refresh()
    expect(await index.count('shop', [{ kind: 'ids', ids: offers.map((each) => each.id) }])).toBe(20)
  })
})
