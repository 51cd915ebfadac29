import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** A priority so low that requests get a core first; the engine still gets what they leave. */
const NICE = 10
const RENICE_EVERY_MS = 5_000
const TASKS = '/proc/self/task'
/** Names that the engine gives to the threads of its pools while they wait for work. Node's own threads have other names. */
const ENGINE_THREADS = new Set(['ThreadPool', 'MergeMutate', 'BgSchPool', 'MemoryWorker', 'PoolDelayExec'])

/**
 * Lowers the scheduling priority of the engine's threads, and of those that it starts later. Does nothing except on Linux. Threads
 * are started from Node's thread pool and inherit its priority, so new ones are looked for periodically.
 * @returns a function that stops this.
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
