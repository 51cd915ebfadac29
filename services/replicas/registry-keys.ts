import type { EntityKind, RegistryEntry } from '../../schemas/records/entities.ts'

export type EntityName = Pick<RegistryEntry, 'kind' | 'id'>

/**
 * Kinds of which the log keeps every version: a purchase is credited by the campaign as it was at the time, even after
 * Analytics is rebuilt. Of the other kinds, compaction keeps only the latest version.
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

/** Key of an entity, without a version. The topic `registry` uses it for entities without history, and for tombstones. */
export function keyOfPresent({ kind, id }: EntityName): string {
  return `${kind}/${id}`
}

/** The entity that a `keyOfPresent` names; null when it names none. */
export function entityOfKey(key: string | null): EntityName | null {
  const [kind, id] = (key ?? '').split('/')
  return kind && id ? { kind: kind as EntityKind, id } : null
}
