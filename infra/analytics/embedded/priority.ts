import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Weak enough that a core wanted by requests goes to requests; the engine still gets what they leave. */
const NICE = 10
const RENICE_EVERY_MS = 5_000
const TASKS = '/proc/self/task'
/** Names the engine gives to its pools' threads while they wait for work. Node names its own threads otherwise. */
const ENGINE_THREADS = new Set(['ThreadPool', 'MergeMutate', 'BgSchPool', 'MemoryWorker', 'PoolDelayExec'])

/**
 * Lowers the scheduling priority of the engine's threads and of those it will start (Linux; elsewhere nothing). They are
 * started by Node's shared thread pool and take over its priority, hence the look again now and then.
 * @returns what stops it.
 */
export function yieldToRequests(): () => void {
  const lowered = new Set<string>()
  const lower = () => {
    for (const thread of threads()) {
      if (lowered.has(thread) || !ENGINE_THREADS.has(nameOf(thread))) continue
      lowered.add(thread)
      try {
        setPriority(Number(thread), NICE)
      } catch {
        // The thread has ended since.
      }
    }
  }
  lower()
  const timer = setInterval(lower, RENICE_EVERY_MS).unref()
  return () => clearInterval(timer)
}

function threads(): string[] {
  try {
    return readdirSync(TASKS)
  } catch {
    return []
  }
}

function nameOf(thread: string): string {
  try {
    return readFileSync(`${TASKS}/${thread}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}
