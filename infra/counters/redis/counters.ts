import { randomBytes } from 'node:crypto'
import type { Redis } from 'ioredis'
import { openRedisConnection, type RedisConnection } from '../../redis/connection.ts'
import { sentTogether } from '../../together.ts'
import { type Counters, CountersMoved, CountersUnavailable } from '../port.ts'
import { type CounterScripts, shardOfLedger } from './keys.ts'
import { KnownLimit } from './known-values.ts'
import { SeenCache } from './seen-blocks.ts'
import { openShard, SeenStale, type Shard } from './shard.ts'

/** Memory of a process for blocks of seen keys: enough for an hour of some thousand events a second. */
const SEEN_CACHE_BYTES = 64 * 1024 * 1024
/** Values of counters that a process remembers, over all shards: some 80 MB. */
const KNOWN_VALUES_MAX = 800_000
/** Keys of one command, so that it does not hold up others for long. */
const KEYS_PER_COMMAND = 1_000
/** Keys looked at, and removed, at once. */
const CLEAR_PAGE = 1_000

export interface RedisCountersOptions {
  url: string
  /** Of lower-case letters, digits and dashes; every key begins with it and a colon. */
  namespace: string
  shards: number
  seenCacheBytes?: number
  knownValuesMax?: number
  /** UTC epoch milliseconds. */
  now?: () => number
}

/**
 * Counters in one Redis primary, with or without failover, or in a Cluster. Every call is split into calls of one shard, whose keys
 * share a hash slot; outside a Cluster, one command reads the positions of all shards. Returns at once and connects on first use.
 * When Redis loses data, because it was killed, emptied or restored, the positions of its shards show it.
 */
export function connectRedis(options: RedisCountersOptions): Counters {
  const { url, namespace, shards: count, seenCacheBytes = SEEN_CACHE_BYTES, now = Date.now } = options
  const connection: RedisConnection<CounterScripts> = openRedisConnection({
    url,
    scripts: {
      storeChange: new URL('./scripts/store.lua', import.meta.url),
      readValues: new URL('./scripts/read.lua', import.meta.url),
      reserveAmounts: new URL('./scripts/reserve.lua', import.meta.url),
      raiseNumber: new URL('./scripts/raise.lua', import.meta.url),
    },
    Unavailable: CountersUnavailable,
    errorOf,
  })
  const seenCache = new SeenCache(seenCacheBytes)
  const knownLimit = new KnownLimit(options.knownValuesMax ?? KNOWN_VALUES_MAX)
  const writer = randomBytes(9).toString('base64')
  let changes = 0
  const newToken = () => `${writer}${changes++}`
  // Shards of one server are asked together; those of a cluster cannot be.
  const getOfAll = openGet(connection)
  const shards = Array.from({ length: count }, (_, shard) => {
    const get = connection.isCluster ? openGet(connection) : getOfAll
    return openShard({ connection, get, namespace, shards: count, shard, seenCache, knownLimit, newToken, now })
  })
  const watermarkKey = `${namespace}:watermark`
  const secretKey = (name: string) => `${namespace}:secret:${name}`

  /** Asks all shards at once, each for its own items. @returns the answers in the order of the items. */
  async function byShard<Item extends { shard: number }, Answer>(
    items: readonly Item[],
    ask: (shard: Shard, items: Item[]) => Promise<Answer[]>,
  ): Promise<Answer[]> {
    const groups = Map.groupBy(items, ({ shard }) => shard)
    const answers = new Map(
      await Promise.all([...groups].map(async ([shard, group]) => [shard, await ask(shards[shard]!, group)] as const)),
    )
    const next = new Map<number, number>()
    return items.map(({ shard }) => {
      const at = next.get(shard) ?? 0
      next.set(shard, at + 1)
      return answers.get(shard)![at]!
    })
  }

  /** Goes through the keys of the namespace on every server, page by page. A key may come twice. */
  async function eachPage(visit: (server: Redis, keys: readonly string[]) => Promise<void>): Promise<void> {
    const cursors = new Map<Redis, string>()
    const visitPage = async (server: Redis) => {
      const cursor = cursors.get(server) ?? '0'
      const [next, keys] = await server.scan(cursor, 'MATCH', `${namespace}:*`, 'COUNT', CLEAR_PAGE)
      await visit(server, keys)
      cursors.set(server, next)
      return next === '0'
    }
    let isDone: boolean[]
    do {
      isDone = await connection.runOnMasters(async (server) => cursors.get(server) === '0' || visitPage(server))
    } while (isDone.includes(false))
  }

  return {
    shards: count,
    load: (loads) => byShard(loads, (shard, ofShard) => shard.load(ofShard)),
    store: (change) => shards[change.shard]!.store(change),
    read: (keys) => byShard(keys, (shard, ofShard) => shard.read(ofShard)),
    positions: (sources) => byShard(sources, (shard, ofShard) => shard.positions(ofShard.map(({ source }) => source))),
    complete: () => Promise.all(shards.map((shard) => shard.isComplete())),
    markComplete: (shard) => shards[shard]!.markComplete(),
    async raiseWatermark(at) {
      await connection.run((client) => client.raiseNumber(1, watermarkKey, at))
    },
    async watermark() {
      return Number((await connection.run((client) => client.get(watermarkKey))) ?? -1)
    },
    reserve: (reservations) => byShard(reservations, (shard, ofShard) => shard.reserve(ofShard)),
    async agree(name, proposed, ttlMs) {
      const key = secretKey(name)
      // One command: between two commands the secret could expire, and the answer would be a secret that is not stored.
      return (await connection.run((client) => client.set(key, proposed, 'PX', ttlMs, 'NX', 'GET'))) ?? proposed
    },
    async clear() {
      const ledgers: string[] = []
      await eachPage(async (_, keys) => {
        for (const key of keys) if (shardOfLedger(key) !== null) ledgers.push(key)
      })
      // In one step for each shard: if the call is interrupted, no position may outlive the money that was counted up to it.
      const ofShards = [...Map.groupBy(ledgers, shardOfLedger).values()]
      await Promise.all(ofShards.map((keys) => connection.run((client) => client.unlink(...keys))))
      await eachPage(async (server, keys) => {
        const projected = keys.filter((key) => !key.startsWith(secretKey('')))
        // One by one: keys of one server may be of several slots.
        await Promise.all(projected.map((key) => server.unlink(key)))
      })
    },
    close: () => connection.close(),
  }
}

/** Reads the values that several shards need at the same moment by one command. */
const openGet = (connection: RedisConnection<CounterScripts>) =>
  sentTogether((keys: string[]) => connection.run((client) => client.mget(keys)), KEYS_PER_COMMAND)

/** The errors that store.lua answers with. */
function errorOf({ message }: Error): Error | null {
  if (message.startsWith('COUNTERS_MOVED')) return new CountersMoved(message)
  return message.startsWith('COUNTERS_STALE') ? new SeenStale(message) : null
}
