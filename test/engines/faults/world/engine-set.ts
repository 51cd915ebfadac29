import { execFile } from 'node:child_process'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { engineOffsets } from '../../../free-port.ts'
import { signalEngine } from '../../engine-process.ts'
import { type NetworkProxy, openProxy } from './proxy.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

const run = promisify(execFile)
const repository = join(import.meta.dirname, '../../../..')
const START_TIMEOUT_MS = 300_000

export const engineNames = ['kafka', 'clickhouse', 'elasticsearch', 'redis'] as const
export type EngineName = (typeof engineNames)[number]

/** Engines with a disk of their own, which can be filled. */
const onDisks = ['kafka', 'clickhouse'] as const
export type EngineOnDisk = (typeof onDisks)[number]
/** Several times what the suite stores. */
const DISK_MB = 512

/** The ports of each engine and of the proxy in front of it, through which the programs reach it. */
const ports: Record<EngineName, { engine: number; proxy: number }> = {
  kafka: { engine: 19_094 + engineOffsets.faults, proxy: 19_095 + engineOffsets.faults },
  clickhouse: { engine: 18_123 + engineOffsets.faults, proxy: 18_124 + engineOffsets.faults },
  elasticsearch: { engine: 19_200 + engineOffsets.faults, proxy: 19_201 + engineOffsets.faults },
  redis: { engine: 16_379 + engineOffsets.faults, proxy: 16_380 + engineOffsets.faults },
}

/** Engines that only this suite uses, so that it may kill, stop and cut them off. */
export interface EngineSet {
  readonly folder: string
  readonly proxies: Readonly<Record<EngineName, NetworkProxy>>
  readonly disks: Readonly<Record<EngineOnDisk, SmallDisk>>
  /** Settings for the programs: the engines' addresses, through the proxies. */
  readonly environment: Readonly<Record<string, string>>
  /** The address without the proxy. */
  readonly clickhouseUrl: string
  start(...names: EngineName[]): Promise<void>
  /** After SIGKILL, resolves when the engine is gone. */
  signal(name: EngineName, signal: NodeJS.Signals): Promise<void>
  /** Removes the data of an engine that is not running. */
  wipe(name: EngineName): Promise<void>
  /** Ends all engines and removes their data. */
  remove(): Promise<void>
}

/** Starts the proxies, but not the engines. Removes what an earlier run has left. */
export async function prepareEngines(): Promise<EngineSet> {
  const folder = join(tmpdir(), 'endcap-faults')
  const script = (action: 'start' | 'stop', names: readonly EngineName[]) =>
    run('bash', [join(repository, 'infra/local/engines.sh'), action, ...names], {
      timeout: START_TIMEOUT_MS,
      env: {
        ...process.env,
        ENGINES_DIR: folder,
        ENGINES_PORT_OFFSET: String(engineOffsets.faults),
        KAFKA_PROXY_PORT: String(ports.kafka.proxy),
        ELASTICSEARCH_HEAP: '512m',
        ENGINES_SHORT_LIVED: 'yes',
      },
    })
  const dataFolder = (name: EngineName) => join(folder, name === 'elasticsearch' ? 'elasticsearch-run' : name)
  const remove = async () => {
    await script('stop', engineNames)
    await rm(folder, { recursive: true, force: true })
  }
  await remove()
  await mkdir(folder)
  const mounted = onDisks.map(async (name) => {
    const diskFolder = `${folder}-${name}`
    const disk = await mountSmallDisk(diskFolder, { sizeMb: DISK_MB })
    await symlink(diskFolder, dataFolder(name))
    return [name, disk] as const
  })
  const disks = Object.fromEntries(await Promise.all(mounted)) as EngineSet['disks']
  const opened = await Promise.all(
    engineNames.map(async (name) => {
      const { engine, proxy } = ports[name]
      return [name, await openProxy({ port: proxy, targetPort: engine })] as const
    }),
  )
  const proxies = Object.fromEntries(opened) as Record<EngineName, NetworkProxy>
  return {
    folder,
    proxies,
    disks,
    environment: {
      KAFKA_BROKERS: `127.0.0.1:${ports.kafka.proxy}`,
      CLICKHOUSE_URL: `http://127.0.0.1:${ports.clickhouse.proxy}`,
      ELASTICSEARCH_URL: `http://127.0.0.1:${ports.elasticsearch.proxy}`,
      REDIS_URL: `redis://127.0.0.1:${ports.redis.proxy}`,
    },
    clickhouseUrl: `http://127.0.0.1:${ports.clickhouse.engine}`,
    async start(...names) {
      await Promise.all((names.length > 0 ? names : engineNames).map((name) => script('start', [name])))
    },
    signal: (name, signal) => signalEngine(dataFolder(name), signal),
    wipe: (name) => rm(dataFolder(name), { recursive: true, force: true }),
    async remove() {
      await Promise.all(Object.values(proxies).map((proxy) => proxy.cut()))
      await remove()
      await Promise.all(Object.values(disks).map((disk) => disk.remove()))
    },
  }
}
