import type { EventLog, LogRecord, Tail } from '../infra/event-log/port.ts'
import { decode } from '../schemas/codec.ts'
import type { EntityKind } from '../schemas/records.ts'
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

/** Key of an entity in the topic `registry`. */
export function registryKey(kind: EntityKind, id: string): string {
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
