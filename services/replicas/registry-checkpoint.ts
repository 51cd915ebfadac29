import type { EventLog, LogRecord, NewRecord } from '../../infra/event-log/port.ts'
import type { RegistryEntry } from '../../schemas/records/entities.ts'
import { encode } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { type EntityName, keepsHistory, keyOfPresent } from './registry-keys.ts'

/**
 * The checkpoint of the registry: the topic `registry-checkpoint` holds each entity as it was last, so that a start reads
 * those and the tail of `registry`, instead of all versions that ever were.
 *
 * Its position is what the group of the same name has committed of `registry`: everything before that offset is in the
 * checkpoint, together with some of what came later. Entries come with versions, so reading those again changes nothing. The
 * record before the offset is the anchor, one that is never compacted away. Where the log holds another record there, it is not
 * the log of which the checkpoint was made (a mirror, say), and all of `registry` is read.
 *
 * The registry's exclusive writer appends to the topic. The position needs no fence: that of a writer which has been
 * superseded is older, and holds as well.
 */
export const CHECKPOINT_GROUP = 'registry-checkpoint'
const TOPIC = 'registry-checkpoint'
const PARTITION = 0
/** A checkpoint follows so many records of `registry`; a start reads about as many. */
const CHECKPOINT_EVERY_RECORDS = 10_000
/** Of one append. */
const CHUNK_MAX_RECORDS = 500
const CHUNK_MAX_BYTES = 4 * 1024 * 1024

/** Where reading of `registry` goes on behind the checkpoint; null: there is none of this log. */
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
  /** The next records to append, as the entities are at the call; none: all have been. */
  next(): NewRecord[]
  /** Call once all are appended: from now on starts begin here. */
  finish(): Promise<void>
  /** Call instead when an append has failed: the next checkpoint includes what this one should have. */
  abandon(): void
}

export interface Checkpoints {
  /** Takes note of each record of `registry` that is in no checkpoint, in their order. */
  noted(record: LogRecord, entity: EntityName): void
  isDue(): boolean
  /** One at a time. Null: there is nothing to anchor one at. */
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
