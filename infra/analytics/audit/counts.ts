import type { Commit } from '../../event-log/port.ts'

/**
 * What a stream has counted of a partition. It is kept in the metadata of its commits, so that it is exactly as far as they
 * are, whatever dies in between.
 */
export interface StreamCounts {
  /** The offset from which it counts. */
  from: number
  /** Records that the stream has read. */
  read: number
  /** What it has made of them: rows, of the sink; records, of any other. */
  written: number
  /** Those that it has given up. */
  dead: number
}

export const countedFrom = (from: number): StreamCounts => ({ from, read: 0, written: 0, dead: 0 })

/** The counts after a batch more. */
export function withBatch(counts: StreamCounts, batch: Omit<StreamCounts, 'from'>): StreamCounts {
  const { from, read, written, dead } = counts
  return { from, read: read + batch.read, written: written + batch.written, dead: dead + batch.dead }
}

/** Null: the commit was made by hand, or by a version of the program that did not count. */
export function countsIn({ metadata }: Pick<Commit, 'metadata'>): StreamCounts | null {
  return metadata.startsWith('{') ? ((JSON.parse(metadata) as { counts?: StreamCounts }).counts ?? null) : null
}

/** Records that the sink may have stored, or not, when it committed this. */
export function pendingIn({ offset, metadata }: Commit): number {
  const { pendingLast } = JSON.parse(metadata || '{}') as { pendingLast?: number | null }
  return typeof pendingLast === 'number' ? pendingLast + 1 - offset : 0
}
