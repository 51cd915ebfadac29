import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { createCallGuard } from '../call-guard.ts'
import { within } from '../within.ts'
import { namedServers, parseRedisAddress } from './address.ts'
import { openCluster } from './cluster.ts'
import { explained, explainedByReach, hidesCause } from './explained.ts'
import { openPrimary } from './primary.ts'
import { CONNECT_TIMEOUT_MS, type Commands } from './servers.ts'

/** A connection that does not answer a command in this time is replaced. */
const COMMAND_TIMEOUT_MS = 2_000
/** How many commands may wait for an answer: far more than ever wait for a Redis that answers. */
const OPEN_COMMANDS_MAX = 10_000

type ScriptArgument = string | number | Buffer
/** Lua scripts by the names of the commands that they become. Each takes the number of its KEYS, the KEYS and the ARGV. */
export type Scripts<Name extends string> = Record<
  Name,
  (keys: number, ...keysAndArguments: (ScriptArgument | ScriptArgument[])[]) => Promise<string[]>
>
export type RedisClient<Name extends string> = Commands & Scripts<Name>

export interface RedisConnection<Name extends string> {
  /** Whether the keys of a command must all have one hash slot. */
  readonly isCluster: boolean
  /**
   * Runs a command, or several of one hash slot, on the connection, which the first call opens. A call made while Redis, or
   * the master of its slot, is away fails at once. While a slot moves from one server to another, a pipeline of its keys may
   * have errors among its answers; a single command of several keys waits instead.
   * @throws `Unavailable`, or the error that `errorOf` returns for an answer.
   */
  run<T>(command: (client: RedisClient<Name>) => Promise<T>): Promise<T>
  /** Runs commands that are not of a slot, such as SCAN, on each server that holds keys. @throws as `run`, also if one is away. */
  runOnMasters<T>(command: (server: Redis) => Promise<T>): Promise<T[]>
  close(): Promise<void>
}

export interface RedisConnectionOptions<Name extends string> {
  /** In one of the forms of address.ts. */
  url: string
  /** The files of the scripts. */
  scripts: Readonly<Record<Name, URL>>
  /** The port's error for a Redis that is away. */
  Unavailable: new (
    message: string,
  ) => Error
  /** The port's error for an error that Redis answers with; null when Redis is to be reported as unavailable. */
  errorOf?: (error: Error) => Error | null
}

/** A connection to one server, to the primary that Sentinels name, or to a Cluster. It reconnects by itself. */
export function openRedisConnection<Name extends string>(options: RedisConnectionOptions<Name>): RedisConnection<Name> {
  const { url, scripts, Unavailable, errorOf = () => null } = options
  const address = parseRedisAddress(url)
  if (address === null) throw new Error('The address of Redis has none of the known forms')
  const named = namedServers(address)
  const servers = address.kind === 'CLUSTER' ? openCluster(address) : openPrimary(address)
  for (const [name, file] of Object.entries<URL>(scripts)) {
    servers.client.defineCommand(name, { lua: readFileSync(file, 'utf8') })
  }
  const client = servers.client as unknown as RedisClient<Name>

  /** Used in place of the client's own timeout, which fails even commands whose answers have arrived. */
  const answered = <T>(command: Promise<T>): Promise<T> =>
    within(command, COMMAND_TIMEOUT_MS, () => {
      servers.replaceSilent()
      return new Unavailable('Redis has not answered in time')
    })

  /** Servers that must not be used, and why. */
  const unfit = new WeakMap<Redis, string>()
  const checks = new Set<Promise<void>>()
  async function check(server: Redis): Promise<void> {
    const error = await answered(misfitOf(server)).catch(() => null)
    if (error === null) unfit.delete(server)
    else unfit.set(server, error)
  }
  /** The last error of connecting. It says more than the errors of calls that fail because there is no connection. */
  let connectError: Error | null = null
  servers.onServer((server) => {
    server.on('error', (error: Error) => {
      if (connectError === null || !hidesCause(error)) connectError = error
    })
    endSilentHandshakes(server)
    server.on('ready', () => {
      connectError = null
      const checked = check(server).finally(() => checks.delete(checked))
      checks.add(checked)
    })
  })

  function portError(error: Error): Error {
    const known = error instanceof Unavailable ? error : errorOf(error)
    if (known !== null) return known
    servers.lookAgain()
    return new Unavailable(`Redis: ${explained(error)}`)
  }
  const guard = createCallGuard({
    engine: 'The connection to Redis',
    callsMax: OPEN_COMMANDS_MAX,
    Unavailable,
    errorOf: portError,
  })

  async function connect(): Promise<void> {
    try {
      await within(servers.connect(), CONNECT_TIMEOUT_MS, () => new Error('no connection could be made in time'))
    } catch (error) {
      connectError = await explainedByReach(connectError ?? (error as Error), named)
      throw connectError
    }
  }

  let opening: Promise<void> | null = null
  async function open(): Promise<void> {
    opening ??= connect()
    try {
      await opening
    } catch (error) {
      if (!servers.isReady()) throw connectError ?? error
    }
    if (checks.size > 0) await Promise.all(checks)
    for (const server of servers.masters()) {
      const error = unfit.get(server)
      if (error !== undefined) throw new Unavailable(error)
    }
  }

  return {
    isCluster: address.kind === 'CLUSTER',
    run: (command) => guard.run(() => open().then(() => answered(command(client)))),
    runOnMasters: (command) =>
      guard.run(() => open().then(() => Promise.all(servers.everyMaster().map((server) => answered(command(server)))))),
    async close() {
      guard.close()
      servers.close()
    },
  }
}

/**
 * Reconnects when a handshake is not answered in time. A frozen server still accepts connections; Sentinels and clusters name
 * another server some time later.
 */
function endSilentHandshakes(server: Redis): void {
  let timer: NodeJS.Timeout | undefined
  server.on('connect', () => {
    clearTimeout(timer)
    timer = setTimeout(() => server.disconnect(true), CONNECT_TIMEOUT_MS)
  })
  for (const event of ['ready', 'close', 'end']) server.on(event, () => clearTimeout(timer))
}

/** Why a server must not be used; null when it may be. */
const misfitOf = async (server: Redis): Promise<string | null> =>
  (await databaseError(server)) ?? (await evictionError(server))

/** When a server refuses the database of the address, ioredis goes on in database 0, which may be that of another installation. */
async function databaseError(server: Redis): Promise<string | null> {
  const { db = 0 } = server.options
  if (db === 0) return null
  try {
    await server.select(db)
    return null
  } catch (error) {
    const { name, message } = error as Error
    if (name !== 'ReplyError') throw error
    return `Redis refuses database ${db}: ${message}`
  }
}

/** A Redis that evicts keys when its memory is full would silently forget budgets. */
async function evictionError(server: Redis): Promise<string | null> {
  const memory = await server.info('memory')
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  const maxBytes = Number(/^maxmemory:(\d+)/m.exec(memory)?.[1] ?? 0)
  if (maxBytes === 0 || policy === 'noeviction') return null
  return `Redis may evict counters: its maxmemory-policy is ${policy} and must be noeviction`
}
