import { countedFrom, type StreamCounts } from '../../infra/analytics/audit/counts.ts'
import type { Analytics } from '../../infra/analytics/port.ts'
import type { Assignment, Batch, EventLog, LogConsumer, LogRecord } from '../../infra/event-log/port.ts'
import { msSince } from '../../services/domain/time/ms-since.ts'
import { createTopicLag } from '../runtime/lag.ts'
import { type DeadRecord, readablePart } from '../runtime/outcome.ts'
import { readPages } from '../runtime/pages.ts'
import type { Stream, StreamLogger } from '../runtime/stream.ts'
import { createStreamRun, IDLE_POLL_MS, type Retry } from '../runtime/stream-run.ts'
import { decodeOffsetMetadata, SINK_GROUP } from './offset-metadata.ts'
import { type AssignedBatch, recoverOnce, type Stored, storeOnce } from './once.ts'
import { type StoredTopic, storedTopics } from './rows.ts'

/** A batch is stored once it has this many records or bytes. Batches stored together have no more in total, unless a single one has. */
const BATCH_RECORDS = 20_000
const BATCH_BYTES = 16 * 1024 * 1024
/** All batches are stored once the oldest has waited this long, so that they share inserts, commits and a turn of attribution. */
const BATCH_AGE_MS = 1_000
/** Once this many records are unstored, the next are probably on their way from the broker, so the sink waits only shortly for them. */
const BACKLOG_RECORDS = 4_000
const BACKLOG_GATHER_MS = 20
const POLL_MAX_RECORDS = 10_000
/** The longest poll after a failure or while a partition is paused. It bounds how late a due retry, or a recovery, is noticed. */
const LOOK_AGAIN_MS = 500
/** Buffered bytes of all partitions. Once they reach this, the largest batch is stored early. */
const BUFFERED_MAX_BYTES = 64 * 1024 * 1024
const STORES_AT_ONCE = 4
/** An insert names its batches in its URL, of which proxies accept 8 KiB. */
const BATCHES_PER_STORE_MAX = 64
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
  /** Waits for more records to come, so that they are read together. Default: waits for `ms`, or until `stop`. */
  gather?: (ms: number) => Promise<void>
  /** Called each time that batches have been stored and committed. */
  onStored?: () => void
}

/** A batch that is being filled with records read under one assignment. */
interface Filling {
  topic: StoredTopic
  partition: number
  assignment: Assignment
  epoch: number
  /** Counts of everything stored before these records. */
  counts: StreamCounts
  records: LogRecord[]
  bytes: number
  /** When its first record was read. */
  begunAt: number
}

/** Copies the log into the tables of Analytics, every record exactly once: `once.ts`. */
export function createSink({ log, analytics, now, logger, retry, gather, onStored }: SinkOptions): Stream {
  const run = createStreamRun({ name: SINK_GROUP, retry, now, logger })
  const wait = gather ?? run.pause
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
        const due = dueBatches()
        await storeAll(consumer, due)
        if (due.length > 0) onStored?.()
        if (isIdle()) run.markHealthy()
        if (batch === null && due.length === 0 && unstored().length > 0) await wait(gatherMs())
      }
    } finally {
      member = waiting = null
      await consumer.close().catch((error: Error) => logger.warn({ stream: SINK_GROUP }, `closing: ${error.message}`))
    }
  }

  /** Waits for records only while there is nothing to store. */
  async function poll(consumer: LogConsumer): Promise<Batch | null> {
    if (unstored().length > 0) return consumer.poll({ maxRecords: POLL_MAX_RECORDS, maxWaitMs: 0 })
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
    if (unstored().length > 0) return false
    const { lastError } = run.state()
    return lastError === null || now() - lastError.at >= SETTLED_AFTER_MS
  }

  async function take(consumer: LogConsumer, batch: Batch): Promise<void> {
    const { partition, assignment } = batch
    const topic = batch.topic as StoredTopic
    const known = filling.get(placeOf({ topic, partition }))
    // A partition that was revoked and assigned again starts over at its committed offset.
    if (known?.assignment === assignment) return fill(consumer, known, batch)
    const { committed } = assignment
    const { epoch, pendingLast, counts: counted, areTablesDropped } = decodeOffsetMetadata(committed)
    if (areTablesDropped) {
      throw new Error(
        'A rebuild was ended while it dropped the tables of Analytics: stop every process and run it again',
      )
    }
    const counts = counted ?? countedFrom(committed?.offset ?? batch.records[0]!.offset)
    const begun: Filling = { topic, partition, assignment, epoch, counts, records: [], bytes: 0, begunAt: 0 }
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

  /** Finishes the batch that was left in doubt, under a new epoch, and continues after it. */
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
    const batch = { topic, partition, assignment, epoch: begun.epoch, counts: begun.counts, ...doubt, records }
    finish(await recoverOnce({ consumer, analytics, now }, batch))
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
    for (const stored of await storeOnce({ consumer, analytics, now }, batches)) finish(stored)
  }

  function finish({ batch, result }: Stored): void {
    const known = filling.get(placeOf(batch))
    const isOurs = known?.assignment === batch.assignment
    if (result === null) {
      // The assignment has ended: forget what was read under it.
      if (isOurs) filling.delete(placeOf(batch))
      return
    }
    if (isOurs) known.counts = result.counts
    count(batch, result.dead)
  }

  /** Batches that have records. */
  function unstored(): Filling[] {
    return [...filling.values()].filter(({ records }) => records.length > 0)
  }

  /** How long to wait for more records once a poll finds none. */
  function gatherMs(): number {
    const records = unstored().reduce((sum, each) => sum + each.records.length, 0)
    return records < BACKLOG_RECORDS ? Math.min(BATCH_AGE_MS, BATCH_AGE_MS - oldestAgeMs()) : BACKLOG_GATHER_MS
  }

  function oldestAgeMs(): number {
    return Math.max(...unstored().map(({ begunAt }) => msSince(begunAt, now())))
  }

  function dueBatches(): Filling[] {
    const batches = unstored()
    if (batches.length > 0 && oldestAgeMs() >= BATCH_AGE_MS) return batches
    const due = batches.filter(({ records, bytes }) => records.length >= BATCH_RECORDS || bytes >= BATCH_BYTES)
    const buffered = batches.reduce((sum, { bytes }) => sum + bytes, 0)
    if (due.length > 0 || buffered < BUFFERED_MAX_BYTES) return due
    return batches.sort((a, b) => b.bytes - a.bytes).slice(0, 1)
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
    lag: createTopicLag(measured),
    ownLag: createTopicLag({ ...measured, assigned: () => member?.assigned() ?? [] }),
    state: run.state,
  }
}

/** Groups the batches that are stored together: by topic, the smallest first, so that slow partitions share one insert. */
function storedTogether(batches: readonly Filling[]): Filling[][] {
  const groups: { batches: Filling[]; records: number; bytes: number }[] = []
  const inOrder = batches.toSorted((a, b) => a.topic.localeCompare(b.topic) || a.bytes - b.bytes)
  for (const batch of inOrder) {
    const group = groups.at(-1)
    const hasRoom =
      group !== undefined &&
      group.batches.length < BATCHES_PER_STORE_MAX &&
      group.records + batch.records.length <= BATCH_RECORDS &&
      group.bytes + batch.bytes <= BATCH_BYTES
    if (!hasRoom) {
      groups.push({ batches: [batch], records: batch.records.length, bytes: batch.bytes })
      continue
    }
    group.batches.push(batch)
    group.records += batch.records.length
    group.bytes += batch.bytes
  }
  return groups.map(({ batches }) => batches)
}

function placeOf({ topic, partition }: { topic: StoredTopic; partition: number }): string {
  return `${topic}/${partition}`
}
