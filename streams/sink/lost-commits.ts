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
 * Makes those of the sink's commits again that Kafka has forgotten, as it does some time after the last member has left the group
 * (`offsets.retention.minutes`). Otherwise everything in their partitions would be stored a second time. What the tables hold says how far the
 * sink had come, except in its last batch, any part of which may be stored: so that one is left in doubt. Call it before joining.
 * @throws TablesOfAnotherLog
 */
export async function restoreSinkCommits({ log, analytics, now, logger }: LostCommitsDeps): Promise<void> {
  const commits = await log.committed(SINK_GROUP)
  const epoch = laterEpoch([], now())
  const made: Commit[] = []
  for (const topic of storedTopics) {
    const lacking = (await log.bounds(topic)).filter(({ partition }) => !hasCommit(commits, topic, partition))
    // The tables need not be asked about partitions that are new. In a log without any commit they may be those of another log.
    const areNew = commits.length > 0 && lacking.every(({ start, end }) => start === end)
    if (areNew) continue
    const lastOf = await lastStored(analytics, topic)
    for (const bounds of lacking) {
      const last = lastOf.get(bounds.partition)
      if (last === undefined) continue
      const { offset, pendingLast } = await placeAfter(log, topic, { bounds, last })
      const metadata = encodeOffsetMetadata({ epoch, pendingLast })
      made.push({ topic, partition: bounds.partition, offset, metadata })
    }
  }
  if (made.length === 0) return
  logger.warn(
    { stream: SINK_GROUP, partitions: made.map(({ topic, partition }) => `${topic}/${partition}`) },
    'commits of the sink are gone from the log: it goes on after what the tables hold',
  )
  await log.reset(SINK_GROUP, [...commits, ...made])
}

const hasCommit = (commits: readonly Commit[], topic: StoredTopic, partition: number): boolean =>
  commits.some((commit) => commit.topic === topic && commit.partition === partition)

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

/** @param last the last offset that is stored. */
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
