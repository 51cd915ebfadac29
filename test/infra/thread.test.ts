import { afterEach, beforeEach, expect, it } from 'vitest'
import { connect, type Served, startWorker } from '../../infra/thread.ts'

const WORKER = new URL('./thread-worker.ts', import.meta.url)
class Closed extends Error {}

let served: Served
beforeEach(async () => {
  served = await startWorker(WORKER, null)
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
  await expect(startWorker(WORKER, 'fail')).rejects.toThrow('cannot start')
})
