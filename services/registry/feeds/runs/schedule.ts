import type { FeedRun } from '../../../../schemas/records/entities.ts'
import { Problem } from '../../../domain/errors.ts'
import type { Limits } from '../../../domain/limits.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { isUnderWay, queuedRun } from './run-state.ts'

/** Queued runs of all accounts together. */
export const RUNS_QUEUED_MAX = 1_000
const RETRY_AFTER_SECONDS = 60

type WaitingLimits = Pick<Limits, 'accountFeedRunsWaiting'>

/** The account that a run belongs to: the owner of the shop, also of a deleted shop. */
export function ownerOf(snapshot: Snapshot, shopId: string): string {
  return snapshot.getEver('Shop', shopId)?.body.accountId ?? shopId
}

/** @throws Problem RATE_LIMITED when the queue is full, for all accounts or for the owner of this feed. */
export function checkQueueLimit(snapshot: Snapshot, feed: Entity<'Feed'>, limits: WaitingLimits): void {
  const waiting = runsWaiting(snapshot)
  const tooMany = (detail: string) => new Problem('RATE_LIMITED', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  if (waiting.all >= RUNS_QUEUED_MAX) throw tooMany(`${RUNS_QUEUED_MAX} feed runs are already queued`)
  const max = limits.accountFeedRunsWaiting
  if (waiting.of(ownerOf(snapshot, feed.body.shopId)) >= max) {
    throw tooMany(`${max} feed runs of this account are already queued`)
  }
}

/** Runs for the feeds that are due, as many as the queue takes; the others are still due at the next tick. */
export function dueRuns(
  snapshot: Snapshot,
  { intervalMs, now, limits }: { intervalMs: number; now: number; limits: WaitingLimits },
): FeedRun[] {
  const waiting = runsWaiting(snapshot)
  const runs: FeedRun[] = []
  for (const feed of dueFeeds(snapshot, { intervalMs, now })) {
    if (waiting.all >= RUNS_QUEUED_MAX) break
    const owner = ownerOf(snapshot, feed.body.shopId)
    if (waiting.of(owner) >= limits.accountFeedRunsWaiting) continue
    waiting.add(owner)
    runs.push(queuedRun(feed, 'SCHEDULE', now))
  }
  return runs
}

/** Feeds with a url, no run in progress, and no run within the interval; the one whose last run is oldest comes first. */
function dueFeeds(snapshot: Snapshot, { intervalMs, now }: { intervalMs: number; now: number }): Entity<'Feed'>[] {
  const lastQueuedAt = new Map<string, number>()
  for (const { body } of snapshot.all('FeedRun')) {
    const at = isUnderWay(body) ? Number.POSITIVE_INFINITY : body.queuedAt
    lastQueuedAt.set(body.feedId, Math.max(at, lastQueuedAt.get(body.feedId) ?? at))
  }
  const lastAt = (feed: Entity<'Feed'>) => lastQueuedAt.get(feed.id) ?? 0
  return [...snapshot.all('Feed')]
    .filter((feed) => feed.body.url !== null && now - lastAt(feed) >= intervalMs)
    .sort((a, b) => lastAt(a) - lastAt(b))
}

function runsWaiting(snapshot: Snapshot) {
  const byOwner = new Map<string, number>()
  const waiting = {
    all: 0,
    of: (owner: string) => byOwner.get(owner) ?? 0,
    add(owner: string) {
      byOwner.set(owner, waiting.of(owner) + 1)
      waiting.all += 1
    },
  }
  for (const { body } of snapshot.all('FeedRun')) {
    if (body.status === 'QUEUED') waiting.add(ownerOf(snapshot, body.shopId))
  }
  return waiting
}
