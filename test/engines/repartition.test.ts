import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectClickHouse } from '../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../infra/analytics/clickhouse/migrate.ts'
import { connectRedis } from '../../infra/counters/redis/counters.ts'
import { shardOf } from '../../infra/counters/shards.ts'
import { connectKafkaEventLog } from '../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../infra/event-log/kafka/migrate.ts'
import { LogUnavailable } from '../../infra/event-log/port.ts'
import type { RegistryEntry } from '../../schemas/records/entities.ts'
import type { AdEvent, JudgedEvent } from '../../schemas/records/events.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { spendKey } from '../../services/domain/money/counter-keys.ts'
import { registryKey } from '../../services/replicas/registry-keys.ts'
import { createJudge } from '../../streams/judge/judge.ts'
import { readPages } from '../../streams/runtime/pages.ts'
import { runToEnd } from '../../streams/runtime/run-to-end.ts'
import { createSink } from '../../streams/sink/sink.ts'
import { tries } from '../effort.ts'
import { eventOf, RULES_OFF, SHOP_ID, snapshotOf } from '../streams/judge/fixtures.ts'
import { waitFor } from '../wait-for.ts'
import { addresses, PARTITIONS, testNamespace } from './addresses.ts'
import { removeNamespace, settingsIn } from './namespace.ts'

const PRICE = 7
const BUDGET = 60 * PRICE
const CAP = 3
const PEOPLE = ['a', 'b', 'c', 'd']
const FROM = PARTITIONS
const TO = 12

const ids = Array.from({ length: 16 }, (_, i) => `campaign ${i}`)
const snapshot = snapshotOf(Object.fromEntries(ids.map((id) => [id, { budgetMicros: BUDGET, capping: CAP }])))
const shop = snapshot.get('Shop', SHOP_ID)!
snapshot.apply({ ...shop, kind: 'Shop', version: 2, body: { ...shop.body, invalidTraffic: RULES_OFF } })

const namespace = testNamespace()
const address = { brokers: addresses.kafkaBrokers, clientId: 'test', namespace, logger: { warn() {} } }
const logger = { info() {}, warn() {}, error() {} }
const openLog = () => connectKafkaEventLog({ ...address, now: Date.now })
const openCounters = (shards: number) => connectRedis({ url: addresses.redisUrl, namespace, shards })
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'repartition-'))
  await migrateKafka({ ...address, replicationFactor: 1, partitions: PARTITIONS })
  await migrateClickHouse({ url: addresses.clickhouseUrl, namespace })
})
afterAll(async () => {
  await removeNamespace(namespace)
  rmSync(folder, { recursive: true })
})

/** Does what `make repartition` does. @param killedAfter it kills itself once it has said so: a signal might come after its end. */
function runRepartition(killedAfter = ''): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, ...settingsIn(namespace), DATA_FOLDER: folder, KAFKA_SESSION_TIMEOUT_MS: '6000' }
  const settings = { KAFKA_TOPIC_PARTITIONS: `ad-events:${TO},emissions:${TO}`, KILLED_AFTER: killedAfter }
  const command = ['--import', './test/engines/killed-after.ts', 'services/repartition.ts']
  const child = spawn('node', command, { env: { ...env, ...settings } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

/** What the command says after each of its steps. */
const steps = [
  'New events are spooled',
  'All earlier events are judged',
  'The spend of campaigns is copied',
  'Partitions added',
]
const KILLED_AFTER = tries([steps[1], steps[3]], steps)

/** Runs the command again and again: it is killed after one step after the other, and then ends. @returns what the last run said. */
async function repartitionWithKills() {
  for (let step = 0; ; ) {
    const run = await runRepartition(KILLED_AFTER[step])
    // A group keeps a member that was killed until its session expires.
    if (run.output.startsWith('Streams are running')) continue
    if (run.code !== null) return { ...run, kills: step }
    step++
  }
}

/**
 * Sends clicks and views of every campaign by every person, and repeats some. The events of a campaign are judged in the order of
 * `sent`.
 */
function createShoppers(log: ReturnType<typeof openLog>) {
  const sent: AdEvent[] = []
  return {
    sent,
    /** Sends as intake does: while the log accepts nothing, events wait in order. */
    async send(): Promise<void> {
      const at = Date.now()
      const events = ids.flatMap((campaignId) =>
        (['CLICK', 'VIEW'] as const).flatMap((type) =>
          PEOPLE.map((cid) => {
            return eventOf({ type, cid, occurredAt: at }, { campaignId, cid, priceMicros: PRICE, emittedAt: at })
          }),
        ),
      )
      const again = sent.slice(-7).map((event, i) => ({ ...event, eventId: `again ${sent.length + i}` }))
      sent.push(...events, ...again)
      const records = [...events, ...again].map((event) => {
        return { topic: 'ad-events' as const, key: event.claims.campaignId, value: encode('AdEvent', event) }
      })
      for (;;) {
        try {
          return void (await log.append(records))
        } catch (error) {
          if (!(error instanceof LogUnavailable)) throw error
          await delay(100)
        }
      }
    },
  }
}

async function judgedEvents(log: ReturnType<typeof openLog>): Promise<JudgedEvent[]> {
  const judged: JudgedEvent[] = []
  for (const { partition, end } of await log.bounds('judged-events')) {
    for await (const page of readPages(log, 'judged-events', partition, { from: 0, to: end })) {
      judged.push(...page.map(({ value }) => decode('JudgedEvent', value!)))
    }
  }
  return judged
}

test('four partitions become twelve under load and kills: every event has one verdict in its order, and no budget or cap is broken', async () => {
  const log = openLog()
  const analytics = connectClickHouse({ url: addresses.clickhouseUrl, namespace })
  const entries = [...snapshot.allEver('Shop'), ...snapshot.allEver('Campaign')] as RegistryEntry[]
  await log.append(
    entries.map((entry) => ({ topic: 'registry', key: registryKey(entry), value: encode('RegistryEntry', entry) })),
  )
  const { sent, send } = createShoppers(log)
  const judgeOf = (shards: number, of = log) => {
    const counters = openCounters(shards)
    return { counters, judge: createJudge({ log: of, counters, snapshot, now: Date.now, logger }) }
  }
  const before = judgeOf(FROM)
  for (let round = 0; round < 5; round++) await send()
  const running = before.judge.run()
  await waitFor(async () => (await log.committed('judge')).length > 0)

  const refused = await runRepartition()
  expect(refused).toEqual({
    code: 1,
    output: expect.stringMatching(/^Streams are running: judge\. Stop every process/),
  })
  expect(await log.bounds('ad-events')).toHaveLength(FROM)

  await before.judge.stop()
  await running
  await before.counters.close()
  await send()
  let isDone = false
  const sending = (async () => {
    while (!isDone) {
      await send()
      await delay(500)
    }
  })()
  const done = await repartitionWithKills()
  isDone = true
  await sending
  expect(done).toEqual({ code: 0, output: expect.stringContaining('events counted again'), kills: KILLED_AFTER.length })
  expect(await log.bounds('emissions')).toHaveLength(TO)

  const later = openLog()
  const after = judgeOf(TO, later)
  for (let round = 0; round < 5; round++) await send()
  await runToEnd(after.judge)
  await runToEnd(createSink({ log: later, analytics, now: Date.now, logger }))

  const judged = await judgedEvents(later)
  expect(judged).toHaveLength(sent.length)
  expect(new Set(judged.map(({ eventId }) => eventId)).size).toBe(sent.length)
  for (const id of ids) {
    const ofCampaign = judged.filter(({ claims }) => claims.campaignId === id)
    expect(ofCampaign.map(({ eventId }) => eventId)).toEqual(
      sent.filter(({ claims }) => claims.campaignId === id).map(({ eventId }) => eventId),
    )
    expect(ofCampaign.map(({ verdict }) => verdict)).toEqual(verdictsOf(ofCampaign))
  }
  expect(
    new Set(judged.map(({ claims, sourcePartition }) => `${claims.campaignId} ${sourcePartition}`)).size,
  ).toBeGreaterThan(ids.length)
  const billed = ids.map((id) =>
    judged.reduce((sum, { claims, billedMicros }) => sum + (claims.campaignId === id ? billedMicros : 0), 0),
  )
  expect(await after.counters.read(ids.map((id) => spendKey(shardOf(id, TO), id)))).toEqual(billed)
  const [rows] = await analytics.query<{ rows: number; events: number }>(
    'SELECT count() AS rows, uniqExact(eventId) AS events FROM judged_events',
  )
  expect(rows).toEqual({ rows: sent.length, events: sent.length })
  await Promise.all([log.close(), later.close(), after.counters.close(), analytics.close()])
})

/** The expected verdicts, computed by looking back over all events of one campaign. */
function verdictsOf(events: readonly AdEvent[]): string[] {
  const isSame = (a: AdEvent) => (b: AdEvent) => a.type === b.type && a.claims.requestId === b.claims.requestId
  let clicks = 0
  const views = new Map<string, number>()
  return events.map((event, i) => {
    if (events.slice(0, i).some(isSame(event))) return 'DUPLICATE'
    if (event.type === 'CLICK') return ++clicks * PRICE <= BUDGET ? 'VALID' : 'OVER_BUDGET'
    const seen = (views.get(event.cid) ?? 0) + 1
    views.set(event.cid, seen)
    return seen <= CAP ? 'VALID' : 'CAPPED'
  })
}
