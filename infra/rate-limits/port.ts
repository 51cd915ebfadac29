import { EngineUnavailable } from '../engine-unavailable.ts'

/** A draw from a token bucket, which holds at most `perMinute` tokens and refills evenly, by `perMinute` tokens a minute. */
export interface Draw {
  key: string
  amount: number
  perMinute: number
}

/**
 * Token buckets that all processes of the program share. An unknown bucket is full. A level may be negative, because callers report
 * what they have drawn already, and decide by the level what to admit next.
 */
export interface SharedBuckets {
  /**
   * Draws in order. @returns the level of each bucket after its draw; null for a bucket that is unavailable, which may have been
   * drawn from. @throws BucketsUnavailable when all buckets are unavailable.
   */
  draw(draws: readonly Draw[]): Promise<(number | null)[]>
  close(): Promise<void>
}

/** Thrown when the buckets are unavailable; the call may be retried. */
export class BucketsUnavailable extends EngineUnavailable {
  override readonly name = 'BucketsUnavailable'
}
