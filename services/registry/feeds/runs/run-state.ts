import type { FeedRun } from '../../../../schemas/records/entities.ts'
import type { EntityIndex } from '../../../domain/entity-index.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import type { FailureCode } from '../failure.ts'
import { type FeedCounts, noCounts } from './job.ts'

/** A new run that waits in the queue. */
export function queuedRun(feed: Entity<'Feed'>, trigger: FeedRun['trigger'], queuedAt: number): FeedRun {
  return {
    feedId: feed.id,
    shopId: feed.body.shopId,
    trigger,
    status: 'QUEUED',
    ...noCounts(),
    message: null,
    queuedAt,
    startedAt: null,
    endedAt: null,
    currency: feed.body.currency,
    failure: null,
    issuesRunId: null,
  }
}

/** A run that did not read the feed, or did not read it to its end. */
export function failedRun(
  run: FeedRun,
  { failure, message, now }: { failure: FailureCode; message: string; now: number },
): FeedRun {
  return { ...run, status: 'FAILED', failure, message, endedAt: now }
}

/** A held run whose removals are confirmed: it is queued again and keeps its counts. */
export function confirmedRun(run: FeedRun): FeedRun {
  return { ...run, status: 'QUEUED', message: null, endedAt: null }
}

/** Whether a queued run was held and confirmed, which shows in its earlier start. */
export function isConfirmed(run: FeedRun): boolean {
  return run.status === 'QUEUED' && run.startedAt !== null
}

export function isUnderWay(run: FeedRun): boolean {
  return run.status === 'QUEUED' || run.status === 'RUNNING'
}

/** The run with its counts so far. */
export function progressed(run: FeedRun, counts: FeedCounts): FeedRun {
  const { total, changed, unchanged, removed, rejected, warnings } = counts
  const issueCounts = { ...counts.issueCounts }
  const rejectedCurrencies = { ...counts.rejectedCurrencies }
  const missingFields = { ...counts.missingFields }
  const numbers = { total, changed, unchanged, removed, rejected, warnings }
  return { ...run, ...numbers, issueCounts, rejectedCurrencies, missingFields }
}

/**
 * A run whose content has not changed since `previous` read it, so that the items rejected then are still rejected.
 * @param taken the number of offers of the feed now.
 */
export function unmodifiedRun(run: FeedRun, previous: Entity<'FeedRun'>, taken: number): FeedRun {
  const { rejected, warnings, issueCounts, rejectedCurrencies, missingFields, issuesRunId } = previous.body
  return {
    ...run,
    ...{ total: taken + rejected, unchanged: taken, rejected, warnings },
    ...{ issueCounts, rejectedCurrencies, missingFields, issuesRunId: issuesRunId ?? previous.id },
  }
}

/** Runs by their feed, the latest first. */
export const runsOfFeed: EntityIndex<'FeedRun'> = {
  kind: 'FeedRun',
  keysOf: ({ feedId }) => [feedId],
  compare: (a, b) => b.body.queuedAt - a.body.queuedAt || (a.id < b.id ? 1 : -Number(a.id > b.id)),
}

/** Runs that are queued or running, by their status. */
export const runsUnderWay: EntityIndex<'FeedRun'> = {
  kind: 'FeedRun',
  keysOf: (run) => (isUnderWay(run) ? [run.status] : []),
}

/** Runs of a feed, the latest first. */
export function runsOf(snapshot: Snapshot, feedId: string): Entity<'FeedRun'>[] {
  return [...snapshot.under(runsOfFeed, feedId)]
}

/** The latest run of a feed for which `fits` is true. */
export function latestRun(
  snapshot: Snapshot,
  feedId: string,
  fits: (run: Entity<'FeedRun'>) => boolean = () => true,
): Entity<'FeedRun'> | undefined {
  return snapshot.under(runsOfFeed, feedId).find(fits)
}
