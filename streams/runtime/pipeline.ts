import { type Assignment, type Batch, type EventLog, type LogConsumer, Revoked } from '../../infra/event-log/port.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { UnknownSchema } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { createTopicLag } from './lag.ts'
import { type DecodedRecord, deadLettersOf, decodeBatch, readablePart, type StepResult } from './outcome.ts'
import type { Stream, StreamLogger } from './stream.ts'
import { createStreamRun, type Retry } from './stream-run.ts'

/**
 * Processes one batch of one partition, in order. Batches come again after a crash or a throw, so its effects outside
 * the log must be idempotent; its outputs are stored exactly once.
 * @throws UnknownSchema when the batch needs a newer version of the program: then its partition waits, and no other.
 */
export type StreamStep = (batch: {
  topic: TopicName
  partition: number
  records: DecodedRecord<unknown>[]
  /** What the group has committed of the partition: everything before this offset was done. Null: nothing yet. */
  committed: number | null
  /** Of the last record, also when it could not be decoded. */
  lastOffset: number
}) => Promise<StepResult>

export interface StreamOptions {
  /** Also the consumer group. */
  name: string
  topics: readonly TopicName[]
  log: EventLog
  step: StreamStep
  batchMaxRecords: number
  /** How long one poll waits for a first record. Default: 1 s. */
  pollMaxWaitMs?: number
  /** The pause once nothing is left, so that what comes meanwhile is worked in large batches. Default: none. */
  gatherMs?: number
  /** UTC epoch milliseconds. */
  now: () => number
  logger: StreamLogger
  retry?: Retry
}

/** A poll ends with the first record. This only bounds how late a paused partition is tried again. */
const POLL_MAX_WAIT_MS = 1_000

/**
 * Poll, decode, step, then one atomic commit with the outputs and the dead letters. A record of a newer version stops its
 * partition in this process: what lies before it is done, the other partitions go on.
 */
export function createStream(options: StreamOptions): Stream {
  const { name, topics, log, step, pollMaxWaitMs = POLL_MAX_WAIT_MS, gatherMs = 0, retry, now, logger } = options
  const run = createStreamRun({ name, retry, now, logger })
  const commits = new Map<string, { assignment: Assignment; offset: number | null }>()
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
    const first = await poll(consumer, pollMaxWaitMs)
    // Nothing is waiting to be tried again: what failed was the log, and it has recovered.
    if (!first) return run.markHealthy()
    let records = 0
    for (let batch: Batch | null = first; batch && !run.stopping(); batch = await poll(consumer, 0)) {
      records += batch.records.length
      await processBatch(consumer, batch)
    }
    // After so many, the next are rather on their way from the broker than still to come.
    if (records < options.batchMaxRecords) await run.pause(gatherMs)
  }

  async function processBatch(consumer: LogConsumer, batch: Batch): Promise<void> {
    const { topic, partition, assignment } = batch
    const { readable, unreadable } = readablePart(batch)
    if (readable.length > 0 && !(await workBatch(consumer, { ...batch, records: readable }))) return
    if (unreadable) run.paused.pause(consumer, { assignment, ...unreadable })
    else run.paused.resumed(topic, partition)
  }

  /** @returns whether the batch is done and committed. */
  async function workBatch(consumer: LogConsumer, batch: Batch): Promise<boolean> {
    const { topic, partition, assignment } = batch
    const { records, dead } = decodeBatch(batch)
    const lastOffset = batch.records.at(-1)!.offset
    const done = commitOf(assignment)
    let result: StepResult = {}
    try {
      if (records.length > 0) {
        result = await step({ topic, partition, records, committed: done.offset, lastOffset })
      }
    } catch (error) {
      const { offset } = batch.records[0]!
      consumer.seek(assignment, offset)
      if (error instanceof UnknownSchema) run.paused.pause(consumer, { assignment, offset, reason: error })
      else await run.backOff(error as Error)
      return false
    }
    dead.push(...(result.dead ?? []))
    const outputs = [...(result.outputs ?? []), ...deadLettersOf(name, batch, dead, now())]
    try {
      await consumer.commit(assignment, { offset: lastOffset + 1, metadata: '' }, outputs)
      done.offset = lastOffset + 1
    } catch (error) {
      if (!(error instanceof Revoked)) throw error
      logger.info({ stream: name, topic, partition }, 'the partition has gone to another member, with this batch')
      return false
    }
    for (const { offset, code, message } of dead) {
      logger.warn({ stream: name, topic, partition, offset, code }, `dead letter: ${message}`)
    }
    run.count({ records: batch.records.length, dead: dead.length })
    return true
  }

  /** What is committed of a partition: by this member since it has it, before that by whoever had it. */
  function commitOf(assignment: Assignment) {
    const key = `${assignment.topic}/${assignment.partition}`
    const known = commits.get(key)
    if (known?.assignment === assignment) return known
    const fresh = { assignment, offset: assignment.committed?.offset ?? null }
    commits.set(key, fresh)
    return fresh
  }

  /** Ends by stop or by a throw. A new member starts at what the log says is committed, whatever failed before. */
  async function consume(): Promise<void> {
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

/** A step that decides by the registry: while its copy here lacks what a newer version wrote, it decides nothing. */
export function requireCompleteRegistry(snapshot: Pick<Snapshot, 'staleReason'>, step: StreamStep): StreamStep {
  return async (batch) => {
    if (snapshot.staleReason !== null) throw new UnknownSchema(snapshot.staleReason)
    return step(batch)
  }
}
