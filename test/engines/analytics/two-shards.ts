import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DRAWN_PORTS, freePort } from '../../free-port.ts'
import { signalEngine } from '../engine-process.ts'
import { analystXml } from './analyst.ts'

const run = promisify(execFile)
const SCRIPT = join(import.meta.dirname, '../../../infra/local/engines.sh')

/**
 * A free port that no other test had before: clients of an engine that has ended may still call its port, and this server aborts at
 * bytes that are no HTTP.
 */
async function ownPort(): Promise<number> {
  for (;;) {
    const port = await freePort(randomInt(...DRAWN_PORTS)).catch(() => null)
    if (port !== null) return port
  }
}

/** The test's own cluster: two ClickHouse servers, one shard each, without replicas. */
export interface TwoShards {
  cluster: string
  url: string
  urls: readonly string[]
  kill(shard: number): Promise<void>
  start(shard: number): Promise<void>
  remove(): Promise<void>
}

/** @param namespace the database whose views the user `analyst` may read. */
export async function startTwoShards(namespace: string): Promise<TwoShards> {
  const folder = mkdtempSync(join(tmpdir(), 'two-shards-'))
  const shards = await Promise.all(
    [0, 1].map(async (shard) => ({ folder: join(folder, `${shard}`), http: await ownPort(), tcp: await ownPort() })),
  )
  const config = join(folder, 'cluster.xml')
  writeFileSync(
    config,
    `<clickhouse><remote_servers><two>${shards
      .map(({ tcp }) => `<shard><replica><host>127.0.0.1</host><port>${tcp}</port></replica></shard>`)
      .join('')}</two></remote_servers>${analystXml(config, namespace)}</clickhouse>`,
  )
  const engine = (action: 'start' | 'stop', shard: number) => {
    const { folder: own, http, tcp } = shards[shard]!
    mkdirSync(own, { recursive: true })
    const ports = { CLICKHOUSE_PORT: `${http}`, CLICKHOUSE_TCP_PORT: `${tcp}` }
    const env = { ...process.env, ENGINES_DIR: own, CLICKHOUSE_CONFIG: config, ...ports }
    return run('bash', [SCRIPT, action, 'clickhouse'], { env })
  }
  await Promise.all([engine('start', 0), engine('start', 1)])
  const urls = shards.map(({ http }) => `http://127.0.0.1:${http}`)
  return {
    cluster: 'two',
    url: urls.join(),
    urls,
    kill: (shard) => signalEngine(join(shards[shard]!.folder, 'clickhouse'), 'SIGKILL'),
    start: async (shard) => void (await engine('start', shard)),
    async remove() {
      await Promise.all([engine('stop', 0), engine('stop', 1)])
      rmSync(folder, { recursive: true })
    },
  }
}
