import autocannon from 'autocannon'
import { driveEvenly } from './even-load.ts'

/** The task of a process that sends requests to a URL. */
export interface Load {
  url: string
  bodies: string[]
  connections: number
  seconds: number
  /** Headers in addition to those of every ad request. */
  headers?: Record<string, string>
  /** Requests a second, at even intervals; default: as many as are answered. */
  rate?: number
}

export interface Measured {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** All answered requests, including those of a warm-up that is not measured. */
  answered: number
  failed: number
}

process.once('message', async (load: Load) => {
  const headers = { 'content-type': 'application/json', cid: 'b31f6fbc-7d5c-4b42-9a7b-2a3f1f7f3a10', ...load.headers }
  const { rate } = load
  const measured =
    rate === undefined
      ? await driveFully({ ...load, headers })
      : await driveEvenly({ ...load, rate, headersOfOne: () => headers })
  process.send!(measured)
  process.disconnect()
})

/** Sends as many requests as are answered. */
async function driveFully({ url, bodies, connections, seconds, headers }: Load): Promise<Measured> {
  let sent = 0
  // All connections share one sequence. If each went through the list by itself, every request would be sent 64 times.
  const setupRequest = (request: object) => ({ ...request, body: bodies[sent++ % bodies.length]! })
  const requests = [{ method: 'POST' as const, headers, setupRequest }]
  const result = await autocannon({ url, connections, duration: seconds, requests })
  return {
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    answered: result['2xx'],
    failed: result.non2xx + result.errors,
  }
}
