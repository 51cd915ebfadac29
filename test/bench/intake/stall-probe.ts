/**
 * Loaded into the program with `--import`: tells the longest time for which the event loop was blocked. It counts processor time of
 * the thread, so that a busy machine does not look like a slow program.
 */
import { createServer } from 'node:http'
import { isMainThread } from 'node:worker_threads'

const TICK_MS = 2

if (isMainThread) {
  let worstMs = 0
  let last = process.threadCpuUsage()
  setInterval(() => {
    const now = process.threadCpuUsage()
    worstMs = Math.max(worstMs, (now.user + now.system - last.user - last.system) / 1000)
    last = now
  }, TICK_MS).unref()

  // Each request returns the longest time since the last one.
  createServer((_request, response) => {
    response.end(String(worstMs))
    worstMs = 0
  })
    .listen(Number(process.env.STALL_PROBE_PORT), '127.0.0.1')
    .unref()
}
