import type { Analytics } from '../../infra/analytics/port.ts'
import {
  type Assignment,
  type Batch,
  type EventLog,
  type LogConsumer,
  type LogRecord,
  Revoked,
} from '../../infra/event-log/port.ts'
import { createTopicLag } from '../runtime/lag.ts'
import { type DeadRecord, readablePart } from '../runtime/outcome.ts'
import { readPages } from '../runtime/pages.ts'
import type { Stream, StreamLogger } from '../runtime/stream.ts'
import { createStreamRun, type Retry } from '../runtime/stream-run.ts'
import { decodeOffsetMetadata, SINK_GROUP } from './offset-metadata.ts'
import { type AssignedBatch, recoverOnce, storeOnce } from './once.ts'
import { type StoredTopic, storedTopics } from './rows.ts'

/** A batch is stored once it has this many records or bytes, … */
const BATCH_RECORDS = 20_000
const BATCH_BYTES = 16 * 1024 * 1024
/** … or once the first record of any batch has waited this long, and all others with it, … */
const BATCH_MAX_AGE_MS = 800
/** … which may be this long while there is more to read: stored within a second. */
const BATCH_LATEST_MS = 1_000
const POLL_MAX_RECORDS = 10_000
const POLL_MAX_WAIT_MS = 500
/** Over all partitions; above it the largest batch is stored early. */
const BUFFERED_MAX_BYTES = 64 * 1024 * 1024
const STORES_AT_ONCE = 4
/** After this long without a failure, and with nothing to store, the sink counts as healthy again. */
const SETTLED_AFTER_MS = 5_000
/** Records of one read when a batch in doubt is read again. */
const READ_MAX_RECORDS = 10_000

export interface SinkOptions {
  log: EventLog
  analytics: Analytics
  /** UTC epoch milliseconds. */
  now: () => number
  logger: StreamLogger
  retry?: Retry
}

/** A batch that is still filling, of records that were read under one assignment. */
interface Filling {
  topic: StoredTopic
  partition: number
  assignment: Assignment
  epoch: number
  records: LogRecord[]
  bytes: number
  /** When its first record was read. */
  begunAt: number
}

/** Copies the log into the tables of Analytics, every record exactly once: `once.ts`. */
export function createSink({ log, analytics, now, logger, retry }: SinkOptions): Stream {
  const run = createStreamRun({ name: SINK_GROUP, retry, now, logger })
  const filling = new Map<string, Filling>()
  const measured = { log, group: SINK_GROUP, topics: storedTopics, now }
  let member: LogConsumer | null = null
  let waiting: LogConsumer | null = null

  async function consume(): Promise<void> {
    filling.clear()
    run.paused.clear()
    const consumer = await log.consumer({ group: SINK_GROUP, topics: storedTopics })
    member = consumer
    try {
      while (!run.stopping()) {
        run.paused.resumeDue(consumer)
        const batch = await poll(consumer)
        if (batch) await take(consumer, batch)
        await storeAll(consumer, dueBatches({ allRead: batch === null }))
        if (isIdle()) run.markHealthy()
        // All is read: what comes meanwhile is read with the next, not record by record.
        if (!batch && isFilling()) await run.pause(Math.min(BATCH_MAX_AGE_MS, BATCH_MAX_AGE_MS - oldestAgeMs()))
      }
    } finally {
      member = waiting = null
      await consumer.close().catch((error: Error) => logger.warn({ stream: SINK_GROUP }, `closing: ${error.message}`))
    }
  }

  /** Waits only while nothing else is to be done. */
  async function poll(consumer: LogConsumer): Promise<Batch | null> {
    if (isFilling()) return consumer.poll({ maxRecords: POLL_MAX_RECORDS, maxWaitMs: 0 })
    waiting = consumer
    const batch = await consumer.poll({ maxRecords: POLL_MAX_RECORDS, maxWaitMs: POLL_MAX_WAIT_MS })
    waiting = null
    return batch
  }

  const isFilling = () => filling.values().some(({ records }) => records.length > 0)

  /**
   * Stores some batches at a time, since each takes two commits and an insert with fsync. After a failure no other begins.
   * Settles once none is under way.
   */
  async function storeAll(consumer: LogConsumer, batches: readonly Filling[]): Promise<void> {
    const queue = [...batches]
    const errors: unknown[] = []
    const storeOthers = async () => {
      for (let batch = queue.pop(); batch && errors.length === 0; batch = queue.pop()) {
        await storeFilled(consumer, batch).catch((error) => errors.push(error))
      }
    }
    await Promise.all(Array.from({ length: STORES_AT_ONCE }, storeOthers))
    if (errors.length > 0) throw errors[0]
  }

  /** Nothing waits to be stored, and the last failure is some time ago. */
  function isIdle(): boolean {
    if (isFilling()) return false
    const { lastError } = run.state()
    return lastError === null || now() - lastError.at >= SETTLED_AFTER_MS
  }

  async function take(consumer: LogConsumer, batch: Batch): Promise<void> {
    const { partition, assignment } = batch
    const topic = batch.topic as StoredTopic
    const known = filling.get(placeOf({ topic, partition }))
    // A partition that was revoked and assigned again is read from what is committed.
    if (known?.assignment === assignment) return fill(consumer, known, batch)
    const { committed } = assignment
    const { epoch, pendingLast } = decodeOffsetMetadata(committed)
    const begun: Filling = { topic, partition, assignment, epoch, records: [], bytes: 0, begunAt: 0 }
    filling.set(placeOf(begun), begun)
    if (committed === null || pendingLast === null) return fill(consumer, begun, batch)
    await recover(consumer, begun, { first: committed.offset, last: pendingLast })
  }

  function fill(consumer: LogConsumer, into: Filling, batch: Batch): void {
    const { readable, unreadable } = readablePart(batch)
    if (unreadable) run.paused.pause(consumer, { assignment: into.assignment, ...unreadable })
    else run.paused.resumed(into.topic, into.partition)
    if (readable.length === 0) return
    if (into.records.length === 0) into.begunAt = now()
    into.records.push(...readable)
    for (const { value } of readable) into.bytes += value?.length ?? 0
  }

  /** Finishes the batch that was left in doubt, under a new epoch, and continues behind it. */
  async function recover(consumer: LogConsumer, begun: Filling, doubt: { first: number; last: number }): Promise<void> {
    const { topic, partition, assignment } = begun
    const range = { from: doubt.first, to: doubt.last + 1, pageRecords: READ_MAX_RECORDS }
    const records = (await Array.fromAsync(readPages(log, topic, partition, range))).flat()
    const { unreadable } = readablePart({ topic, partition, records })
    if (unreadable) {
      // A newer version of the program opened the batch, and will finish it.
      filling.delete(placeOf(begun))
      return run.paused.pause(consumer, { assignment, offset: doubt.first, reason: unreadable.reason })
    }
    begun.epoch += 1
    const batch = { topic, partition, assignment, epoch: begun.epoch, ...doubt, records }
    await finish(batch, recoverOnce({ consumer, analytics, now }, batch))
    consumer.seek(assignment, doubt.last + 1)
  }

  async function storeFilled(consumer: LogConsumer, filled: Filling): Promise<void> {
    const { topic, partition, assignment, epoch, records } = filled
    const batch = {
      topic,
      partition,
      assignment,
      epoch,
      first: records[0]!.offset,
      last: records.at(-1)!.offset,
      records,
    }
    filled.records = []
    filled.bytes = 0
    await finish(batch, storeOnce({ consumer, analytics, now }, batch))
  }

  async function finish(batch: AssignedBatch, storing: Promise<DeadRecord[]>): Promise<void> {
    try {
      count(batch, await storing)
    } catch (error) {
      if (!(error instanceof Revoked)) throw error
      forget(batch)
    }
  }

  /** What was read under an assignment that has ended. */
  function forget(batch: AssignedBatch): void {
    if (filling.get(placeOf(batch))?.assignment === batch.assignment) filling.delete(placeOf(batch))
  }

  /** How long the record that was read first has waited. */
  function oldestAgeMs(): number {
    const begun = filling.values().filter(({ records }) => records.length > 0)
    return now() - begun.reduce((oldest, { begunAt }) => Math.min(oldest, begunAt), now())
  }

  function dueBatches({ allRead }: { allRead: boolean }): Filling[] {
    const batches = [...filling.values()].filter(({ records }) => records.length > 0)
    if (oldestAgeMs() >= (allRead ? BATCH_MAX_AGE_MS : BATCH_LATEST_MS)) return batches
    const due = batches.filter(({ records, bytes }) => records.length >= BATCH_RECORDS || bytes >= BATCH_BYTES)
    const buffered = batches.reduce((sum, { bytes }) => sum + bytes, 0)
    if (due.length > 0 || buffered < BUFFERED_MAX_BYTES) return due
    return batches.sort((a, b) => b.bytes - a.bytes).slice(0, 1)
  }

  function count({ topic, partition, records }: AssignedBatch, dead: DeadRecord[]): void {
    run.count({ records: records.length, dead: dead.length })
    for (const { offset, code, message } of dead) {
      logger.warn({ stream: SINK_GROUP, topic, partition, offset, code }, `dead letter: ${message}`)
    }
  }

  return {
    name: SINK_GROUP,
    // After a failure a new consumer starts at what is committed, with the batch that is in doubt.
    run: () => run.run(consume),
    async stop() {
      const stopped = run.stop()
      await waiting?.close()
      await stopped
    },
    lag: createTopicLag(measured),
    ownLag: createTopicLag({ ...measured, assigned: () => member?.assigned() ?? [] }),
    state: run.state,
  }
}

function placeOf({ topic, partition }: { topic: StoredTopic; partition: number }): string {
  return `${topic}/${partition}`
}
