import type { TopicName } from '../../schemas/topics.ts'
import { EngineUnavailable } from '../engine-unavailable.ts'

/**
 * The log: the only source of truth. Topics are divided into partitions; a record's key picks its partition, so records of one key
 * keep their order. Offsets grow within a partition and may have gaps. They keep growing when the log is restored from a copy whose
 * records have other offsets (`epochs.ts`).
 */
export interface EventLog {
  /**
   * Appends and resolves once every record survives a crash of this process and machine (fsync, or acks=all).
   * All or nothing from the caller's view: after a rejection any part of the records may have been stored, and all may be sent again.
   * Records of one call that share a topic and key keep the order of the list.
   * @returns the position of each record, in the order given.
   * @throws LogUnavailable when the log cannot take the records now; RecordTooLarge, in which case nothing was stored.
   */
  append(records: readonly NewRecord[]): Promise<Position[]>

  /** A member of a consumer group. In each partition it starts at the group's committed offset, or else at the earliest record. */
  consumer(options: { group: string; topics: readonly TopicName[] }): Promise<LogConsumer>

  /**
   * Reads a topic outside any group: every partition from its earliest record, or from the offset that `from` names for it, and then
   * whatever is appended. Batches arrive one at a time, in order per partition. Resolves when `onBatch` has seen every record from
   * these offsets on that was in the log at the call.
   */
  tail(
    topic: TopicName,
    onBatch: (records: LogRecord[]) => void | Promise<void>,
    from?: readonly PartitionOffset[],
  ): Promise<Tail>

  /**
   * The only writer of its name. Opening another one, in any process, fences this one: its next append rejects with Fenced and stores
   * nothing.
   */
  exclusiveWriter(name: string): Promise<ExclusiveWriter>

  /** The first offset still held and the offset of the next record, for each partition of a topic. */
  bounds(topic: TopicName): Promise<PartitionBounds[]>

  /**
   * Resolves once readers see everything that was committed to a topic before the call. A commit of a group may show a moment earlier
   * than the records that were stored with it.
   */
  settled(topic: TopicName): Promise<void>

  /** How many records a partition holds in [from, to). Counts records, not offsets, where the two differ. */
  count(topic: TopicName, partition: number, from: number, to: number): Promise<number>

  /**
   * Records of one partition from offset `from` on: at most `max`, perhaps fewer, and none only at the end of the partition. For
   * replay and explanations.
   */
  read(topic: TopicName, partition: number, from: number, max: number): Promise<LogRecord[]>

  /**
   * Replaces the key and value of records in a partition of a retained topic; their offsets and times stay. Once it resolves, no file
   * of the log contains the old bytes, nor those of earlier calls. After a rejection the records may have been replaced while files
   * still contain the old bytes: a later call removes them, even one with no records.
   * @returns false, with nothing replaced, when this log cannot change records: then only retention removes them.
   * @throws LogUnavailable when the log cannot be changed now, for example because the disk is full.
   */
  replace(topic: TopicName, partition: number, records: readonly Replacement[]): Promise<boolean>

  /** The commits of a group. A partition without a commit is not listed. */
  committed(group: string): Promise<Commit[]>

  /** Sets the commits of a group; null forgets the group. Allowed only while no member of the group runs. */
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

/** The new key and value of the record at an offset. */
export type Replacement = Pick<LogRecord, 'offset' | 'key' | 'value'>

/** `offset` is that of the next record to read; `metadata` is the group's own note, at most 4,000 characters. */
export interface Commit extends Position {
  metadata: string
}

/**
 * The right of one member to read and commit one partition, from when it gets the partition until it loses it. When a
 * member gets a lost partition back, it gets a new assignment, because others may have committed in between.
 */
export interface Assignment {
  readonly topic: TopicName
  readonly partition: number
  /** The group's commit when the assignment began; null when there was none. */
  readonly committed: Commit | null
}

/** What a commit sets: the offset of the next record to read, and the group's note. */
export type OffsetAndMetadata = Pick<Commit, 'offset' | 'metadata'>

export interface Batch {
  topic: TopicName
  partition: number
  /** The assignment under which these records were read. */
  assignment: Assignment
  /** At least one record. They follow the records polled before under the same assignment. */
  records: LogRecord[]
}

export interface LogConsumer {
  /**
   * The next records of any one assigned partition. Null when none came within `maxWaitMs`. Null at once when the group has rebalanced
   * since the last poll, or the consumer is closed.
   */
  poll(options: { maxRecords: number; maxWaitMs: number }): Promise<Batch | null>
  /**
   * The partitions that this member held at its last poll. A group on a topic of one partition thus elects one of its members, as
   * long as they poll.
   */
  assigned(): readonly Assignment[]
  /**
   * Whether this consumer currently is a member of its group. If so, each partition that is not assigned to it belongs to another
   * member or to none. False before it has joined and while it joins again: it cannot tell then which member holds which partition.
   */
  isMember(): boolean
  /** The next poll of the partition begins at this offset, also after `refuse`. Does nothing once the assignment has ended. */
  seek(assignment: Assignment, offset: number): void
  /**
   * Refuses a partition that this member cannot process: none of its records are polled until `seek`. While this consumer is a member,
   * the group gives the partition to another member that has not refused it, if there is one. Does nothing once the assignment has
   * ended.
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

/** Limit of the key and value of one record together. */
export const RECORD_MAX_BYTES = 1024 * 1024
/** What counts towards it. */
export const recordBytes = ({ key, value }: Pick<NewRecord, 'key' | 'value'>): number =>
  (key === null ? 0 : Buffer.byteLength(key)) + (value?.length ?? 0)
/** Limit of the metadata of a commit. */
export const METADATA_MAX_CHARS = 4_000

/** The log cannot be used now; the same call may work later. */
export class LogUnavailable extends EngineUnavailable {
  override readonly name = 'LogUnavailable'
}
/** Another exclusive writer of the same name has taken over. */
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
