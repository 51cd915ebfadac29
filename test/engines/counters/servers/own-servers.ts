import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { freePort } from '../../../free-port.ts'

/** Redis servers that only this test uses, without data on disk. */
export interface OwnServers {
  /** The address as in REDIS_URL. */
  url: string
  /** One client for each server. */
  clients: Redis[]
  stop(): Promise<void>
}

export async function startServer(folder: string): Promise<OwnServers> {
  const { port, ...server } = await start(folder, [])
  return { url: `redis://127.0.0.1:${port}`, clients: [server.client], stop: server.stop }
}

/** A Cluster of masters without replicas. */
export async function startCluster(folder: string, masters: number): Promise<OwnServers> {
  // By default the cluster bus uses the port plus 10,000, which may not be a valid port.
  const busPorts = await Promise.all(Array.from({ length: masters }, () => freePort()))
  const servers = await Promise.all(
    Array.from({ length: masters }, (_, i) => {
      mkdirSync(join(folder, `${i}`))
      return start(join(folder, `${i}`), ['--cluster-enabled', 'yes', '--cluster-port', `${busPorts[i]}`])
    }),
  )
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`)
  await promisify(execFile)('redis-cli', ['--cluster', 'create', ...hosts, '--cluster-yes'])
  for (const { client } of servers) {
    while (!(await client.cluster('INFO')).includes('cluster_state:ok'))
      await new Promise((done) => setTimeout(done, 50))
  }
  return {
    url: `redis+cluster://${hosts.join(',')}`,
    clients: servers.map(({ client }) => client),
    stop: async () => void (await Promise.all(servers.map((each) => each.stop()))),
  }
}

async function start(folder: string, options: readonly string[]) {
  const port = await freePort()
  const args = ['--port', `${port}`, '--save', '', '--appendonly', 'no', '--dir', folder, ...options]
  const server: ChildProcess = spawn('redis-server', args, { stdio: 'ignore' })
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null })
  client.on('error', () => {})
  await client.ping()
  return {
    port,
    client,
    async stop() {
      client.disconnect()
      const ended = once(server, 'exit')
      server.kill('SIGKILL')
      await ended
    },
  }
}
