import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { startStopwatch } from '../stopwatch.ts'
import type { Load, Measured } from './selection.load.ts'

export type Driven = Measured & { threadMicros: number }

/** Listens, and sends requests from a separate process until `seconds` have passed. @throws when a request failed. */
export async function drive(
  server: FastifyInstance,
  { path, ...load }: Omit<Load, 'url'> & { path: string },
): Promise<Driven> {
  await server.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}${path}`
  const child = fork(new URL('./selection.load.ts', import.meta.url))
  child.send({ url, ...load } satisfies Load)
  const spent = startStopwatch()
  const [measured] = (await once(child, 'message')) as [Measured]
  const { threadCpuMs } = spent()
  await server.close()
  if (measured.failed > 0) throw new Error(`${measured.failed} requests failed`)
  return { ...measured, threadMicros: (1_000 * threadCpuMs) / measured.answered }
}

/** A server that only answers with these bytes. */
export function bareFastify(path: string, answer: string): FastifyInstance {
  const server = Fastify({ logger: false })
  server.post(path, async (_, reply) => reply.type('application/json; charset=utf-8').send(answer))
  return server
}

/** Prints the measurements, with ratios to `bare`. */
export function printDriven(driven: Readonly<Record<string, Driven>>, bare: Driven): void {
  console.table(
    Object.entries(driven).map(([measured, { perSecond, p50Ms, p99Ms, threadMicros }]) => ({
      measured,
      'requests/s': Math.round(perSecond),
      'p50 ms': p50Ms,
      'p99 ms': p99Ms,
      'µs of the server thread': Math.round(threadMicros),
      ratio: Number((perSecond / bare.perSecond).toFixed(2)),
    })),
  )
}
