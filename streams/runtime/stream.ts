import type { TopicName } from '../../schemas/topics.ts'
import type { TopicLag } from './lag.ts'

/** A partition that stands still because its next record needs a newer version of the program. */
export interface PausedPartition {
  topic: TopicName
  partition: number
  /** Everything before it is done, and nothing from it on. */
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
  /** Something of it waits for a newer version of the program. */
  outdated: boolean
  /** The partitions that do. */
  paused: PausedPartition[]
  lastError: { message: string; at: number } | null
  lastCommitAt: number | null
}

export interface Stream {
  readonly name: string
  /** Runs until `stop`; never rejects, because every failure is tried again. */
  run(): Promise<void>
  /** Lets the batch at hand finish, then ends the run. */
  stop(): Promise<void>
  /** What each partition still holds for this stream, in whichever process it is worked. */
  lag(): Promise<TopicLag[]>
  /** The same of the partitions that this process works. */
  ownLag(): Promise<TopicLag[]>
  state(): StreamState
}

/** The part of a pino logger that streams use. */
export interface StreamLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
