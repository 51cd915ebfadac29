import type { Commit } from '../../event-log/port.ts'

/**
 * What a stream has counted of a partition. The counts are kept in the metadata of its commits, so they always match the committed
 * offset, whatever crashes.
 */
export interface StreamCounts {
  /** The offset from which it counts. */
  from: number
  /** Records that the stream has read. */
  read: number
  /** What the stream has made of them: rows if it is the sink, otherwise records. */
  written: number
  /** Records that it has given up as dead letters. */
  dead: number
}

export const countedFrom = (from: number): StreamCounts => ({ from, read: 0, written: 0, dead: 0 })

/** The counts after one more batch. */
export function withBatch(counts: StreamCounts, batch: Omit<StreamCounts, 'from'>): StreamCounts {
  const { from, read, written, dead } = counts
  return { from, read: read + batch.read, written: written + batch.written, dead: dead + batch.dead }
}

/** Null when the commit was made by hand, or by a version of the program that did not count. */
export function countsIn({ metadata }: Pick<Commit, 'metadata'>): StreamCounts | null {
  return metadata.startsWith('{') ? ((JSON.parse(metadata) as { counts?: StreamCounts }).counts ?? null) : null
}

/** Size of the batch that this commit of the sink opened, whose records may be stored or not; 0 when it opened none. */
export function pendingIn({ offset, metadata }: Commit): number {
  const { pendingLast } = JSON.parse(metadata || '{}') as { pendingLast?: number | null }
  return typeof pendingLast === 'number' ? pendingLast + 1 - offset : 0
}
