import { setTimeout as delay } from 'node:timers/promises'
import type { StreamLogger } from './pipeline.ts'

/** Work that is done again and again, with a pause in between. A failure is logged and the next turn tries again. */
export interface Periodic {
  readonly name: string
  /** Runs until `stop`; never rejects. */
  run(): Promise<void>
  /** Lets the turn at hand finish, then ends the run. */
  stop(): Promise<void>
  state(): {
    status: 'STOPPED' | 'RUNNING' | 'RETRYING'
    failures: number
    lastError: { message: string; at: number } | null
  }
}

const RETRY_MAX_MS = 5_000

export function createPeriodic(options: {
  name: string
  /** Resolves to true when there is more to do at once. */
  turn: () => Promise<boolean>
  pauseMs: number
  now: () => number
  logger: StreamLogger
}): Periodic {
  const { name, turn, pauseMs, now, logger } = options
  const stopping = new AbortController()
  const state: ReturnType<Periodic['state']> = { status: 'STOPPED', failures: 0, lastError: null }
  let running: Promise<void> | null = null

  async function loop(): Promise<void> {
    state.status = 'RUNNING'
    while (!stopping.signal.aborted) {
      const waitMs = await turn().then(succeeded, failed)
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
    state.status = 'STOPPED'
  }
  function succeeded(more: boolean): number {
    state.status = 'RUNNING'
    state.failures = 0
    return more ? 0 : pauseMs
  }
  function failed(error: Error): number {
    state.status = 'RETRYING'
    state.failures += 1
    state.lastError = { message: error.message, at: now() }
    logger.error({ stream: name, err: error, failures: state.failures }, `${name} failed; will try again`)
    return Math.min(RETRY_MAX_MS, pauseMs * 2 ** Math.min(state.failures, 10))
  }

  return {
    name,
    run() {
      running ??= loop()
      return running
    },
    async stop() {
      stopping.abort()
      await running
    },
    state: () => ({ ...state }),
  }
}
