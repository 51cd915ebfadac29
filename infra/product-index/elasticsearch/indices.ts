import { randomBytes } from 'node:crypto'
import type { Client, estypes } from '@elastic/elasticsearch'
import { errors } from '@elastic/elasticsearch'
import { IndexUnavailable } from '../port.ts'
import { NOT_ELASTICSEARCH, ONCE } from './client.ts'
import { aliasesOf } from './placement.ts'

/** The settings and mapping of a new index. */
export type IndexShape = Pick<estypes.IndicesCreateRequest, 'settings' | 'mappings'>

/** A unique name for the next index behind an alias. */
export const nextIndexName = (alias: string): string => `${alias}-${randomBytes(6).toString('hex')}`

/** The index behind an alias, or null. */
export async function indexBehind(client: Client, alias: string): Promise<string | null> {
  const found = await orNull(() => client.indices.getAlias({ name: alias }))
  return found ? (Object.keys(found)[0] ?? null) : null
}

/**
 * Creates the first index behind an alias. Processes that do so at the same moment create the same one.
 * @returns false when the alias has an index already.
 */
export async function createFirst(client: Client, alias: string, shape: IndexShape): Promise<boolean> {
  if ((await indexBehind(client, alias)) !== null) return false
  try {
    await client.indices.create({ index: `${alias}-first`, ...shape, aliases: newAliases(alias, shape) })
    return true
  } catch (error) {
    if (isError(error, 'resource_already_exists_exception')) return false
    throw error
  }
}

export const isByShop = ({ mappings }: IndexShape): boolean => mappings?._routing?.required === true

/** The aliases that a new index of this shape is created with. */
export const newAliases = (alias: string, shape: IndexShape) =>
  Object.fromEntries(aliasesOf(alias, isByShop(shape)).map((each) => [each, {}]))

export interface AliasTurn {
  alias: string
  /** The index behind the alias; null when there is none. */
  present: string | null
  next: string
  /** The alias that `next` had until now; null when it had none. */
  nextAlias: string | null
}

/** Moves aliases to other indices, all of them in one step. */
export async function turnAliases(client: Client, turns: readonly AliasTurn[]): Promise<void> {
  const shapes = await client.indices.getMapping({
    index: turns.flatMap(({ present, next }) => (present === null ? [next] : [present, next])),
  })
  const names = (index: string, alias: string) => aliasesOf(alias, isByShop(shapes[index]!))
  const remove = (index: string | null, alias: string | null) =>
    index === null || alias === null
      ? []
      : names(index, alias).map((each) => ({ remove: { index, alias: each, must_exist: true } }))
  const actions = turns.flatMap(({ alias, present, next, nextAlias }) => [
    ...names(next, alias).map((each) => ({ add: { index: next, alias: each } })),
    ...remove(next, nextAlias),
    ...remove(present, alias),
  ])
  await client.indices.updateAliases({ actions }, ONCE)
}

/** Replaces the indices behind aliases by empty ones, all of them in one step. Searches in progress may fail. */
export async function emptyIndices(client: Client, shapes: Readonly<Record<string, IndexShape>>): Promise<void> {
  const actions = await Promise.all(
    Object.entries(shapes).map(async ([alias, shape]) => {
      const present = await indexBehind(client, alias)
      if (present === null) {
        await createFirst(client, alias, shape)
        return []
      }
      const next = nextIndexName(alias)
      await client.indices.create({ index: next, ...shape })
      const aliases = Object.keys(newAliases(alias, shape))
      return [...aliases.map((each) => ({ add: { index: next, alias: each } })), { remove_index: { index: present } }]
    }),
  )
  if (actions.flat().length > 0) await client.indices.updateAliases({ actions: actions.flat() }, ONCE)
}

export const isError = (error: unknown, type: string): boolean =>
  error instanceof errors.ResponseError && (error.body as { error?: { type?: string } })?.error?.type === type

/** The result of a call, or null when Elasticsearch answers 404. @throws IndexUnavailable when another server or a proxy does. */
export async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof errors.ResponseError) || error.statusCode !== 404) throw error
    if (error.headers?.['x-elastic-product'] === 'Elasticsearch') return null
    throw new IndexUnavailable(`${NOT_ELASTICSEARCH} It answers 404`)
  }
}
