import { parentPort, workerData } from 'node:worker_threads'
import { Moved } from '../../../infra/threads/calls.ts'
import { serveConnections } from '../../../infra/threads/worker.ts'

if (workerData === 'fail') throw new Error('cannot start')

let connections = 0
let calls = 0
serveConnections(
  parentPort!,
  () => {
    const connection = ++connections
    return {
      connection: () => connection,
      double: (bytes: Uint8Array<ArrayBuffer>) => {
        const doubled = bytes.map((byte) => byte * 2)
        return new Moved(doubled, [doubled.buffer])
      },
      fail: () => {
        throw new RangeError('out of range')
      },
      never: () => new Promise(() => {}),
      die: () => process.exit(3),
      crash: () => {
        setImmediate(() => {
          throw new Error('crashed')
        })
        return new Promise(() => {})
      },
      count: () => ++calls,
      unsendable: () => () => {},
      slowly: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, 'done')),
    }
  },
  () => {},
)
