import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { type Program, type ProgramOptions, startProgram } from '../../../program.ts'

const RESTART_PAUSE_MS = 200

/** A program that is restarted whenever it ends, as in a container or a service. */
export interface Supervised {
  /** Has no effect while it runs. */
  start(): void
  /** Resolves when it is ready. */
  ready(): Promise<Program>
  /** How often it ended and was restarted. */
  restarts(): number
  /** Signals the running process; has no effect when none runs. */
  signal(signal: NodeJS.Signals): void
  /** Sends SIGKILL. Resolves when the process is gone and about to be restarted. */
  kill(): Promise<void>
  /** Sends SIGTERM, and SIGKILL if it does not end within `STOP_TIMEOUT_MS`. */
  stop(): Promise<void>
}

const STOP_TIMEOUT_MS = 20_000
/** A long time, because the program may wait for engines. */
const START_TIMEOUT_MS = 180_000

/** Supervises a program, without starting it yet. */
export function supervise(options: ProgramOptions): Supervised {
  let stopping = new AbortController()
  let kept: Promise<void> | null = null
  let running: Program | null = null
  let waiting = Promise.withResolvers<Program>()
  let restarts = 0

  async function keepRunning({ signal }: AbortController): Promise<void> {
    const killed = new AbortController()
    signal.addEventListener('abort', () => {
      if (!running) return killed.abort()
      running.process.kill('SIGTERM')
      const late = setTimeout(() => killed.abort(), STOP_TIMEOUT_MS)
      running.process.once('exit', () => clearTimeout(late))
    })
    while (!signal.aborted) {
      try {
        const program = await startProgram({ ...options, signal: killed.signal, startTimeoutMs: START_TIMEOUT_MS })
        const ended = once(program.process, 'exit')
        running = program
        waiting.resolve(program)
        await ended
      } catch {
        // It ended while starting; its log says why.
      }
      running = null
      waiting = Promise.withResolvers()
      if (signal.aborted) return
      restarts++
      await delay(RESTART_PAUSE_MS)
    }
  }

  return {
    start() {
      if (kept) return
      stopping = new AbortController()
      kept = keepRunning(stopping)
    },
    ready: () => waiting.promise,
    restarts: () => restarts,
    signal(signal) {
      running?.process.kill(signal)
    },
    async kill() {
      if (!running) return
      running.process.kill('SIGKILL')
      await once(running.process, 'exit')
      // The code that waits for the exit runs first. After it, `running` and `ready` belong to the next process.
      await delay(0)
    },
    async stop() {
      stopping.abort()
      await kept
      kept = null
    },
  }
}
