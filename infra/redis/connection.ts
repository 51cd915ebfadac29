import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import { createCallGuard } from '../call-guard.ts'
import { within } from '../within.ts'

const CONNECT_TIMEOUT_MS = 2_000
/** A connection that does not answer a command in this time is replaced. */
const COMMAND_TIMEOUT_MS = 2_000
const RECONNECT_FIRST_MS = 50
const RECONNECT_MAX_MS = 1_000
/** Commands that may wait for an answer: far more than a Redis that answers ever has pending. */
const OPEN_COMMANDS_MAX = 10_000

/** Lua scripts by the name of the command that they become, each taking the number of its KEYS, these, and its ARGV. */
export type Scripts<Name extends string> = Record<
  Name,
  (keys: number, ...args: (string | number | Buffer | (string | number | Buffer)[])[]) => Promise<string[]>
>

export interface RedisConnection<Name extends string> {
  /**
   * Runs a command on the connection, which the first call opens. A call made while Redis is away fails at once.
   * @throws `Unavailable`, or what `errorOf` makes of an answer.
   */
  run<T>(command: (client: Redis & Scripts<Name>) => Promise<T>): Promise<T>
  runOnMasters<T>(command: (server: Redis) => Promise<T>): Promise<T[]>
  close(): Promise<void>
}

export interface RedisConnectionOptions<Name extends string> {
  url: string
  /** The files of the scripts. */
  scripts: Readonly<Record<Name, URL>>
  /** The port's error for a Redis that is away. */
  Unavailable: new (
    message: string,
  ) => Error
  /** The port's error for an error that Redis answers with; null: Redis is unavailable. */
  errorOf?: (error: Error) => Error | null
}

/** One connection, which reconnects by itself. Nothing is queued while it is away. */
export function openRedisConnection<Name extends string>(options: RedisConnectionOptions<Name>): RedisConnection<Name> {
  const { url, scripts, Unavailable, errorOf = () => null } = options
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (attempt: number) => Math.min(RECONNECT_FIRST_MS * 2 ** Math.min(attempt - 1, 10), RECONNECT_MAX_MS),
  }) as Redis & Scripts<Name>
  for (const [name, file] of Object.entries<URL>(scripts)) {
    client.defineCommand(name, { lua: readFileSync(file, 'utf8') })
  }
  // The failing calls report the error themselves.
  client.on('error', () => {})
  let opened: Promise<void> | null = null
  let fitness: Promise<void> = Promise.resolve()
  client.on('ready', () => {
    fitness = answered(evictionError(client)).then((error) => {
      if (error !== null) throw new Unavailable(error)
    })
    fitness.catch(() => {})
  })
  function portError(error: Error): Error {
    const { message } = error
    return error instanceof Unavailable ? error : (errorOf(error) ?? new Unavailable(`Redis: ${message}`))
  }
  const guard = createCallGuard({
    engine: 'The connection to Redis',
    callsMax: OPEN_COMMANDS_MAX,
    Unavailable,
    errorOf: portError,
  })

  /** Not the client's own timeout, which fails even commands whose answers have arrived. */
  const answered = <T>(command: Promise<T>): Promise<T> => within(command, COMMAND_TIMEOUT_MS, disconnect)

  let disconnecting = false
  client.on('close', () => {
    disconnecting = false
  })
  /** Redis answers in order, so no other command is answered either. Closes a connection only once. */
  function disconnect(): Error {
    if (!disconnecting) client.disconnect(true)
    disconnecting = true
    return new Unavailable('Redis has not answered in time')
  }

  const run = <T>(command: (client: Redis & Scripts<Name>) => Promise<T>) =>
    guard.run(async () => {
      opened ??= client.connect()
      if (client.status !== 'ready') await opened
      await fitness
      return answered(command(client))
    })
  return {
    run,
    runOnMasters: async (command) => [await run(command)],
    async close() {
      guard.close()
      client.disconnect()
    },
  }
}

/** A Redis that evicts keys when its memory is full would silently forget budgets. */
async function evictionError(client: Redis): Promise<string | null> {
  const memory = await client.info('memory')
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  const maxBytes = Number(/^maxmemory:(\d+)/m.exec(memory)?.[1] ?? 0)
  if (maxBytes === 0 || policy === 'noeviction') return null
  return `Redis may evict counters: its maxmemory-policy is ${policy} and must be noeviction`
}
