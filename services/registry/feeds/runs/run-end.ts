import type { Feed, FeedRun } from '../../../../schemas/records/entities.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { changed, type EntityChange } from '../../resources/store.ts'
import { type FeedJob, type FeedOutcome, type FetchedContent, UNKNOWN_CONTENT } from './job.ts'
import { failedRun, progressed, runsOf, unmodifiedRun } from './run-state.ts'

/** What the end of a run depends on, besides its outcome. */
interface Circumstances {
  task: FeedJob['task']
  /** Whether an upload can be kept, to be read again. */
  mayKeep: boolean
  /** Whether the feed is still read as it was when the run began: otherwise the run has learned nothing of the source. */
  isAsRead: (feed: Feed) => boolean
  snapshot: Snapshot
  /** UTC epoch milliseconds. */
  now: number
}

const SUPERSEDED = { failure: 'REPLACED', message: 'A later run has replaced this one. Nothing was removed' } as const

/** The changes at the end of a run: to the run, to what is known about the feed's source, and to runs of the feed that are held. */
export function changesAtEnd(
  run: Entity<'FeedRun'>,
  outcome: FeedOutcome,
  { task, mayKeep, isAsRead, snapshot, now }: Circumstances,
): EntityChange[] {
  const { status, message, failure, content } = outcome
  const ended = { ...run.body, status, message, failure, endedAt: now }
  const changes: EntityChange[] = [changed(run, withResult(snapshot, ended, outcome, task))]
  const feed = snapshot.get('Feed', run.body.feedId)
  if (feed) {
    const { etag, lastModified, contentHash } =
      content && !isAsRead(feed.body) ? UNKNOWN_CONTENT : (content ?? feed.body)
    const keptUpload = keptUploadAfter(feed.body, run, outcome, { task, mayKeep })
    const known = { etag, lastModified, contentHash, keptUpload }
    if (differ(feed.body, known)) changes.push(changed(feed, { ...feed.body, ...known }))
  }
  if (status !== 'FAILED') {
    for (const other of runsOf(snapshot, run.body.feedId)) {
      if (other.id === run.id || other.body.status !== 'HELD') continue
      changes.push(changed(other, failedRun(other.body, { ...SUPERSEDED, now })))
    }
  }
  return changes
}

/**
 * The run whose upload can be read again from now on. After a failed run that is the one that was read before it, or the run's own
 * where the failure was a fault of ours, because its sender was told that the upload is stored.
 */
function keptUploadAfter(
  { url, keptUpload }: Feed,
  run: Entity<'FeedRun'>,
  { status, failure, content }: FeedOutcome,
  { task, mayKeep }: Pick<Circumstances, 'task' | 'mayKeep'>,
): string | null {
  const canKeep = url === null && task.tag === 'READ' && mayKeep
  if (status !== 'FAILED') return content === null ? keptUpload : canKeep ? run.id : null
  return canKeep && failure === 'INTERNAL' && run.body.trigger === 'UPLOAD' ? run.id : keptUpload
}

/** The ended run with its counts. Applied twice, it gives the same, because the end of a run is written until an answer comes. */
function withResult(
  snapshot: Snapshot,
  ended: FeedRun,
  { counts, isUnmodified }: FeedOutcome,
  task: FeedJob['task'],
): FeedRun {
  if (task.tag === 'REMOVE_HELD') return { ...ended, removed: counts.removed }
  const previous = isUnmodified ? runsOf(snapshot, ended.feedId).find(({ body }) => body.status === 'DONE') : undefined
  return previous ? unmodifiedRun(ended, previous, counts.unchanged) : progressed(ended, counts)
}

type Known = FetchedContent & Pick<Feed, 'keptUpload'>

function differ(a: Known, b: Known): boolean {
  const names = ['etag', 'lastModified', 'contentHash', 'keptUpload'] as const
  return names.some((name) => a[name] !== b[name])
}
