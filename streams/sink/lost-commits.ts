import type { Analytics } from '../../infra/analytics/port.ts'
import type { Commit, EventLog, PartitionBounds } from '../../infra/event-log/port.ts'
import { OperatorError } from '../../services/domain/errors.ts'
import type { StreamLogger } from '../runtime/stream.ts'
import { BATCH_RECORDS } from './fillings.ts'
import { encodeOffsetMetadata, laterEpoch, SINK_GROUP } from './offset-metadata.ts'
import { type StoredTopic, storedTopics, tablesOf } from './rows.ts'

/** More records than a batch of one partition may have, which ends with one poll: what was in doubt is among the last of them. */
const DOUBTED_RECORDS = 2 * BATCH_RECORDS
const WINDOW_GROWTH = 4

/** The tables hold rows of records that the log has never had. The message is written for the operator. */
export class TablesOfAnotherLog extends OperatorError {
  override readonly name = 'TablesOfAnotherLog'
}

export interface LostCommitsDeps {
  log: Pick<EventLog, 'committed' | 'bounds' | 'count' | 'reset'>
  analytics: Pick<Analytics, 'query'>
  /** UTC epoch milliseconds. */
  now: () => number
  logger: StreamLogger
}

/**
 * Makes the sink's commits again when Kafka has forgotten them, as it does some time after the last member has left the group
 * (`offsets.retention.minutes`). Otherwise everything in the log would be stored a second time. What the tables hold says how far the
 * sink had come, except in its last batch, any part of which may be stored: so that one is left in doubt. Call it before joining.
 * @throws TablesOfAnotherLog
 */
export async function restoreSinkCommits({ log, analytics, now, logger }: LostCommitsDeps): Promise<void> {
  if ((await log.committed(SINK_GROUP)).length > 0) return
  const lastOf = new Map<StoredTopic, Map<number, number>>()
  for (const topic of storedTopics) lastOf.set(topic, await lastStored(analytics, topic))
  if ([...lastOf.values()].every((last) => last.size === 0)) return
  logger.warn(
    { stream: SINK_GROUP },
    'the commits of the sink are gone from the log: it goes on after what the tables hold',
  )
  const epoch = laterEpoch([], now())
  const commits: Commit[] = []
  for (const [topic, last] of lastOf) {
    for (const bounds of await log.bounds(topic)) {
      const place = await placeAfter(log, topic, { bounds, last: last.get(bounds.partition) ?? -1 })
      const metadata = encodeOffsetMetadata({ epoch, pendingLast: place.pendingLast })
      commits.push({ topic, partition: bounds.partition, offset: place.offset, metadata })
    }
  }
  await log.reset(SINK_GROUP, commits)
}

/** The last offset of each partition of which a table has a row. */
async function lastStored(analytics: Pick<Analytics, 'query'>, topic: StoredTopic): Promise<Map<number, number>> {
  const last = new Map<number, number>()
  for (const { table } of tablesOf[topic]) {
    const rows = await analytics.query<{ partition: number; last: number }>(
      `SELECT _partition AS partition, max(_offset) AS last FROM ${table} WHERE _topic = {topic:String} GROUP BY _partition`,
      { topic },
    )
    for (const row of rows) last.set(row.partition, Math.max(last.get(row.partition) ?? -1, row.last))
  }
  return last
}

/** @param last the last offset that is stored; -1 for none. */
async function placeAfter(
  log: LostCommitsDeps['log'],
  topic: StoredTopic,
  { bounds: { partition, start, end }, last }: { bounds: PartitionBounds; last: number },
): Promise<{ offset: number; pendingLast: number | null }> {
  if (last >= end) {
    throw new TablesOfAnotherLog(
      `The tables hold rows of ${topic}/${partition} up to offset ${last}, and the log ends before ${end}: they belong to another log. Stop every process with the role streams, and run make rebuild`,
    )
  }
  // The log no longer holds what was in doubt.
  if (last < start) return { offset: start, pendingLast: null }
  for (let window = DOUBTED_RECORDS; ; window *= WINDOW_GROWTH) {
    const offset = Math.max(start, last + 1 - window)
    const isEnough = offset === start || (await log.count(topic, partition, offset, last + 1)) >= DOUBTED_RECORDS
    if (isEnough) return { offset, pendingLast: last }
  }
}
