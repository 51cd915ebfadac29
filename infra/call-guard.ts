export interface CallGuardOptions {
  /** As messages name it: "The product index". */
  engine: string
  /** Calls that run or wait at once; what is more is refused. */
  callsMax: number
  /** The port's error that says: not now. */
  Unavailable: new (
    message: string,
  ) => Error
  /** What callers of the port get for an error of the engine's client. */
  errorOf: (error: Error) => Error
}

/** Runs the calls of an engine until it is closed, so many at once, and maps their errors. */
export interface CallGuard {
  run<T>(call: () => Promise<T>): Promise<T>
  close(): void
}

export function createCallGuard({ engine, callsMax, Unavailable, errorOf }: CallGuardOptions): CallGuard {
  let open = 0
  let closed = false
  return {
    async run(call) {
      if (closed) throw new Unavailable(`${engine} has been closed`)
      if (open >= callsMax) throw new Unavailable(`${engine} has ${callsMax} calls waiting already`)
      open++
      try {
        return await call()
      } catch (error) {
        throw errorOf(error as Error)
      } finally {
        open--
      }
    },
    close() {
      closed = true
    },
  }
}
