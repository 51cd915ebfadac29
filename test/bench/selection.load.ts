import autocannon from 'autocannon'

/** Drives a URL from a process of its own. */
export interface Load {
  url: string
  bodies: string[]
  connections: number
  seconds: number
  /** Beside those of every ad request. */
  headers?: Record<string, string>
  /** Requests a second of all connections together; default: as many as are answered. */
  rate?: number
}

export interface Measured {
  perSecond: number
  p50Ms: number
  p99Ms: number
  failed: number
}

process.once('message', async ({ url, bodies, connections, seconds, rate, ...load }: Load) => {
  let sent = 0
  const headers = { 'content-type': 'application/json', cid: 'b31f6fbc-7d5c-4b42-9a7b-2a3f1f7f3a10', ...load.headers }
  // One sequence over all connections: each connection going through the list on its own would ask everything 64 times.
  const setupRequest = (request: object) => ({ ...request, body: bodies[sent++ % bodies.length]! })
  const requests = [{ method: 'POST' as const, headers, setupRequest }]
  const limit = rate === undefined ? {} : { overallRate: rate }
  const result = await autocannon({ url, connections, duration: seconds, requests, ...limit })
  process.send!({
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failed: result.non2xx + result.errors,
  } satisfies Measured)
  process.disconnect()
})
