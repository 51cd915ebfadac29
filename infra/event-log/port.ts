import type { TopicName } from '../../schemas/topics.ts'
import { EngineUnavailable } from '../engine-unavailable.ts'

/**
 * The log: the only source of truth. Topics are cut into partitions; a record's key picks its partition, so records
 * of one key keep their order. Offsets grow within a partition and may have gaps. They also grow when the log is restored from a
 * copy whose records lie elsewhere (`epochs.ts`).
 */
export interface EventLog {
  /**
   * Appends and resolves once every record survives a crash of this process and machine (fsync, or acks=all).
   * All or nothing from the caller's view: after a rejection any part may have been stored, and may be sent again.
   * Records of one call that share a topic and key keep the order of the list.
   * @returns where each record lies, in the order given.
   * @throws LogUnavailable when the log cannot take them now; RecordTooLarge, and nothing was stored.
   */
  append(records: readonly NewRecord[]): Promise<Position[]>

  /** A member of a consumer group. It starts at what the group has committed, else at the earliest record. */
  consumer(options: { group: string; topics: readonly TopicName[] }): Promise<LogConsumer>

  /**
   * Reads every partition of a topic from its earliest record, or from the offset that `from` names for it, and follows what is
   * appended, outside any group. Batches arrive one at a time, in order per partition. Resolves when `onBatch` has seen everything
   * that was in the log at the call, from there on.
   */
  tail(
    topic: TopicName,
    onBatch: (records: LogRecord[]) => void | Promise<void>,
    from?: readonly PartitionOffset[],
  ): Promise<Tail>

  /**
   * The only writer of its name: opening another one, in any process, fences this one, whose next append rejects with
   * Fenced and stores nothing.
   */
  exclusiveWriter(name: string): Promise<ExclusiveWriter>

  /** The first offset still held and the offset of the next record, for each partition of a topic. */
  bounds(topic: TopicName): Promise<PartitionBounds[]>

  /** How many records a partition holds in [from, to). Counts records, not offsets, where the two differ. */
  count(topic: TopicName, partition: number, from: number, to: number): Promise<number>

  /** Records of one partition from `from` on: at most `max`, perhaps fewer, none only at its end. For replay and explanations. */
  read(topic: TopicName, partition: number, from: number, max: number): Promise<LogRecord[]>

  /**
   * Replaces the key and value of records that a partition of a retained topic holds, where they lie: offsets and times stay. The
   * bytes that they had are in no file of the log once it resolves.
   * @returns false, and nothing is replaced, where records cannot be changed: then only their retention removes them.
   */
  replace(topic: TopicName, partition: number, records: readonly Replacement[]): Promise<boolean>

  /** What a group has committed. A partition without a commit is not listed. */
  committed(group: string): Promise<Commit[]>

  /** Sets what a group has committed; a null list forgets the group. Only while no member of it runs. */
  reset(group: string, commits: readonly Commit[] | null): Promise<void>

  close(): Promise<void>
}

/** Accepts records for the log: the log itself, or a spool while the log is away. */
export interface Appender {
  /** As `EventLog.append`, without the positions. @throws LogUnavailable, RecordTooLarge */
  append(records: readonly NewRecord[]): Promise<unknown>
}

export interface NewRecord {
  topic: TopicName
  /** Null spreads records over the partitions: for retained topics only, and when order does not matter. */
  key: string | null
  /** Avro single-object encoding; null deletes the key of a compacted topic. */
  value: Buffer | null
}

export interface Position {
  topic: TopicName
  partition: number
  offset: number
}

export type PartitionOffset = Pick<Position, 'partition' | 'offset'>

export interface LogRecord extends Position {
  key: string | null
  value: Buffer | null
  /** When the log accepted it, UTC epoch milliseconds. */
  appendedAt: number
}

export interface PartitionBounds {
  partition: number
  start: number
  end: number
}

/** What a record holds from now on. */
export type Replacement = Pick<LogRecord, 'offset' | 'key' | 'value'>

/** `offset` is the next to read; `metadata` is the group's own note, at most 4,000 characters. */
export interface Commit extends Position {
  metadata: string
}

/**
 * The right of one member to read and commit one partition, from when it gets the partition until it loses it. A
 * partition that is lost and comes back comes with a new assignment, because others may have committed in between.
 */
export interface Assignment {
  readonly topic: TopicName
  readonly partition: number
  /** What the group had committed when the assignment began; null: nothing. */
  readonly committed: Commit | null
}

/** What a commit sets: the offset where the group goes on, and its note. */
export type OffsetAndMetadata = Pick<Commit, 'offset' | 'metadata'>

export interface Batch {
  topic: TopicName
  partition: number
  /** The assignment under which these records were read. */
  assignment: Assignment
  /** At least one; they follow what was polled before under the same assignment. */
  records: LogRecord[]
}

export interface LogConsumer {
  /**
   * The next records of any one assigned partition. Null when none came within `maxWaitMs`, and at once when the group has assigned
   * its partitions anew since the last poll, or the consumer is closed.
   */
  poll(options: { maxRecords: number; maxWaitMs: number }): Promise<Batch | null>
  /**
   * The partitions that this member holds, as of its last poll. A group on a topic of one partition thus elects one of
   * its members, as long as they poll.
   */
  assigned(): readonly Assignment[]
  /**
   * Whether the group counts this consumer in, so that every partition which it is not assigned belongs to another member or
   * to none. False before it has joined, and while it joins again: then nobody can tell who holds what.
   */
  isMember(): boolean
  /** Reads on from this offset at the next poll, also after `refuse`; does nothing once the assignment has ended. */
  seek(assignment: Assignment, offset: number): void
  /**
   * Refuses a partition that this member cannot work: nothing of it is polled until `seek`. While this consumer is a member,
   * the partition goes to another one that has not refused it, if there is any. Does nothing once the assignment has ended.
   */
  refuse(assignment: Assignment): void
  /**
   * Commits and appends `outputs` in one atomic step: both happen or neither.
   * @throws Revoked when the assignment has ended, even if the partition has come back since; nothing was stored.
   */
  commit(assignment: Assignment, place: OffsetAndMetadata, outputs?: readonly NewRecord[]): Promise<void>
  close(): Promise<void>
}

export interface Tail {
  close(): Promise<void>
}

export interface ExclusiveWriter {
  append(records: readonly NewRecord[]): Promise<Position[]>
  close(): Promise<void>
}

/** Of the key and value of one record together. */
export const RECORD_MAX_BYTES = 1024 * 1024
/** Of the metadata of a commit. */
export const METADATA_MAX_CHARS = 4_000

/** The log cannot take records now; the same call may work later. */
export class LogUnavailable extends EngineUnavailable {
  override readonly name = 'LogUnavailable'
}
/** Another writer has taken over. */
export class Fenced extends Error {
  override readonly name = 'Fenced'
}
/** The assignment has ended: the partition has gone to another member of the group. */
export class Revoked extends Error {
  override readonly name = 'Revoked'
}
/** A record is over RECORD_MAX_BYTES. */
export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge'
}
