import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import { createCallGuard } from '../../call-guard.ts'
import { within } from '../../within.ts'
import { CountersBehind, CountersUnavailable } from '../port.ts'

const CONNECT_TIMEOUT_MS = 2_000
/** A connection that has not answered a command in time is given up for a new one. */
const COMMAND_TIMEOUT_MS = 2_000
const RECONNECT_FIRST_MS = 50
const RECONNECT_MAX_MS = 1_000
/** Commands that may wait for an answer; far over what a Redis that answers ever has open. */
const OPEN_COMMANDS_MAX = 10_000

interface Scripts {
  /** Arguments: see `apply.lua`. */
  applySteps(...args: (string | number)[]): Promise<string[]>
  /** Arguments: see `reserve.lua`. */
  reserveAmounts(...args: (string | number)[]): Promise<string[]>
  /** Arguments: see `../../rate-limits/redis/draw.lua`. */
  drawFromBuckets(...args: (string | number)[]): Promise<string[]>
}
export type RedisClient = Redis & Scripts

export interface RedisConnection {
  /**
   * Runs commands on the connection, which the first call opens. A call made while Redis is away fails at once.
   * @throws CountersUnavailable, CountersBehind
   */
  run<T>(command: (client: RedisClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** One connection, which comes back by itself. Nothing is queued while it is away. */
export function openRedisConnection({ url }: { url: string }): RedisConnection {
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (attempt: number) => Math.min(RECONNECT_FIRST_MS * 2 ** Math.min(attempt - 1, 10), RECONNECT_MAX_MS),
  }) as RedisClient
  const define = (name: keyof Scripts, file: string) =>
    client.defineCommand(name, { numberOfKeys: 0, lua: readFileSync(new URL(file, import.meta.url), 'utf8') })
  define('applySteps', './apply.lua')
  define('reserveAmounts', './reserve.lua')
  define('drawFromBuckets', '../../rate-limits/redis/draw.lua')
  /** Calls that fail tell their callers. */
  client.on('error', () => {})
  let opened: Promise<void> | null = null
  let fitness: Promise<void> = Promise.resolve()
  client.on('ready', () => {
    fitness = answered(refuseEviction(client))
    fitness.catch(() => {})
  })
  const guard = createCallGuard({
    engine: 'The connection to Redis',
    callsMax: OPEN_COMMANDS_MAX,
    Unavailable: CountersUnavailable,
    errorOf: toPortError,
  })

  /** Our timeout and not the client's, which fails answers that are there. */
  const answered = <T>(command: Promise<T>): Promise<T> => within(command, COMMAND_TIMEOUT_MS, hangUp)

  let hangingUp = false
  client.on('close', () => {
    hangingUp = false
  })
  /** Redis answers in order: nothing else is answered either. */
  function hangUp(): Error {
    if (!hangingUp) client.disconnect(true)
    hangingUp = true
    return new CountersUnavailable('Redis has not answered in time')
  }

  return {
    run: (command) =>
      guard.run(async () => {
        opened ??= client.connect()
        if (client.status !== 'ready') await opened
        await fitness
        return answered(command(client))
      }),
    async close() {
      guard.close()
      client.disconnect()
    },
  }
}

/** A Redis that evicts keys when it is full would forget budgets without a word. */
async function refuseEviction(client: Redis): Promise<void> {
  const memory = await client.info('memory')
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  const maxBytes = Number(/^maxmemory:(\d+)/m.exec(memory)?.[1] ?? 0)
  if (maxBytes === 0 || policy === 'noeviction') return
  throw new CountersUnavailable(`Redis may evict counters: its maxmemory-policy is ${policy} and must be noeviction`)
}

function toPortError(error: Error): Error {
  if (error instanceof CountersUnavailable) return error
  if (error.message.startsWith('BEHIND')) return new CountersBehind(error.message)
  if (error.message.startsWith('FORGOTTEN')) return new Error(`No outcome is kept: ${error.message}`)
  return new CountersUnavailable(`Redis: ${error.message}`)
}
