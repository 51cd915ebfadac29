import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Counters } from '../../../infra/counters/port.ts'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { spendKey } from '../../../services/domain/money/counter-keys.ts'
import { createCountersRepair } from '../../../streams/judge/counters-repair.ts'
import { createJudge } from '../../../streams/judge/judge.ts'
import { createSpendCheckpoints } from '../../../streams/spend-checkpoints/spend-checkpoints.ts'
import { eventOf, snapshotOf } from '../../streams/judge/fixtures.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { forgetRecords, removeKafkaNamespace } from '../event-log/kafka-tools.ts'

const PRICE = 7
const BUDGET = 20 * PRICE
const ids = ['a', 'b', 'c', 'd', 'e', 'f']
const oldIds = ['g', 'h', 'i']
const snapshot = snapshotOf(Object.fromEntries([...ids, ...oldIds].map((id) => [id, { budgetMicros: BUDGET }])))
const silent = { info() {}, warn() {}, error() {} }
const namespace = testNamespace()
let log: EventLog
let counters: Counters
beforeAll(async () => {
  const kafka = { brokers: addresses.kafkaBrokers, clientId: 'test', namespace, logger: silent }
  await migrateKafka({ ...kafka, replicationFactor: 1 })
  log = connectKafkaEventLog({ ...kafka, now: Date.now, sessionTimeoutMs: 6_000 })
  const shards = (await log.bounds('ad-events')).length
  counters = connectRedis({ url: addresses.redisUrl, namespace, shards })
})
afterAll(async () => {
  await counters.clear()
  await counters.close()
  await log.close()
  await removeKafkaNamespace(namespace)
})

const send = (perCampaign: number, campaignIds = ids) =>
  log.append(
    campaignIds.flatMap((campaignId) =>
      Array.from({ length: perCampaign }, () => ({
        topic: 'ad-events' as const,
        key: campaignId,
        value: encode('AdEvent', eventOf({}, { campaignId, priceMicros: PRICE })),
      })),
    ),
  )
/** The spend in the counters, even while they are incomplete. */
async function spends(campaignIds = ids): Promise<number[]> {
  const loads = campaignIds.map((id) => {
    const shard = shardOf(id, counters.shards)
    return { shard, source: 'ad-events', after: -1, keys: [spendKey(shard, id)], tallies: [], seen: [] }
  })
  return (await counters.load(loads)).map(({ values }) => values[0]!)
}

test('an emptied Redis is counted again from Kafka, by the judge when events come and by the keeper when none do', async () => {
  const judge = createJudge({ log, counters, snapshot, now: Date.now, logger: silent })
  const judged = async () => {
    while ((await judge.lag()).some(({ records }) => records > 0)) await delay(50)
  }
  judge.run()
  for (let i = 0; i < 3; i++) {
    await send(5)
    await judged()
  }
  await counters.clear()
  // 15 of 20 clicks were billed. Counters that had forgotten them would let 10 more through.
  await send(10)
  await judged()
  expect(await spends()).toEqual(ids.map(() => BUDGET))

  await counters.clear()
  await createCountersRepair({ log, counters, snapshot, now: Date.now })()
  expect(await spends()).toEqual(ids.map(() => BUDGET))
  expect(await counters.complete()).toEqual(Array(counters.shards).fill(true))
  await judge.stop()
})

/** The number of billed clicks that the log still holds. */
async function billedSince(): Promise<number> {
  await log.settled('judged-events')
  let billed = 0
  for (const { partition, start, end } of await log.bounds('judged-events')) {
    for (const { value } of await log.read('judged-events', partition, start, end - start)) {
      if (decode('JudgedEvent', value!).billedMicros > 0) billed++
    }
  }
  return billed
}

test('Redis and the head of the log are gone: a campaign goes on from its checkpoint, and bills its budget once', async () => {
  const deps = { log, counters, snapshot, now: Date.now }
  const judge = createJudge({ ...deps, logger: silent })
  const repair = createCountersRepair(deps)
  const judged = async () => {
    while ((await judge.lag()).some(({ records }) => records > 0)) await delay(50)
  }
  judge.run()
  await send(8, oldIds)
  await judged()
  await repair()
  await createSpendCheckpoints(deps)()
  for (const topic of ['ad-events', 'judged-events'] as const) await forgetRecords(namespace, topic)
  expect(await billedSince()).toBe(0)
  // These come after the checkpoint and stay in the log.
  await send(4, oldIds)
  await judged()

  await counters.clear()
  await repair()
  expect(await spends(oldIds)).toEqual(oldIds.map(() => 12 * PRICE))

  await counters.clear()
  await send(20, oldIds)
  await judged()
  await repair()
  expect(await spends(oldIds)).toEqual(oldIds.map(() => BUDGET))
  expect(await billedSince()).toBe(oldIds.length * (20 - 8))
  await judge.stop()
})
