import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectClickHouse } from '../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../infra/analytics/clickhouse/migrate.ts'
import type { Analytics } from '../../infra/analytics/port.ts'
import type { Counters } from '../../infra/counters/port.ts'
import { connectRedis } from '../../infra/counters/redis/counters.ts'
import { connectKafkaEventLog } from '../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../infra/event-log/kafka/migrate.ts'
import type { Commit, EventLog } from '../../infra/event-log/port.ts'
import { encode } from '../../schemas/wire/codec.ts'
import { ATTRIBUTION_GROUP, attribute } from '../../streams/attribution/attribution.ts'
import { createJudge } from '../../streams/judge/judge.ts'
import { JUDGE_GROUP } from '../../streams/judge/recount/judged-up-to.ts'
import { SINK_GROUP } from '../../streams/sink/offset-metadata.ts'
import { createSink } from '../../streams/sink/sink.ts'
import { HOUR, T0 } from '../streams/attribution/events.ts'
import { bytesOf, type Happening, happened, keyOf } from '../streams/attribution/happenings.ts'
import { attributedByHand } from '../streams/attribution/oracle.ts'
import { attributedLines } from '../streams/attribution/world.ts'
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
/** What the tests of attribution have stored, one after the other. */
const happenings: Happening[] = []
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

/** What Kafka does with the commits of a group that had no member for `offsets.retention.minutes`, or an operator with some of them. */
async function forget(group: string, of: (commit: Commit) => boolean = () => true): Promise<void> {
  const kept = (await log.committed(group)).filter((commit) => !of(commit))
  await log.reset(group, null)
  await log.reset(group, kept)
}

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
  for (const group of [JUDGE_GROUP, SINK_GROUP]) await forget(group)
  await counters.clear()
  await send(30)
  await workAll()
  const [stored] = await analytics.query<object>(
    `SELECT count() AS stored, uniqExact(eventId) AS events, sum(billedMicros) AS billed FROM judged_events`,
  )
  expect(stored).toEqual({ stored: 60 * ids.length, events: 60 * ids.length, billed: ids.length * BUDGET })
})

const sale = (n: number): Happening[] => [
  happened.touch({ eventId: `e${n}`, cid: `c${n}`, uid: null, at: T0 + n * HOUR, adId: 'p1' }),
  happened.purchase({ eventId: `o${n}`, cid: `c${n}`, uid: null, at: T0 + n * HOUR + 1, products: [['p1', 2]] }),
]
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

test.each<[string, (commit: Commit) => boolean]>([
  ['the commits', () => true],
  ['some commits', ({ topic, partition }) => topic === 'transactions' || partition % 2 === 0],
])(
  'after Kafka has forgotten %s of sink and attribution, sales have the credit that all events give',
  async (_name, of) => {
    const store = async (more: readonly Happening[]) => {
      happenings.push(...more)
      await log.append(more.map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })))
      await workAll()
      await attribute({ log, analytics, runId: randomUUID })
    }
    const first = happenings.length
    await store(numbers(first, first + 20).flatMap(sale))
    await forget(SINK_GROUP, of)
    await forget(ATTRIBUTION_GROUP, of)
    const returned = {
      returnId: `r${first}`,
      eventId: `o${first + 3}`,
      at: T0 + 100 * HOUR,
      lines: [['p1', 1]] as [string, number][],
    }
    await store([...numbers(first + 20, first + 30).flatMap(sale), happened.returned(returned)])
    const lines = await attributedLines(analytics)
    expect(lines).toEqual(attributedByHand(happenings))
    expect(lines.filter(({ outcome }) => outcome === 'CREDITED')).toHaveLength(lines.length)
  },
)
