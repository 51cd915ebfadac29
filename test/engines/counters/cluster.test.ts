import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CountersUnavailable } from '../../../infra/counters/port.ts'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { shardKeys } from '../../../infra/counters/redis/keys.ts'
import { connectRedisBuckets } from '../../../infra/rate-limits/redis/rate-limits.ts'
import * as fixtures from '../../ports/counters.fixtures.ts'
import { waitFor } from '../../wait-for.ts'
import { addresses } from '../addresses.ts'
import { answered, SHARDS, startJudging } from './judged-campaigns.ts'
import { type OwnCluster, startCluster } from './servers/redis-cluster.ts'
import { countersSuiteOn } from './suite-on-redis.ts'

let cluster: OwnCluster
const folder = mkdtempSync(join(tmpdir(), 'judged-'))
beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(async () => {
  await cluster.stop()
  rmSync(folder, { recursive: true })
})

describe('counters on a Redis Cluster', () => {
  const openIn = countersSuiteOn(() => cluster.url)

  test('that are cleared leave no key on any server, and those of another namespace', async () => {
    const [counters, other] = [openIn('cleared'), openIn('kept')]
    for (const each of [counters, other]) {
      for (let shard = 0; shard < fixtures.SHARDS; shard++) await each.markComplete(shard)
      await each.raiseWatermark(1)
    }
    await counters.clear()
    const left = await Promise.all(cluster.servers.map(({ port }) => keysOf(port)))
    expect(left.flat().filter((key) => key.startsWith('cleared'))).toEqual([])
    expect(await other.complete()).toEqual(Array(fixtures.SHARDS).fill(true))
    await other.clear()
    await Promise.all([counters.close(), other.close()])
  })
})

test('rate limits draw from buckets on all masters', async () => {
  const buckets = connectRedisBuckets({ url: cluster.url, namespace: 'n' })
  const draws = Array.from({ length: 30 }, (_, i) => ({ key: `${i % 15}`, amount: 10, perMinute: 60 }))
  const levels = await buckets.draw(draws)
  for (const [i, level] of levels.entries()) expect(Math.floor(level!)).toBe(i < 15 ? 50 : 40)
  const ofEach = await Promise.all(cluster.servers.map(({ port }) => keysOf(port)))
  expect(ofEach.filter((keys) => keys.some((key) => key.startsWith('n:rate:')))).toHaveLength(6)
  await buckets.close()
})

test('an address of another kind of Redis, or of none, says what is wrong', async () => {
  const single = new URL(addresses.redisUrl).host
  const [node] = cluster.servers
  const wrong = {
    [`redis+cluster://${single}`]: 'it is not a Cluster',
    [`redis+sentinel://${single}/main`]: 'it is not a Sentinel',
    [node!.url]: 'it is a Cluster',
    'redis://127.0.0.1:1': 'ECONNREFUSED',
  }
  for (const [url, message] of Object.entries(wrong)) {
    const counters = connectRedis({ url, namespace: 'n', shards: SHARDS })
    await expect(counters.complete()).rejects.toThrow(message)
    await expect(counters.complete()).rejects.toBeInstanceOf(CountersUnavailable)
    await counters.close()
  }
})

test('a master that may evict keys is refused', async () => {
  const master = await cluster.masterOf('any')
  const admin = new Redis(master.port)
  await admin.config('SET', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', '100mb')
  const counters = connectRedis({ url: cluster.url, namespace: 'n', shards: SHARDS })
  await expect(counters.complete()).rejects.toThrow('must be noeviction')
  await counters.close()
  await admin.config('SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '0')
  admin.disconnect()
})

test('a master that hangs fails the calls to its shards alone, and is replaced', async () => {
  const counters = connectRedis({ url: cluster.url, namespace: 'frozen', shards: SHARDS })
  for (let shard = 0; shard < SHARDS; shard++) await counters.markComplete(shard)
  const read = (shard: number) => counters.read([fixtures.viewsOf('a', shard)])
  const frozen = await cluster.masterOf(keyOf(0))
  const masters = await Promise.all(Array.from({ length: SHARDS }, (_, shard) => cluster.masterOf(keyOf(shard))))
  const there = masters.flatMap((master, shard) => (master === frozen ? [] : shard))
  expect(there.length).toBeGreaterThan(0)
  frozen.pause()
  const ended: number[] = []
  const first = read(0).finally(() => ended.push(0))
  first.catch(() => {})
  for (const shard of there) {
    await read(shard)
    ended.push(shard)
  }
  await expect(first).rejects.toBeInstanceOf(CountersUnavailable)
  expect(ended).toEqual([...there, 0])
  expect(await answered(() => read(0))).toEqual([0])
  frozen.resume()
  await cluster.isWhole()
  for (let shard = 0; shard < SHARDS; shard++) expect(await answered(() => read(shard))).toEqual([0])
  await counters.clear()
  await counters.close()
})

test('counters of which a master is away are not cleared by half and called cleared', async () => {
  const counters = connectRedis({ url: cluster.url, namespace: 'away', shards: SHARDS })
  for (let shard = 0; shard < SHARDS; shard++) await counters.markComplete(shard)
  const master = await cluster.masterOf(keyOf(0))
  await master.kill()
  await waitFor(async () => (await cluster.masterOf(keyOf(0))) !== master)
  const successor = await cluster.masterOf(keyOf(0))
  await successor.kill()
  const clear = () => counters.clear().catch((error) => error)
  // The second time, the connection has ended and is forgotten.
  const outcomes = [await clear(), await clear()]
  await Promise.all([successor.start(), master.start()])
  await cluster.isWhole()
  for (const outcome of outcomes) expect(outcome).toBeInstanceOf(CountersUnavailable)
  await answered(() => counters.clear())
  expect(await counters.complete()).toEqual(Array(SHARDS).fill(false))
  await counters.close()
})

test('a judge bills nothing twice, and exceeds no cap, while masters die, hang, and hand over their slots', async () => {
  const campaigns = await startJudging(cluster.url, folder)
  for (let i = 0; i < 5; i++) await campaigns.send()

  // First move slots, while nothing is lost: a spend that was read once must never read lower.
  let isMoving = true
  let readings = 0
  const reading = (async () => {
    let last: number[] = []
    while (isMoving) {
      const spends = await answered(() => campaigns.spends())
      for (const [i, micros] of spends.entries()) expect(micros).toBeGreaterThanOrEqual(last[i] ?? 0)
      last = spends
      readings++
    }
  })()
  const moveAll = async () => {
    for (let shard = 0; shard < SHARDS; shard++) {
      const before = readings
      await cluster.moveSlot(keyOf(shard))
      await waitFor(() => readings > before)
    }
  }
  await campaigns.sendDuring(moveAll())
  isMoving = false
  await reading
  expect(readings).toBeGreaterThanOrEqual(SHARDS)

  const failsOver = async (shard: number, away: 'kill' | 'pause') => {
    const master = await cluster.masterOf(keyOf(shard))
    await master[away]()
    await waitFor(async () => (await cluster.masterOf(keyOf(shard))) !== master)
    if (away === 'kill') await master.start()
    else master.resume()
    await cluster.isWhole()
  }
  await campaigns.sendDuring(failsOver(0, 'kill'))
  await campaigns.sendDuring(failsOver(1, 'pause'))
  await campaigns.judged()
  await campaigns.check()
  await campaigns.stop()
})

/** A key of a shard of the judge's counters. */
const keyOf = (shard: number) => shardKeys('n', SHARDS, shard).complete

async function keysOf(port: number): Promise<string[]> {
  const client = new Redis(port)
  const keys = await client.keys('*')
  client.disconnect()
  return keys
}
