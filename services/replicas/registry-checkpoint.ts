import type { EventLog, LogRecord, NewRecord } from '../../infra/event-log/port.ts'
import type { RegistryEntry } from '../../schemas/records/entities.ts'
import { encode } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { type EntityName, keepsHistory, keyOfPresent } from './registry-keys.ts'

/**
 * The checkpoint of the registry: the topic `registry-checkpoint` holds the latest version of each entity. So a start reads
 * only these and the tail of `registry`, and not every version that ever existed.
 *
 * The position of the checkpoint is the offset of `registry` that the group of the same name has committed. Everything before
 * this offset is in the checkpoint, together with some later entries. Entries have versions, so reading the later ones again
 * changes nothing. The record just before the offset is the anchor, which is never compacted away. If the log has another
 * record there, the checkpoint was made of another log (this one may be a mirror), and all of `registry` is read.
 *
 * The registry's exclusive writer appends to the topic. The position needs no fence: the position of a superseded writer is
 * older, and is valid as well.
 */
export const CHECKPOINT_GROUP = 'registry-checkpoint'
const TOPIC = 'registry-checkpoint'
const PARTITION = 0
/** A checkpoint is made after this many records of `registry`; a start reads about as many. */
const CHECKPOINT_EVERY_RECORDS = 10_000
/** Limits of one append. */
const CHUNK_MAX_RECORDS = 500
const CHUNK_MAX_BYTES = 4 * 1024 * 1024

/** The offset of `registry` from which to read after the checkpoint; null when there is no checkpoint of this log. */
export async function checkpointEnd(log: Pick<EventLog, 'committed' | 'read'>): Promise<number | null> {
  const position = (await log.committed(CHECKPOINT_GROUP)).find(({ topic }) => topic === 'registry')
  if (!position) return null
  const anchorOffset = position.offset - 1
  const [anchor] = await log.read('registry', PARTITION, anchorOffset, 1)
  const isSame = anchor?.offset === anchorOffset && String(anchor.appendedAt) === position.metadata
  return isSame ? position.offset : null
}

/** Reads the checkpoint's entities. */
export async function readCheckpoint(
  log: Pick<EventLog, 'tail'>,
  apply: (records: LogRecord[]) => void,
): Promise<void> {
  const tail = await log.tail(TOPIC, apply)
  await tail.close()
}

/** A checkpoint that is being made. */
export interface CheckpointInProgress {
  /** The next records to append, with the entities as they are at the call. Empty when there are no more. */
  next(): NewRecord[]
  /** Call once all are appended: from then on, starts begin at this checkpoint. */
  finish(): Promise<void>
  /** Call instead when an append has failed: the next checkpoint includes what this one should have. */
  abandon(): void
}

export interface Checkpoints {
  /** Must be called with each record of `registry` that is in no checkpoint, in order. */
  noted(record: LogRecord, entity: EntityName): void
  isDue(): boolean
  /** Begins a checkpoint; one at a time. Null when there is no record to anchor it at. */
  begin(): CheckpointInProgress | null
}

export function createCheckpoints(deps: {
  log: Pick<EventLog, 'reset'>
  snapshot: Snapshot
  everyRecords?: number
}): Checkpoints {
  const { log, snapshot, everyRecords = CHECKPOINT_EVERY_RECORDS } = deps
  /** The entities that have changed since the last checkpoint. */
  let changed = new Map<string, EntityName>()
  let records = 0
  let anchor: LogRecord | null = null

  function recordOf({ kind, id }: EntityName): NewRecord {
    const entry = snapshot.getEver(kind, id) as RegistryEntry | undefined
    return { topic: TOPIC, key: keyOfPresent({ kind, id }), value: entry ? encode('RegistryEntry', entry) : null }
  }

  return {
    noted(record, { kind, id }) {
      changed.set(keyOfPresent({ kind, id }), { kind, id })
      records += 1
      if (keepsHistory(kind) && record.value !== null) anchor = record
    },
    isDue: () => records >= everyRecords && anchor !== null,
    begin() {
      if (!anchor) return null
      const { offset, appendedAt } = anchor
      const taken = changed
      const waiting = [...taken.values()].values()
      changed = new Map()
      records = 0
      return {
        next() {
          const chunk: NewRecord[] = []
          for (let bytes = 0; chunk.length < CHUNK_MAX_RECORDS && bytes < CHUNK_MAX_BYTES; ) {
            const { value: entity, done } = waiting.next()
            if (done) break
            const record = recordOf(entity)
            bytes += record.value?.length ?? 0
            chunk.push(record)
          }
          return chunk
        },
        async finish() {
          const position = { topic: 'registry' as const, partition: PARTITION, offset: offset + 1 }
          await log.reset(CHECKPOINT_GROUP, [{ ...position, metadata: String(appendedAt) }])
        },
        abandon() {
          changed = new Map([...taken, ...changed])
        },
      }
    },
  }
}
