import type { EventLog, LogRecord, Tail } from '../infra/event-log/port.ts'
import { decode } from '../schemas/codec.ts'
import type { EntityKind, RegistryEntry } from '../schemas/entities.ts'
import type { Snapshot } from './domain/snapshot.ts'

/**
 * Keeps `snapshot` at what the topic `registry` holds, in this process, until closed. Resolves once everything that
 * was in the log at the call is in force.
 */
export function followRegistry(deps: { log: EventLog; snapshot: Snapshot }): Promise<Tail> {
  return deps.log.tail('registry', (records) => {
    for (const record of records) applyRecord(deps.snapshot, record)
  })
}

/**
 * Kinds whose versions all stay in the log: a purchase is credited by the campaign as it was then, however often Analytics
 * is made anew. Of the other kinds compaction leaves the latest.
 */
const kindsWithHistory = ['Campaign', 'Shop'] as const satisfies EntityKind[]
export type KindWithoutHistory = Exclude<EntityKind, (typeof kindsWithHistory)[number]>

/** Key of an entry in the topic `registry`: what compaction takes for the same thing. */
export function registryKey({ kind, id, version }: Pick<RegistryEntry, 'kind' | 'id' | 'version'>): string {
  return (kindsWithHistory as readonly EntityKind[]).includes(kind) ? `${kind}/${id}/${version}` : keyToForget(kind, id)
}

/** Key whose null value drops an entity that has no history. */
export function keyToForget(kind: EntityKind, id: string): string {
  return `${kind}/${id}`
}

function applyRecord(snapshot: Snapshot, { key, value }: LogRecord): void {
  if (value) {
    snapshot.apply(decode('RegistryEntry', value))
    return
  }
  const [kind, id] = (key ?? '').split('/')
  if (kind && id) snapshot.forget(kind as EntityKind, id)
}
