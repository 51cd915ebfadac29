import { Problem } from '../../domain/errors.ts'

const RETRY_AFTER_SECONDS = 2

/** Runs work, so much of it at once, and lets so much wait its turn. @throws Problem UNAVAILABLE when more comes. */
export function createLimiter(limits: { running: number; waiting: number }): <T>(work: () => Promise<T>) => Promise<T> {
  const turns: (() => void)[] = []
  let running = 0

  async function turn(): Promise<void> {
    if (running < limits.running) {
      running += 1
      return
    }
    if (turns.length >= limits.waiting) {
      throw new Problem('UNAVAILABLE', 'Too much of this is under way now', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    await new Promise<void>((resolve) => turns.push(resolve))
  }

  return async (work) => {
    await turn()
    try {
      return await work()
    } finally {
      // The turn is handed on; nobody who comes in between can take it.
      const next = turns.shift()
      if (next) next()
      else running -= 1
    }
  }
}
