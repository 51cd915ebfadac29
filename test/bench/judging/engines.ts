/** The log and the counters for benchmarks of judging: Kafka and Redis with KAFKA_BROKERS, otherwise embedded. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { openEmbeddedCounters } from '../../../infra/counters/embedded/counters.ts'
import type { Counters } from '../../../infra/counters/port.ts'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { addresses, testNamespace } from '../../engines/addresses.ts'
import { removeKafkaNamespace } from '../../engines/event-log/kafka-tools.ts'
import { startStopwatch } from '../stopwatch.ts'

const isReal = process.env.KAFKA_BROKERS !== undefined
export const silent = {
  info() {},
  warn() {},
  error(_: object, message: string) {
    console.error(message)
  },
}

export interface Judging {
  log: EventLog
  counters: Counters
}

/** Runs a benchmark with an empty log and empty counters, which are removed afterwards. */
export async function withJudging(run: (engines: Judging) => Promise<unknown>): Promise<void> {
  await (isReal ? onRealEngines : embedded)(run)
}

async function onRealEngines(run: (engines: Judging) => Promise<unknown>): Promise<void> {
  const namespace = testNamespace()
  const kafka = { brokers: addresses.kafkaBrokers, clientId: 'bench', namespace, logger: silent }
  await migrateKafka({ ...kafka, replicationFactor: 1 })
  const log = connectKafkaEventLog({ ...kafka, now: Date.now })
  const shards = (await log.bounds('ad-events')).length
  const counters = connectRedis({ url: addresses.redisUrl, namespace, shards })
  try {
    await run({ log, counters })
  } finally {
    await counters.clear()
    await counters.close()
    await log.close()
    await removeKafkaNamespace(namespace)
  }
}

async function embedded(run: (engines: Judging) => Promise<unknown>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-judging-'))
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const shards = (await log.bounds('ad-events')).length
  const counters = await openEmbeddedCounters({ folder: join(folder, 'counters'), shards })
  try {
    await run({ log, counters })
  } finally {
    await counters.close()
    await log.close()
    rmSync(folder, { recursive: true })
  }
}

export interface Cost {
  elapsedMs: number
  /** CPU of this process. */
  processMicros: number
  /** Null when the counters are embedded. */
  redisMicros: number | null
}

/** Measures the cost of some work. Includes other users of the same Redis. */
export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const redis = isReal ? new Redis(addresses.redisUrl) : null
  try {
    const redisBefore = redis ? await redisCpuMicros(redis) : 0
    const spent = startStopwatch()
    await work()
    const { ms: elapsedMs, cpuMs } = spent()
    const redisMicros = redis ? (await redisCpuMicros(redis)) - redisBefore : null
    return { elapsedMs, processMicros: 1_000 * cpuMs, redisMicros }
  } finally {
    redis?.disconnect()
  }
}

async function redisCpuMicros(redis: Redis): Promise<number> {
  const info = await redis.info('cpu')
  const used = ['used_cpu_sys', 'used_cpu_user'].map((name) => Number(info.match(new RegExp(`${name}:([0-9.]+)`))![1]))
  return used.reduce((sum, seconds) => sum + seconds, 0) * 1e6
}
