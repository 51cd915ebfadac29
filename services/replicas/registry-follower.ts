import type { EventLog, LogRecord, Tail } from '../../infra/event-log/port.ts'
import { decode, UnknownSchema } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { checkpointEnd, readCheckpoint } from './registry-checkpoint.ts'
import { type EntityName, entityOfKey } from './registry-keys.ts'

/** An entity and one of its versions; the version is null when the entity is dropped. */
export type EntityVersion = EntityName & { version: number | null }

/**
 * Keeps `snapshot` up to date with the topic `registry` until closed, beginning with its checkpoint. Resolves once everything
 * that was in the log at the call is applied. When a newer version writes an entry that this one cannot decode, the snapshot
 * stops before it (`staleReason`): skipping single entries would produce a registry that never existed.
 * @throws UnknownSchema when such an entry is already in the log at the call.
 */
export async function followRegistry({ log, snapshot, logger, onRecord }: FollowRegistryDeps): Promise<Tail> {
  const bounds = await log.bounds('registry')
  const from = await checkpointEnd(log)
  if (from !== null) {
    await readCheckpoint(log, (records) => {
      for (const record of records) applyRecord(snapshot, record)
    })
  }
  let caughtUp = false
  const followed = (records: LogRecord[]) => {
    for (const record of records) {
      if (snapshot.staleReason !== null) return
      try {
        const about = applyRecord(snapshot, record)
        snapshot.readTo(record.offset + 1)
        if (about) onRecord?.(record, about)
      } catch (error) {
        if (!(error instanceof UnknownSchema && caughtUp)) throw error
        snapshot.staleReason = `The copy of the registry ends at offset ${record.offset}: ${error.message}`
        logger?.error({ topic: 'registry', offset: record.offset }, snapshot.staleReason)
      }
    }
  }
  const tail = await log.tail('registry', followed, from === null ? [] : [{ partition: 0, offset: from }])
  caughtUp = true
  // Its last records may have been compacted away.
  for (const { end } of bounds) snapshot.readTo(end)
  return tail
}

export interface FollowRegistryDeps {
  log: Pick<EventLog, 'tail' | 'committed' | 'read' | 'bounds'>
  snapshot: Snapshot
  logger?: { error(details: object, message: string): void }
  /** Called with every record of `registry` that is read after the checkpoint, including those that change nothing. */
  onRecord?: (record: LogRecord, about: EntityVersion) => void
}

function applyRecord(snapshot: Snapshot, { key, value }: LogRecord): EntityVersion | null {
  if (value) {
    const entry = decode('RegistryEntry', value)
    snapshot.apply(entry)
    return entry
  }
  const dropped = entityOfKey(key)
  if (!dropped) return null
  snapshot.forget(dropped.kind, dropped.id)
  return { ...dropped, version: null }
}
