import PQueue from 'p-queue'
import { Problem } from '../../domain/errors.ts'

const RETRY_AFTER_SECONDS = 2

/**
 * Runs at most `running` pieces of work at once; of each priority, at most `waiting` more wait their turn, in order. Those of a
 * higher priority have theirs first. @throws Problem UNAVAILABLE when more come.
 */
export function createLimiter(limits: {
  running: number
  waiting: number
}): <T>(work: () => Promise<T>, options?: { priority: number }) => Promise<T> {
  const queue = new PQueue({ concurrency: limits.running })
  return async (work, { priority } = { priority: 0 }) => {
    if (queue.pending >= limits.running && queue.sizeBy({ priority }) >= limits.waiting) {
      throw new Problem('UNAVAILABLE', 'The server is too busy with requests of this kind', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    return queue.add(work, { priority })
  }
}
