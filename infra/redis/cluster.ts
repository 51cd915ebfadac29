import { Cluster, type Redis } from 'ioredis'
import { within } from '../within.ts'
import type { RedisNodes } from './address.ts'
import { CONNECT_TIMEOUT_MS, type RedisServers, serverOptions } from './servers.ts'

const RECONNECT_MS = 200
/** How often the masters of the slots are looked up without a reason, and how often at most after failures. */
const REFRESH_MS = 5_000
const REFRESH_AFTER_FAILURE_MS = 200
/** How long a server may take to answer a PING, which it gets after some call was not answered in time. */
const PROBE_TIMEOUT_MS = 500

/** A cluster: each call goes to the master of its slot, and fails or waits with that master alone. */
export function openCluster({ nodes, username, password, hasTls }: RedisNodes): RedisServers {
  const client = new Cluster(nodes, {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: () => RECONNECT_MS,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS / 2,
    slotsRefreshInterval: REFRESH_MS,
    // A call whose master is away fails at once. Redirections are followed, and TRYAGAIN is retried.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // Hosts are not resolved here, because a certificate names the host.
    dnsLookup: (host, callback) => callback(null, host),
    redisOptions: {
      ...serverOptions,
      ...(username === null ? {} : { username }),
      ...(password === null ? {} : { password }),
      ...(hasTls ? { tls: {} } : {}),
    },
  })
  refusePipelinesOfMovingSlots(client)
  // The failing calls report the error themselves.
  client.on('error', () => {})
  let serverError: Error | null = null
  client.on('node error', (error: Error) => {
    serverError = error
  })
  // Connects to all servers at once, replicas too, so that one that takes over is connected already. This must wait until the client
  // is ready, because before that it may ask any of them. For a new server, it must wait until a command redirected to it was handed over.
  const connectIfReady = (server: Redis) => client.status === 'ready' && void connected(server)
  client.on('ready', () => client.nodes().forEach(connectIfReady))
  client.on('+node', (server: Redis) => setImmediate(connectIfReady, server))

  const probed = new Set<Redis>()
  async function probe(server: Redis): Promise<void> {
    probed.add(server)
    await within(server.ping(), PROBE_TIMEOUT_MS, () => {
      server.disconnect()
      return new Error('The server does not answer')
    }).catch(() => {})
    probed.delete(server)
  }

  let refresh: NodeJS.Timeout | null = null
  return {
    client,
    async connect() {
      client.connect().catch(() => {})
      await new Promise<void>((resolve, reject) => {
        client.once('ready', resolve)
        client.once('close', () => reject(new Error(`no node of the cluster is available: ${serverError?.message}`)))
      })
      await Promise.all(client.nodes('master').map(connected))
    },
    isReady: () => client.status === 'ready',
    masters: () => client.nodes('master'),
    everyMaster() {
      const masters = client.nodes('master')
      const there = new Set(masters.map(({ options: { host, port } }) => `${host}:${port}`))
      // ioredis forgets a server once its connection has ended, but not which slots it had.
      const away = client.slots.find((ofSlot) => ofSlot !== undefined && !there.has(ofSlot[0]!))
      if (masters.length === 0 || away !== undefined) throw new Error(`the master ${away?.[0] ?? ''} is away`)
      return masters
    },
    onServer(listener) {
      client.on('+node', listener)
    },
    replaceSilent() {
      for (const server of client.nodes()) if (!probed.has(server)) void probe(server)
    },
    lookAgain() {
      refresh ??= setTimeout(() => {
        refresh = null
        if (client.status === 'ready') client.refreshSlotsCache()
      }, REFRESH_AFTER_FAILURE_MS)
    },
    close() {
      if (refresh) clearTimeout(refresh)
      client.disconnect()
    },
  }
}

/** Resolves once the server is connected or has proved to be away. */
async function connected(server: Redis): Promise<void> {
  if (server.status === 'wait') return server.connect().catch(() => {})
  if (server.status === 'ready' || server.status === 'end') return
  await new Promise<void>((resolve) => {
    server.once('ready', resolve)
    server.once('end', resolve)
  })
}

/**
 * While a slot moves, some of its keys are on the old server and some on the new one. When some commands of a pipeline are redirected
 * (ASK), ioredis repeats the whole pipeline on the new server, where keys that have not moved yet look unset. Here the pipeline fails
 * instead. A single command of several keys is safe: Redis itself answers TRYAGAIN.
 */
function refusePipelinesOfMovingSlots(client: Cluster): void {
  const handleError = client.handleError.bind(client)
  client.handleError = (error, ttl, handlers) => {
    // Of a pipeline, this is the common error of its commands: an object that is not an Error.
    if (!(error instanceof Error) && (error as Error).message.startsWith('ASK ')) return handlers.defaults()
    handleError(error, ttl, handlers)
  }
}
