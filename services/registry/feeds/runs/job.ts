import type { FailureCode } from '../failure.ts'
import type { Credentials, Validators } from '../source/fetch.ts'

/** The work of one run. Plain data, because it crosses threads. */
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
        /** Hash of the content that was applied last; the same content again leaves product updates in force. */
        contentHash: string | null
        /** The offers are those of that content: what has not changed need not be read. */
        isFresh: boolean
      }
    /** Reads content that is in the file already. */
    | { tag: 'READ' }
    /** Makes the removals that the run was held for. */
    | { tag: 'REMOVE_HELD' }
    /** Removes all offers of a deleted feed. */
    | { tag: 'REMOVE_ALL' }
  /** File of the content as received; FETCH writes it. */
  contentPath: string
  /** File with the removals of a held run. */
  heldPath: string
}

/** The content that was applied last, and the validators for the next conditional fetch. */
export interface FetchedContent extends Validators {
  /** SHA-256, base64url. */
  contentHash: string | null
}

/** The offers in force do not equal any single content, so the next fetch must not be conditional. */
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
  /** Items rejected for a price in another currency, by that currency; at most CURRENCIES_COUNTED_MAX of them. */
  rejectedCurrencies: Record<string, number>
  /** Items rejected for a missing field, by field. */
  missingFields: Record<string, number>
}

export interface FeedOutcome {
  status: 'DONE' | 'HELD' | 'FAILED'
  /** Why it is HELD or FAILED. */
  message: string | null
  /** What kind of failure; null unless FAILED. */
  failure: FailureCode | null
  /** The source answered that its content is that of the last fetch, so nothing was read. */
  isUnmodified: boolean
  counts: FeedCounts
  /** What is now known about the source; null: unchanged. */
  content: FetchedContent | null
  /** When the same content will mean other offers (a sale starts or ends). UTC epoch ms; null: never. */
  staleAt: number | null
}

/** Runs jobs, in this thread (`createFeedRunner`) or in another one (`feedRunnerClient`). */
export interface FeedRunner {
  /** Resolves when the job has ended, however it ended; rejects when the runner itself fails. */
  run(job: FeedJob): Promise<FeedOutcome>
  /** The counts so far of a run in progress; null when there is none. */
  progress(runId: string): Promise<FeedCounts | null>
  /** Stops a run soon; what it has written stays. */
  cancel(runId: string): Promise<void>
}

export function noCounts(): FeedCounts {
  return {
    ...{ total: 0, changed: 0, unchanged: 0, removed: 0, rejected: 0, warnings: 0 },
    ...{ issueCounts: {}, rejectedCurrencies: {}, missingFields: {} },
  }
}
