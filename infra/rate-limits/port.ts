import { EngineUnavailable } from '../engine-unavailable.ts'

/** A draw from a token bucket, which holds `perMinute` tokens at most and refills evenly, as many in a minute. */
export interface Draw {
  key: string
  amount: number
  perMinute: number
}

/**
 * Token buckets that all processes of the program share. An unknown bucket is full, and a level may be negative: the caller
 * reports what was drawn, and decides by the level what to admit next.
 */
export interface SharedBuckets {
  /**
   * Draws in order. @returns the level of each bucket after its draw; null: this one is unavailable, and may have been drawn
   * from. @throws BucketsUnavailable when all are.
   */
  draw(draws: readonly Draw[]): Promise<(number | null)[]>
  close(): Promise<void>
}

/** Thrown when the buckets are unavailable; the call may be retried. */
export class BucketsUnavailable extends EngineUnavailable {
  override readonly name = 'BucketsUnavailable'
}
