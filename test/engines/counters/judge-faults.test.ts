import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Counters, CountersUnavailable } from '../../../infra/counters/port.ts'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { topics } from '../../../schemas/topics.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { spendKey } from '../../../services/domain/money/counter-keys.ts'
import { createCountersRepair } from '../../../streams/judge/counters-repair.ts'
import { createJudge } from '../../../streams/judge/judge.ts'
import { createPeriodic } from '../../../streams/runtime/periodic.ts'
import { eventOf, snapshotOf } from '../../streams/judge/fixtures.ts'
import { waitFor } from '../../wait-for.ts'
import { type OwnRedis, ownRedis } from './servers/redis-server.ts'

const SHARDS = topics['ad-events'].partitions
const PRICE = 7
const BUDGET = 300 * PRICE
const ids = ['a', 'b', 'c', 'd', 'e']
const snapshot = snapshotOf(Object.fromEntries(ids.map((id) => [id, { budgetMicros: BUDGET }])))
const silent = { info() {}, warn() {}, error() {} }
const spends = ids.map((id) => spendKey(shardOf(id, SHARDS), id))

let folder: string
let redis: OwnRedis
let admin: Redis
let log: EventLog
let counters: Counters
let judge: ReturnType<typeof createJudge>
let keeper: ReturnType<typeof createPeriodic>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'judge-'))
  redis = await ownRedis(folder)
  await redis.start()
  admin = new Redis(redis.url, { maxRetriesPerRequest: null, retryStrategy: () => 20 })
  admin.on('error', () => {})
  log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  counters = connectRedis({ url: redis.url, namespace: 'n', shards: SHARDS })
  const deps = { log, counters, snapshot, now: Date.now }
  judge = createJudge({ ...deps, logger: silent, retry: { firstMs: 10, maxMs: 50 } })
  const turn = createCountersRepair(deps)
  keeper = createPeriodic({ name: 'counters', turn, pauseMs: 20, now: Date.now, logger: silent })
  judge.run()
  keeper.run()
})
afterEach(async () => {
  await Promise.all([judge.stop(), keeper.stop()])
  admin.disconnect()
  await counters.close()
  await log.close()
  await redis.kill()
  rmSync(folder, { recursive: true })
})

const send = () =>
  log.append(
    Array.from({ length: 100 }, (_, i) => {
      const campaignId = ids[i % ids.length]!
      const event = eventOf({}, { campaignId, priceMicros: PRICE })
      return { topic: 'ad-events' as const, key: campaignId, value: encode('AdEvent', event) }
    }),
  )
const hasJudgedAll = async () => (await judge.lag()).every(({ records }) => records === 0)
/** Null while the counters are being recounted or Redis is away. */
const spent = () =>
  counters.read(spends).catch((error) => {
    if (error instanceof CountersUnavailable) return null
    throw error
  })

async function billed(): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const { partition } of await log.bounds('judged-events')) {
    for (const { value } of await log.read('judged-events', partition, 0, 10_000)) {
      const { claims, billedMicros } = decode('JudgedEvent', value!)
      sums[claims.campaignId] = (sums[claims.campaignId] ?? 0) + billedMicros
    }
  }
  return sums
}
const everyBudget = Object.fromEntries(ids.map((id) => [id, BUDGET]))

/** The key, the value and the time of expiry of each entry. */
type Saved = [Buffer, Buffer, number][]

/** All keys at one moment. */
async function saved(): Promise<Saved> {
  const script = `local saved = {}
    for i, key in ipairs(redis.call('KEYS', '*')) do
      saved[i] = { key, redis.call('DUMP', key), math.max(0, redis.call('PEXPIRETIME', key)) }
    end
    return saved`
  return (await admin.callBuffer('EVAL', script, 0)) as Saved
}

/** Restores the saved keys, in place of everything written since. */
async function restore(keys: Saved): Promise<void> {
  const transaction = admin.multi().flushall()
  for (const [key, value, expiresAt] of keys) transaction.restore(key, expiresAt, value, 'ABSTTL')
  for (const [error] of (await transaction.exec())!) if (error) throw error
}

test('a Redis that is emptied and killed bills no budget twice, and the counters end as what was billed', async () => {
  for (let round = 0; round < 30; round++) {
    await send()
    await delay(10)
    if (round % 10 === 4) await admin.flushall()
    if (round % 10 === 8) {
      await redis.kill()
      await redis.start()
    }
  }
  await waitFor(hasJudgedAll)
  await admin.flushall()
  await waitFor(async () => (await spent()) !== null)
  expect(await billed()).toEqual(everyBudget)
  expect(await spent()).toEqual(ids.map(() => BUDGET))
})

test('a Redis that is set back to an older state bills no budget twice', async () => {
  let older: Saved = []
  for (let round = 0; round < 30; round++) {
    await send()
    await delay(10)
    if (round % 8 === 2) older = await saved()
    if (round % 8 === 6) await restore(older)
  }
  await waitFor(hasJudgedAll)
  await waitFor(async () => (await spent())?.every((each) => each === BUDGET) ?? false)
  expect(await billed()).toEqual(everyBudget)
})

test('while Redis is full the judge waits and budgets can be read; then nothing is missing', async () => {
  await send()
  await waitFor(async () => (await hasJudgedAll()) && (await spent()) !== null)
  const before = await spent()
  await admin.config('SET', 'maxmemory', '1')
  await send()
  await delay(300)
  expect(await hasJudgedAll()).toBe(false)
  expect(await spent()).toEqual(before)
  await admin.config('SET', 'maxmemory', '0')
  await waitFor(hasJudgedAll)
  expect(await billed()).toEqual(Object.fromEntries(ids.map((id) => [id, 40 * PRICE])))
  expect(await spent()).toEqual(ids.map(() => 40 * PRICE))
})
