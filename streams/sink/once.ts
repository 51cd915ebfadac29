import type { Analytics } from '../../infra/analytics/port.ts'
import type { Assignment, LogConsumer } from '../../infra/event-log/port.ts'
import { type DeadRecord, deadLettersOf } from '../runtime/outcome.ts'
import { fenceOf, type SinkBatch, storeBatch, storeMissing } from './batch.ts'
import { encodeOffsetMetadata, SINK_GROUP } from './offset-metadata.ts'

/** A batch, and the right to store it. */
export interface AssignedBatch extends SinkBatch {
  assignment: Assignment
}

export interface StoreDeps {
  consumer: LogConsumer
  analytics: Analytics
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * Stores a batch exactly once. From `open` until `close` the batch is in doubt: whoever gets the partition meanwhile
 * finishes it by `recoverOnce`. docs/exactly-once.md says why a process that was frozen anywhere in here does no harm.
 * @returns the records that cannot be stored.
 * @throws Revoked, AnalyticsFenced: another has taken over, and finishes the batch; AnalyticsUnavailable, LogUnavailable
 */
export async function storeOnce(deps: StoreDeps, batch: AssignedBatch): Promise<DeadRecord[]> {
  await open(deps, batch)
  return close(deps, batch, await storeBatch(deps.analytics, batch))
}

/**
 * Finishes a batch that was opened under an earlier epoch, by another or by this process before something failed.
 * @throws as `storeOnce`.
 */
export async function recoverOnce(deps: StoreDeps, batch: AssignedBatch): Promise<DeadRecord[]> {
  await open(deps, batch)
  await deps.analytics.raiseFences([fenceOf(batch)])
  return close(deps, batch, await storeMissing(deps.analytics, batch))
}

/** From here on no other may store these records, unless it has the partition and a later epoch. */
async function open({ consumer }: StoreDeps, { assignment, first, last, epoch }: AssignedBatch): Promise<void> {
  await consumer.commit(assignment, { offset: first, metadata: encodeOffsetMetadata({ epoch, pendingLast: last }) })
}

async function close(deps: StoreDeps, batch: AssignedBatch, dead: DeadRecord[]): Promise<DeadRecord[]> {
  const { assignment, last, epoch } = batch
  const place = { offset: last + 1, metadata: encodeOffsetMetadata({ epoch, pendingLast: null }) }
  await deps.consumer.commit(assignment, place, deadLettersOf(SINK_GROUP, batch, dead, deps.now()))
  return dead
}
