import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Feed } from '../../../../schemas/records/entities.ts'
import { Problem } from '../../../domain/errors.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { changed, type Decide, type EntityChange, type Registry } from '../../resources/store.ts'
import type { FailureCode } from '../failure.ts'
import { readsAlike } from '../feed-entities.ts'
import type { FeedFiles } from '../source/files.ts'
import { type FeedJob, type FeedOutcome, type FeedRunner, UNKNOWN_CONTENT } from './job.ts'
import { changesAtEnd } from './run-end.ts'
import { failedRun, isConfirmed, isUnderWay, progressed, runsOf } from './run-state.ts'
import type { Freshness } from './schedule.ts'

/** The account id under which runs record their own changes. No account has this id. */
export const FEEDS_ACCOUNT_ID = 'feeds'
/** About four days of hourly runs. */
export const RUNS_KEPT_PER_FEED = 100
const PROGRESS_MS = 1_000
const WRITE_RETRY_MS = 1_000

export interface ExecuteDeps {
  registry: Registry
  runner: FeedRunner
  files: FeedFiles
  freshness: Freshness
  now: () => number
  logger: Pick<FastifyBaseLogger, 'error'>
  /** Aborted when this process stops: a run in progress is left as it is, and the next start resumes it. */
  stopping: AbortSignal
}

/** Takes a QUEUED run to its end: RUNNING, then DONE, HELD or FAILED in the registry. */
export async function executeRun(deps: ExecuteDeps, runId: string): Promise<void> {
  const { registry, now, stopping, logger } = deps
  // A run whose files cannot be prepared fails: left in the queue, it would keep its feed from every later run.
  const fault = (err: unknown): Refusal => {
    logger.error({ err, runId }, 'A feed run could not begin')
    return FAULT_OF_OURS
  }
  const run = registry.snapshot.get('FeedRun', runId)
  if (run?.body.status !== 'QUEUED' || stopping.aborted) return
  const feed = registry.snapshot.get('Feed', run.body.feedId)
  const job = feed ? await jobOf(deps, run, feed).catch(fault) : FEED_DELETED
  if ('failure' in job) {
    await settle(deps, runId, (current) => [changed(current, failedRun(current.body, { ...job, now: now() }))])
    return
  }
  if (job.task.tag !== 'REMOVE_HELD') {
    const started = { status: 'RUNNING', startedAt: now(), currency: job.feed.currency } as const
    await settle(deps, runId, (current) => [changed(current, { ...current.body, ...started })])
    // Begun now, the run could not be cancelled, and the next start would take what it had fetched for the whole content.
    if (stopping.aborted) return
  }
  const outcome = await runToEnd(deps, job)
  if (outcome === 'STOPPED') return
  const mayKeep = await deps.files.mayKeep(runId)
  const { snapshot } = registry
  const withFiles = runsWithFiles(snapshot, job)
  // What the run has learned of the source holds only while the feed is read as it was when the run began.
  const isAsRead = (current: Feed | undefined) => current !== undefined && readsAlike(current, feed!.body)
  await settle(deps, runId, (current) =>
    changesAtEnd(current, outcome, { task: job.task, mayKeep, isAsRead, snapshot, now: now() }),
  )
  // When the source's content was unmodified, its offers still go stale at the time recorded before.
  if (!outcome.isUnmodified) {
    const isRead = outcome.status === 'DONE' && outcome.content !== null
    const isApplied = isRead && isAsRead(snapshot.body('Feed', job.feed.id))
    if (isApplied) deps.freshness.applied(job.feed.id, outcome.staleAt)
    else deps.freshness.lost(job.feed.id)
  }
  await removeFiles(deps, { job, withFiles })
  await forgetOldRuns(deps, job.feed.id)
}

/** Keeps only the latest runs, because all runs are in memory. The issues of forgotten runs stay in the log. */
async function forgetOldRuns({ registry, stopping }: ExecuteDeps, feedId: string): Promise<void> {
  try {
    await registry.forget(() =>
      runsOf(registry.snapshot, feedId)
        .slice(RUNS_KEPT_PER_FEED)
        .filter((run) => !isUnderWay(run.body)),
    )
  } catch (error) {
    // The next run tries again.
    if (!(error instanceof Problem) && !stopping.aborted) throw error
  }
}

interface Refusal {
  failure: FailureCode
  message: string
}

const FAULT_OF_OURS: Refusal = { failure: 'INTERNAL', message: 'The run failed because of an internal error' }
const FEED_DELETED: Refusal = { failure: 'REPLACED', message: 'The feed was deleted' }
const UPLOAD_GONE: Refusal = {
  failure: 'CONTENT_GONE',
  message: 'The uploaded file is no longer kept: upload it again',
}

/** The job of a run, or why it cannot start. */
async function jobOf(deps: ExecuteDeps, run: Entity<'FeedRun'>, feed: Entity<'Feed'>): Promise<FeedJob | Refusal> {
  const { files, freshness, now } = deps
  const { shopId, currency, lang, url, etag, lastModified, contentHash, username, password, keptUpload } = feed.body
  const job = {
    runId: run.id,
    feed: { id: feed.id, shopId, currency, lang },
    contentPath: files.contentPath(run.id),
    heldPath: files.heldPath(run.id),
  }
  if (isConfirmed(run.body)) return { ...job, task: { tag: 'REMOVE_HELD' } }
  if (await files.hasContent(run.id)) return { ...job, task: { tag: 'READ' } }
  if (run.body.trigger === 'UPLOAD') return UPLOAD_GONE
  if (url === null) {
    if (keptUpload === null || !(await files.hasContent(keptUpload))) return UPLOAD_GONE
    await files.share(keptUpload, run.id)
    return { ...job, task: { tag: 'READ' } }
  }
  const credentials = username === null ? null : { username, password: password ?? '' }
  const isScheduled = run.body.trigger === 'SCHEDULE'
  const isFresh = isScheduled && freshness.isFresh(feed.id, now())
  const validators = isFresh ? { etag, lastModified } : NO_VALIDATORS
  // A run that somebody requested applies the file's offers, whatever product updates have changed since.
  return {
    ...job,
    task: { tag: 'FETCH', url, credentials, ...validators, contentHash: isScheduled ? contentHash : null, isFresh },
  }
}

const NO_VALIDATORS = { etag: null, lastModified: null }

async function runToEnd(deps: ExecuteDeps, job: FeedJob): Promise<FeedOutcome | 'STOPPED'> {
  const { registry, runner, stopping, logger } = deps
  const ended = new AbortController()
  const cancel = () => void runner.cancel(job.runId).catch(() => {})
  stopping.addEventListener('abort', cancel)
  const reporting = reportProgress(deps, job.runId, ended.signal)
  try {
    return await runner.run(job)
  } catch (error) {
    if (stopping.aborted) return 'STOPPED'
    const counts = registry.snapshot.body('FeedRun', job.runId)!
    const deleted = !registry.snapshot.get('Feed', job.feed.id)
    if (!deleted) logger.error({ err: error, feedId: job.feed.id, runId: job.runId }, 'A feed run failed')
    const { failure, message } = deleted ? FEED_DELETED : FAULT_OF_OURS
    return {
      status: 'FAILED',
      message,
      failure,
      isUnmodified: false,
      counts,
      content: UNKNOWN_CONTENT,
      staleAt: null,
    }
  } finally {
    ended.abort()
    stopping.removeEventListener('abort', cancel)
    await reporting
  }
}

async function reportProgress(deps: ExecuteDeps, runId: string, ended: AbortSignal): Promise<void> {
  const { registry, runner } = deps
  while (!ended.aborted) {
    await sleep(PROGRESS_MS, undefined, { signal: ended }).catch(() => {})
    if (ended.aborted) return
    try {
      const counts = await runner.progress(runId)
      await registry.write(
        () => {
          const run = registry.snapshot.get('FeedRun', runId)
          if (!counts || run?.body.status !== 'RUNNING' || run.body.total === counts.total) return []
          return [changed(run, progressed(run.body, counts))]
        },
        { by: FEEDS_ACCOUNT_ID },
      )
    } catch {
      // Progress is reported again a second later.
    }
  }
}

/** The runs of a feed that may have files while one of them runs: that run, held runs, and the run whose upload is kept. */
function runsWithFiles(snapshot: Snapshot, { runId, feed }: FeedJob): ReadonlySet<string> {
  const held = runsOf(snapshot, feed.id).filter(({ body }) => body.status === 'HELD')
  const kept = snapshot.body('Feed', feed.id)?.keptUpload
  return new Set([runId, ...held.map(({ id }) => id), ...(kept ? [kept] : [])])
}

/**
 * Removes the files of runs that have ended, except the upload that is kept. A held run keeps its list of removals. Whether a run has
 * ended is what the registry says: the end of one that could not be written is left to the next start, which needs its files.
 */
async function removeFiles(
  { files, registry }: ExecuteDeps,
  { job, withFiles }: { job: FeedJob; withFiles: ReadonlySet<string> },
): Promise<void> {
  const { snapshot } = registry
  const kept = snapshot.body('Feed', job.feed.id)?.keptUpload
  for (const id of withFiles) {
    const status = snapshot.body('FeedRun', id)?.status
    if (status === 'QUEUED' || status === 'RUNNING') continue
    if (id === kept && status === 'HELD') continue
    if (id === kept) await files.removeHeld(id)
    else if (status === 'HELD') await files.removeContent(id)
    else await files.remove(id)
  }
}

/** Retries until the write succeeds: a run must not be stuck because the log was unavailable for a moment. */
async function settle(
  { registry, stopping }: ExecuteDeps,
  runId: string,
  decide: (run: Entity<'FeedRun'>) => EntityChange[],
): Promise<void> {
  const decideNow: Decide = () => {
    const run = registry.snapshot.get('FeedRun', runId)
    return run ? decide(run) : []
  }
  while (!stopping.aborted) {
    try {
      await registry.write(decideNow, { by: FEEDS_ACCOUNT_ID })
      return
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      await sleep(WRITE_RETRY_MS, undefined, { signal: stopping }).catch(() => {})
    }
  }
}
