import { msSince } from '../domain/time/ms-since.ts'

/** How long the breaker stays open before one call tries the engine again. */
const OPEN_MS = 1_000

/** Knows whether an engine answers, so that not every request waits for one that does not. */
export interface CircuitBreaker {
  /** True while the engine fails or is slow; false for one call a second, which tries it again. */
  isOpen(): boolean
  /** Whether the engine answers, as far as is known: a call that is under way may still be waited for. */
  isHealthy(): boolean
  /** Learns from a call whether the engine answers. An engine that refuses a call answers: others' calls may be taken. */
  watch<T>(call: Promise<T>): Promise<T>
}

/**
 * @param slowMs a call that takes longer means that the engine is slow.
 * @param Unavailable what a call of the port throws while the engine does not answer.
 */
export function createCircuitBreaker({
  now,
  slowMs,
  Unavailable,
}: {
  now: () => number
  slowMs: number
  Unavailable: new () => Error
}): CircuitBreaker {
  /** When each unanswered call began, the oldest first. */
  const pending = new Set<{ at: number }>()
  let failed = false
  let triedAt = Number.NEGATIVE_INFINITY

  function isHealthy(): boolean {
    const [oldest] = pending
    return !failed && (oldest === undefined || now() - oldest.at <= slowMs)
  }
  return {
    isHealthy,
    isOpen: () => !isHealthy() && msSince(triedAt, now()) < OPEN_MS,
    async watch(call) {
      const begun = { at: now() }
      triedAt = begun.at
      pending.add(begun)
      try {
        const result = await call
        failed = false
        return result
      } catch (error) {
        failed = error instanceof Unavailable
        throw error
      } finally {
        pending.delete(begun)
      }
    },
  }
}
