/**
 * Ends the process on SIGTERM or SIGINT, once `stop` has resolved. What is not finished by then is cut off as by a kill, which
 * loses nothing that was accepted: an engine that hangs could hold the process for ever, and nobody else ends one that ends because
 * a part of it has died. A second signal ends the process at once.
 */
export function stopOnSignals(stop: () => Promise<void>, { stopTimeoutMs }: { stopTimeoutMs: number }): void {
  const end = () => {
    setTimeout(cutOff, stopTimeoutMs, stopTimeoutMs)
    void stop().then(() => process.exit())
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
}

function cutOff(stopTimeoutMs: number): void {
  process.stderr.write(`Not stopped within STOP_TIMEOUT_MS (${stopTimeoutMs}): what is under way is cut off\n`)
  // To exit would wait for threads, and one of them may be what hangs.
  process.kill(process.pid, 'SIGKILL')
}
