import type { EntityBodies, EntityKind, RegistryEntry } from '../../schemas/records/entities.ts'
import { type Entity, type EntityIndex, IndexedEntities, orderOf } from './entity-index.ts'

export type { Entity }

/** Entries that are decided and not stored yet, by `kind/id`. */
export type Drafts = Map<string, RegistryEntry>

export function addDraft(drafts: Drafts, entry: RegistryEntry): void {
  drafts.set(`${entry.kind}/${entry.id}`, entry)
}

/**
 * The registry as this process knows it: every entity by kind and id, as the last applied entry left it. Whoever follows the
 * `registry` topic applies its entries in log order. Readers keep no copies.
 */
export class Snapshot {
  readonly #byKind = new Map<EntityKind, Map<string, RegistryEntry>>()
  /** Why entries of the log are missing here until a newer version of the program starts; null when none are missing. */
  staleReason: string | null = null
  #position = 0
  readonly #listeners = new Set<(entry: RegistryEntry, before: RegistryEntry | undefined) => void>()
  /** Keyed by kind. An index is built when it is first asked for, and kept up to date from then on. */
  readonly #indexes = new Map<EntityKind, Map<EntityIndex<EntityKind>, IndexedEntities<EntityKind>>>()
  /** The drafts that the current decision sees. */
  #drafts: Drafts | null = null

  /** Applies an entry; one that is not newer than what is known changes nothing. */
  apply(entry: RegistryEntry): void {
    const entities = this.#byKind.get(entry.kind) ?? new Map<string, RegistryEntry>()
    this.#byKind.set(entry.kind, entities)
    const before = entities.get(entry.id)
    if (before && before.version >= entry.version) return
    entities.set(entry.id, entry)
    this.#index(entry.kind, before, entry)
    for (const listener of this.#listeners) listener(entry, before)
  }

  /** The offset of `registry` before which everything is applied; some later records may be, too. It grows over starts. */
  get position(): number {
    return this.#position
  }

  /** Call it once everything before this offset of `registry` is applied. */
  readTo(offset: number): void {
    this.#position = Math.max(this.#position, offset)
  }

  /** Removes an entity (a null value in the log), so that `getEver` does not return it either. */
  forget(kind: EntityKind, id: string): void {
    const entities = this.#byKind.get(kind)
    const before = entities?.get(id)
    if (!before) return
    entities!.delete(id)
    this.#index(kind, before, undefined)
  }

  /** The entity unless unknown or deleted. */
  get<K extends EntityKind>(kind: K, id: string): Entity<K> | undefined {
    const entry = this.getEver(kind, id)
    return entry && entry.deletedAt === null ? entry : undefined
  }

  /** The body of the entity unless unknown or deleted. */
  body<K extends EntityKind>(kind: K, id: string): EntityBodies[K] | undefined {
    return this.get(kind, id)?.body as EntityBodies[K] | undefined
  }

  /** The entity even when deleted: history still names it. */
  getEver<K extends EntityKind>(kind: K, id: string): Entity<K> | undefined {
    const draft = this.#drafts?.get(`${kind}/${id}`)
    return (draft ?? this.#byKind.get(kind)?.get(id)) as Entity<K> | undefined
  }

  /** All that are not deleted, in the order they were first seen. */
  *all<K extends EntityKind>(kind: K): Generator<Entity<K>> {
    for (const entry of this.allEver(kind)) if (entry.deletedAt === null) yield entry
  }

  /** All, the deleted ones too, in the order they were first seen. */
  *allEver<K extends EntityKind>(kind: K): Generator<Entity<K>> {
    const stored = this.#byKind.get(kind)
    const drafts = this.#drafts
    for (const entry of stored?.values() ?? []) yield (drafts?.get(`${kind}/${entry.id}`) ?? entry) as Entity<K>
    for (const draft of this.draftsOf(kind)) if (!stored?.has(draft.id)) yield draft
  }

  /** The entities under a key of an index that are not deleted, in its order. Read them at once: a change alters the list. */
  *under<K extends EntityKind>(index: EntityIndex<K>, key: string): Generator<Entity<K>> {
    for (const entry of this.underEver(index, key)) if (entry.deletedAt === null) yield entry
  }

  /** The same, including the deleted entities as they last were. */
  underEver<K extends EntityKind>(index: EntityIndex<K>, key: string): readonly Entity<K>[] {
    const stored = this.#indexed(index).list(key)
    const drafts = [...this.draftsOf(index.kind)]
    if (drafts.length === 0) return stored
    const drafted = new Set(drafts.map(({ id }) => id))
    const found = drafts.filter(({ body }) => index.keysOf(body as EntityBodies[K]).includes(key))
    return [...stored.filter(({ id }) => !drafted.has(id)), ...found].sort(orderOf(index))
  }

  /** The entities that visible drafts create or change. For indexes kept up to date by `onChange`, which drafts do not call. */
  *draftsOf<K extends EntityKind>(kind: K): Generator<Entity<K>> {
    for (const entry of this.#drafts?.values() ?? []) if (entry.kind === kind) yield entry as Entity<K>
  }

  /** Calls back after every applied change. @returns a function that stops it. */
  onChange(listener: (entry: RegistryEntry, before: RegistryEntry | undefined) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Runs `decide`, which sees these entries as if they were applied. It waits for nothing, so nobody else sees them. */
  withDrafts<T>(drafts: Drafts, decide: () => T): T {
    this.#drafts = drafts
    try {
      return decide()
    } finally {
      this.#drafts = null
    }
  }

  #indexed<K extends EntityKind>(index: EntityIndex<K>): IndexedEntities<K> {
    const { kind } = index
    const ofKind = this.#indexes.get(kind) ?? new Map()
    this.#indexes.set(kind, ofKind)
    const known = ofKind.get(index)
    if (known) return known
    const made = new IndexedEntities(index, (this.#byKind.get(kind)?.values() ?? []) as Iterable<Entity<K>>)
    ofKind.set(index, made)
    return made
  }

  #index(kind: EntityKind, before: RegistryEntry | undefined, now: RegistryEntry | undefined): void {
    for (const indexed of this.#indexes.get(kind)?.values() ?? []) indexed.change(before, now)
  }
}
