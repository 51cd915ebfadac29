import { msSince } from '../../services/domain/time/ms-since.ts'
import type { StreamLogger, StreamState } from './stream.ts'
import { createStreamRun } from './stream-run.ts'

/** Work that is done repeatedly, with a pause between turns. A failure is logged and the next turn tries again. */
export interface Periodic {
  readonly name: string
  /** Runs until `stop`; never rejects. */
  run(): Promise<void>
  /** Signals that there is something to do: ends the current pause, or skips the one after the current turn. */
  wake(): void
  /** Wakes it, and resolves once a turn that begins after this call has left nothing to do at once, or has failed. */
  caughtUp(): Promise<void>
  /** Lets the current turn finish, then ends the run. */
  stop(): Promise<void>
  state(): StreamState
  /** How long ago the last successful turn began, or this object was created if there was none. What came later may not be done yet. */
  lagMs(): number
}

const RETRY_MAX_MS = 5_000

/** When the next turn begins. True: at once, because there is more to do. False: after the usual pause. Else after `pauseMs`. */
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
  /** Called once a turn that is still to begin has left nothing to do at once. */
  let waiting: (() => void)[] = []

  async function turns(): Promise<void> {
    while (!run.stopping()) {
      const begunAt = now()
      woken = new AbortController()
      const told = waiting
      waiting = []
      const tell = () => told.forEach((each) => void each())
      const then = await turn().catch((error) => {
        tell()
        throw error
      })
      run.markHealthy()
      doneUntil = begunAt
      if (then === true) {
        waiting.push(...told)
        continue
      }
      tell()
      await run.pause(then === false ? pauseMs : then.pauseMs, woken.signal)
    }
  }

  return {
    name,
    run: () => run.run(turns),
    wake: () => woken.abort(),
    caughtUp() {
      woken.abort()
      return new Promise((resolve) => void waiting.push(resolve))
    },
    stop: run.stop,
    state: run.state,
    lagMs: () => msSince(doneUntil, now()),
  }
}
