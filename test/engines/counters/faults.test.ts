import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { type Counters, CountersMoved, CountersUnavailable } from '../../../infra/counters/port.ts'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { changeOf, loadOf, SHARD, SHARDS, SOURCE, seenOf, spendOf } from '../../ports/counters.fixtures.ts'
import { type OwnRedis, ownRedis } from './servers/redis-server.ts'

const folders: string[] = []
const running: OwnRedis[] = []
async function startRedis(options: readonly string[] = []): Promise<OwnRedis> {
  folders.push(mkdtempSync(join(tmpdir(), 'redis-')))
  const redis = await ownRedis(folders.at(-1)!, options)
  running.push(redis)
  await redis.start()
  return redis
}
afterAll(async () => {
  for (const redis of running) await redis.kill()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const open = ({ url }: OwnRedis) => connectRedis({ url, namespace: 'n', shards: SHARDS })
const N = spendOf('n')
const source = [{ shard: SHARD, source: SOURCE }]
const storeAt = (counters: Counters, offset: number) =>
  counters.store(changeOf({ after: offset - 1, add: [{ key: N, amount: 1 }], seen: [seenOf(`${offset}`)] }))
const read = async (counters: Counters) => (await counters.load([loadOf({ keys: [N] })]))[0]!.values[0]

/** Retries until Redis answers. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CountersUnavailable)) throw error
      await delay(20)
    }
  }
}

/** Stores as the judge does: before a retry, it checks whether the batch has been stored already. */
async function storeUntilDone(counters: Counters, offset: number): Promise<void> {
  await eventually(async () => {
    const [loaded] = await counters.load([loadOf({ after: offset - 1 })])
    if (loaded!.position >= offset) return
    await storeAt(counters, offset).catch((error) => {
      if (!(error instanceof CountersMoved)) throw error
    })
  })
}

test('batches tried again through kills are each stored once, and nothing stored is lost', async () => {
  const redis = await startRedis()
  const counters = open(redis)
  let offset = 0
  for (let round = 0; round < 4; round++) {
    const killed = delay(10 + round * 7)
      .then(() => redis.kill())
      .then(() => redis.start())
    let done = false
    killed.then(() => {
      done = true
    })
    while (!done) await storeUntilDone(counters, offset++)
  }
  expect(await eventually(() => read(counters))).toBe(offset)
  expect(await counters.positions(source)).toEqual([offset - 1])
  const seen = Array.from({ length: offset + 1 }, (_, i) => seenOf(`${i}`))
  const found = (await counters.load([loadOf({ seen })]))[0]!.seen
  expect(found).toEqual([...Array(offset).fill(true), false])
  await counters.close()
})

test('a Redis that hangs makes calls fail in time, then at once, and is used again when it goes on', async () => {
  const redis = await startRedis()
  const counters = open(redis)
  await storeAt(counters, 0)
  redis.pause()
  // The sent call may still be carried out later. The position makes the second try a repetition.
  await expect(storeAt(counters, 1)).rejects.toBeInstanceOf(CountersUnavailable)
  await delay(2_000)
  await expect(Promise.all(Array.from({ length: 50 }, () => read(counters)))).rejects.toBeInstanceOf(
    CountersUnavailable,
  )
  redis.resume()
  await storeUntilDone(counters, 1)
  await storeUntilDone(counters, 2)
  expect(await read(counters)).toBe(3)
  await counters.close()
})

test('a thread that was kept from running for longer than a call may take takes the answer that is there', async () => {
  const counters = open(await startRedis())
  await storeAt(counters, 0)
  const answers = Promise.all([read(counters), counters.positions(source)])
  await Promise.resolve()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000)
  expect(await answers).toEqual([1, [0]])
  expect(await read(counters)).toBe(1)
  await counters.close()
})

test('a Redis that was away at the start is used once it is there', async () => {
  folders.push(mkdtempSync(join(tmpdir(), 'redis-')))
  const redis = await ownRedis(folders.at(-1)!)
  const counters = open(redis)
  await expect(read(counters)).rejects.toBeInstanceOf(CountersUnavailable)
  running.push(redis)
  await redis.start()
  await storeUntilDone(counters, 0)
  expect(await read(counters)).toBe(1)
  await counters.close()
})

test('a Redis that refuses the user or the password says which setting to look at', async () => {
  const redis = await startRedis(['--requirepass', 'secret'])
  const { host } = new URL(redis.url)
  for (const url of [redis.url, `redis://:wrong@${host}`, `redis://nobody:secret@${host}`]) {
    const counters = open({ ...redis, url })
    await expect(read(counters)).rejects.toThrow('check the user and the password in REDIS_URL')
    await counters.close()
  }
  const counters = open({ ...redis, url: `redis://:secret@${host}` })
  expect(await read(counters)).toBe(0)
  await counters.close()
})

test('a Redis that may evict keys is refused', async () => {
  const redis = await startRedis(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'])
  const counters = open(redis)
  await expect(storeAt(counters, 0)).rejects.toThrow('must be noeviction')
  await counters.close()
})

test('a Redis that is full refuses a batch whole, still answers what it knows, and ends reservations', async () => {
  const redis = await startRedis(['--maxmemory', '6mb', '--maxmemory-policy', 'noeviction'])
  const counters = open(redis)
  const limits = [{ key: 'k', counted: null, max: 10 }]
  const hold = { shard: SHARD, holder: 'h', retained: 0, minimum: 1, limits, expiresAt: 60_000, now: 1 }
  expect(await counters.reserve([{ ...hold, requested: 10 }])).toEqual([10])
  await counters.markComplete(SHARD)
  let stored = 0
  const batch = () => {
    const ids = Array.from({ length: 500 }, (_, i) => `${stored} ${i} ${'x'.repeat(300)}`)
    const add = [N, ...ids.map((id) => spendOf(id))].map((key) => ({ key, amount: 1 }))
    return changeOf({ after: stored - 1, note: `note ${stored}`, add, seen: ids.map((id) => seenOf(id)) })
  }
  const fill = async () => {
    for (; ; stored++) await counters.store(batch())
  }
  await expect(fill()).rejects.toBeInstanceOf(CountersUnavailable)
  expect(stored).toBeGreaterThan(0)
  expect(await counters.read([N])).toEqual([stored])
  expect(await counters.positions(source)).toEqual([stored - 1])
  const { add, seen } = batch()
  const [loaded] = await counters.load([loadOf({ keys: add.map(({ key }) => key), seen })])
  expect(loaded).toEqual({
    position: stored - 1,
    note: `note ${stored - 1}`,
    values: [stored, ...Array(500).fill(0)],
    tallies: new Float64Array(),
    seen: Array(500).fill(false),
    complete: true,
  })
  expect(await counters.reserve([{ ...hold, requested: 0 }])).toEqual([0])
  await counters.close()
})
