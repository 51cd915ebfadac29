import type { EventLog, LogRecord, Tail } from '../../infra/event-log/port.ts'
import type { EntityKind, RegistryEntry } from '../../schemas/records/entities.ts'
import { decode, UnknownSchema } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../domain/snapshot.ts'

/**
 * Keeps `snapshot` at what the topic `registry` holds, in this process, until closed. Resolves once everything that
 * was in the log at the call is in force. When a newer version writes what this one cannot read, the copy stays at what it
 * was before (`staleReason`): leaving out single entries would make up a registry that never was.
 * @throws UnknownSchema when such an entry is already there at the call: then there is no copy to work with.
 */
export async function followRegistry({ log, snapshot, logger }: FollowRegistryDeps): Promise<Tail> {
  let caughtUp = false
  const tail = await log.tail('registry', (records) => {
    for (const record of records) {
      if (snapshot.staleReason !== null) return
      try {
        applyRecord(snapshot, record)
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
