import type { Validators } from './fetch.ts'

/** What one run has to do. Plain data: it crosses threads. */
export interface FeedJob {
  runId: string
  feed: { id: string; shopId: string; currency: string; lang: string | null }
  task:
    | { tag: 'FETCH'; url: string; etag: string | null; lastModified: string | null }
    /** The content is in the file already. */
    | { tag: 'READ' }
    /** Makes the removals that a run before was held for. */
    | { tag: 'REMOVE_HELD' }
    /** The feed was deleted: so are its offers. */
    | { tag: 'REMOVE_ALL' }
  /** The feed as it came; written by FETCH. */
  contentPath: string
  /** What a held run would remove. */
  heldPath: string
}

export interface FeedCounts {
  /** Items of the feed. total = changed + unchanged + rejected. */
  total: number
  changed: number
  unchanged: number
  removed: number
  rejected: number
  warnings: number
  /** Issues by code. */
  issueCounts: Record<string, number>
}

export interface FeedOutcome {
  status: 'DONE' | 'HELD' | 'FAILED'
  /** Why it is HELD or FAILED. */
  message: string | null
  counts: FeedCounts
  /** What the next conditional fetch shall send; null: what the last one sent still holds. */
  validators: Validators | null
  /** From then on the same content means other offers (a sale starts or ends). UTC epoch ms. */
  staleAt: number | null
}

/** Does jobs: in this thread (`createFeedRunner`) or in another one (`feedRunnerClient`). */
export interface FeedRunner {
  /** Resolves when the job has ended, however it ended; rejects when the runner itself fails. */
  run(job: FeedJob): Promise<FeedOutcome>
  /** The counts so far of a run under way; null when there is none. */
  progress(runId: string): Promise<FeedCounts | null>
  /** Ends a run soon; what it wrote so far stays. */
  cancel(runId: string): Promise<void>
}

export function noCounts(): FeedCounts {
  return { total: 0, changed: 0, unchanged: 0, removed: 0, rejected: 0, warnings: 0, issueCounts: {} }
}
