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
const snapshot = snapshotOf(Object.fromEntries(ids.map((id) => [id, { budgetMicros: BUDGET }])))
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

const send = (perCampaign: number) =>
  log.append(
    ids.flatMap((campaignId) =>
      Array.from({ length: perCampaign }, () => ({
        topic: 'ad-events' as const,
        key: campaignId,
        value: encode('AdEvent', eventOf({}, { campaignId, priceMicros: PRICE })),
      })),
    ),
  )
const spends = () => counters.read(ids.map((id) => spendKey(shardOf(id, counters.shards), id)))

/** The clicks that the log still holds as billed. */
async function billedSince(): Promise<number> {
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
  await send(8)
  await judged()
  await repair()
  await createSpendCheckpoints(deps)()
  for (const topic of ['ad-events', 'judged-events'] as const) await forgetRecords(namespace, topic)
  expect(await billedSince()).toBe(0)
  // After the checkpoint, and kept by the log.
  await send(4)
  await judged()

  await counters.clear()
  await repair()
  expect(await spends()).toEqual(ids.map(() => 12 * PRICE))

  await counters.clear()
  await send(20)
  await judged()
  await repair()
  expect(await spends()).toEqual(ids.map(() => BUDGET))
  expect(await billedSince()).toBe(ids.length * (20 - 8))
  await judge.stop()
})
