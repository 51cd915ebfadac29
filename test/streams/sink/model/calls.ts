/** A request of a process that has not been answered yet. */
export interface Call {
  process: number
  name: string
  /** What it does at the server, step by step. */
  steps: (() => void)[]
  /** Returns or throws the answer. */
  outcome: () => unknown
  /** Whether the answer may come now, after all steps are done. */
  isReady: () => boolean
  /** Whether the answer may be lost on the way. */
  canLose: boolean
  /** Its process has been told that the answer was lost, and no longer waits for it. */
  abandoned: boolean
  resolve(value: unknown): void
  reject(error: Error): void
}

export type CallOptions = Partial<Pick<Call, 'steps' | 'outcome' | 'isReady' | 'canLose'>>

/** The requests in flight, which proceed only when they are told to. */
export function createCalls() {
  const open: Call[] = []
  return {
    open: open as readonly Call[],

    make(process: number, name: string, options: CallOptions) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const call: Call = {
        process,
        name,
        steps: [],
        outcome: () => undefined,
        isReady: () => true,
        canLose: false,
        abandoned: false,
        ...options,
        resolve,
        reject,
      }
      open.push(call)
      return { call, promise }
    },

    answer(call: Call): void {
      open.splice(open.indexOf(call), 1)
      try {
        call.resolve(call.outcome())
      } catch (error) {
        call.reject(error as Error)
      }
    },

    /** Reports a failure to the process; what the request does at the server goes on. */
    lose(call: Call, error: Error): void {
      call.canLose = false
      call.abandoned = true
      call.reject(error)
    },

    waitsFor: (process: number) => open.some((call) => call.process === process && !call.abandoned),
  }
}

export type Calls = ReturnType<typeof createCalls>
