import { within } from '../../within.ts'

/** A condition variable: wakes all callers that wait for a change. */
export interface Condition {
  notify(): void
  /** Resolves at the next `notify`, or after the timeout. */
  wait(timeoutMs: number): Promise<void>
}

export function createCondition(): Condition {
  let change = Promise.withResolvers<void>()
  return {
    notify() {
      change.resolve()
      change = Promise.withResolvers()
    },
    wait: (timeoutMs) => within(change.promise, timeoutMs, () => new Error('Nothing has changed')).catch(() => {}),
  }
}
