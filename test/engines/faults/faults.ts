import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { tries } from '../../effort.ts'
import { onceAnswered } from '../../wait-for.ts'
import { eventually, reportOf } from './trial.ts'
import { type EngineName, engineNames } from './world/engine-set.ts'
import { type Role, roles, SESSION_TIMEOUT_MS, type World } from './world/world.ts'

const run = promisify(execFile)

export interface Fault {
  name: string
  /** Breaks something and repairs it while the load goes on. */
  run(world: World): Promise<void>
  /**
   * How often a program of each role may end and be restarted; default: never. Without Kafka a registry stays leader until another
   * one has taken over, however long that takes.
   */
  restarts?: Partial<Record<Role, number>>
}

/** Longer than the session of a consumer, so that its partitions are reassigned. */
const OUT_OF_SESSION_MS = SESSION_TIMEOUT_MS + 2_000
/** Longer than the broker's own session, 9 s, as well. */
const OUT_OF_BROKER_SESSION_MS = 12_000
/** Kafka's calls give up after 5 s. */
const OUTAGE_MS = 5_000
/** For the other engines: longer than the time limit of a request that somebody waits for, 2 s. */
const SHORT_OUTAGE_MS = 3_000
/** Long enough for every batch that is under way to fail and to be tried again. */
const FULL_DISK_MS = tries(6_000, 120_000)
const REPORT_EVERY_MS = 500
/** The time of undisturbed load between faults that run in turn. */
const BETWEEN_MS = 1_000
/** Each piece of data is this late: first within every time limit, then beyond that of any request that somebody waits for. */
const SLOW_NETWORK_DELAYS_MS = [50, 3_000]
const SLOW_MS = tries(10_000, 90_000)
const KILLS = tries(1, 3)
/** Kill the registry once only: each time there is no leader for the length of a session. */
const KILLS_OF_REGISTRY = 1
const KILL_WITHIN_MS = 600

const killOf = (role: Role): Fault => {
  const kills = role === 'registry' ? KILLS_OF_REGISTRY : KILLS
  return {
    name: `kill -9 of ${role}${kills > 1 ? `, ${kills} times` : ''}`,
    restarts: { [role]: kills },
    async run({ programs }) {
      for (let kill = 0; kill < kills; kill++) {
        await delay(randomInt(KILL_WITHIN_MS))
        await programs[role].kill()
        await programs[role].ready()
      }
    },
  }
}

const killOfEngine = (engine: EngineName): Fault => ({
  name: `kill -9 of ${engine}`,
  async run({ engines }) {
    await engines.signal(engine, 'SIGKILL')
    await delay(engine === 'kafka' ? OUTAGE_MS : SHORT_OUTAGE_MS)
    await engines.start(engine)
  },
})

const pauseOfEngine = (engine: EngineName): Fault => ({
  name: `SIGSTOP of ${engine}`,
  async run({ engines }) {
    await engines.signal(engine, 'SIGSTOP')
    await delay(engine === 'kafka' ? OUT_OF_BROKER_SESSION_MS : SHORT_OUTAGE_MS)
    await engines.signal(engine, 'SIGCONT')
  },
})

const cutOfEngine = (engine: EngineName): Fault => ({
  name: `no way to ${engine}`,
  async run({ engines }) {
    await engines.proxies[engine].cut()
    await delay(engine === 'kafka' ? OUTAGE_MS : SHORT_OUTAGE_MS)
    await engines.proxies[engine].mend()
  },
})

const lossOfRedis: Fault = {
  name: 'kill -9 of redis, and its data is gone',
  async run({ engines }) {
    await engines.signal('redis', 'SIGKILL')
    await engines.wipe('redis')
    await engines.start('redis')
  },
}

/** A full Redis refuses writes and answers reads. Only what waits for the judge may notice. */
const fullRedis: Fault = {
  name: 'redis is full',
  async run({ engines, urlOf }) {
    const redis = new Redis(engines.environment.REDIS_URL!)
    try {
      await redis.config('SET', 'maxmemory', '1')
      await delay(SHORT_OUTAGE_MS)
      for (const role of ['selection', 'intake'] as const) {
        const { status } = await fetch(`${urlOf(role)}/health/ready`)
        if (status !== 200) throw new Error(`While Redis is full, ${role} is not ready: ${status}`)
      }
    } finally {
      await redis.config('SET', 'maxmemory', '0')
      redis.disconnect()
    }
  },
}

const slowNetwork: Fault = {
  name: 'slow network to every engine',
  async run({ engines }) {
    for (const delayMs of SLOW_NETWORK_DELAYS_MS) {
      for (const proxy of Object.values(engines.proxies)) proxy.delay(delayMs)
      await delay(SLOW_MS)
    }
    for (const proxy of Object.values(engines.proxies)) proxy.delay(0)
  },
}

const fullDisk: Fault = {
  name: 'no Kafka and a full disk',
  async run({ engines, intakeDisk }) {
    await engines.proxies.kafka.cut()
    await delay(OUTAGE_MS)
    await intakeDisk.fill()
    await delay(OUTAGE_MS)
    await intakeDisk.free()
    await engines.proxies.kafka.mend()
  },
}

/** Kafka ends when it cannot write. */
const fullDiskOfKafka: Fault = {
  name: 'full disk of kafka',
  async run({ engines }) {
    await engines.disks.kafka.fill()
    await delay(FULL_DISK_MS)
    await engines.disks.kafka.free()
    await engines.start('kafka')
  },
}

/** ClickHouse goes on, stores nothing, and answers reports as before. */
const fullDiskOfClickHouse: Fault = {
  name: 'full disk of clickhouse',
  async run(world) {
    const { clickhouse } = world.engines.disks
    const before = await eventually(
      () => reportOf(world),
      ({ views }) => views > 0,
    )
    await clickhouse.fill()
    try {
      for (const end = performance.now() + FULL_DISK_MS; performance.now() < end; await delay(REPORT_EVERY_MS)) {
        const { views } = await onceAnswered(() => reportOf(world))
        if (views < before.views)
          throw new Error(`While the disk of ClickHouse is full, a report has ${views} of ${before.views} views`)
      }
    } finally {
      await clickhouse.free()
      await world.engines.start('clickhouse')
    }
  },
}

const killOfSpool: Fault = {
  name: 'no Kafka, and kill -9 of intake',
  restarts: { intake: 1 },
  async run({ engines, programs }) {
    await engines.proxies.kafka.cut()
    await delay(OUTAGE_MS)
    await programs.intake.kill()
    await delay(OUTAGE_MS)
    await engines.proxies.kafka.mend()
    await programs.intake.ready()
  },
}

const takeoversOfRegistry: Fault = {
  name: 'SIGSTOP of registry, another takes over, and kill -9 of that one while the first waits',
  restarts: { registry: 1 },
  async run({ programs, another }) {
    const second = another('registry')
    programs.registry.signal('SIGSTOP')
    await second.ready()
    programs.registry.signal('SIGCONT')
    await delay(OUTAGE_MS)
    await second.kill()
    // Either may be the leader now: the second is restarted at once, and may have been faster.
    await Promise.race([second.ready(), programs.registry.ready()])
    await second.stop()
    await programs.registry.ready()
  },
}

const takeoverOfStreams: Fault = {
  // The second one joins a working group, and later leaves a working group.
  name: 'SIGSTOP of streams, another takes over',
  async run({ programs, another }) {
    const second = another('streams')
    await second.ready()
    // Both work, each on its share of the partitions.
    await delay(OUTAGE_MS)
    programs.streams.signal('SIGSTOP')
    await delay(OUT_OF_SESSION_MS)
    programs.streams.signal('SIGCONT')
    await delay(OUTAGE_MS)
    await second.stop()
  },
}

const startWithoutEngines: Fault = {
  name: 'every process starts before any engine',
  restarts: Object.fromEntries(roles.map((role) => [role, 1])),
  async run({ engines, programs }) {
    for (const engine of engineNames) await engines.signal(engine, 'SIGKILL')
    for (const proxy of Object.values(engines.proxies)) await proxy.cut()
    for (const role of roles) await programs[role].kill()
    await delay(OUTAGE_MS)
    for (const proxy of Object.values(engines.proxies)) await proxy.mend()
    await engines.start()
    await Promise.all(roles.map((role) => programs[role].ready()))
  },
}

/**
 * Runs faults one after the other under one load, because judging what each has done takes as long as the fault. With TEST_LONG=1
 * each is judged by itself, which tells which one broke something.
 */
function inTurn(name: string, parts: readonly Fault[]): Fault[] {
  const restarts = Object.fromEntries(
    roles.map((role) => [role, parts.reduce((sum, part) => sum + (part.restarts?.[role] ?? 0), 0)]),
  )
  const all: Fault = {
    name,
    restarts,
    async run(world) {
      for (const part of parts) {
        await part.run(world)
        await delay(BETWEEN_MS)
      }
    },
  }
  return tries([all], [...parts])
}

const engineNamesButKafka = engineNames.filter((name) => name !== 'kafka')

export const faults: readonly Fault[] = [
  ...inTurn('kill -9 of each process in turn', roles.map(killOf)),
  ...inTurn('kill -9 and SIGSTOP of kafka in turn', [killOfEngine('kafka'), pauseOfEngine('kafka')]),
  ...inTurn('kill -9 of each other engine in turn, and of redis with its data, which then is full', [
    ...engineNamesButKafka.map(killOfEngine),
    lossOfRedis,
    fullRedis,
  ]),
  ...inTurn('SIGSTOP of each other engine in turn, then no way to each, and a slow network', [
    ...engineNamesButKafka.map(pauseOfEngine),
    ...engineNamesButKafka.map(cutOfEngine),
    slowNetwork,
  ]),
  ...inTurn('no Kafka, then with a full disk, then with kill -9 of intake', [
    cutOfEngine('kafka'),
    fullDisk,
    killOfSpool,
  ]),
  ...inTurn('full disk of clickhouse, then of kafka', [fullDiskOfClickHouse, fullDiskOfKafka]),
  ...inTurn('SIGSTOP of registry and of streams in turn, others take over, and kill -9 of such a registry', [
    takeoversOfRegistry,
    takeoverOfStreams,
  ]),
  startWithoutEngines,
]

/** Drops and replays every projection while no program runs. @returns the output; @throws with the output when a projection differs. */
export async function rebuild({ environment, folderOf }: World): Promise<string> {
  const folder = folderOf('rebuild')
  await mkdir(folder, { recursive: true })
  const script = join(import.meta.dirname, '../../../services/rebuild.ts')
  const env = { ...process.env, ...environment, DATA_DIR: folder }
  const { stdout } = await run(process.execPath, [script], { env }).catch(
    (failed: { stdout: string; stderr: string }) => {
      throw new Error(`The rebuild failed:\n${failed.stdout}${failed.stderr}`)
    },
  )
  return stdout
}
