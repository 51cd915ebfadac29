export type MaybePromise<T> = T | Promise<T>

/** Stands for a value that did not come within the deadline, or whose work failed. */
export const DEADLINE_EXCEEDED = Symbol('deadline exceeded')

/** Bounds how long one request waits for its ads. */
export interface Deadline {
  /** The value, or DEADLINE_EXCEEDED once the deadline has passed or when the work fails. A value that is no promise always counts. */
  meet<T>(work: MaybePromise<T>): MaybePromise<T | typeof DEADLINE_EXCEEDED>
  /** Must be called once the request is answered. */
  clear(): void
}

export function createDeadline(options: { deadlineMs: number; onError: (error: unknown) => void }): Deadline {
  let passed: Promise<typeof DEADLINE_EXCEEDED> | null = null
  let timer: NodeJS.Timeout | undefined
  const timeout = () => {
    passed ??= new Promise((resolve) => {
      timer = setTimeout(resolve, options.deadlineMs, DEADLINE_EXCEEDED)
    })
    return passed
  }
  return {
    meet(work) {
      if (!(work instanceof Promise)) return work
      const tried = work.catch((error): typeof DEADLINE_EXCEEDED => {
        options.onError(error)
        return DEADLINE_EXCEEDED
      })
      return Promise.race([tried, timeout()])
    },
    clear() {
      clearTimeout(timer)
    },
  }
}
