import type { StreamLogger, StreamState } from './stream.ts'
import { createStreamRun } from './stream-run.ts'

/** Work that is done again and again, with a pause in between. A failure is logged and the next turn tries again. */
export interface Periodic {
  readonly name: string
  /** Runs until `stop`; never rejects. */
  run(): Promise<void>
  /** Ends the pause at hand, or the one after the turn at hand: there is something to do. */
  wake(): void
  /** Lets the turn at hand finish, then ends the run. */
  stop(): Promise<void>
  state(): StreamState
  /** When the last turn that has succeeded began, or this object was made: what came later may not be done. */
  doneUntil(): number
}

const RETRY_MAX_MS = 5_000

/** True: there is more to do at once. False: after the usual pause; else after one of so many milliseconds. */
export type NextTurn = boolean | { pauseMs: number }

export function createPeriodic(options: {
  name: string
  turn: () => Promise<NextTurn>
  /** The usual pause. */
  pauseMs: number
  now: () => number
  logger: StreamLogger
}): Periodic {
  const { name, turn, pauseMs, now, logger } = options
  const run = createStreamRun({ name, retry: { firstMs: 2 * pauseMs, maxMs: RETRY_MAX_MS }, now, logger })

  let doneUntil = now()
  let woken = new AbortController()

  async function turns(): Promise<void> {
    while (!run.stopping()) {
      const begunAt = now()
      woken = new AbortController()
      const next = await turn()
      run.markHealthy()
      doneUntil = begunAt
      if (next === true) continue
      await run.pause(next === false ? pauseMs : next.pauseMs, woken.signal)
    }
  }

  return {
    name,
    run: () => run.run(turns),
    wake: () => woken.abort(),
    stop: run.stop,
    state: run.state,
    doneUntil: () => doneUntil,
  }
}
