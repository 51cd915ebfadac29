export interface CallGuardOptions {
  /** The subject of its messages: "The product index". */
  engine: string
  /** Calls under way at once; further ones are refused. */
  callsMax: number
  /** Thrown when a call is refused; it may be retried. */
  Unavailable: new (
    message: string,
  ) => Error
  /** Maps an error of the engine's client to one of the port. */
  errorOf: (error: Error) => Error
}

/** Runs the calls of one engine: limits how many are under way, maps their errors, and refuses all once closed. */
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
      if (open >= callsMax) throw new Unavailable(`${engine} already has ${callsMax} calls in progress`)
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
