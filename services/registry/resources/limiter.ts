import PQueue from 'p-queue'
import { Problem } from '../../domain/errors.ts'

const RETRY_AFTER_SECONDS = 2

/**
 * Runs at most `running` pieces of work at once; at most `waiting` more wait their turn, in order.
 * @throws Problem UNAVAILABLE when more come.
 */
export function createLimiter(limits: { running: number; waiting: number }): <T>(work: () => Promise<T>) => Promise<T> {
  const queue = new PQueue({ concurrency: limits.running })
  return async (work) => {
    if (queue.pending >= limits.running && queue.size >= limits.waiting) {
      throw new Problem('UNAVAILABLE', 'The server is too busy with requests of this kind', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    return queue.add(work)
  }
}
