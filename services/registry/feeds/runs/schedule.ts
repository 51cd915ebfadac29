import type { FeedRun } from '../../../../schemas/records/entities.ts'
import { Problem } from '../../../domain/errors.ts'
import type { Limits } from '../../../domain/limits.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { latestRun, queuedRun, runsUnderWay } from './run-state.ts'

/** Limit of the queued runs of all accounts together. */
export const RUNS_QUEUED_MAX = 1_000
const RETRY_AFTER_SECONDS = 60

type WaitingLimits = Pick<Limits, 'accountFeedRunsWaiting'>

/**
 * Whether the last fetched content still means the same offers, so that the next fetch may be conditional. Kept in memory only:
 * after a start nothing is fresh, because a run may have been interrupted.
 */
export class Freshness {
  /** By feed: the time from which on it is stale, epoch ms. Infinity when it stays fresh until the content changes. */
  readonly #staleAt = new Map<string, number>()

  isFresh(feedId: string, now: number): boolean {
    return now < (this.#staleAt.get(feedId) ?? Number.NEGATIVE_INFINITY)
  }

  /** Records that the feed's offers are those of its content: until `staleAt`, or, when that is null, until the content changes. */
  applied(feedId: string, staleAt: number | null): void {
    this.#staleAt.set(feedId, staleAt ?? Number.POSITIVE_INFINITY)
  }

  /** Records that the feed's offers may differ from its content. */
  lost(feedId: string): void {
    this.#staleAt.delete(feedId)
  }
}

/** The account that a run belongs to: the owner of the shop, even when the shop was deleted. */
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

/**
 * Runs for the feeds that are due, as many as fit into the queue. The others are still due at the next tick. A feed whose currency
 * differs from that of its last run is read again, unconditionally, whatever was written or ended in the meantime.
 */
export function dueRuns(
  snapshot: Snapshot,
  { intervalMs, now, limits }: { intervalMs: number; now: number; limits: WaitingLimits },
): FeedRun[] {
  const waiting = runsWaiting(snapshot)
  const runs: FeedRun[] = []
  for (const { feed, trigger } of dueFeeds(snapshot, { intervalMs, now })) {
    if (waiting.all >= RUNS_QUEUED_MAX) break
    const owner = ownerOf(snapshot, feed.body.shopId)
    if (waiting.of(owner) >= limits.accountFeedRunsWaiting) continue
    waiting.add(owner)
    runs.push(queuedRun(feed, trigger, now))
  }
  return runs
}

/** Feeds that are due and have no queued or running run. The feed whose last run is oldest comes first. */
function dueFeeds(snapshot: Snapshot, { intervalMs, now }: { intervalMs: number; now: number }) {
  const underWay = (['QUEUED', 'RUNNING'] as const).flatMap((status) => [...snapshot.under(runsUnderWay, status)])
  const busy = new Set(underWay.map(({ body }) => body.feedId))
  // A run with a later time was queued by a clock that was ahead, so it does not tell when the feed is due.
  const hasBegun = ({ body }: Entity<'FeedRun'>) => body.queuedAt <= now
  const due: { feed: Entity<'Feed'>; trigger: FeedRun['trigger']; lastAt: number }[] = []
  for (const feed of snapshot.all('Feed')) {
    if (busy.has(feed.id)) continue
    const { url, currency, keptUpload } = feed.body
    const last = latestRun(snapshot, feed.id, hasBegun)?.body
    const lastAt = last?.queuedAt ?? 0
    const wasOtherCurrency = last !== undefined && last.currency !== null && last.currency !== currency
    if (wasOtherCurrency && (url !== null || keptUpload !== null)) due.push({ feed, trigger: 'MANUAL', lastAt })
    else if (url !== null && now - lastAt >= intervalMs) due.push({ feed, trigger: 'SCHEDULE', lastAt })
  }
  return due.sort((a, b) => a.lastAt - b.lastAt)
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
  for (const { body } of snapshot.under(runsUnderWay, 'QUEUED')) waiting.add(ownerOf(snapshot, body.shopId))
  return waiting
}
