/**
 * Ends the process on SIGTERM or SIGINT once `stop` has resolved, and at the latest after `stopTimeoutMs`. Work that is not
 * finished then is cut off as by a kill, which loses nothing that was accepted. Without this limit, an engine that hangs could
 * hold the process forever, and nobody else ends a process that stops because a part of it has died. A second signal ends the
 * process at once.
 */
export function stopOnSignals(stop: () => Promise<void>, { stopTimeoutMs }: { stopTimeoutMs: number }): void {
  const end = () => {
    setTimeout(cutOff, stopTimeoutMs, stopTimeoutMs)
    void stop().then(() => process.exit())
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
}

function cutOff(stopTimeoutMs: number): void {
  process.stderr.write(`Did not stop within STOP_TIMEOUT_MS (${stopTimeoutMs}): requests in progress are aborted\n`)
  // `process.exit` would wait for threads, and one of them may be what hangs.
  process.kill(process.pid, 'SIGKILL')
}
