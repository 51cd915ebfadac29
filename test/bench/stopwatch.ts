/** What has passed since a stopwatch was started, milliseconds. */
export interface Spent {
  ms: number
  /** Processor time of the process, all threads together. */
  cpuMs: number
  /** Of it, the thread's own. */
  threadCpuMs: number
}

/** @returns what has passed, as often as it is called. */
export function startStopwatch(): () => Spent {
  const [startedAt, cpu, threadCpu] = [performance.now(), process.cpuUsage(), process.threadCpuUsage()]
  return () => ({
    ms: performance.now() - startedAt,
    cpuMs: millis(process.cpuUsage(cpu)),
    threadCpuMs: millis(process.threadCpuUsage(threadCpu)),
  })
}

function millis({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000
}
