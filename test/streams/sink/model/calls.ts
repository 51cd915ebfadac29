/** A request of a process that has not been answered yet. */
export interface Call {
  process: number
  name: string
  /** What it does at the server, one after the other. */
  steps: (() => void)[]
  /** What is then answered, or thrown. */
  outcome: () => unknown
  /** Whether an answer may come now, when all steps are done. */
  isReady: () => boolean
  /** Whether its answer may be lost on the way. */
  canLose: boolean
  /** Its process has been told that the answer was lost, and waits for it no more. */
  abandoned: boolean
  resolve(value: unknown): void
  reject(error: Error): void
}

export type CallOptions = Partial<Pick<Call, 'steps' | 'outcome' | 'isReady' | 'canLose'>>

/** The requests under way, which get on only when they are told to. */
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

    /** Its process hears of a failure; what it does at the server goes on. */
    lose(call: Call, error: Error): void {
      call.canLose = false
      call.abandoned = true
      call.reject(error)
    },

    waitsFor: (process: number) => open.some((call) => call.process === process && !call.abandoned),
  }
}

export type Calls = ReturnType<typeof createCalls>
