import { setTimeout as delay } from 'node:timers/promises'
import type { Client, estypes } from '@elastic/elasticsearch'
import { type IndexBuild, type IndexBuilds, type IndexFill, IndexUnavailable, type ProductIndex } from '../port.ts'
import { createIndexGuard, type IndexNames, indexNames } from './client.ts'
import { type IndexShape, indexBehind, newAliases, nextIndexName, orNull, turnAliases } from './indices.ts'
import { productsIndex, type ShardSettings, signalsIndex } from './mapping.ts'
import { removeOrphans, SEARCHES_END_MS } from './write/reindex.ts'

const UNFILLED: IndexFill = { by: null, records: 0, of: 0, complete: false }

/**
 * A new pair of indices has its own aliases, `…-next`. How far it is filled is stored in the mapping of the new index of products. One
 * change of all aliases makes the new pair serve.
 */
export function createIndexBuilds({
  client,
  namespace,
  shards,
  open,
}: {
  client: Client
  namespace: string
  shards: ShardSettings
  open: (names: IndexNames) => ProductIndex
}): IndexBuilds {
  const guard = createIndexGuard()
  const names = indexNames(namespace)
  const nextNames: IndexNames = { products: `${names.products}-next`, signals: `${names.signals}-next` }
  const kinds = ['products', 'signals'] as const
  const next = open(nextNames)

  async function drop(): Promise<void> {
    for (const kind of kinds) {
      const found = await orNull(() => client.indices.getAlias({ name: nextNames[kind] }))
      for (const index of Object.keys(found ?? {})) await orNull(() => client.indices.delete({ index }))
    }
  }

  /** When two processes begin at the same moment, both keep the index whose name sorts first. */
  async function create(kind: (typeof kinds)[number], shape: IndexShape) {
    const mine = nextIndexName(names[kind])
    await client.indices.create({ index: mine, ...shape, aliases: newAliases(nextNames[kind], shape) })
    const [kept] = Object.keys(await client.indices.getAlias({ name: nextNames[kind] })).sort()
    if (kept !== mine) await orNull(() => client.indices.delete({ index: mine }))
  }

  async function serve(): Promise<void> {
    const turns = await Promise.all(
      kinds.map(async (kind) => {
        const built = await indexBehind(client, nextNames[kind])
        if (built === null) throw new IndexUnavailable('The new index has been dropped')
        return {
          alias: names[kind],
          present: await indexBehind(client, names[kind]),
          next: built,
          nextAlias: nextNames[kind],
        }
      }),
    )
    await turnAliases(client, turns)
    await delay(SEARCHES_END_MS)
    for (const { alias } of turns) await removeOrphans(client, alias)
  }

  function buildOf(id: string, mappings: estypes.MappingTypeMapping | undefined): IndexBuild {
    const meta = mappings?._meta ?? {}
    return {
      id,
      fill: (meta.fill as IndexFill | undefined) ?? UNFILLED,
      index: next,
      note: (fill) =>
        guard.run(async () => {
          await client.indices.putMapping({ index: id, _meta: { ...meta, fill } })
        }),
      serve: () => guard.run(serve),
      drop: () => guard.run(drop),
    }
  }

  async function look() {
    const found = await client.indices.get({
      index: [names.products, names.signals, nextNames.products, nextNames.signals],
      features: ['aliases', 'mappings'],
      ignore_unavailable: true,
    })
    const behind = (alias: string) => Object.entries(found).find(([, { aliases }]) => aliases && alias in aliases)
    const begun = behind(nextNames.products)
    return {
      serving: behind(names.products) !== undefined && behind(names.signals) !== undefined,
      // One that has lost either index can never serve, so it is as if it had not been begun.
      build: begun && behind(nextNames.signals) ? buildOf(begun[0], begun[1].mappings) : null,
    }
  }

  return {
    look: () => guard.run(look),
    begin: () =>
      guard.run(async () => {
        await drop()
        await create('signals', signalsIndex(shards))
        const { format: _, ...shape } = productsIndex(shards)
        await create('products', shape)
        const { build } = await look()
        if (build === null) throw new IndexUnavailable('The new index has been dropped')
        return build
      }),
  }
}
