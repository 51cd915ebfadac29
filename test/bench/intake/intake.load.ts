import { randomUUID } from 'node:crypto'
import autocannon from 'autocannon'
import { driveEvenly } from '../selection/even-load.ts'

/** The task of a process that sends requests to a URL, each from another browser: otherwise the intake would leave out repeats. */
export interface Load {
  url: string
  bodies: string[]
  connections: number
  seconds: number
  /** Requests a second, at even intervals; default: as many as are answered. */
  rate?: number
}

export interface Measured {
  perSecond: number
  answered: number
  failed: number
  p99Ms: number
}

const headersOfOne = () => ({
  'content-type': 'application/json',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  cid: randomUUID(),
})

process.once('message', async (load: Load) => {
  const { rate } = load
  const measured: Measured = await (rate === undefined
    ? driveFully(load)
    : driveEvenly({ ...load, rate, headersOfOne }))
  process.send!(measured)
  process.disconnect()
})

/** Sends as many requests as are answered. */
async function driveFully({ url, bodies, connections, seconds }: Load): Promise<Measured> {
  let sent = 0
  const setupRequest = (request: object) => ({
    ...request,
    headers: headersOfOne(),
    body: bodies[sent++ % bodies.length]!,
  })
  const requests = [{ method: 'POST' as const, setupRequest }]
  const result = await autocannon({ url, connections, duration: seconds, requests })
  return {
    perSecond: result['2xx'] / result.duration,
    answered: result['2xx'],
    failed: result.non2xx + result.errors,
    p99Ms: result.latency.p99,
  }
}
