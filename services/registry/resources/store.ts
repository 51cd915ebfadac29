import {
  type EventLog,
  type ExclusiveWriter,
  Fenced,
  LogUnavailable,
  type Position,
  RecordTooLarge,
} from '../../../infra/event-log/port.ts'
import type { EntityBodies, EntityKind, RegistryEntry } from '../../../schemas/records/entities.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { Problem } from '../../domain/errors.ts'
import { defaultLimits, type Limits } from '../../domain/limits.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { followRegistry, type KindWithoutHistory, keyToForget, registryKey } from '../../replicas/registry-follower.ts'
import { createEntityLimits, type EntityLimits } from './entity-limits.ts'

/** The name that makes the registry's writer alone among all processes. */
const WRITER = 'registry'
const RETRY_AFTER_SECONDS = 2

/** One entity as it shall be. Made by `created`, `changed` and `removed`. */
export type EntityChange = {
  [K in EntityKind]: { kind: K; id: string; version: number; deleted: boolean; body: EntityBodies[K] }
}[EntityKind]

export interface Registry {
  readonly snapshot: Snapshot
  /**
   * Runs `decide` once every earlier write is in force, so that what it reads in the snapshot still holds when its
   * changes are stored; then stores them, all or none, and applies them. Writes run one at a time, in call order.
   * @returns the entries as stored, in the order of the changes.
   * @throws whatever `decide` throws; Problem CONFLICT when an entity has another version than the change was made
   * for, or an account would have more of a kind than it may; Problem TOO_LARGE when one does not fit into a record; Problem UNAVAILABLE when the log cannot take them, or
   * another registry has taken over.
   */
  write(decide: Decide, options: { by: string }): Promise<RegistryEntry[]>
  /** @throws Problem CONFLICT when the account may have no more of these; `write` checks it, too. */
  checkRoom: EntityLimits['checkRoom']
  /** Drops entities for good, in the order of writes: only for what nothing names any more. @throws as `write`. */
  forget(choose: ChooseForgotten): Promise<void>
  /** Where the log holds each version of a campaign, by the version. */
  campaignVersions(id: string): ReadonlyMap<number, Position>
  /** Resolves when another process has taken over: this one can never write again, and should end. */
  readonly fenced: Promise<Fenced>
  /** Ends after the writes under way. */
  close(): Promise<void>
}

type ChooseForgotten = () => readonly { kind: KindWithoutHistory; id: string }[]
export type Decide = readonly EntityChange[] | (() => readonly EntityChange[] | Promise<readonly EntityChange[]>)

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

/** Takes over as the one writer of the registry, and brings `snapshot` to the end of its history. @throws LogUnavailable */
export async function openRegistry(deps: {
  log: EventLog
  snapshot: Snapshot
  limits?: Limits
  now: () => number
}): Promise<Registry> {
  const { log, snapshot, limits = defaultLimits, now } = deps
  const entityLimits = createEntityLimits(snapshot, limits)
  // The writer comes first: once the one before is fenced, nothing can be appended behind what the tail has seen.
  const writer = await log.exclusiveWriter(WRITER)
  const campaigns = new Map<string, Map<number, Position>>()
  const onEntry = ({ kind, id, version }: RegistryEntry, { topic, partition, offset }: Position) => {
    if (kind !== 'Campaign') return
    const versions = campaigns.get(id) ?? new Map<number, Position>()
    campaigns.set(id, versions.set(version, { topic, partition, offset }))
  }
  let tail = await followRegistry({ ...deps, onEntry }).catch(async (error) => {
    await writer.close()
    throw error
  })
  let doubtful = false
  let takenOver = false
  let queue: Promise<unknown> = Promise.resolve()
  const { promise: fenced, resolve: signalFenced } = Promise.withResolvers<Fenced>()

  /** After a failed append any part may be stored: what the log really holds decides. */
  async function settleDoubt(): Promise<void> {
    await tail.close()
    tail = await followRegistry({ ...deps, onEntry })
    doubtful = false
  }

  async function writeNow(decide: Decide, by: string): Promise<RegistryEntry[]> {
    return guarded(async () => {
      const changes = typeof decide === 'function' ? await decide() : decide
      const entries = changes.map((change) => toEntry(change, { by, at: now() }))
      for (const entry of entries) checkVersion(snapshot, entry)
      entityLimits.check(entries)
      const positions = await append(writer, entries)
      for (const [i, entry] of entries.entries()) {
        snapshot.apply(entry)
        onEntry(entry, positions[i]!)
      }
      return entries
    })
  }

  async function forgetNow(choose: ChooseForgotten): Promise<void> {
    return guarded(async () => {
      const gone = choose()
      if (gone.length === 0) return
      await writer.append(gone.map(({ kind, id }) => ({ topic: 'registry', key: keyToForget(kind, id), value: null })))
      for (const { kind, id } of gone) snapshot.forget(kind, id)
    })
  }

  async function guarded<T>(change: () => Promise<T>): Promise<T> {
    if (takenOver) throw unavailable(new Fenced('another registry writes now'))
    try {
      if (doubtful) await settleDoubt()
      return await change()
    } catch (error) {
      if (error instanceof Problem) throw error
      if (error instanceof RecordTooLarge)
        throw new Problem('TOO_LARGE', 'The lists of this entity are too long to be stored')
      doubtful = true
      if (error instanceof Fenced) {
        takenOver = true
        signalFenced(error)
      }
      if (error instanceof Fenced || error instanceof LogUnavailable) throw unavailable(error)
      throw error
    }
  }

  return {
    snapshot,
    checkRoom: entityLimits.checkRoom,
    campaignVersions: (id) => campaigns.get(id) ?? new Map(),
    fenced,
    write(decide, { by }) {
      const written = queue.then(() => writeNow(decide, by))
      queue = written.catch(() => {})
      return written
    },
    forget(choose) {
      const forgotten = queue.then(() => forgetNow(choose))
      queue = forgotten.catch(() => {})
      return forgotten
    },
    async close() {
      await queue
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

async function append(writer: ExclusiveWriter, entries: readonly RegistryEntry[]): Promise<Position[]> {
  if (entries.length === 0) return []
  return writer.append(
    entries.map((entry) => ({
      topic: 'registry',
      key: registryKey(entry),
      value: encode('RegistryEntry', entry),
    })),
  )
}

function unavailable(cause: Error): Problem {
  return new Problem('UNAVAILABLE', 'The registry cannot be changed at the moment', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  })
}
