import type { Remote } from '../../../../infra/threads/calls.ts'
import { createLimiter } from '../../resources/limiter.ts'
import { type FeedCounts, type FeedJob, type FeedOutcome, type FeedRunner, noCounts } from './job.ts'
import { type RunControl, type RunDeps, runFeed } from './run.ts'
import { RUNS_QUEUED_MAX } from './schedule.ts'

/** How many feeds are read at once. They share one thread and its memory. */
const READ_AT_ONCE = 4

/** Runs jobs in this thread. Its methods can be served to another thread unchanged. */
export function createFeedRunner({ log, index, caughtUp, fetch, now }: Omit<RunDeps, 'readInTurn'>): FeedRunner {
  const readInTurn = createLimiter({ running: READ_AT_ONCE, waiting: RUNS_QUEUED_MAX })
  const deps: RunDeps = { log, index, caughtUp, fetch, readInTurn, now }
  const underWay = new Map<string, RunControl & { cancel: () => void }>()
  return {
    async run(job) {
      const abort = new AbortController()
      underWay.set(job.runId, { signal: abort.signal, counts: noCounts(), cancel: () => abort.abort() })
      try {
        return await runFeed(deps, job, underWay.get(job.runId)!)
      } finally {
        underWay.delete(job.runId)
      }
    },
    async progress(runId) {
      return underWay.get(runId)?.counts ?? null
    },
    async cancel(runId) {
      underWay.get(runId)?.cancel()
    },
  }
}

/** Runs jobs in another thread, which serves a `createFeedRunner`. */
export function feedRunnerClient(thread: Pick<Remote, 'call'>): FeedRunner {
  return {
    run: (job: FeedJob) => thread.call<FeedOutcome>('run', [job]),
    progress: (runId: string) => thread.call<FeedCounts | null>('progress', [runId]),
    cancel: (runId: string) => thread.call<void>('cancel', [runId]),
  }
}
