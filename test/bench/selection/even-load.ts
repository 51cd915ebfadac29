import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../../program.ts'
import type { Measured } from './selection.load.ts'

const TICK_MS = 1
/** Requests are not measured this long, until the code is compiled. */
const WARM_UP_SECONDS = 2

export interface EvenLoad {
  url: string
  bodies: readonly string[]
  connections: number
  seconds: number
  /** Requests a second. */
  rate: number
  /** The headers of one request. */
  headersOfOne: () => Record<string, string>
}

/**
 * Sends requests at even intervals, even if earlier answers are late. A latency counts from when its request was due, so a server
 * that stalls is charged for every request that it kept waiting. (autocannon's rate sends a second's requests in one burst.)
 */
export async function driveEvenly(load: EvenLoad): Promise<Measured> {
  const { url, bodies, connections, seconds, rate, headersOfOne } = load
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const warmUp = WARM_UP_SECONDS * rate
  const total = Math.round(warmUp + seconds * rate)
  const latenciesMs: number[] = []
  let failed = 0

  const send = (body: string, dueAt: number, isMeasured: boolean) =>
    new Promise<void>((resolve) => {
      const fail = () => {
        failed++
        resolve()
      }
      const length = { 'content-length': Buffer.byteLength(body) }
      const sent = request(url, { method: 'POST', agent, headers: { ...headersOfOne(), ...length } }, (response) => {
        response.resume()
        response.once('error', fail).once('end', () => {
          if (response.statusCode! >= 300) return fail()
          if (isMeasured) latenciesMs.push(performance.now() - dueAt)
          resolve()
        })
      })
      sent.once('error', fail)
      sent.end(body)
    })

  const startedAt = performance.now()
  const underWay: Promise<void>[] = []
  while (underWay.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) * rate) / 1_000))
    while (underWay.length < due) {
      const i = underWay.length
      underWay.push(send(bodies[i % bodies.length]!, startedAt + ((i + 1) * 1_000) / rate, i >= warmUp))
    }
    await sleep(TICK_MS)
  }
  await Promise.all(underWay)
  const tookSeconds = (performance.now() - startedAt) / 1_000
  agent.destroy()
  const at = (share: number) => Math.round(10 * percentile(latenciesMs, share)) / 10
  return { perSecond: total / tookSeconds, p50Ms: at(0.5), p99Ms: at(0.99), answered: total, failed }
}
