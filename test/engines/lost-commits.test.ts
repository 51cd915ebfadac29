import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectClickHouse } from '../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../infra/analytics/clickhouse/migrate.ts'
import type { Analytics } from '../../infra/analytics/port.ts'
import type { Counters } from '../../infra/counters/port.ts'
import { connectRedis } from '../../infra/counters/redis/counters.ts'
import { connectKafkaEventLog } from '../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../infra/event-log/kafka/migrate.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { encode } from '../../schemas/wire/codec.ts'
import { createJudge } from '../../streams/judge/judge.ts'
import { JUDGE_GROUP } from '../../streams/judge/recount/judged-up-to.ts'
import { SINK_GROUP } from '../../streams/sink/offset-metadata.ts'
import { createSink } from '../../streams/sink/sink.ts'
import { eventOf, snapshotOf } from '../streams/judge/fixtures.ts'
import { addresses, removeDatabase, testNamespace } from './addresses.ts'
import { removeKafkaNamespace } from './event-log/kafka-tools.ts'

const PRICE = 7
const BUDGET = 50 * PRICE
const ids = ['a', 'b', 'c', 'd', 'e', 'f']
const snapshot = snapshotOf(Object.fromEntries(ids.map((id) => [id, { budgetMicros: BUDGET }])))
const silent = { info() {}, warn() {}, error() {} }
const namespace = testNamespace()
const tables = { url: addresses.clickhouseUrl, namespace }
let log: EventLog
let counters: Counters
let analytics: Analytics
beforeAll(async () => {
  const kafka = { brokers: addresses.kafkaBrokers, clientId: 'test', namespace, logger: silent }
  await migrateKafka({ ...kafka, replicationFactor: 1 })
  log = connectKafkaEventLog({ ...kafka, now: Date.now, sessionTimeoutMs: 6_000 })
  counters = connectRedis({ url: addresses.redisUrl, namespace, shards: (await log.bounds('ad-events')).length })
  await migrateClickHouse(tables)
  analytics = connectClickHouse(tables)
})
afterAll(async () => {
  await counters.clear()
  await Promise.all([counters.close(), analytics.close(), log.close()])
  await Promise.all([removeKafkaNamespace(namespace), removeDatabase(tables.url, namespace)])
})

const send = (perCampaign: number) =>
  log.append(
    ids.flatMap((campaignId) =>
      Array.from({ length: perCampaign }, () => {
        const now = Date.now()
        const event = eventOf({ occurredAt: now }, { campaignId, priceMicros: PRICE, emittedAt: now })
        return { topic: 'ad-events' as const, key: campaignId, value: encode('AdEvent', event) }
      }),
    ),
  )

/** Judges and stores everything in the log. */
async function workAll(): Promise<void> {
  const deps = { log, counters, snapshot, analytics, now: Date.now, logger: silent }
  for (const stream of [createJudge(deps), createSink(deps)]) {
    const ended = stream.run()
    while ((await stream.lag()).some(({ records }) => records > 0)) await delay(50)
    await stream.stop()
    await ended
  }
}

test('after Kafka has forgotten the commits of judge and sink, each event still has one verdict and one row', async () => {
  await send(30)
  await workAll()
  // As Kafka does itself with a group that has had no member for `offsets.retention.minutes`.
  for (const group of [JUDGE_GROUP, SINK_GROUP]) await log.reset(group, null)
  await counters.clear()
  await send(30)
  await workAll()
  const [stored] = await analytics.query<object>(
    `SELECT count() AS stored, uniqExact(eventId) AS events, sum(billedMicros) AS billed FROM judged_events`,
  )
  expect(stored).toEqual({ stored: 60 * ids.length, events: 60 * ids.length, billed: ids.length * BUDGET })
})
