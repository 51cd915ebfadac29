/** The time since a stopwatch was started, in milliseconds. */
export interface Spent {
  ms: number
  /** Processor time of the process, all threads together. */
  cpuMs: number
  /** The part of it that the calling thread used. */
  threadCpuMs: number
}

/** @returns a function that returns the time since the start, and can be called several times. */
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
