import type { EntityBodies, EntityKind, RegistryEntry } from '../../schemas/records/entities.ts'
import { firstFrom } from './first-from.ts'

export type Entity<K extends EntityKind> = Extract<RegistryEntry, { kind: K }>

/** How entities of a kind are found by something other than their ids. */
export interface EntityIndex<K extends EntityKind> {
  readonly kind: K
  /** The keys under which an entity is found, each once. */
  keysOf(body: EntityBodies[K]): readonly string[]
  /** The order of entities under a key, by properties that never change. Without it, they are in the order of their ids. */
  compare?(a: Entity<K>, b: Entity<K>): number
}

/** The order of the entities under each key of an index. */
export function orderOf<K extends EntityKind>(index: EntityIndex<K>): (a: Entity<K>, b: Entity<K>) => number {
  return index.compare ?? byId
}

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : Number(a.id > b.id))

/** The entities of an index by their keys. The cost of a change does not depend on how many entities there are. */
export class IndexedEntities<K extends EntityKind> {
  readonly #index: EntityIndex<K>
  readonly #compare: (a: Entity<K>, b: Entity<K>) => number
  readonly #lists = new Map<string, Entity<K>[]>()
  /** Keys of lists that must be sorted before they are read. */
  readonly #unsorted = new Set<string>()

  constructor(index: EntityIndex<K>, entities: Iterable<Entity<K>>) {
    this.#index = index
    this.#compare = orderOf(index)
    for (const entity of entities) this.change(undefined, entity)
  }

  /** Replaces an entity by its new version. `before` is undefined for a new entity, `now` for one that was removed. */
  change(before: Entity<K> | undefined, now: Entity<K> | undefined): void {
    const former = before ? this.#keysOf(before) : []
    const present = now ? this.#keysOf(now) : []
    for (const key of former) if (!present.includes(key)) this.#remove(key, before!)
    for (const key of present) {
      if (former.includes(key)) this.#replace(key, now!)
      else this.#add(key, now!)
    }
  }

  /** The entities under a key, in order. The list is valid until the next change. */
  list(key: string): readonly Entity<K>[] {
    const list = this.#lists.get(key)
    if (list && this.#unsorted.delete(key)) list.sort(this.#compare)
    return list ?? []
  }

  #keysOf({ body }: Entity<K>): readonly string[] {
    return this.#index.keysOf(body as EntityBodies[K])
  }

  #add(key: string, entity: Entity<K>): void {
    const list = this.#lists.get(key)
    if (!list) return void this.#lists.set(key, [entity])
    if (this.#compare(list.at(-1)!, entity) > 0) this.#unsorted.add(key)
    list.push(entity)
  }

  #replace(key: string, entity: Entity<K>): void {
    const list = this.list(key) as Entity<K>[]
    list[firstFrom(list, (each) => this.#compare(each, entity) >= 0)] = entity
  }

  #remove(key: string, entity: Entity<K>): void {
    const list = this.list(key) as Entity<K>[]
    list.splice(
      firstFrom(list, (each) => this.#compare(each, entity) >= 0),
      1,
    )
    if (list.length === 0) this.#lists.delete(key)
  }
}
