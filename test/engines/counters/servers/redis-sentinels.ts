import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../../free-port.ts'
import { waitFor } from '../../../wait-for.ts'
import { type OwnRedis, ownRedis } from './redis-server.ts'

const SENTINELS = 3
const QUORUM = 2
/** A primary that has been silent for this long is replaced by its replica. */
const DOWN_AFTER_MS = 1_000
const PASSWORD = 'p@ss'
const SENTINEL_PASSWORD = 'sentinel/pass'

/** The test's own primary and replica, watched by three Sentinels. Servers and Sentinels require a password. */
export interface OwnSentinels {
  url: string
  /** The server that the Sentinels call the primary. */
  primary(): Promise<OwnRedis>
  /** Makes a former primary follow the current one, as the Sentinels do some ten seconds after it is back. */
  rejoin(former: OwnRedis): Promise<void>
  /** Kills one Sentinel permanently. */
  loseOne(): Promise<void>
  stop(): Promise<void>
}

export async function startSentinels(): Promise<OwnSentinels> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-sentinels-'))
  const folderOf = (name: string) => {
    mkdirSync(join(folder, name))
    return join(folder, name)
  }
  const options = ['--masterauth', PASSWORD, '--requirepass', PASSWORD, '--repl-diskless-sync-delay', '0']
  const first = await ownRedis(folderOf('first'), options)
  const second = await ownRedis(folderOf('second'), [...options, '--replicaof', '127.0.0.1', `${first.port}`])
  const servers = [first, second]
  await Promise.all(servers.map((server) => server.start()))

  const ports = await Promise.all(Array.from({ length: SENTINELS }, freePort))
  const sentinels = ports.map((port) => startSentinel(folderOf(`sentinel-${port}`), port, first.port))
  const clients = ports.map((port) => {
    const client = new Redis({ port, password: SENTINEL_PASSWORD, retryStrategy: () => 50, maxRetriesPerRequest: null })
    client.on('error', () => {})
    return client
  })
  const [asked] = clients as [Redis]

  async function primary(): Promise<OwnRedis> {
    const [, port] = (await asked.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as [string, string]
    return servers.find((server) => server.port === Number(port))!
  }
  async function isWhole(): Promise<void> {
    const { port } = await primary()
    const client = new Redis({ port, password: PASSWORD })
    await waitFor(async () => (await client.info('replication')).includes('state=online'))
    client.disconnect()
  }

  for (const client of clients) {
    await waitFor(async () => {
      const main = Object.fromEntries(pairs((await client.call('SENTINEL', 'MASTER', 'main')) as string[]))
      return main['num-other-sentinels'] === `${SENTINELS - 1}` && main['num-slaves'] === '1' && main.flags === 'master'
    })
  }
  await isWhole()
  const hosts = ports.map((port) => `127.0.0.1:${port}`).reverse()
  return {
    url: `redis+sentinel://:${encodeURIComponent(PASSWORD)}@${hosts.join(',')}/main?sentinel-password=${encodeURIComponent(SENTINEL_PASSWORD)}`,
    primary,
    async rejoin(former) {
      const client = new Redis({ port: former.port, password: PASSWORD })
      await client.replicaof('127.0.0.1', (await primary()).port)
      client.disconnect()
      await isWhole()
    },
    loseOne: () => kill(sentinels.at(-1)!),
    async stop() {
      for (const client of clients) client.disconnect()
      for (const server of servers) server.resume()
      await Promise.all([...servers.map((server) => server.kill()), ...sentinels.map(kill)])
      rmSync(folder, { recursive: true })
    },
  }
}

function startSentinel(folder: string, port: number, primaryPort: number): ChildProcess {
  const file = join(folder, 'sentinel.conf')
  writeFileSync(
    file,
    `port ${port}
dir ${folder}
requirepass ${SENTINEL_PASSWORD}
sentinel sentinel-pass ${SENTINEL_PASSWORD}
sentinel monitor main 127.0.0.1 ${primaryPort} ${QUORUM}
sentinel auth-pass main ${PASSWORD}
sentinel down-after-milliseconds main ${DOWN_AFTER_MS}
sentinel failover-timeout main 4000
`,
  )
  return spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' })
}

async function kill(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return
  const ended = once(process, 'exit')
  process.kill('SIGKILL')
  await ended
}

const pairs = (flat: readonly string[]) =>
  Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!] as const)
