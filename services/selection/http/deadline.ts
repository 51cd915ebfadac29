import type { MaybePromise } from '../candidates/fresh-cache.ts'

/** What did not come in time, or could not be had at all. */
export const LATE = Symbol('late')

/** Bounds the waiting of one request. */
export interface Deadline {
  /** The value, or LATE once the deadline has passed or when the work fails. What is there already is never late. */
  meet<T>(work: MaybePromise<T>): MaybePromise<T | typeof LATE>
  /** Must be called once the request is answered. */
  clear(): void
}

export function createDeadline(options: { deadlineMs: number; onError: (error: unknown) => void }): Deadline {
  let passed: Promise<typeof LATE> | null = null
  let timer: NodeJS.Timeout | undefined
  const timeout = () => {
    passed ??= new Promise((resolve) => {
      timer = setTimeout(resolve, options.deadlineMs, LATE)
    })
    return passed
  }
  return {
    meet(work) {
      if (!(work instanceof Promise)) return work
      const tried = work.catch((error): typeof LATE => {
        options.onError(error)
        return LATE
      })
      return Promise.race([tried, timeout()])
    },
    clear() {
      clearTimeout(timer)
    },
  }
}
