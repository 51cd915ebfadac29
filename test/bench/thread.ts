/**
 * What a call across threads costs with `infra/threads/calls.ts` and with Comlink: one call after the other, and 64 at once. The
 * worker returns what it is sent: a small object, or 64 KiB whose buffer is transferred there and back.
 *
 *     node test/bench/thread.ts
 */
import { isMainThread, MessageChannel, type MessagePort, parentPort, Worker } from 'node:worker_threads'
import { expose, transfer, wrap } from 'comlink'
import { connect, Moved, serve } from '../../infra/threads/calls.ts'
import { startStopwatch } from './stopwatch.ts'

type NodeEndpoint = (port: MessagePort) => Parameters<typeof wrap>[0]
const nodeEndpoint = (await import('comlink/dist/esm/node-adapter.mjs' as string)).default as NodeEndpoint

const CALLS = 20_000
const ROUNDS = 5
const AT_ONCE = 64
const BYTES = 64 * 1024

interface Echo {
  small(value: object): Promise<object>
  moved(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
}

if (isMainThread) await main()
else serveBoth(parentPort!)

/** The first port that arrives is Comlink's, the second is ours. */
function serveBoth(parent: MessagePort): void {
  parent.once('message', ({ comlink, own }: { comlink: MessagePort; own: MessagePort }) => {
    const small = (value: object) => value
    expose(
      { small, moved: (bytes: Uint8Array) => transfer(bytes, [bytes.buffer as ArrayBuffer]) },
      nodeEndpoint(comlink),
    )
    serve(own, { small, moved: (bytes: Uint8Array) => new Moved(bytes, [bytes.buffer as ArrayBuffer]) })
  })
}

async function main(): Promise<void> {
  const worker = new Worker(new URL(import.meta.url))
  const [comlink, own] = [new MessageChannel(), new MessageChannel()]
  worker.postMessage({ comlink: comlink.port2, own: own.port2 }, [comlink.port2, own.port2])
  const remote = connect(own.port1, {}, () => new Error('closed'))
  const ours: Echo = {
    small: (value) => remote.call('small', [value]),
    moved: (bytes) => remote.call('moved', [bytes], [bytes.buffer as ArrayBuffer]),
  }
  const proxy = wrap<Echo>(nodeEndpoint(comlink.port1))
  const theirs: Echo = {
    small: (value) => proxy.small(value),
    moved: (bytes) => proxy.moved(transfer(bytes, [bytes.buffer as ArrayBuffer])),
  }
  const value = { shopId: 'shop', ids: ['a', 'b', 'c'], limit: 10 }
  const cases = [
    { name: 'small', call: (echo: Echo) => () => echo.small(value) },
    {
      name: '64 KiB moved',
      call(echo: Echo) {
        const free = Array.from({ length: AT_ONCE }, () => new Uint8Array(BYTES))
        return async () => {
          const bytes = free.pop()!
          free.push(await echo.moved(bytes))
        }
      },
    },
  ]
  for (const { name, call } of cases) {
    for (const atOnce of [1, AT_ONCE]) {
      // Measure them in turn and keep the best of each, because the machine may be busy.
      const best = { ours: Number.POSITIVE_INFINITY, comlink: Number.POSITIVE_INFINITY }
      for (let round = 0; round < ROUNDS; round++) {
        best.ours = Math.min(best.ours, await microsPerCall(call(ours), atOnce))
        best.comlink = Math.min(best.comlink, await microsPerCall(call(theirs), atOnce))
      }
      console.log(
        `${name}, ${atOnce} at once: infra/threads/calls.ts ${best.ours.toFixed(1)} µs a call, Comlink ${best.comlink.toFixed(1)} µs,`,
        `ratio ${(best.comlink / best.ours).toFixed(2)}`,
      )
    }
  }
  await worker.terminate()
  comlink.port1.close()
}

/** Processor time of both threads. */
async function microsPerCall(call: () => Promise<unknown>, atOnce: number): Promise<number> {
  const spent = startStopwatch()
  for (let done = 0; done < CALLS; done += atOnce) await Promise.all(Array.from({ length: atOnce }, call))
  return (1_000 * spent().cpuMs) / CALLS
}
