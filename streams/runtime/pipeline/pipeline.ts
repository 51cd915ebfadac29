import PQueue from 'p-queue'
import { countedFrom, countsIn, type StreamCounts, withBatch } from '../../../infra/analytics/audit/counts.ts'
import {
  type Assignment,
  type Batch,
  type EventLog,
  type LogConsumer,
  type NewRecord,
  Revoked,
} from '../../../infra/event-log/port.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { UnknownSchema } from '../../../schemas/wire/codec.ts'
import type { Snapshot } from '../../../services/domain/snapshot.ts'
import { createTopicLag } from '../lag.ts'
import type { Stream, StreamLogger } from '../stream.ts'
import { createStreamRun, IDLE_POLL_MS, type Retry } from '../stream-run.ts'
import { type DeadRecord, type DecodedRecord, deadLettersOf, decodeBatch, type StepResult } from './outcome.ts'
import { type FailedBatch, processInRounds, type ReadableBatch } from './rounds.ts'

/**
 * Processes one batch of one partition, in order. A batch comes again after a crash or a throw, so the step's effects outside
 * the log must be idempotent; its outputs are stored exactly once.
 * @throws UnknownSchema when the batch needs a newer version of the program: only its partition then waits. Revoked when another member
 * has gone on with the partition: the batch is dropped.
 */
export type StreamStep = (batch: {
  topic: TopicName
  partition: number
  records: DecodedRecord<unknown>[]
  /**
   * Resolves once the batch before it is committed, to how far the group has committed the partition: every record before this offset is
   * done. Null when nothing is committed yet. Rejects with Revoked when this batch is dropped.
   */
  turn: () => Promise<number | null>
  /** The offset of the last record, including one that could not be decoded. */
  lastOffset: number
}) => Promise<StepResult>

export interface StreamOptions {
  /** Also the consumer group. */
  name: string
  topics: readonly TopicName[]
  log: EventLog
  /** Called each time before the stream joins its group. A failure is retried like one of the log. */
  beforeJoining?: () => Promise<void>
  step: StreamStep
  /** Whether the step may begin while the batch before it is under way. It then awaits its `turn` itself. Default: false. */
  beginsEarly?: boolean
  batchMaxRecords: number
  /** How many steps may run at the same time, each for another partition. Default: 1. */
  concurrency?: number
  /** How long one poll waits after a failure, and while a partition is paused. Default: 1 s. */
  lookAgainMs?: number
  /** The pause once all records are processed, so that new ones gather into large batches. Default: none. */
  gatherMs?: number
  /** UTC epoch milliseconds. */
  now: () => number
  logger: StreamLogger
  retry?: Retry
}

/** How far a partition is committed. */
interface Committed {
  assignment: Assignment
  offset: number | null
  /** Counts of everything before the offset. Null when no commit has carried counts yet. */
  counts: StreamCounts | null
}

/** A batch whose step is done, with what its commit will append. */
interface Worked extends Pick<ReadableBatch, 'batch' | 'unreadable'> {
  made: readonly NewRecord[]
  dead: readonly DeadRecord[]
}

/** The longest poll after a failure or while a partition is paused. It bounds how late a due retry, or a recovery, is noticed. */
const LOOK_AGAIN_MS = 1_000

/**
 * Poll, decode, step, then one atomic commit of each partition with its outputs and dead letters. A record that needs a newer
 * version of the program pauses its partition in this process: the records before it are processed, and the other partitions go on.
 */
export function createStream(options: StreamOptions): Stream {
  const {
    name,
    topics,
    log,
    step,
    beginsEarly = false,
    lookAgainMs = LOOK_AGAIN_MS,
    gatherMs = 0,
    retry,
    now,
    logger,
  } = options
  const steps = new PQueue({ concurrency: options.concurrency ?? 1 })
  const run = createStreamRun({ name, retry, now, logger })
  const commits = new Map<string, Committed>()
  /** Assignments that ended when their partition moved to another member. Batches read under them are dropped. */
  const ended = new WeakSet<Assignment>()
  let member: LogConsumer | null = null
  let polling: LogConsumer | null = null

  async function poll(consumer: LogConsumer, maxWaitMs: number): Promise<Batch | null> {
    run.paused.resumeDue(consumer)
    polling = consumer
    const batch = await consumer.poll({ maxRecords: options.batchMaxRecords, maxWaitMs })
    polling = null
    return batch
  }

  /** Waits for records, and works until none are left. */
  async function processAll(consumer: LogConsumer): Promise<void> {
    const first = await poll(consumer, run.isSettled() ? IDLE_POLL_MS : lookAgainMs)
    // No batch came, so none waits to be retried: if anything had failed, it was the log, and it has recovered.
    if (!first) return run.markHealthy()
    const records = await processInRounds(first, {
      poll: () => poll(consumer, 0),
      recordsMax: options.batchMaxRecords,
      process: (round) => processRound(consumer, round),
      retry: (failed) => retryBatches(consumer, failed),
      stopping: run.stopping,
    })
    // After a full batch, the next records are probably on their way from the broker already, so do not wait for more to gather.
    if (records < options.batchMaxRecords) await run.pause(gatherMs)
  }

  /**
   * The batches of a round are committed at the same time, so that a log may store them in one write. Settles once every commit has.
   * @throws the error of a commit that failed.
   */
  async function processRound(consumer: LogConsumer, round: readonly ReadableBatch[]): Promise<FailedBatch[]> {
    const failed: FailedBatch[] = []
    const worked = await Promise.all(
      round.map((readable) =>
        steps.add(async () => {
          try {
            return await workBatch(consumer, readable)
          } catch (error) {
            failed.push({ batch: readable.batch, error: error as Error })
            return null
          }
        }),
      ),
    )
    const commits = await Promise.allSettled(worked.map((each) => each && commit(consumer, each)))
    for (const each of commits) if (each.status === 'rejected') throw each.reason
    return failed
  }

  /** @returns what to commit; null when there is nothing to commit. @throws the error after which the batch is to be tried again. */
  async function workBatch(consumer: LogConsumer, readable: ReadableBatch): Promise<Worked | null> {
    const { batch, unreadable } = readable
    const { topic, partition, assignment } = batch
    const isDropped = async () => !(await readable.turn) || ended.has(assignment)
    if (ended.has(assignment)) return null
    if (batch.records.length === 0) {
      if (await isDropped()) return null
      if (unreadable) run.paused.pause(consumer, { assignment, ...unreadable })
      return null
    }
    const { records, dead } = decodeBatch(batch)
    const lastOffset = batch.records.at(-1)!.offset
    const turn = async () => {
      if (await isDropped()) throw new Revoked(`The batch of ${topic}/${partition} is read again, or by another member`)
      return commitOf(assignment).offset
    }
    try {
      if (!beginsEarly) await turn()
      const { outputs = [], dead: refused = [] } =
        records.length > 0 ? await step({ topic, partition, records, turn, lastOffset }) : {}
      await turn()
      return { batch, unreadable, made: outputs, dead: [...dead, ...refused] }
    } catch (error) {
      if (await isDropped()) return null
      if (error instanceof Revoked) return giveUp(batch)
      throw error
    }
  }

  async function retryBatches(consumer: LogConsumer, failed: readonly FailedBatch[]): Promise<void> {
    for (const { batch, error } of failed) {
      const { assignment } = batch
      const { offset } = batch.records[0]!
      if (error instanceof UnknownSchema) run.paused.pause(consumer, { assignment, offset, reason: error })
      else consumer.seek(assignment, offset)
    }
    const reason = failed.find(({ error }) => !(error instanceof UnknownSchema))
    if (reason) await run.backOff(reason.error)
  }

  async function commit(consumer: LogConsumer, { batch, unreadable, made, dead }: Worked): Promise<void> {
    const { topic, partition, assignment } = batch
    const done = commitOf(assignment)
    const offset = batch.records.at(-1)!.offset + 1
    const outputs = [...made, ...deadLettersOf(name, batch, dead, now())]
    const before = done.counts ?? countedFrom(done.offset ?? batch.records[0]!.offset)
    const counts = withBatch(before, { read: batch.records.length, written: made.length, dead: dead.length })
    try {
      await consumer.commit(assignment, { offset, metadata: JSON.stringify({ counts }) }, outputs)
    } catch (error) {
      if (!(error instanceof Revoked)) throw error
      giveUp(batch)
      return
    }
    done.offset = offset
    done.counts = counts
    for (const { offset, code, message } of dead) {
      logger.warn({ stream: name, topic, partition, offset, code }, `dead letter: ${message}`)
    }
    run.count({ records: batch.records.length, dead: dead.length })
    if (unreadable) run.paused.pause(consumer, { assignment, ...unreadable })
    else run.paused.resumed(topic, partition)
  }

  /** Drops a batch, and everything else that is read under its assignment. */
  function giveUp({ topic, partition, assignment }: Batch): null {
    ended.add(assignment)
    logger.info(
      { stream: name, topic, partition },
      'the partition was given to another member, which repeats this batch',
    )
    return null
  }

  /** How far a partition is committed: by this member under this assignment, or else by the owner before it. */
  function commitOf(assignment: Assignment): Committed {
    const key = `${assignment.topic}/${assignment.partition}`
    const known = commits.get(key)
    if (known?.assignment === assignment) return known
    const { committed } = assignment
    const fresh = { assignment, offset: committed?.offset ?? null, counts: committed && countsIn(committed) }
    commits.set(key, fresh)
    return fresh
  }

  /** Ends on `stop` or by throwing. Each call joins as a new member, which starts at the committed offsets, whatever failed before. */
  async function consume(): Promise<void> {
    await options.beforeJoining?.()
    const consumer = await log.consumer({ group: name, topics })
    member = consumer
    commits.clear()
    run.paused.clear()
    try {
      while (!run.stopping()) await processAll(consumer)
    } finally {
      member = null
      polling = null
      await consumer.close().catch((error: Error) => logger.warn({ stream: name }, `closing failed: ${error.message}`))
    }
  }

  return {
    name,
    run: () => run.run(consume),
    async stop() {
      const stopped = run.stop()
      await polling?.close()
      await stopped
    },
    lag: createTopicLag({ log, group: name, topics, now }),
    ownLag: createTopicLag({ log, group: name, topics, assigned: () => member?.assigned() ?? [], now }),
    state: run.state,
  }
}

/** Guards a step that decides by the registry: while this process's copy lacks what a newer version wrote, the step does not run. */
export function requireCompleteRegistry(snapshot: Pick<Snapshot, 'staleReason'>, step: StreamStep): StreamStep {
  return async (batch) => {
    if (snapshot.staleReason !== null) throw new UnknownSchema(snapshot.staleReason)
    return step(batch)
  }
}
