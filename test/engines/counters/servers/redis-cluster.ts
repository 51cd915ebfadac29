import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { freePort } from '../../../free-port.ts'
import { waitFor } from '../../../wait-for.ts'
import { type OwnRedis, ownRedis } from './redis-server.ts'

const run = promisify(execFile)
const MASTERS = 3
/** A master that has been silent for this long is replaced by its replica. */
const NODE_TIMEOUT_MS = 1_000

/** The test's own Cluster: three masters with one replica each. */
export interface OwnCluster {
  url: string
  servers: readonly OwnRedis[]
  /** The server that is the master of a key's slot. */
  masterOf(key: string): Promise<OwnRedis>
  /** Resolves when every server knows three working masters with one replica each. */
  isWhole(): Promise<void>
  /** Moves the slot of a key, with all keys in it, from its master to another one. */
  moveSlot(key: string): Promise<void>
  stop(): Promise<void>
}

export async function startCluster(): Promise<OwnCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-cluster-'))
  const servers: OwnRedis[] = []
  for (let i = 0; i < MASTERS * 2; i++) {
    const own = join(folder, String(i))
    mkdirSync(own)
    // By default the cluster bus uses the port plus 10,000, which may not be a valid port.
    const options = `--cluster-enabled yes --cluster-require-full-coverage no --cluster-node-timeout ${NODE_TIMEOUT_MS}
      --cluster-port ${await freePort()} --repl-diskless-sync-delay 0 --repl-ping-replica-period 1`
    servers.push(await ownRedis(own, options.split(/\s+/)))
  }
  await Promise.all(servers.map((server) => server.start()))
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`)
  await run('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes'])

  /** Asks the first server that answers. */
  async function ask<T>(question: (client: Redis) => Promise<T>): Promise<T> {
    for (const { port } of servers) {
      const client = new Redis({ port, retryStrategy: () => null, commandTimeout: 500, maxRetriesPerRequest: 0 })
      client.on('error', () => {})
      try {
        return await question(client)
      } catch {
      } finally {
        client.disconnect()
      }
    }
    throw new Error('No server of the cluster answers')
  }
  const slots = () => ask((client) => client.cluster('SLOTS'))
  const slotOf = (key: string) => ask((client) => client.cluster('KEYSLOT', key))
  async function masterPort(slot: number): Promise<number> {
    return (await slots()).find(([from, to]) => slot >= from && slot <= to)![2]![1]
  }

  /** Resolves when every server knows three working masters with one replica each. */
  async function isWhole(): Promise<void> {
    for (const { port } of servers) {
      const client = new Redis(port)
      await waitFor(async () => {
        const ranges = await client.cluster('SLOTS')
        const hasReplicas = ranges.every(({ length }) => length === 4)
        return hasReplicas && (await client.cluster('INFO')).includes('cluster_state:ok')
      })
      client.disconnect()
    }
  }

  await isWhole()
  return {
    url: `redis+cluster://${addresses.slice(0, 2).join(',')}`,
    servers,
    isWhole,
    async masterOf(key) {
      const port = await masterPort(await slotOf(key))
      return servers.find((server) => server.port === port)!
    },
    async moveSlot(key) {
      const slot = await slotOf(key)
      const ranges = await slots()
      const from = ranges.find(([first, last]) => slot >= first && slot <= last)![2]!
      const to = ranges.find(([, , master]) => master![1] !== from[1])![2]!
      await moveSlot(slot, from, to)
    },
    async stop() {
      for (const server of servers) server.resume()
      await Promise.all(servers.map((server) => server.kill()))
      rmSync(folder, { recursive: true })
    },
  }
}

type Master = readonly [host: string, port: number, id: string, ...unknown[]]

/** Does what `redis-cli --cluster reshard` does, but for one given slot and a few keys at a time. */
async function moveSlot(slot: number, [host, port, id]: Master, [toHost, toPort, toId]: Master): Promise<void> {
  const source = new Redis(port, host)
  const target = new Redis(toPort, toHost)
  await target.cluster('SETSLOT', slot, 'IMPORTING', id)
  await source.cluster('SETSLOT', slot, 'MIGRATING', toId)
  for (;;) {
    const keys = await source.cluster('GETKEYSINSLOT', slot, 10)
    if (keys.length === 0) break
    await source.migrate(toHost, toPort, '', 0, 5_000, 'KEYS', ...keys)
  }
  await target.cluster('SETSLOT', slot, 'NODE', toId)
  await source.cluster('SETSLOT', slot, 'NODE', toId)
  source.disconnect()
  target.disconnect()
}
