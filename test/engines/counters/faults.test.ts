import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, test } from 'vitest'
import { type Counters, CountersUnavailable, type Step } from '../../../infra/counters/port.ts'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { COUNTERS_COMPLETE_KEY, spendKey } from '../../../services/domain/money/counter-keys.ts'
import { createCountersRepair } from '../../../streams/judge/counters-repair.ts'
import { createJudge } from '../../../streams/judge/judge.ts'
import { createPeriodic } from '../../../streams/runtime/periodic.ts'
import { eventOf, snapshotOf } from '../../streams/judge/fixtures.ts'
import { type OwnRedis, ownRedis } from './redis-server.ts'

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

const stepAt = (offset: number): Step => ({
  source: 's',
  offset,
  once: null,
  limits: [{ name: 'n', key: 'n', add: 1, max: null, expiresAt: null }],
  now: 1,
})
/** Tries until Redis answers again. */
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
const applyUntilDone = (counters: Counters, offset: number) => eventually(() => counters.apply([stepAt(offset)]))

test('steps tried again through kills are each applied once, and nothing written is lost', async () => {
  const redis = await startRedis()
  const counters = connectRedis({ url: redis.url, namespace: 'n' })
  let offset = 0
  for (let round = 0; round < 4; round++) {
    const killed = delay(10 + round * 7)
      .then(() => redis.kill())
      .then(() => redis.start())
    let done = false
    killed.then(() => {
      done = true
    })
    while (!done) await applyUntilDone(counters, offset++)
  }
  expect(await eventually(() => counters.read(['n']))).toEqual([offset])
  expect(await counters.positions(['s'])).toEqual([offset - 1])
  await counters.close()
})

test('a Redis that hangs makes calls fail in time, then at once, and is used again when it goes on', async () => {
  const redis = await startRedis()
  const counters = connectRedis({ url: redis.url, namespace: 'n' })
  await counters.apply([stepAt(0)])
  redis.pause()
  // What was sent may be carried out later: the position makes the second try a repetition.
  await expect(counters.apply([stepAt(1)])).rejects.toBeInstanceOf(CountersUnavailable)
  await delay(2_000)
  await expect(Promise.all(Array.from({ length: 50 }, () => counters.read(['n'])))).rejects.toBeInstanceOf(
    CountersUnavailable,
  )
  redis.resume()
  await applyUntilDone(counters, 1)
  expect(await counters.read(['n'])).toEqual([2])
  await counters.close()
})

test('a thread that was kept from running for longer than a call may take takes the answer that is there', async () => {
  const redis = await startRedis()
  const counters = connectRedis({ url: redis.url, namespace: 'n' })
  await counters.apply([stepAt(0)])
  const answers = Promise.all([counters.read(['n']), counters.positions(['s'])])
  await Promise.resolve()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000)
  expect(await answers).toEqual([[1], [0]])
  expect(await counters.read(['n'])).toEqual([1])
  await counters.close()
})

test('a Redis that was away at the start is used once it is there', async () => {
  folders.push(mkdtempSync(join(tmpdir(), 'redis-')))
  const redis = await ownRedis(folders.at(-1)!)
  const counters = connectRedis({ url: redis.url, namespace: 'n' })
  await expect(counters.read(['n'])).rejects.toBeInstanceOf(CountersUnavailable)
  running.push(redis)
  await redis.start()
  expect(await applyUntilDone(counters, 0)).toEqual(['APPLIED'])
  await counters.close()
})

test('a Redis that may evict keys is refused', async () => {
  const redis = await startRedis(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'])
  const counters = connectRedis({ url: redis.url, namespace: 'n' })
  await expect(counters.apply([stepAt(0)])).rejects.toThrow('must be noeviction')
  await counters.close()
})

test('a Redis that is full refuses steps whole, and still answers what it knows', async () => {
  const redis = await startRedis(['--maxmemory', '3mb', '--maxmemory-policy', 'noeviction'])
  const counters = connectRedis({ url: redis.url, namespace: 'n' })
  const onceEach = (from: number) =>
    Array.from({ length: 100 }, (_, i) => ({
      ...stepAt(from + i),
      once: { key: 'x'.repeat(500) + (from + i), expiresAt: 9 },
    }))
  let from = 0
  await expect(
    (async () => {
      for (; ; from += 100) await counters.apply(onceEach(from))
    })(),
  ).rejects.toBeInstanceOf(CountersUnavailable)
  // A list goes in calls of 50 steps, each applied whole or not at all.
  const [count] = (await counters.read(['n'])) as [number]
  expect([from, from + 50]).toContain(count)
  expect(await counters.positions(['s'])).toEqual([count - 1])
  await counters.close()
})

describe('the judge on a Redis that loses what it held', () => {
  const PRICE = 7
  const BUDGET = 300 * PRICE
  const ids = ['a', 'b', 'c', 'd', 'e']
  const snapshot = snapshotOf(Object.fromEntries(ids.map((id) => [id, { budgetMicros: BUDGET }])))
  const silent = { info() {}, warn() {}, error() {} }

  test('bills no budget twice, and the counters end as what was billed', async () => {
    const redis = await startRedis()
    const admin = new Redis(redis.url, { maxRetriesPerRequest: null, retryStrategy: () => 20 })
    admin.on('error', () => {})
    folders.push(mkdtempSync(join(tmpdir(), 'log-')))
    const log = await openEmbeddedEventLog({ folder: folders.at(-1)! })
    const counters = connectRedis({ url: redis.url, namespace: 'n' })
    const retry = { firstMs: 10, maxMs: 50 }
    const judge = createJudge({ log, counters, snapshot, now: Date.now, logger: silent, retry })
    const keeper = createPeriodic({
      name: 'counters',
      turn: createCountersRepair({ log, counters, snapshot }),
      pauseMs: 20,
      now: Date.now,
      logger: silent,
    })
    judge.run()
    keeper.run()
    const send = () =>
      log.append(
        Array.from({ length: 100 }, (_, i) => {
          const campaignId = ids[i % ids.length]!
          const event = eventOf({}, { campaignId, priceMicros: PRICE })
          return { topic: 'ad-events' as const, key: campaignId, value: encode('AdEvent', event) }
        }),
      )
    for (let round = 0; round < 30; round++) {
      await send()
      await delay(10)
      if (round % 10 === 4) await admin.flushall()
      if (round % 10 === 8) {
        await redis.kill()
        await redis.start()
      }
    }
    while ((await judge.lag()).some(({ records }) => records > 0)) await delay(20)
    await admin.flushall()
    while ((await eventually(() => counters.read([COUNTERS_COMPLETE_KEY])))[0] === 0) await delay(20)
    await Promise.all([judge.stop(), keeper.stop()])

    const billed = new Map<string, number>()
    for (const { partition } of await log.bounds('judged-events')) {
      for (const { value } of await log.read('judged-events', partition, 0, 10_000)) {
        const { claims, billedMicros } = decode('JudgedEvent', value!)
        billed.set(claims.campaignId, (billed.get(claims.campaignId) ?? 0) + billedMicros)
      }
    }
    expect(Object.fromEntries(billed)).toEqual(Object.fromEntries(ids.map((id) => [id, BUDGET])))
    expect(await counters.read(ids.map(spendKey))).toEqual(ids.map(() => BUDGET))
    admin.disconnect()
    await counters.close()
    await log.close()
  })
})
