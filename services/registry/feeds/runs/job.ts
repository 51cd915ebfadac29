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
        /** Hash of the content that was applied last. When the content is the same again, later product updates stay in force. */
        contentHash: string | null
        /** Whether the offers are those of that content, so that unchanged content need not be read. */
        isFresh: boolean
      }
    /** Reads content that is already in the file. */
    | { tag: 'READ' }
    /** Makes the removals that the run was held for. */
    | { tag: 'REMOVE_HELD' }
    /** Removes all offers of a deleted feed. */
    | { tag: 'REMOVE_ALL' }
  /** The file with the content as received. FETCH writes it. */
  contentPath: string
  /** The file with the removals of a held run. */
  heldPath: string
}

/** The content that was applied last, and the validators for the next conditional fetch. */
export interface FetchedContent extends Validators {
  /** SHA-256, base64url. */
  contentHash: string | null
}

/** Says that the offers in force are not those of any one fetched content, so that the next fetch is not conditional. */
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
  /** Items rejected for a price in another currency, by that currency; at most CURRENCIES_COUNTED_MAX currencies. */
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
  /** Whether the content is that of the last fetch, so that no items were read. */
  isUnmodified: boolean
  counts: FeedCounts
  /** What is now known about the content of the source; null when that has not changed. */
  content: FetchedContent | null
  /** When the same content will mean different offers, because a sale starts or ends. UTC epoch ms; null for never. */
  staleAt: number | null
}

/** Runs jobs, in this thread (`createFeedRunner`) or in another one (`feedRunnerClient`). */
export interface FeedRunner {
  /** Resolves when the job has ended, however it ended; rejects when the runner itself fails. */
  run(job: FeedJob): Promise<FeedOutcome>
  /** The counts so far of a run; null when the run is not in progress. */
  progress(runId: string): Promise<FeedCounts | null>
  /** Makes a run stop soon. Records that it has written stay. */
  cancel(runId: string): Promise<void>
}

export function noCounts(): FeedCounts {
  return {
    ...{ total: 0, changed: 0, unchanged: 0, removed: 0, rejected: 0, warnings: 0 },
    ...{ issueCounts: {}, rejectedCurrencies: {}, missingFields: {} },
  }
}
