/**
 * Judged events a second: events that lie in the log already are judged by one process, which reads, decides, stores and
 * appends them, with all rules. Campaigns alike, and one campaign with 90 % of the events. With KAFKA_BROKERS on Kafka and
 * Redis, whose CPU is measured; otherwise embedded.
 *
 *     [KAFKA_BROKERS=127.0.0.1:19092] node test/bench/engines/judge.ts [events]
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { openEmbeddedCounters } from '../../../infra/counters/embedded/counters.ts'
import type { Counters } from '../../../infra/counters/port.ts'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import type { AdEvent } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { createJudge } from '../../../streams/judge/judge.ts'
import { rebuildCounters } from '../../../streams/judge/recount.ts'
import { addresses, testNamespace } from '../../engines/addresses.ts'
import { removeKafkaNamespace } from '../../engines/event-log/kafka-tools.ts'
import { eventOf, snapshotOf } from '../../streams/judge/fixtures.ts'

const EVENTS = Number(process.argv[2] ?? 200_000)
const CAMPAIGNS = 200
const PEOPLE = 50_000
const APPENDED_AT_ONCE = 2_000
const isReal = process.env.KAFKA_BROKERS !== undefined
const silent = {
  info() {},
  warn() {},
  error(_: object, message: string) {
    console.error(message)
  },
}

const campaigns = Array.from({ length: CAMPAIGNS }, (_, n) => ({ id: randomUUID(), isDisplay: n % 2 === 0 }))
const snapshot = snapshotOf(
  Object.fromEntries(
    campaigns.map(({ id, isDisplay }, n) => {
      const kind = isDisplay ? 'DISPLAY' : 'SPONSORED'
      return [id, { kind, budgetMicros: 1e12, capping: n % 4 === 0 ? 20 : null }] as const
    }),
  ),
)

/** Views, with a click for one of ten, of people at addresses of networks. */
function eventAt(n: number, hotShare: number): AdEvent {
  const person = (n * 7_919) % PEOPLE
  const { id: campaignId, isDisplay } = campaigns[(n * 97) % 100 < hotShare * 100 ? 0 : n % CAMPAIGNS]!
  const occurredAt = Date.now()
  const cid = `c0ffee00-0000-4000-8000-${String(person).padStart(12, '0')}`
  const client = {
    addressHash: `address-hash-${person >> 1}`,
    networkHash: `network-hash-${person >> 6}`,
    agentHash: `agent-hash-${person >> 4}`,
  }
  return eventOf(
    { type: n % 10 === 9 ? 'CLICK' : 'VIEW', cid, occurredAt, eventId: randomUUID(), ...client },
    {
      ...{ campaignId, cid, kind: isDisplay ? 'DISPLAY' : 'SPONSORED', adId: `sku-${n % 5_000}`, priceMicros: 250_000 },
      ...{ requestId: randomUUID(), slotHash: randomUUID(), adUnitId: `unit-${n % 40}`, emittedAt: occurredAt - 2_000 },
    },
  )
}

async function fill(log: EventLog, hotShare: number): Promise<void> {
  for (let from = 0; from < EVENTS; from += APPENDED_AT_ONCE) {
    const events = Array.from({ length: Math.min(APPENDED_AT_ONCE, EVENTS - from) }, (_, i) =>
      eventAt(from + i, hotShare),
    )
    await log.append(
      events.map((event) => {
        return { topic: 'ad-events' as const, key: event.claims.campaignId, value: encode('AdEvent', event) }
      }),
    )
  }
}

async function measure(name: string, hotShare: number, { log, counters }: { log: EventLog; counters: Counters }) {
  await fill(log, hotShare)
  const redis = isReal ? new Redis(addresses.redisUrl) : null
  const stream = createJudge({ log, counters, snapshot, now: Date.now, logger: silent })
  const redisBefore = redis ? await cpuMicros(redis) : 0
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  const running = stream.run()
  while (stream.state().records < EVENTS) await delay(10)
  const elapsedMs = performance.now() - start
  const { user, system } = process.cpuUsage(cpuBefore)
  const redisMicros = redis ? (await cpuMicros(redis)) - redisBefore : null
  await stream.stop()
  await running

  const recountFrom = performance.now()
  const recounted = await rebuildCounters({ log, counters, snapshot, now: Date.now })
  const recountMs = performance.now() - recountFrom
  if (recounted !== EVENTS) throw new Error(`counted ${recounted} of ${EVENTS} again`)
  console.log(
    [
      `${name}: ${Math.round((EVENTS / elapsedMs) * 1_000)} events/s`,
      `${((user + system) / EVENTS).toFixed(1)} us of the process's CPU each`,
      ...(redisMicros === null ? [] : [`${(redisMicros / EVENTS).toFixed(1)} us of Redis's`]),
      `counted again at ${Math.round((EVENTS / recountMs) * 1_000)} events/s`,
    ].join(', '),
  )
  redis?.disconnect()
}

/** What Redis has used so far. */
async function cpuMicros(redis: Redis): Promise<number> {
  const info = await redis.info('cpu')
  const used = ['used_cpu_sys', 'used_cpu_user'].map((name) => Number(info.match(new RegExp(`${name}:([0-9.]+)`))![1]))
  return used.reduce((sum, seconds) => sum + seconds, 0) * 1e6
}

async function onRealEngines(name: string, hotShare: number): Promise<void> {
  const namespace = testNamespace()
  const kafka = { brokers: addresses.kafkaBrokers, clientId: 'bench', namespace, logger: silent }
  await migrateKafka({ ...kafka, replicationFactor: 1 })
  const log = connectKafkaEventLog({ ...kafka, now: Date.now })
  const shards = (await log.bounds('ad-events')).length
  const counters = connectRedis({ url: addresses.redisUrl, namespace, shards })
  try {
    await measure(name, hotShare, { log, counters })
  } finally {
    await counters.clear()
    await counters.close()
    await log.close()
    await removeKafkaNamespace(namespace)
  }
}

async function embedded(name: string, hotShare: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-judge-'))
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const shards = (await log.bounds('ad-events')).length
  const counters = await openEmbeddedCounters({ folder: join(folder, 'counters'), shards })
  try {
    await measure(name, hotShare, { log, counters })
  } finally {
    await counters.close()
    await log.close()
    rmSync(folder, { recursive: true })
  }
}

const run = isReal ? onRealEngines : embedded
await run('campaigns alike', 0)
await run('one campaign with 90 %', 0.9)
