import type { Credentials, Validators } from '../source/fetch.ts'

/** What one run has to do. Plain data: it crosses threads. */
export interface FeedJob {
  runId: string
  feed: { id: string; shopId: string; currency: string; lang: string | null }
  task:
    | {
        tag: 'FETCH'
        url: string
        credentials: Credentials | null
        etag: string | null
        lastModified: string | null
        /** Of the content that the feed's offers are of; the same content again leaves product updates in force. */
        contentHash: string | null
      }
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

/** The content that a feed's offers are of, and what the next conditional fetch shall send. */
export interface FetchedContent extends Validators {
  /** SHA-256, base64url. */
  contentHash: string | null
}

/** What is in force is of no single content, so the next fetch must not be conditional. */
export const UNKNOWN_CONTENT: FetchedContent = { etag: null, lastModified: null, contentHash: null }

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
  /** What is now known of the source; null: what was known still holds. */
  content: FetchedContent | null
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
