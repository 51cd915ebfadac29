import type { FeedRun } from '../../../../schemas/records/entities.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { type FeedCounts, noCounts } from './job.ts'

/** A new run that waits in the queue. */
export function queuedRun(feed: Entity<'Feed'>, trigger: FeedRun['trigger'], now: number): FeedRun {
  return {
    feedId: feed.id,
    shopId: feed.body.shopId,
    trigger,
    status: 'QUEUED',
    ...noCounts(),
    message: null,
    queuedAt: now,
    startedAt: null,
    endedAt: null,
  }
}

export function failedRun(run: FeedRun, message: string, now: number): FeedRun {
  return { ...run, status: 'FAILED', message, endedAt: now }
}

/** A held run whose removals are confirmed: it is queued again and keeps its counts. */
export function confirmedRun(run: FeedRun): FeedRun {
  return { ...run, status: 'QUEUED', message: null, endedAt: null }
}

/** Whether a queued run was held and confirmed: it has started before. */
export function isConfirmed(run: FeedRun): boolean {
  return run.status === 'QUEUED' && run.startedAt !== null
}

export function isUnderWay(run: FeedRun): boolean {
  return run.status === 'QUEUED' || run.status === 'RUNNING'
}

/** The run with its counts so far. */
export function progressed(run: FeedRun, counts: FeedCounts): FeedRun {
  const { total, changed, unchanged, removed, rejected, warnings, issueCounts } = counts
  return { ...run, total, changed, unchanged, removed, rejected, warnings, issueCounts: { ...issueCounts } }
}

/** Runs of a feed, the latest first. */
export function runsOf(snapshot: Snapshot, feedId: string): Entity<'FeedRun'>[] {
  return [...snapshot.all('FeedRun')].filter((run) => run.body.feedId === feedId).sort(latestFirst)
}

export function latestFirst(a: Entity<'FeedRun'>, b: Entity<'FeedRun'>): number {
  return b.body.queuedAt - a.body.queuedAt || (a.id < b.id ? 1 : -1)
}
