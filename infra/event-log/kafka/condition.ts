import { within } from '../../within.ts'

/** A condition variable: wakes whoever waits for something to change. */
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
