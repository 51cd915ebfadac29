import { setTimeout as delay } from 'node:timers/promises'
import type { Client, estypes } from '@elastic/elasticsearch'
import { IndexUnavailable } from '../../port.ts'
import { ONCE } from '../client.ts'
import { emptyState, offerFields, type ProductDocument, signalsFields } from '../document.ts'
import { type IndexShape, indexBehind, isByShop, isError, nextIndexName, orNull, turnAliases } from '../indices.ts'
import { type Placed, placedIn } from '../placement.ts'
import { bulk } from './bulk.ts'

const PAGE_DOCUMENTS = 500
const KEEP_ALIVE = '2m'
/** Clocks of writers may differ by this much. */
const CLOCK_SKEW_MS = 60_000
/** Most copies of what changed during the previous copy. They end earlier once one has at most `LITTLE_DOCUMENTS`. */
const CATCH_UPS_MAX = 10
const LITTLE_DOCUMENTS = 1_000
/** How long a replaced index is kept for the searches that began in it. */
export const SEARCHES_END_MS = 2_000

/**
 * Builds an index of the given shape from the one behind the alias, and replaces that one by it. Every document is made again from
 * its offer. Searches go on throughout. Writes are refused during the last copy only, and their callers retry. Documents keep their
 * versions, so the order of copies and writes does not matter.
 * @returns how many documents were copied, repetitions included.
 * @throws IndexUnavailable when another process was faster.
 */
export async function reindex(client: Client, alias: string, shape: IndexShape, now: () => number): Promise<number> {
  const present = await indexBehind(client, alias)
  if (present === null) throw new IndexUnavailable(`There is no index behind ${alias}`)
  const next = nextIndexName(alias)
  await client.indices.create({ index: next, ...shape })
  const to = placedIn(next, isByShop(shape))
  let copied = 0
  try {
    let startedAt = now()
    let last = await copy(client, present, to, { match_all: {} })
    copied = last
    for (let round = 0; round < CATCH_UPS_MAX && (round === 0 || last > LITTLE_DOCUMENTS); round++) {
      const since = startedAt - CLOCK_SKEW_MS
      startedAt = now()
      last = await copy(client, present, to, writtenSince(since))
      copied += last
    }
    // Returns once the writes in progress have ended. From then on nothing changes.
    await client.indices.addBlock({ index: present, block: 'write' })
    copied += await copy(client, present, to, writtenSince(startedAt - CLOCK_SKEW_MS))
    await client.indices.refresh({ index: next })
    await turnAliases(client, [{ alias, present, next, nextAlias: null }])
  } catch (error) {
    await allowWrites(client, alias)
    await orNull(() => client.indices.delete({ index: next }))
    throw wasReplaced(error) ? new IndexUnavailable(`${present} was replaced by others`) : error
  }
  await delay(SEARCHES_END_MS)
  await removeOrphans(client, alias)
  return copied
}

/**
 * Allows writes again after a reindex that failed, or was killed during its last copy. The index itself never takes writes again: they
 * would be lost if another process, whose last copy it is, then replaced it. A clone takes its place, so such a process finds the
 * alias moved. Its files are those of the index, so nothing is copied.
 */
export async function allowWrites(client: Client, alias: string): Promise<void> {
  const present = await indexBehind(client, alias)
  if (present === null || (await takesWrites(client, present))) return
  const next = nextIndexName(alias)
  await client.indices.clone({ index: present, target: next, settings: { 'index.blocks.write': null } }, ONCE)
  try {
    await turnAliases(client, [{ alias, present, next, nextAlias: null }])
  } catch (error) {
    await orNull(() => client.indices.delete({ index: next }))
    throw wasReplaced(error) ? new IndexUnavailable(`${present} was replaced by others`) : error
  }
  await delay(SEARCHES_END_MS)
  await orNull(() => client.indices.delete({ index: present }))
}

async function takesWrites(client: Client, index: string): Promise<boolean> {
  const found = await client.indices.getSettings({ index, name: 'index.blocks.write' })
  return String(found[index]?.settings?.index?.blocks?.write) !== 'true'
}

const wasReplaced = (error: unknown) =>
  isError(error, 'index_not_found_exception') || isError(error, 'aliases_not_found_exception')

const writtenSince = (since: number): estypes.QueryDslQueryContainer => ({ range: { writtenAt: { gte: since } } })

async function copy(client: Client, from: string, to: Placed, query: estypes.QueryDslQueryContainer): Promise<number> {
  await client.indices.refresh({ index: from })
  const { id } = await client.openPointInTime({ index: from, keep_alive: KEEP_ALIVE })
  let copied = 0
  try {
    for (let after: estypes.SortResults | undefined; ; ) {
      const { hits } = await client.search<ProductDocument>({
        pit: { id, keep_alive: KEEP_ALIVE },
        query,
        size: PAGE_DOCUMENTS,
        sort: ['_shard_doc'],
        version: true,
        track_total_hits: false,
        ...(after ? { search_after: after } : {}),
      })
      if (hits.hits.length === 0) return copied
      const items = hits.hits.map(({ _id, _version, _source }) => ({
        key: _id!,
        shop: _source!.shop,
        version: _version!,
        body: JSON.stringify(madeAnew(_source!)),
      }))
      // A conflict means that a later version was copied before.
      await bulk(client, to, items, 'external_gte')
      copied += hits.hits.length
      after = hits.hits.at(-1)!.sort
    }
  } finally {
    await orNull(() => client.closePointInTime({ id }))
  }
}

function madeAnew(document: ProductDocument): ProductDocument {
  const { shop, feed, id, offer, textLang, signals, signalsVersion } = document
  return {
    ...emptyState(shop, feed, id),
    ...document,
    ...(signals === null ? {} : signalsFields(JSON.parse(signals), signalsVersion)),
    ...(offer === undefined ? {} : offerFields(JSON.parse(offer), textLang ?? null)),
  }
}

/** Deletes the replaced index and the remains of failed copies: an index without an alias neither serves nor is being filled. */
export async function removeOrphans(client: Client, alias: string): Promise<void> {
  const found = await client.indices.get({ index: `${alias}-*`, features: ['aliases'] })
  for (const [index, { aliases }] of Object.entries(found)) {
    if (Object.keys(aliases ?? {}).length === 0) await orNull(() => client.indices.delete({ index }))
  }
}
