import { setTimeout as delay } from 'node:timers/promises'
import { UnknownSchema } from '../../schemas/wire/codec.ts'
import { createPartitionPauses, type PartitionPauses } from './pipeline/paused-partitions.ts'
import type { StreamLogger, StreamState } from './stream.ts'

export interface Retry {
  firstMs: number
  maxMs: number
}

const DEFAULT_RETRY: Retry = { firstMs: 100, maxMs: 5_000 }

/** The longest poll of a stream with no failure and no paused partition. It ends early when a record comes or the group changes. */
export const IDLE_POLL_MS = 60_000

/** The wait after UnknownSchema: a running process does not become newer, so it need not try often. */
const OUTDATED_RETRY_MS = 60_000

export interface StreamRunOptions {
  name: string
  /**
   * The wait after a failure, doubling from `firstMs` to `maxMs`. Default: from 100 ms to 5 s, so that an engine is used
   * soon after it is back.
   */
  retry?: Retry
  /** UTC epoch milliseconds. */
  now: () => number
  logger: StreamLogger
}

/** Runs a stream until it is stopped, with a wait after each failure, and keeps its state. */
export interface StreamRun {
  state(): StreamState
  readonly paused: PartitionPauses
  stopping(): boolean
  /** True when nothing has failed since the last success and no partition is paused, so that nothing needs a retry. */
  isSettled(): boolean
  /** Call it when work has succeeded, or when there was none to do. */
  markHealthy(): void
  count(batch: { records: number; dead: number }): void
  /** Records a failure, and waits before the next attempt. */
  backOff(error: Error): Promise<void>
  /** Waits for `ms`, or until `stop` is called or `signal` aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
  /** Runs `consume` until `stop`, again after each failure. `consume` returns once `stopping()`. Never rejects. */
  run(consume: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

export function createStreamRun({ name, retry = DEFAULT_RETRY, now, logger }: StreamRunOptions): StreamRun {
  const paused = createPartitionPauses({ name, now, logger })
  const state: Omit<StreamState, 'paused'> = {
    status: 'STOPPED',
    records: 0,
    batches: 0,
    dead: 0,
    failures: 0,
    outdated: false,
    lastError: null,
    lastCommitAt: null,
  }
  let ending = new AbortController()
  let running: Promise<void> | null = null

  async function backOff(error: Error): Promise<void> {
    state.outdated = error instanceof UnknownSchema
    const doubledMs = Math.min(retry.maxMs, retry.firstMs * 2 ** Math.min(state.failures, 30))
    const waitMs = state.outdated ? OUTDATED_RETRY_MS : doubledMs
    state.status = 'RETRYING'
    state.failures += 1
    state.lastError = { message: error.message, at: now() }
    logger.error({ stream: name, err: error, failures: state.failures, waitMs }, `${name} failed; will try again`)
    await pause(waitMs)
  }

  async function pause(ms: number, signal?: AbortSignal): Promise<void> {
    const until = signal ? AbortSignal.any([ending.signal, signal]) : ending.signal
    await delay(ms, undefined, { signal: until }).catch(() => {})
  }

  function markHealthy(): void {
    state.status = 'RUNNING'
    state.failures = 0
    state.outdated = false
  }

  async function loop(consume: () => Promise<void>): Promise<void> {
    state.status = 'RUNNING'
    while (!ending.signal.aborted) await consume().catch(backOff)
    state.status = 'STOPPED'
  }

  return {
    state() {
      const list = paused.list()
      return { ...state, outdated: state.outdated || list.length > 0, paused: list }
    },
    paused,
    stopping: () => ending.signal.aborted,
    isSettled: () => state.status === 'RUNNING' && paused.list().length === 0,
    markHealthy,
    count({ records, dead }) {
      markHealthy()
      state.records += records
      state.batches += 1
      state.dead += dead
      state.lastCommitAt = now()
    },
    backOff,
    pause,
    run(consume) {
      if (running === null) {
        ending = new AbortController()
        running = loop(consume).finally(() => {
          running = null
        })
      }
      return running
    },
    async stop() {
      ending.abort()
      await running
    },
  }
}
