import { Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress } from './address.ts'
import { CONNECT_TIMEOUT_MS, type RedisServers, serverOptions } from './servers.ts'

const RECONNECT_FIRST_MS = 50
const RECONNECT_MAX_MS = 1_000

/** One connection to the server that takes writes, given by its address or by Sentinels. It reconnects by itself. */
export function openPrimary(address: Exclude<RedisAddress, { kind: 'CLUSTER' }>): RedisServers {
  const options: RedisOptions = {
    ...serverOptions,
    lazyConnect: true,
    enableOfflineQueue: false,
    // Commands in flight when a connection is lost fail at once.
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt: number) => Math.min(RECONNECT_FIRST_MS * 2 ** Math.min(attempt - 1, 10), RECONNECT_MAX_MS),
    // A primary that has become a replica refuses writes. Reconnecting asks again which server is the primary.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  }
  const client =
    address.kind === 'SERVER' ? new Redis(address.url, options) : new Redis({ ...options, ...sentinelOptions(address) })
  let disconnecting = false
  client.on('close', () => {
    disconnecting = false
  })
  return {
    client,
    connect: () => client.connect(),
    isReady: () => client.status === 'ready',
    masters: () => [client],
    everyMaster: () => [client],
    onServer: (listener) => listener(client),
    /** Redis answers in order, so no other command is being answered either. Closes a connection only once. */
    replaceSilent() {
      if (!disconnecting) client.disconnect(true)
      disconnecting = true
    },
    lookAgain() {},
    close: () => client.disconnect(),
  }
}

function sentinelOptions(address: Extract<RedisAddress, { kind: 'SENTINELS' }>): RedisOptions {
  const { nodes, masterName, database, username, password, sentinelPassword, hasTls } = address
  return {
    sentinels: nodes,
    name: masterName,
    db: database,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    // A Sentinel that accepts a connection and does not answer must not keep the others from being asked.
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS / 2,
    ...(hasTls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
  }
}
