import type { EntityKind, RegistryEntry } from '../../schemas/records/entities.ts'

export type EntityName = Pick<RegistryEntry, 'kind' | 'id'>

/**
 * Kinds of which the log keeps every version: a purchase is credited by the campaign as it was at the time, also after
 * Analytics is rebuilt. Of the other kinds compaction keeps the latest version.
 */
const kindsWithHistory = ['Campaign', 'Shop'] as const satisfies EntityKind[]
export type KindWithoutHistory = Exclude<EntityKind, (typeof kindsWithHistory)[number]>

export function keepsHistory(kind: EntityKind): boolean {
  return (kindsWithHistory as readonly EntityKind[]).includes(kind)
}

/** Key of an entry in the topic `registry`. Compaction keeps the latest entry of each key. */
export function registryKey(entry: Pick<RegistryEntry, 'kind' | 'id' | 'version'>): string {
  return keepsHistory(entry.kind) ? `${keyOfPresent(entry)}/${entry.version}` : keyOfPresent(entry)
}

/** Key of an entity as it is now; in the topic `registry`, of an entity without history and of the tombstone that drops it. */
export function keyOfPresent({ kind, id }: EntityName): string {
  return `${kind}/${id}`
}

/** The entity that such a key names; null: none. */
export function entityOfKey(key: string | null): EntityName | null {
  const [kind, id] = (key ?? '').split('/')
  return kind && id ? { kind: kind as EntityKind, id } : null
}
