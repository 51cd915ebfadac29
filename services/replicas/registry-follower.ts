import type { EventLog, LogRecord, Position, Tail } from '../../infra/event-log/port.ts'
import type { EntityKind, RegistryEntry } from '../../schemas/records/entities.ts'
import { decode, UnknownSchema } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../domain/snapshot.ts'

/**
 * Keeps `snapshot` up to date with the topic `registry` until closed. Resolves once everything that was in the log at the
 * call is applied. When a newer version writes an entry that this one cannot decode, the snapshot stops before it
 * (`staleReason`): skipping single entries would produce a registry that never existed.
 * @throws UnknownSchema when such an entry is already in the log at the call.
 */
export async function followRegistry({ log, snapshot, logger, onEntry }: FollowRegistryDeps): Promise<Tail> {
  let caughtUp = false
  const tail = await log.tail('registry', (records) => {
    for (const record of records) {
      if (snapshot.staleReason !== null) return
      try {
        const entry = applyRecord(snapshot, record)
        if (entry) onEntry?.(entry, record)
      } catch (error) {
        if (!(error instanceof UnknownSchema && caughtUp)) throw error
        snapshot.staleReason = `The copy of the registry ends at offset ${record.offset}: ${error.message}`
        logger?.error({ topic: 'registry', offset: record.offset }, snapshot.staleReason)
      }
    }
  })
  caughtUp = true
  return tail
}

export interface FollowRegistryDeps {
  log: Pick<EventLog, 'tail'>
  snapshot: Snapshot
  logger?: { error(details: object, message: string): void }
  /** Called with every entry and where it lies, those that change nothing too. */
  onEntry?: (entry: RegistryEntry, position: Position) => void
}

/**
 * Kinds of which the log keeps every version: a purchase is credited by the campaign as it was at the time, also after
 * Analytics is rebuilt. Of the other kinds compaction keeps the latest version.
 */
const kindsWithHistory = ['Campaign', 'Shop'] as const satisfies EntityKind[]
export type KindWithoutHistory = Exclude<EntityKind, (typeof kindsWithHistory)[number]>

/** Key of an entry in the topic `registry`. Compaction keeps the latest entry of each key. */
export function registryKey({ kind, id, version }: Pick<RegistryEntry, 'kind' | 'id' | 'version'>): string {
  return (kindsWithHistory as readonly EntityKind[]).includes(kind) ? `${kind}/${id}/${version}` : keyToForget(kind, id)
}

/** Key of the tombstone that drops an entity without history. */
export function keyToForget(kind: EntityKind, id: string): string {
  return `${kind}/${id}`
}

function applyRecord(snapshot: Snapshot, { key, value }: LogRecord): RegistryEntry | null {
  if (value) {
    const entry = decode('RegistryEntry', value)
    snapshot.apply(entry)
    return entry
  }
  const [kind, id] = (key ?? '').split('/')
  if (kind && id) snapshot.forget(kind as EntityKind, id)
  return null
}
