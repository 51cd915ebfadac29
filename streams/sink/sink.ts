import { countedFrom } from '../../infra/analytics/audit/counts.ts'
import type { Analytics } from '../../infra/analytics/port.ts'
import type { Batch, EventLog, LogConsumer } from '../../infra/event-log/port.ts'
import { msSince } from '../../services/domain/time/ms-since.ts'
import { createTopicLag } from '../runtime/lag.ts'
import { readPages } from '../runtime/pages.ts'
import { type DeadRecord, readablePart } from '../runtime/pipeline/outcome.ts'
import type { Stream, StreamLogger } from '../runtime/stream.ts'
import { createStreamRun, IDLE_POLL_MS, type Retry } from '../runtime/stream-run.ts'
import { BATCH_AGE_MS, createFillings, type Filling, storedTogether } from './fillings.ts'
import { restoreSinkCommits } from './lost-commits.ts'
import { decodeOffsetMetadata, SINK_GROUP, throwUnlessOneStore } from './offset-metadata.ts'
import { type AssignedBatch, recoverOnce, type Stored, storeOnce } from './once.ts'
import { type StoredTopic, storedTopics } from './rows.ts'

const POLL_MAX_RECORDS = 10_000
/** The longest poll after a failure or while a partition is paused. It bounds how late a due retry, or a recovery, is noticed. */
const LOOK_AGAIN_MS = 500
const STORES_AT_ONCE = 4
/** After this long without a failure, and with nothing to store, the sink counts as healthy again. */
const SETTLED_AFTER_MS = 5_000
/** Records of one read when a batch in doubt is read again. */
const READ_MAX_RECORDS = 10_000

export interface SinkOptions {
  log: EventLog
  analytics: Analytics
  /** The identity of the store behind `analytics`. Default: null, and then nobody checks that all rows go into one store. */
  store?: string | null
  /** UTC epoch milliseconds. */
  now: () => number
  logger: StreamLogger
  retry?: Retry
  /** How long the oldest record may wait for others, as long as there are few. Default: `BATCH_AGE_MS`. */
  batchAgeMs?: () => number
  /** Waits for more records to come, so that they are read together. Default: waits for `ms`, or until `stop` or `hurry`. */
  gather?: (ms: number, hurry: AbortSignal) => Promise<void>
  /** Called each time that batches have been stored and committed. */
  onStored?: () => void
}

export interface Sink extends Stream {
  /** Resolves once everything that had been read is stored and `onStored` was called, or when storing has failed. */
  storeNow(): Promise<void>
}

/** Copies the log into the tables of Analytics, every record exactly once: `once.ts`. */
export function createSink(options: SinkOptions): Sink {
  const {
    log,
    analytics,
    store = null,
    now,
    logger,
    retry,
    batchAgeMs = () => BATCH_AGE_MS,
    gather,
    onStored,
  } = options
  const run = createStreamRun({ name: SINK_GROUP, retry, now, logger })
  const wait = gather ?? run.pause
  const fillings = createFillings({ now, batchAgeMs })
  const measured = { log, group: SINK_GROUP, topics: storedTopics, now }
  let member: LogConsumer | null = null
  let waiting: LogConsumer | null = null
  let hurry = newHurry()

  async function consume(): Promise<void> {
    fillings.clear()
    run.paused.clear()
    // Before joining: a member that refuses its partitions afterwards takes them from the others each time that it tries again.
    throwUnlessOneStore(await log.committed(SINK_GROUP), store)
    await restoreSinkCommits({ log, analytics, now, logger })
    const consumer = await log.consumer({ group: SINK_GROUP, topics: storedTopics })
    member = consumer
    try {
      while (!run.stopping()) {
        run.paused.resumeDue(consumer)
        const batch = await poll(consumer)
        if (batch) await take(consumer, batch)
        const isAllRead = batch === null
        const due = isAllRead && isInHurry() ? fillings.unstored() : fillings.due(isInHurry())
        await storeAll(consumer, due)
        if (due.length > 0) onStored?.()
        if (isIdle()) run.markHealthy()
        if (!isAllRead || due.length > 0) continue
        endHurry()
        if (hasUnstored()) await wait(fillings.gatherMs(), hurry.asked.signal)
      }
    } finally {
      endHurry()
      member = waiting = null
      await consumer.close().catch((error: Error) => logger.warn({ stream: SINK_GROUP }, `closing: ${error.message}`))
    }
  }

  const hasUnstored = () => fillings.unstored().length > 0
  const isInHurry = () => hurry.asked.signal.aborted

  function endHurry(): void {
    if (!isInHurry()) return
    hurry.done.resolve()
    hurry = newHurry()
  }

  /** Waits for records only while there is nothing to store. */
  async function poll(consumer: LogConsumer): Promise<Batch | null> {
    if (isInHurry() || hasUnstored()) return consumer.poll({ maxRecords: POLL_MAX_RECORDS, maxWaitMs: 0 })
    waiting = consumer
    const maxWaitMs = run.isSettled() ? IDLE_POLL_MS : LOOK_AGAIN_MS
    const batch = await consumer.poll({ maxRecords: POLL_MAX_RECORDS, maxWaitMs })
    waiting = null
    return batch
  }

  /** Stores groups of batches, several at a time. After a failure no further group begins. Settles once none is being stored. */
  async function storeAll(consumer: LogConsumer, batches: readonly Filling[]): Promise<void> {
    const queue = storedTogether(batches)
    const errors: unknown[] = []
    const storeOthers = async () => {
      for (let group = queue.pop(); group && errors.length === 0; group = queue.pop()) {
        await storeFilled(consumer, group).catch((error) => errors.push(error))
      }
    }
    await Promise.all(Array.from({ length: STORES_AT_ONCE }, storeOthers))
    if (errors.length > 0) throw errors[0]
  }

  /** Whether nothing waits to be stored and the last failure is some time ago. */
  function isIdle(): boolean {
    if (hasUnstored()) return false
    const { lastError } = run.state()
    return lastError === null || msSince(lastError.at, now()) >= SETTLED_AFTER_MS
  }

  async function take(consumer: LogConsumer, batch: Batch): Promise<void> {
    const { partition, assignment } = batch
    const topic = batch.topic as StoredTopic
    const known = fillings.at({ topic, partition })
    // A partition that was revoked and assigned again starts over at its committed offset.
    if (known?.assignment === assignment) return fill(consumer, known, batch)
    const { committed } = assignment
    if (committed !== null) throwUnlessOneStore([committed], store)
    const { epoch, pendingLast, counts: counted, areTablesDropped } = decodeOffsetMetadata(committed)
    if (areTablesDropped) {
      throw new Error(
        'A rebuild was ended while it dropped the tables of Analytics: stop every process and run it again',
      )
    }
    const counts = counted ?? countedFrom(committed?.offset ?? batch.records[0]!.offset)
    const begun: Filling = { topic, partition, assignment, epoch, counts, records: [], bytes: 0, begunAt: 0 }
    fillings.set(begun)
    if (committed === null || pendingLast === null) return fill(consumer, begun, batch)
    await recover(consumer, begun, { first: committed.offset, last: pendingLast })
  }

  function fill(consumer: LogConsumer, into: Filling, batch: Batch): void {
    const { readable, unreadable } = readablePart(batch)
    if (unreadable) run.paused.pause(consumer, { assignment: into.assignment, ...unreadable })
    else run.paused.resumed(into.topic, into.partition)
    fillings.add(into, readable)
  }

  /** Finishes the batch that was left in doubt, under a new epoch, and continues after it. */
  async function recover(consumer: LogConsumer, begun: Filling, doubt: { first: number; last: number }): Promise<void> {
    const { topic, partition, assignment } = begun
    const range = { from: doubt.first, to: doubt.last + 1, pageRecords: READ_MAX_RECORDS }
    const records = (await Array.fromAsync(readPages(log, topic, partition, range))).flat()
    const { unreadable } = readablePart({ topic, partition, records })
    if (unreadable) {
      // A newer version of the program opened the batch, and will finish it.
      fillings.delete(begun)
      return run.paused.pause(consumer, { assignment, offset: doubt.first, reason: unreadable.reason })
    }
    begun.epoch += 1
    const batch = { topic, partition, assignment, epoch: begun.epoch, counts: begun.counts, ...doubt, records }
    finish(await recoverOnce({ consumer, analytics, store, now }, batch))
    onStored?.()
    consumer.seek(assignment, doubt.last + 1)
  }

  async function storeFilled(consumer: LogConsumer, group: readonly Filling[]): Promise<void> {
    const batches = group.map((filled) => {
      const { topic, partition, assignment, epoch, counts, records } = filled
      filled.records = []
      filled.bytes = 0
      const range = { first: records[0]!.offset, last: records.at(-1)!.offset }
      return { topic, partition, assignment, epoch, counts, ...range, records }
    })
    for (const stored of await storeOnce({ consumer, analytics, store, now }, batches)) finish(stored)
  }

  function finish({ batch, result }: Stored): void {
    const known = fillings.at(batch)
    const isOurs = known?.assignment === batch.assignment
    if (result === null) {
      // The assignment has ended: forget what was read under it.
      if (isOurs) fillings.delete(batch)
      return
    }
    if (isOurs) known.counts = result.counts
    count(batch, result.dead)
  }

  function count({ topic, partition, records }: AssignedBatch, dead: readonly DeadRecord[]): void {
    run.count({ records: records.length, dead: dead.length })
    for (const { offset, code, message } of dead) {
      logger.warn({ stream: SINK_GROUP, topic, partition, offset, code }, `dead letter: ${message}`)
    }
  }

  return {
    name: SINK_GROUP,
    // After a failure a new consumer starts at the committed offsets, and first recovers the batches in doubt.
    run: () => run.run(consume),
    async stop() {
      const stopped = run.stop()
      await waiting?.close()
      await stopped
    },
    storeNow() {
      // While it waits for a first record, everything is stored.
      if (waiting !== null) return Promise.resolve()
      hurry.asked.abort()
      return hurry.done.promise
    },
    lag: createTopicLag(measured),
    ownLag: createTopicLag({ ...measured, assigned: () => member?.assigned() ?? [] }),
    state: run.state,
  }
}

/** `asked` is aborted as soon as somebody waits for `done`. */
function newHurry() {
  return { asked: new AbortController(), done: Promise.withResolvers<void>() }
}
