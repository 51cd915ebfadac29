import type { EntityBodies, EntityKind, RegistryEntry } from '../../schemas/records/entities.ts'

export type Entity<K extends EntityKind> = Extract<RegistryEntry, { kind: K }>

/**
 * The registry as this process knows it: every entity by kind and id, as the last applied entry left it.
 * Fed in log order by whoever follows the `registry` topic; readers keep no copies.
 */
export class Snapshot {
  readonly #byKind = new Map<EntityKind, Map<string, RegistryEntry>>()
  /** Why entries that the log holds are missing here, and will be until a newer version starts; null: none are. */
  staleReason: string | null = null
  readonly #listeners = new Set<(entry: RegistryEntry, before: RegistryEntry | undefined) => void>()

  /** Applies an entry; one that is not newer than what is known changes nothing. */
  apply(entry: RegistryEntry): void {
    const entities = this.#byKind.get(entry.kind) ?? new Map<string, RegistryEntry>()
    this.#byKind.set(entry.kind, entities)
    const before = entities.get(entry.id)
    if (before && before.version >= entry.version) return
    entities.set(entry.id, entry)
    for (const listener of this.#listeners) listener(entry, before)
  }

  /** Drops an entity for good (a null value in the log). */
  forget(kind: EntityKind, id: string): void {
    this.#byKind.get(kind)?.delete(id)
  }

  /** The entity unless unknown or deleted. */
  get<K extends EntityKind>(kind: K, id: string): Entity<K> | undefined {
    const entry = this.#byKind.get(kind)?.get(id) as Entity<K> | undefined
    return entry && entry.deletedAt === null ? entry : undefined
  }

  /** The body of the entity unless unknown or deleted. */
  body<K extends EntityKind>(kind: K, id: string): EntityBodies[K] | undefined {
    return this.get(kind, id)?.body as EntityBodies[K] | undefined
  }

  /** The entity even when deleted: history still names it. */
  getEver<K extends EntityKind>(kind: K, id: string): Entity<K> | undefined {
    return this.#byKind.get(kind)?.get(id) as Entity<K> | undefined
  }

  /** All that are not deleted, in the order they were first seen. */
  *all<K extends EntityKind>(kind: K): Generator<Entity<K>> {
    for (const entry of this.#byKind.get(kind)?.values() ?? []) {
      if (entry.deletedAt === null) yield entry as Entity<K>
    }
  }

  /** All, the deleted ones too, in the order they were first seen. */
  *allEver<K extends EntityKind>(kind: K): Generator<Entity<K>> {
    for (const entry of this.#byKind.get(kind)?.values() ?? []) yield entry as Entity<K>
  }

  /** Calls back after every applied change. @returns what ends it. */
  onChange(listener: (entry: RegistryEntry, before: RegistryEntry | undefined) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
