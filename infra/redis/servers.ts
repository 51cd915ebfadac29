import type { Redis, RedisCommander } from 'ioredis'

export const CONNECT_TIMEOUT_MS = 2_000
/** A connection that is closed while its server is silent is given up after this time. */
const DISCONNECT_TIMEOUT_MS = 200

/** The commands of Redis, on one server or on a cluster. */
export type Commands = RedisCommander & Pick<Redis, 'pipeline' | 'multi'>

/** The servers behind an address: one that takes writes, or the masters of a cluster. */
export interface RedisServers {
  readonly client: Commands & Pick<Redis, 'defineCommand'>
  /** Rejects when the servers are away now, and goes on trying in the background. */
  connect(): Promise<void>
  isReady(): boolean
  /** The masters that are there. */
  masters(): Redis[]
  /** All servers that hold keys. @throws when one of them is away. */
  everyMaster(): Redis[]
  /** Gives the listener the connection to each server when it is created. A connection may reconnect later. */
  onServer(listener: (server: Redis) => void): void
  /** To be called when an answer is late: connections that do not answer are replaced. */
  replaceSilent(): void
  /** To be called when a call has failed: looks for servers that have taken over. */
  lookAgain(): void
  close(): void
}

/** Options of every connection to a server. Nothing is queued while the server is away, and nothing is sent twice. */
export const serverOptions = {
  autoResendUnfulfilledCommands: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  disconnectTimeout: DISCONNECT_TIMEOUT_MS,
}
