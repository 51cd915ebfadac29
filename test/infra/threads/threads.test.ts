import { setFlagsFromString } from 'node:v8'
import type { ResourceLimits } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../../../infra/threads/calls.ts'
import { threadOnDemand } from '../../../infra/threads/on-demand.ts'
import { MANY_NEW_OBJECTS, type Served, startWorker } from '../../../infra/threads/worker.ts'

const WORKER = new URL('./calls-worker.ts', import.meta.url)
const MIB = 1024 * 1024
class Closed extends Error {}

let served: Served
beforeEach(async () => {
  served = await startWorker('test', WORKER, null)
})
afterEach(() => served.stop())

const client = () => connect(served.connect(), { RangeError }, () => new Closed('closed'))

it('calls the methods of the other thread', async () => {
  const bytes = Uint8Array.of(1, 2, 3)
  expect(await client().call('double', [bytes], [bytes.buffer])).toEqual(Uint8Array.of(2, 4, 6))
  expect(bytes.length).toBe(0)
})

it('gives each connection methods of its own', async () => {
  const [one, two] = [client(), client()]
  expect([await one.call('connection', []), await two.call('connection', [])]).toEqual([1, 2])
})

it('rejects with the class of error that was thrown there', async () => {
  const failing = client().call('fail', [])
  await expect(failing).rejects.toThrow(RangeError)
  await expect(failing).rejects.toThrow('out of range')
  await expect(client().call('unknown', [])).rejects.toThrow()
})

it('answers calls that are made together in their order, though one of them cannot be sent', async () => {
  const remote = client()
  const unsendable = () => {}
  const calls = [[1], [unsendable], [3]].map((args) => remote.call('count', args))
  expect((await Promise.allSettled(calls)).map((each) => (each as { value?: number }).value)).toEqual([1, undefined, 2])
  await expect(calls[1]).rejects.toThrow('could not be cloned')
})

it('rejects a call whose result cannot be sent, and no other', async () => {
  const remote = client()
  const calls = [remote.call('unsendable', []), remote.call('double', [Uint8Array.of(4)])]
  await expect(calls[0]).rejects.toThrow('could not be cloned')
  expect(await calls[1]).toEqual(Uint8Array.of(8))
})

it('rejects what is open, and what comes later, when it is closed', async () => {
  const remote = client()
  const open = remote.call('never', [])
  remote.close()
  await expect(open).rejects.toThrow(Closed)
  await expect(remote.call('connection', [])).rejects.toThrow(Closed)
})

it('rejects what is open when the other thread ends, and stops without it', async () => {
  const remote = client()
  const open = remote.call('never', [])
  client()
    .call('die', [])
    .catch(() => {})
  await expect(open).rejects.toThrow(Closed)
  await served.stop()
})

it('says why a worker could not start', async () => {
  await expect(startWorker('test', WORKER, 'fail')).rejects.toThrow('cannot start')
})

it('limits what new objects take by thread, whatever the limit of the main thread is', async () => {
  setFlagsFromString('--max-semi-space-size=16')
  const bytesIn = async (limits?: ResourceLimits) => {
    const thread = await startWorker('test', WORKER, null, [], limits)
    const bytes = await connect(thread.connect(), {}, () => new Closed()).call<number>('bytesOfNewObjects', [])
    await thread.stop()
    return bytes
  }
  expect(await bytesIn()).toBeLessThanOrEqual(8 * MIB)
  expect(await bytesIn(MANY_NEW_OBJECTS)).toBeGreaterThan(16 * MIB)
})

describe('a thread on demand', () => {
  const onDemand = (starts: Served[], { idleMs = 60_000, data = [null] as unknown[] } = {}) =>
    threadOnDemand(
      async () => {
        const started = await startWorker('test', WORKER, data.length > 1 ? data.shift() : data[0])
        starts.push(started)
        return started
      },
      { idleMs, closedError: () => new Closed('closed') },
    )

  it('starts once for calls that come together, in whose order they arrive', async () => {
    const starts: Served[] = []
    const thread = onDemand(starts)
    expect(starts).toEqual([])
    expect(await Promise.all([1, 2, 3].map(() => thread.call('count', [])))).toEqual([1, 2, 3])
    expect(starts.length).toBe(1)
    await thread.close()
  })

  it('ends when it is idle, not before, and starts again', async () => {
    const starts: Served[] = []
    const thread = onDemand(starts, { idleMs: 1 })
    const slow = thread.call('slowly', [50])
    expect(await thread.call('count', [])).toBe(1)
    expect(await slow).toBe('done')
    expect(starts.length).toBe(1)
    await expect.poll(() => thread.call('count', []), { interval: 50 }).toBe(1)
    expect(starts.length).toBeGreaterThan(1)
    await thread.close()
  })

  it('rejects what is open, and what comes later, when it is closed, also while it starts', async () => {
    const thread = onDemand([])
    const open = thread.call('never', [])
    open.catch(() => {})
    await thread.close()
    await expect(open).rejects.toThrow(Closed)
    await expect(thread.call('count', [])).rejects.toThrow(Closed)
  })

  it('rejects a call when it cannot start, and tries again with the next one', async () => {
    const thread = onDemand([], { data: ['fail', null] })
    await expect(thread.call('count', [])).rejects.toThrow('cannot start')
    expect(await thread.call('count', [])).toBe(1)
    await thread.close()
  })

  it('tells when it has died, and starts again with the next call', async () => {
    const thread = onDemand([])
    await expect(thread.call('crash', [])).rejects.toThrow(Closed)
    expect((await thread.failed).message).toBe('crashed')
    expect(await thread.call('count', [])).toBe(1)
    await thread.close()
  })
})
