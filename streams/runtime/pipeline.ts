import { countedFrom, countsIn, type StreamCounts, withBatch } from '../../infra/analytics/audit/counts.ts'
import {
  type Assignment,
  type Batch,
  type EventLog,
  type LogConsumer,
  type NewRecord,
  Revoked,
} from '../../infra/event-log/port.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { UnknownSchema } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { createTopicLag } from './lag.ts'
import {
  type DeadRecord,
  type DecodedRecord,
  deadLettersOf,
  decodeBatch,
  readablePart,
  type StepResult,
  type Unreadable,
} from './outcome.ts'
import type { Stream, StreamLogger } from './stream.ts'
import { createStreamRun, IDLE_POLL_MS, type Retry } from './stream-run.ts'

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
  /** How far the group has committed the partition: every record before this offset is done. Null when nothing is committed yet. */
  committed: number | null
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
  batchMaxRecords: number
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
interface Worked {
  /** Only the records that this program can read. */
  batch: Batch
  unreadable: Unreadable | null
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
  const { name, topics, log, step, lookAgainMs = LOOK_AGAIN_MS, gatherMs = 0, retry, now, logger } = options
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

  /**
   * Waits for records, and works until none are left. Partitions are worked in rounds, one batch of each at most. The batches of a
   * round are committed at the same time, so that a log may store them in one write.
   */
  async function processAll(consumer: LogConsumer): Promise<void> {
    const first = await poll(consumer, run.isSettled() ? IDLE_POLL_MS : lookAgainMs)
    // No batch came, so none waits to be retried: if anything had failed, it was the log, and it has recovered.
    if (!first) return run.markHealthy()
    let records = 0
    const rounds = createRounds((round) => commitAll(consumer, round), options.batchMaxRecords)
    try {
      for (let batch: Batch | null = first; batch && !run.stopping(); batch = await poll(consumer, 0)) {
        await rounds.makeReady(batch.assignment)
        records += batch.records.length
        const worked = await processBatch(consumer, batch)
        if (worked instanceof Error) {
          await rounds.commit()
          await run.backOff(worked)
        } else if (worked) {
          rounds.add(worked)
          // Commit before the next poll: the commit pauses a partition with an unreadable record, which the poll would skip.
          if (worked.unreadable) await rounds.commit()
        }
      }
      await rounds.commit()
    } finally {
      await rounds.ended()
    }
    // After a full batch, the next records are probably on their way from the broker already, so do not wait for more to gather.
    if (records < options.batchMaxRecords) await run.pause(gatherMs)
  }

  /** @returns what to commit; null when there is nothing to commit; or the error after which the records are to be tried again. */
  async function processBatch(consumer: LogConsumer, batch: Batch): Promise<Worked | Error | null> {
    const { assignment } = batch
    if (ended.has(assignment)) return null
    const { readable, unreadable } = readablePart(batch)
    if (readable.length > 0) return workBatch(consumer, { ...batch, records: readable }, unreadable)
    if (unreadable) run.paused.pause(consumer, { assignment, ...unreadable })
    return null
  }

  async function workBatch(
    consumer: LogConsumer,
    batch: Batch,
    unreadable: Worked['unreadable'],
  ): Promise<Worked | Error | null> {
    const { topic, partition, assignment } = batch
    const { records, dead } = decodeBatch(batch)
    const lastOffset = batch.records.at(-1)!.offset
    const { offset: committed } = commitOf(assignment)
    let result: StepResult = {}
    try {
      if (records.length > 0) result = await step({ topic, partition, records, committed, lastOffset })
    } catch (error) {
      if (error instanceof Revoked) return giveUp(batch)
      const { offset } = batch.records[0]!
      consumer.seek(assignment, offset)
      if (!(error instanceof UnknownSchema)) return error as Error
      run.paused.pause(consumer, { assignment, offset, reason: error })
      return null
    }
    return { batch, unreadable, made: result.outputs ?? [], dead: [...dead, ...(result.dead ?? [])] }
  }

  /** Settles once every commit has. @throws the error of a commit that failed. */
  async function commitAll(consumer: LogConsumer, round: readonly Worked[]): Promise<void> {
    const commits = await Promise.allSettled(round.map((worked) => commit(consumer, worked)))
    for (const each of commits) if (each.status === 'rejected') throw each.reason
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

/** Gathers batches into rounds. A full round is committed while the next one is worked. */
function createRounds(commitAll: (round: readonly Worked[]) => Promise<void>, recordsMax: number) {
  let round: Worked[] = []
  let committing: readonly Worked[] = []
  let committed: Promise<void> = Promise.resolve()

  const isFull = () => round.reduce((sum, { batch }) => sum + batch.records.length, 0) >= recordsMax
  const isIn = (worked: readonly Worked[], assignment: Assignment) =>
    worked.some(({ batch }) => batch.assignment === assignment)

  /** Begins to commit the round, once the one before it is committed. */
  async function beginCommit(): Promise<void> {
    await committed
    committing = round
    round = []
    committed = commitAll(committing)
    // It is awaited later. Until then, its failure must not count as unhandled.
    committed.catch(() => {})
  }

  return {
    add: (worked: Worked) => void round.push(worked),
    /** Makes ready for the next batch of a partition: the batch before it is committed first. */
    async makeReady(assignment: Assignment): Promise<void> {
      if (isFull() || isIn(round, assignment)) await beginCommit()
      if (isIn(committing, assignment)) await committed
    },
    /** Resolves when everything is committed. @throws the error of a commit that failed. */
    async commit(): Promise<void> {
      await beginCommit()
      await committed
    },
    /** Resolves when no commit is under way. */
    ended: () => committed.catch(() => {}),
  }
}

/** Guards a step that decides by the registry: while this process's copy lacks what a newer version wrote, the step does not run. */
export function requireCompleteRegistry(snapshot: Pick<Snapshot, 'staleReason'>, step: StreamStep): StreamStep {
  return async (batch) => {
    if (snapshot.staleReason !== null) throw new UnknownSchema(snapshot.staleReason)
    return step(batch)
  }
}
