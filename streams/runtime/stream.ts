import type { TopicName } from '../../schemas/topics.ts'
import type { TopicLag } from './lag.ts'

/** A partition that is paused because its next record needs a newer version of the program. */
export interface PausedPartition {
  topic: TopicName
  partition: number
  /** All records before this offset are processed, and none from it on. */
  offset: number
  reason: string
  /** UTC epoch milliseconds. */
  since: number
}

export interface StreamState {
  /** RETRYING: the last attempt failed; the same batch is tried again. */
  status: 'STOPPED' | 'RUNNING' | 'RETRYING'
  /** Since the start of this process. */
  records: number
  batches: number
  dead: number
  /** Failed attempts in a row. */
  failures: number
  /** True while any of its work waits for a newer version of the program. */
  outdated: boolean
  /** The partitions that wait for a newer version of the program. */
  paused: PausedPartition[]
  lastError: { message: string; at: number } | null
  lastCommitAt: number | null
}

export interface Stream {
  readonly name: string
  /** Runs until `stop`; never rejects, because every failure is tried again. */
  run(): Promise<void>
  /** Lets the current batch finish, then ends the run. */
  stop(): Promise<void>
  /** The lag of every partition of this stream, whichever process works it. */
  lag(): Promise<TopicLag[]>
  /** The lag of the partitions that this process works. */
  ownLag(): Promise<TopicLag[]>
  state(): StreamState
}

/** The part of a pino logger that streams use. */
export interface StreamLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
