import { getHeapSpaceStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { Moved } from '../../../infra/threads/calls.ts'
import { serveConnections } from '../../../infra/threads/worker.ts'

if (workerData === 'fail') throw new Error('cannot start')

/** Makes many objects, of which some live long enough to be copied. @returns what V8 has for new objects afterwards. */
function bytesOfNewObjects(): number {
  const kept: object[] = []
  for (let i = 0; i < 3_000_000; i++) kept[i % 100_000] = { i }
  return getHeapSpaceStatistics().find((each) => each.space_name === 'new_space')!.space_size
}

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
      bytesOfNewObjects,
      unsendable: () => () => {},
      slowly: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, 'done')),
    }
  },
  () => {},
)
