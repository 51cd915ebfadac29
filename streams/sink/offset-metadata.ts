import type { StreamCounts } from '../../infra/analytics/audit/counts.ts'
import type { Commit } from '../../infra/event-log/port.ts'
import { OperatorError } from '../../services/domain/errors.ts'

/** What the sink commits with an offset: docs/exactly-once.md. */
export interface SinkOffsetMetadata {
  epoch: number
  /** The last offset of the batch in doubt, which begins at the committed offset. Null when no batch is in doubt. */
  pendingLast: number | null
  /** Counts of everything before the committed offset; absent when nobody has counted yet. */
  counts?: StreamCounts
  /** The store in which everything before the committed offset is; absent in commits of earlier versions and of a rebuild. */
  store?: string
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

/** Rows of the log lie in another store than the one that this process is connected to. */
export class OtherStore extends OperatorError {
  override readonly name = 'OtherStore'
}

/**
 * Refuses to go on in another store than the one in which the rows before these commits are: each store would have a part of them. Commits
 * by earlier versions, and those that a rebuild has made, name no store.
 * @param store of this process (`storeIdentity`); null when it is unknown.
 * @throws OtherStore
 */
export function throwUnlessOneStore(
  commits: readonly Pick<Commit, 'topic' | 'partition' | 'metadata'>[],
  store: string | null,
): void {
  if (store === null) return
  const other = commits.find((commit) => (decodeOffsetMetadata(commit).store ?? store) !== store)
  if (other === undefined) return
  throw new OtherStore(
    `CLICKHOUSE_URL, or DATA_DIR without it, leads to another store than the one in which the rows of ${other.topic}/${other.partition} are so far: give every process with the role streams or registry the same. If the tables are lost or were left behind on purpose, stop these processes, and run make rebuild`,
  )
}
