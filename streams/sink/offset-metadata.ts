import type { StreamCounts } from '../../infra/analytics/audit/counts.ts'
import type { Commit } from '../../infra/event-log/port.ts'

/** What the sink commits with an offset: docs/exactly-once.md. */
export interface SinkOffsetMetadata {
  epoch: number
  /** The last offset of the batch in doubt, which begins at the committed offset. Null when no batch is in doubt. */
  pendingLast: number | null
  /** Counts of everything before the committed offset; absent when nobody has counted yet. */
  counts?: StreamCounts
  /** Whether a rebuild drops the tables. Until it has made them again, a sink would store a second time what is still there. */
  areTablesDropped?: boolean
}

export const SINK_GROUP = 'sink'
const NOTHING_YET: SinkOffsetMetadata = { epoch: 0, pendingLast: null }

export function encodeOffsetMetadata(metadata: SinkOffsetMetadata): string {
  return JSON.stringify(metadata)
}

export function decodeOffsetMetadata(commit: Pick<Commit, 'metadata'> | null): SinkOffsetMetadata {
  return commit === null || commit.metadata === '' ? NOTHING_YET : (JSON.parse(commit.metadata) as SinkOffsetMetadata)
}

/**
 * An epoch above all that the sink has used. When its commits are lost, so are its epochs: but each recovery raises one only by 1, so
 * that the time is above all of them, and above that of an earlier loss.
 * @param now UTC epoch milliseconds.
 */
export function laterEpoch(commits: readonly Pick<Commit, 'metadata'>[], now: number): number {
  if (commits.length === 0) return now
  return Math.max(...commits.map((commit) => decodeOffsetMetadata(commit).epoch)) + 1
}
