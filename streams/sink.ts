import type { Analytics } from '../infra/analytics/port.ts'
import {
  type Assignment,
  type Batch,
  type EventLog,
  type LogConsumer,
  type LogRecord,
  Revoked,
} from '../infra/event-log/port.ts'
import { topicLag } from './lag.ts'
import { type DeadRecord, deadLettersOf, readablePart } from './outcome.ts'
import type { Stream, StreamLogger } from './pipeline.ts'
import { type StoredTopic, storedTopics } from './rows.ts'
import { type SinkBatch, storeBatch, storeBatchAgain } from './sink-batch.ts'
import { noteOf, noteText, SINK_GROUP } from './sink-note.ts'
import { createStreamRun, type Retry } from './stream-run.ts'

/** A batch is stored once it has this many records or bytes, … */
const BATCH_RECORDS = 20_000
const BATCH_BYTES = 16 * 1024 * 1024
/** … or once its first record has waited this long: stored within a second. */
const BATCH_MAX_AGE_MS = 800
const POLL_MAX_RECORDS = 10_000
const POLL_MAX_WAIT_MS = 100
/** Over all partitions; above it the largest batch is stored early. */
const BUFFERED_MAX_BYTES = 64 * 1024 * 1024
const STORES_AT_ONCE = 4
/** Without a failure for so long and with nothing to store, it works again as far as anyone can tell. */
const SETTLED_AFTER_MS = 5_000
/** Far below the time for which the store knows tokens: 10,000 blocks, 33 minutes at 5 a second. */
const BOUNDARIES_VALID_MS = 60_000
/** Records read at once when a batch in doubt is read again. */
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
interface Filling extends SinkBatch {
  assignment: Assignment
  bytes: number
  openedAt: number
}

/**
 * Copies the log into the tables of Analytics, every record exactly once: the boundaries of a batch are committed, then
 * the batch is stored under a token made of them, then its end is committed. Whatever breaks in between, the same batch
 * is stored again, and the token makes that a repetition.
 */
export function createSink({ log, analytics, now, logger, retry }: SinkOptions): Stream {
  const life = createStreamRun({ name: SINK_GROUP, retry, now, logger })
  const filling = new Map<string, Filling>()

  async function consume(): Promise<void> {
    filling.clear()
    life.waiting.clear()
    const consumer = await log.consumer({ group: SINK_GROUP, topics: storedTopics })
    try {
      while (!life.stopping()) {
        life.waiting.look(consumer)
        const batch = await consumer.poll({ maxRecords: POLL_MAX_RECORDS, maxWaitMs: POLL_MAX_WAIT_MS })
        if (batch) await take(consumer, batch)
        await storeAll(consumer, dueBatches())
        if (isIdle()) life.markHealthy()
      }
    } finally {
      await consumer.close().catch((error: Error) => logger.warn({ stream: SINK_GROUP }, `closing: ${error.message}`))
    }
  }

  /**
   * Some at once: each store is two commits and an insert that is fsynced. After a failure no other begins.
   * Resolves or rejects when none is under way any more.
   */
  async function storeAll(consumer: LogConsumer, batches: readonly Filling[]): Promise<void> {
    const queue = [...batches]
    const errors: unknown[] = []
    const storeOthers = async () => {
      for (let batch = queue.pop(); batch && errors.length === 0; batch = queue.pop()) {
        await store(consumer, batch, storeBatch).catch((error) => errors.push(error))
      }
    }
    await Promise.all(Array.from({ length: STORES_AT_ONCE }, storeOthers))
    if (errors.length > 0) throw errors[0]
  }

  /** Nothing waits to be stored, and what failed last may be taken to have passed. */
  function isIdle(): boolean {
    if ([...filling.values()].some(({ records }) => records.length > 0)) return false
    const { lastError } = life.state()
    return lastError === null || now() - lastError.at >= SETTLED_AFTER_MS
  }

  async function take(consumer: LogConsumer, batch: Batch): Promise<void> {
    const { partition, assignment } = batch
    const topic = batch.topic as StoredTopic
    const key = `${topic}/${partition}`
    const known = filling.get(key)
    // A partition that was given away and came back is read anew from what is committed.
    const into = known?.assignment === assignment ? known : newBatch(topic, partition, assignment)
    filling.set(key, into)
    if (into !== known) {
      const { committed } = assignment
      const { pendingLast } = noteOf(committed)
      if (committed && pendingLast !== null) return finish(consumer, into, committed.offset, pendingLast)
    }
    const { readable, unreadable } = readablePart(batch)
    if (unreadable) life.waiting.stopAt(consumer, { assignment, ...unreadable })
    else life.waiting.goneOn(topic, partition)
    if (readable.length === 0) return
    if (into.records.length === 0) into.openedAt = now()
    into.records.push(...readable)
    for (const { value } of readable) into.bytes += value?.length ?? 0
  }

  /** Stores the batch that a crash left in doubt, and goes on after it. */
  async function finish(consumer: LogConsumer, into: Filling, first: number, last: number): Promise<void> {
    const { topic, partition } = into
    const records = await readRange(log, topic, partition, first, last)
    const { unreadable } = readablePart({ topic, partition, records })
    if (unreadable) {
      // A newer version began the batch, and a part of it would not be the batch that it began.
      filling.delete(`${topic}/${partition}`)
      return life.waiting.stopAt(consumer, { assignment: into.assignment, offset: first, reason: unreadable.reason })
    }
    into.records = records
    if (into.records.length > 0) await store(consumer, into, storeBatchAgain)
    consumer.seek(into.assignment, last + 1)
  }

  function dueBatches(): Filling[] {
    const batches = [...filling.values()].filter(({ records }) => records.length > 0)
    const due = batches.filter(
      ({ records, bytes, openedAt }) =>
        records.length >= BATCH_RECORDS || bytes >= BATCH_BYTES || now() - openedAt >= BATCH_MAX_AGE_MS,
    )
    const buffered = batches.reduce((sum, { bytes }) => sum + bytes, 0)
    if (due.length > 0 || buffered < BUFFERED_MAX_BYTES) return due
    return batches.sort((a, b) => b.bytes - a.bytes).slice(0, 1)
  }

  async function store(consumer: LogConsumer, batch: Filling, storeRecords: typeof storeBatch): Promise<void> {
    const { topic, partition, assignment, records, epoch } = batch
    const first = records[0]!.offset
    const last = records.at(-1)!.offset
    const begunAt = now()
    try {
      await consumer.commit(assignment, { offset: first, metadata: noteText({ epoch, pendingLast: last }) })
      // A process that was frozen here would store what another has stored since, under a token that may be forgotten.
      if (now() - begunAt > BOUNDARIES_VALID_MS) throw new Revoked('the boundaries were committed too long ago')
      const dead = await storeRecords(analytics, batch)
      const letters = deadLettersOf(SINK_GROUP, batch, dead, now())
      await consumer.commit(assignment, { offset: last + 1, metadata: noteText({ epoch, pendingLast: null }) }, letters)
      count(batch, dead)
    } catch (error) {
      if (!(error instanceof Revoked)) throw error
      filling.delete(`${topic}/${partition}`)
    }
    batch.records = []
    batch.bytes = 0
  }

  function count({ topic, partition, records }: Filling, dead: DeadRecord[]): void {
    life.count({ records: records.length, dead: dead.length })
    for (const { offset, code, message } of dead) {
      logger.warn({ stream: SINK_GROUP, topic, partition, offset, code }, `dead letter: ${message}`)
    }
  }

  return {
    name: SINK_GROUP,
    // A consumer that failed is gone; a new one starts at what is committed, with the batch in doubt.
    run: () => life.run(consume),
    stop: life.stop,
    lag: () => topicLag(log, SINK_GROUP, storedTopics, now),
    state: life.state,
  }
}

function newBatch(topic: StoredTopic, partition: number, assignment: Assignment): Filling {
  return { topic, partition, assignment, records: [], bytes: 0, openedAt: 0, epoch: noteOf(assignment.committed).epoch }
}

async function readRange(log: EventLog, topic: StoredTopic, partition: number, first: number, last: number) {
  const records: LogRecord[] = []
  for (let from = first; from <= last; from = records.at(-1)!.offset + 1) {
    const page = await log.read(topic, partition, from, READ_MAX_RECORDS)
    const inside = page.filter(({ offset }) => offset <= last)
    records.push(...inside)
    if (inside.length === 0 || inside.length < page.length) break
  }
  return records
}
