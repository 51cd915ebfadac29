import autocannon from 'autocannon'

/** Sends requests to a URL from a separate process, and tells the parent how many were answered per second. */
export interface Load {
  url: string
  bodies: string[]
  connections: number
  seconds: number
}

process.once('message', async ({ url, bodies, connections, seconds }: Load) => {
  const requests = bodies.map((body) => ({
    method: 'POST' as const,
    headers: { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
    body,
  }))
  const result = await autocannon({ url, connections, duration: seconds, requests })
  process.send!({
    perSecond: result['2xx'] / result.duration,
    failed: result.non2xx + result.errors,
    p99Ms: result.latency.p99,
  })
  process.disconnect()
})
