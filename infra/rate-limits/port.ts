/** A draw from a bucket: it holds `perMinute` at most, and refills as much in a minute, evenly. */
export interface Draw {
  key: string
  amount: number
  perMinute: number
}

/**
 * Buckets that the processes of the program share. A bucket that nobody knows is full, and a level may be below zero: the
 * caller says what was drawn, and decides by the level what it lets pass next.
 */
export interface SharedBuckets {
  /** Draws in order. @returns the level of each bucket after its draw. @throws when they cannot be reached. */
  draw(draws: readonly Draw[]): Promise<number[]>
  close(): Promise<void>
}
