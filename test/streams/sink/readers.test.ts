import { expect, it, vi } from 'vitest'
import { createReaders } from '../../../streams/sink/readers.ts'

function openReaders() {
  const stores: PromiseWithResolvers<void>[] = []
  const clock = { ms: 1_000_000 }
  const catchUp = () => {
    stores.push(Promise.withResolvers())
    return stores.at(-1)!.promise
  }
  return { stores, clock, ...createReaders({ catchUp, now: () => clock.ms }) }
}

/** Whether a promise has settled by the time that all that is ready has run. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false
  void promise.then(() => {
    done = true
  })
  await new Promise(setImmediate)
  return done
}

it('rows are stored seldom until somebody reads, and each second for a minute after', async () => {
  const { clock, stores, arrive, batchAgeMs } = openReaders()
  expect(batchAgeMs()).toBe(10_000)
  const first = arrive()
  expect(batchAgeMs()).toBe(1_000)
  clock.ms += 59_999
  const second = arrive()
  clock.ms += 59_999
  expect(batchAgeMs()).toBe(1_000)
  clock.ms += 1
  expect(batchAgeMs()).toBe(10_000)
  expect(stores).toHaveLength(1)
  stores[0]!.resolve()
  await Promise.all([first, second])
})

it('the first reader, and those who come meanwhile, wait for what is not stored yet; later ones do not', async () => {
  const { stores, clock, arrive } = openReaders()
  const [first, second] = [arrive(), arrive()]
  expect(await isDone(first)).toBe(false)
  expect(await isDone(second)).toBe(false)
  stores[0]!.resolve()
  await Promise.all([first, second])
  expect(await isDone(arrive())).toBe(true)
  clock.ms += 60_000
  const next = arrive()
  expect(await isDone(next)).toBe(false)
  stores[1]!.resolve()
  await next
  expect(stores).toHaveLength(2)
})

it('a reader is told of a failure, and the next one does not wait for it', async () => {
  const { stores, arrive } = openReaders()
  const first = arrive()
  stores[0]!.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  expect(await isDone(arrive())).toBe(true)
})

it('nobody waits longer than a record would have, however much there is to store', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { arrive } = openReaders()
    const first = expect(arrive()).rejects.toThrow('could not catch up')
    await vi.advanceTimersByTimeAsync(9_999)
    let isSecondDone = false
    const second = arrive().catch(() => {
      isSecondDone = true
    })
    expect(isSecondDone).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await Promise.all([first, second])
    await arrive()
  } finally {
    vi.useRealTimers()
  }
})
