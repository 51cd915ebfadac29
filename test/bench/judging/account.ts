/** Where the processor time of a piece of work goes: by process and thread, and how much of it the kernel takes (Linux). */
import { readdirSync, readFileSync } from 'node:fs'
import { engineProcess } from '../engine-process.ts'

const TICKS_PER_SECOND = 100

/** Threads by their names; every other thread is counted as the rest of its process. */
const PARTS: readonly [RegExp, string][] = [
  [/^(MainThread|node)$/, 'main'],
  [/^log$/, 'log'],
  [/^counters$/, 'counters'],
  [/^V8Worker$/, "V8's helpers"],
  [/^libuv-worker$/, "libuv's pool"],
  [/^data-plane-kafk$/, 'requests'],
  [/^(TxnMarkerSender|transaction-log|group-coordinat)$/, 'coordinators'],
  [/^(C1|C2) Compiler/, 'compilers'],
  [/^VM Thread$/, 'garbage collection'],
  [/^redis-server$/, 'commands'],
]
const REST = 'the rest'

/** What one thread has used so far. */
interface Used {
  part: string
  runMs: number
  kernelMs: number
  /** How long it was ready to run, but had no processor. */
  queuedMs: number
}

/** By process, and by the id of the thread. */
type Reading = Map<string, Map<string, Used>>

export interface Share extends Used {
  process: string
}

/**
 * @param engines the engines that take part, of those that `infra/local/engines.sh` has started.
 * @returns a function that tells what each part of this process and of the engines has used since. Threads that ended meanwhile
 * are left out.
 */
export function openAccount(engines: readonly string[]): () => Share[] {
  const processes = { judge: process.pid, ...Object.fromEntries(engines.map((name) => [name, engineProcess(name)])) }
  const before = read(processes)
  return () => {
    const shares = new Map<string, Share>()
    for (const [process, threads] of read(processes)) {
      for (const [id, { part, ...used }] of threads) {
        const at = before.get(process)!.get(id)
        const key = `${process}/${part}`
        const share = shares.get(key) ?? { process, part, runMs: 0, kernelMs: 0, queuedMs: 0 }
        share.runMs += used.runMs - (at?.runMs ?? 0)
        share.kernelMs += used.kernelMs - (at?.kernelMs ?? 0)
        share.queuedMs += used.queuedMs - (at?.queuedMs ?? 0)
        shares.set(key, share)
      }
    }
    return [...shares.values()].sort((a, b) => b.runMs - a.runMs)
  }
}

/** A table of what each event has cost: every part that took at least a tenth of a microsecond. */
export function printAccount(shares: readonly Share[], events: number): void {
  const micros = (ms: number) => Number(((1_000 * ms) / events).toFixed(1))
  const rows = shares.map(({ process, part, runMs, kernelMs, queuedMs }) => {
    const waited = { 'of it in the kernel': micros(kernelMs), 'ready, without a processor': micros(queuedMs) }
    return { process, part, 'µs an event': micros(runMs), ...waited }
  })
  console.table(rows.filter((row) => row['µs an event'] > 0))
}

function read(processes: Record<string, number>): Reading {
  return new Map(
    Object.entries(processes).map(([name, pid]) => {
      const threads = new Map<string, Used>()
      for (const id of readdirSync(`/proc/${pid}/task`)) {
        const used = usedBy(`/proc/${pid}/task/${id}`)
        if (used) threads.set(id, used)
      }
      return [name, threads]
    }),
  )
}

/** Null when the thread has ended. */
function usedBy(folder: string): Used | null {
  try {
    const stat = readFileSync(`${folder}/stat`, 'utf8')
    const [runNanos, queuedNanos] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ').map(Number)
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      part: PARTS.find(([pattern]) => pattern.test(name))?.[1] ?? REST,
      runMs: runNanos! / 1e6,
      kernelMs: (Number(fields[12]) * 1_000) / TICKS_PER_SECOND,
      queuedMs: queuedNanos! / 1e6,
    }
  } catch {
    return null
  }
}
