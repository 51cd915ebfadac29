import { type StreamCounts, withBatch } from '../../infra/analytics/audit/counts.ts'
import type { Analytics } from '../../infra/analytics/port.ts'
import { type Assignment, type LogConsumer, Revoked } from '../../infra/event-log/port.ts'
import { type DeadRecord, deadLettersOf } from '../runtime/pipeline/outcome.ts'
import { fenceOf, type SinkBatch, type StoredRows, storeBatches, storeMissing } from './batch.ts'
import { encodeOffsetMetadata, SINK_GROUP } from './offset-metadata.ts'

/** A batch with the assignment that gives the right to store it. */
export interface AssignedBatch extends SinkBatch {
  assignment: Assignment
  /** Counts of everything stored before the batch. */
  counts: StreamCounts
}

/** The outcome of a batch. */
export interface Stored {
  batch: AssignedBatch
  /** The records that cannot be stored, and the counts with this batch. Null when another member took over: it finishes the batch. */
  result: { dead: DeadRecord[]; counts: StreamCounts } | null
}

export interface StoreDeps {
  consumer: LogConsumer
  analytics: Analytics
  /** The identity of the store behind `analytics`; null when it is unknown. */
  store: string | null
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * Stores batches, each of a different partition, exactly once. From `open` until `close` a batch is in doubt: a member that gets the
 * partition in between finishes it with `recoverOnce`. docs/exactly-once.md says why a process that freezes anywhere in here does no
 * harm. Each step is taken for all batches together, so that they share one fsync, and one insert per table.
 * @throws AnalyticsFenced when another member has taken over one of the batches; AnalyticsUnavailable, LogUnavailable. All batches
 * may be in doubt then.
 */
export async function storeOnce(deps: StoreDeps, batches: readonly AssignedBatch[]): Promise<Stored[]> {
  const states = await settled(batches.map(async (batch) => ({ batch, isOpen: await isOwner(open(deps, batch)) })))
  const opened = states.filter(({ isOpen }) => isOpen).map(({ batch }) => batch)
  const stored = await storeBatches(deps.analytics, opened)
  const closed = await settled(opened.map((batch, i) => close(deps, batch, stored[i]!)))
  return [...closed, ...states.filter(({ isOpen }) => !isOpen).map(({ batch }) => ({ batch, result: null }))]
}

/**
 * Finishes a batch that was opened under an earlier epoch, by another process, or by this one before something failed.
 * @throws as `storeOnce`.
 */
export async function recoverOnce(deps: StoreDeps, batch: AssignedBatch): Promise<Stored> {
  if (!(await isOwner(open(deps, batch)))) return { batch, result: null }
  await deps.analytics.raiseFences([fenceOf(batch)])
  return close(deps, batch, await storeMissing(deps.analytics, batch))
}

/** From here on no other process may store these records, unless it owns the partition and uses a later epoch. */
async function open(deps: StoreDeps, { assignment, first, last, epoch, counts }: AssignedBatch): Promise<void> {
  const { consumer, store } = deps
  const metadata = encodeOffsetMetadata({ epoch, pendingLast: last, counts, ...(store !== null && { store }) })
  await consumer.commit(assignment, { offset: first, metadata })
}

async function close(deps: StoreDeps, batch: AssignedBatch, { rows, dead }: StoredRows): Promise<Stored> {
  const { assignment, last, epoch, records } = batch
  const { store } = deps
  const counts = withBatch(batch.counts, { read: records.length, written: rows, dead: dead.length })
  const metadata = encodeOffsetMetadata({ epoch, pendingLast: null, counts, ...(store !== null && { store }) })
  const place = { offset: last + 1, metadata }
  const letters = deadLettersOf(SINK_GROUP, batch, dead, deps.now())
  return { batch, result: (await isOwner(deps.consumer.commit(assignment, place, letters))) ? { dead, counts } : null }
}

/** Whether the log has accepted a commit: false when its assignment has ended. */
async function isOwner(commit: Promise<void>): Promise<boolean> {
  try {
    await commit
    return true
  } catch (error) {
    if (!(error instanceof Revoked)) throw error
    return false
  }
}

/** Like `Promise.all`, but settles only once all of the promises have. */
async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
