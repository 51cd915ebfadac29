import {
  type EventLog,
  Fenced,
  type LogRecord,
  LogUnavailable,
  type NewRecord,
  type Position,
  RECORD_MAX_BYTES,
  recordBytes,
} from '../../../infra/event-log/port.ts'
import type { EntityBodies, EntityKind, RegistryEntry } from '../../../schemas/records/entities.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { lruCache } from '../../domain/caches.ts'
import { Problem } from '../../domain/errors.ts'
import { defaultLimits, type Limits } from '../../domain/limits.ts'
import { addDraft, type Drafts, type Entity, type Snapshot } from '../../domain/snapshot.ts'
import { createCheckpoints } from '../../replicas/registry-checkpoint.ts'
import { type EntityVersion, followRegistry } from '../../replicas/registry-follower.ts'
import { type KindWithoutHistory, keyOfPresent, registryKey } from '../../replicas/registry-keys.ts'
import { createEntityLimits, type EntityLimits } from '../writes/entity-limits.ts'
import { createWriteQueue, type Decided } from '../writes/write-queue.ts'

/** The name of the registry's writer. Only one process can hold it. */
const WRITER = 'registry'
const RETRY_AFTER_SECONDS = 2
/** More versions than can follow a checkpoint. The sink has long stored older ones. */
const RECENT_VERSIONS_MAX = 100_000

/** One entity as it is to be stored. Made by `created`, `changed` and `removed`. */
export type EntityChange = {
  [K in EntityKind]: { kind: K; id: string; version: number; deleted: boolean; body: EntityBodies[K] }
}[EntityKind]

export interface Registry {
  readonly snapshot: Snapshot
  /**
   * Runs `decide`, in call order and without waiting, so that it sees every earlier write, and what it reads in the snapshot still
   * holds when its changes are stored. Then stores the changes, all or none, and applies them. Writes that wait are stored together.
   * @returns the entries as stored, in the order of the changes.
   * @throws whatever `decide` throws; Problem CONFLICT when an entity has another version than the change was made for, or an
   * account would have more of a kind than it may; Problem TOO_LARGE when an entity does not fit into a record; Problem
   * UNAVAILABLE when the log cannot take the changes, or another registry has taken over.
   */
  write(decide: Decide, options: { by: string }): Promise<RegistryEntry[]>
  /** @throws Problem CONFLICT when the account may have no more of these; `write` checks it, too. */
  checkRoom: EntityLimits['checkRoom']
  /** Deletes entities permanently, in the order of writes. Only for entities that nothing refers to any more. @throws as `write`. */
  forget(choose: ChooseForgotten): Promise<void>
  /** Where the log holds a recent version of a campaign. Undefined for older versions, whose positions Analytics knows. */
  recentVersion(campaignId: string, version: number): Position | undefined
  /** Resolves when another process has taken over: this one can never write again, and should end. */
  readonly fenced: Promise<Fenced>
  /** Closes the registry after the writes under way. */
  close(): Promise<void>
}

type ChooseForgotten = () => readonly { kind: KindWithoutHistory; id: string }[]
export type Decide = readonly EntityChange[] | (() => readonly EntityChange[])

export function created<K extends EntityKind>(kind: K, id: string, body: EntityBodies[K]): EntityChange {
  return { kind, id, version: 1, deleted: false, body } as EntityChange
}

/** The entity with another body. */
export function changed<K extends EntityKind>(entity: Entity<K>, body: EntityBodies[K]): EntityChange {
  return { kind: entity.kind, id: entity.id, version: entity.version + 1, deleted: false, body } as EntityChange
}

/** The entity marked as deleted. It stays in the log, because reports and audits still name it. */
export function removed<K extends EntityKind>(entity: Entity<K>, body = entity.body as EntityBodies[K]): EntityChange {
  return { kind: entity.kind, id: entity.id, version: entity.version + 1, deleted: true, body } as EntityChange
}

/** Takes over as the only writer of the registry, and brings `snapshot` to the end of its history. @throws LogUnavailable */
export async function openRegistry(deps: {
  log: EventLog
  snapshot: Snapshot
  limits?: Limits
  now: () => number
  /** Records of `registry` between two checkpoints. */
  checkpointEvery?: number
  logger?: { warn(details: object, message: string): void }
}): Promise<Registry> {
  const { log, snapshot, limits = defaultLimits, now } = deps
  // The writer is opened first: once the previous writer is fenced, nothing can be appended after what the tail has read.
  const writer = await log.exclusiveWriter(WRITER)
  const recent = lruCache<Position>(RECENT_VERSIONS_MAX)
  const checkpoints = createCheckpoints({ log, snapshot, everyRecords: deps.checkpointEvery })
  const note = ({ kind, id, version }: EntityVersion, { topic, partition, offset }: Position) => {
    if (kind === 'Campaign') recent.set(`${id}/${version}`, { topic, partition, offset })
  }
  const onRecord = (record: LogRecord, about: EntityVersion) => {
    note(about, record)
    checkpoints.noted(record, about)
    if (caughtUp) checkpointWhenDue()
  }
  let caughtUp = false
  let checkpointing: Promise<void> | null = null
  let closing = false
  let tail = await followRegistry({ log, snapshot, onRecord }).catch(async (error) => {
    await writer.close()
    throw error
  })
  const entityLimits = createEntityLimits(snapshot, limits)
  let doubtful = false
  let takenOver = false
  const { promise: fenced, resolve: signalFenced } = Promise.withResolvers<Fenced>()

  /** After a failed append, any part of it may be stored, so the log is read again. */
  async function settleDoubt(): Promise<void> {
    await tail.close()
    caughtUp = false
    tail = await followRegistry({ log, snapshot, onRecord })
    caughtUp = true
    doubtful = false
  }

  function beginBatch(): (write: { decide: Decide; by: string }) => Decided {
    const drafts: Drafts = new Map()
    const room = entityLimits.beginBatch()
    return ({ decide, by }) =>
      snapshot.withDrafts(drafts, () => {
        const changes = typeof decide === 'function' ? decide() : decide
        const entries = changes.map((change) => toEntry(change, { by, at: now() }))
        for (const entry of entries) checkVersion(snapshot, entry)
        const records = entries.map(toRecord)
        room.take(entries)
        for (const entry of entries) addDraft(drafts, entry)
        return { entries, records }
      })
  }

  async function store({ entries, records }: Decided): Promise<void> {
    const positions = await writer.append(records)
    for (const [i, entry] of entries.entries()) {
      snapshot.apply(entry)
      note(entry, positions[i]!)
    }
  }

  async function forgetNow(choose: ChooseForgotten): Promise<void> {
    return guarded(async () => {
      const gone = choose()
      if (gone.length === 0) return
      await writer.append(
        gone.map(({ kind, id }) => ({ topic: 'registry', key: keyOfPresent({ kind, id }), value: null })),
      )
      for (const { kind, id } of gone) snapshot.forget(kind, id)
    })
  }

  function checkpointWhenDue(): void {
    if (checkpoints.isDue()) checkpointing ??= writeCheckpoint()
  }

  /** Writes a checkpoint chunk by chunk, between other writes. After a failure, the next checkpoint tries again. */
  async function writeCheckpoint(): Promise<void> {
    const checkpoint = checkpoints.begin()
    const writeNext = async () => {
      const records = checkpoint?.next() ?? []
      if (records.length > 0) await writer.append(records)
      return records.length > 0
    }
    try {
      while (!closing && (await queue.alone(() => guarded(writeNext)))) {
        // Other writes have their turn in between.
      }
      if (closing) return
      await checkpoint?.finish()
    } catch (err) {
      checkpoint?.abandon()
      deps.logger?.warn({ err }, 'the checkpoint of the registry was not written: the next start takes longer')
    } finally {
      checkpointing = null
    }
  }

  async function guarded<T>(change: () => Promise<T>): Promise<T> {
    if (takenOver) throw unavailable(new Fenced('another registry writes now'))
    try {
      if (doubtful) await settleDoubt()
      return await change()
    } catch (error) {
      if (error instanceof Problem) throw error
      doubtful = true
      if (error instanceof Fenced) {
        takenOver = true
        signalFenced(error)
      }
      if (error instanceof Fenced || error instanceof LogUnavailable) throw unavailable(error)
      throw error
    }
  }

  const queue = createWriteQueue({ beginBatch, store, guarded, now })
  caughtUp = true
  checkpointWhenDue()

  return {
    snapshot,
    checkRoom: entityLimits.checkRoom,
    recentVersion: (campaignId, version) => recent.get(`${campaignId}/${version}`),
    fenced,
    write: (decide, { by }) => queue.write({ decide, by }),
    forget: (choose) => queue.alone(() => forgetNow(choose)),
    async close() {
      closing = true
      await checkpointing
      await queue.settled()
      await tail.close()
      await writer.close()
    },
  }
}

function toEntry(change: EntityChange, { by, at }: { by: string; at: number }): RegistryEntry {
  const { kind, id, version, deleted, body } = change
  return { kind, id, version, updatedAt: at, updatedBy: by, deletedAt: deleted ? at : null, body } as RegistryEntry
}

function checkVersion(snapshot: Snapshot, { kind, id, version }: RegistryEntry): void {
  const known = snapshot.getEver(kind, id)?.version ?? 0
  if (version !== known + 1) {
    throw new Problem('CONFLICT', `${kind} ${id} was changed by someone else: its version is now ${known}`)
  }
}

/** @throws Problem TOO_LARGE */
function toRecord(entry: RegistryEntry): NewRecord {
  const record: NewRecord = { topic: 'registry', key: registryKey(entry), value: encode('RegistryEntry', entry) }
  if (recordBytes(record) > RECORD_MAX_BYTES) {
    throw new Problem('TOO_LARGE', 'The lists in the body are too long to be stored')
  }
  return record
}

function unavailable(cause: Error): Problem {
  return new Problem('UNAVAILABLE', 'The registry cannot be changed at the moment', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  })
}
