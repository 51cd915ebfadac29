import type { ChainableCommander } from 'ioredis'
import PQueue from 'p-queue'
import { chunksOf } from '../../../services/domain/chunks.ts'
import type { RedisConnection } from '../../redis/connection.ts'
import {
  type CounterKey,
  CountersBehind,
  CountersUnavailable,
  type LoadedShard,
  type Reservation,
  type ShardChange,
  type ShardLoad,
} from '../port.ts'
import { HOLDERS_MAX } from '../reservations.ts'
import { changeArguments, type SeenChange } from './change-arguments.ts'
import { type CounterScripts, shardKeys } from './keys.ts'
import { type KnownLimit, KnownValues } from './known-values.ts'
import { LastingBuckets } from './lasting-buckets.ts'
import { createReads } from './reads.ts'
import { type SeenCache, SeenShard } from './seen-blocks.ts'

/** Reservations of one script call. Each of them reads all other holders of its keys, which mostly are a few processes. */
const RESERVATIONS_PER_CALL = 100
/** How long Redis keeps an expired reservation: for callers whose clocks are behind its own. */
const RESERVATION_GRACE_MS = 60_000
/** Attempts to store seen keys. Of concurrent writers one always succeeds, and a shard hardly ever has more than one. */
const STALE_MAX = 50

/** A load that has twice found the known values outdated reads everything. */
const KNOWN_ATTEMPTS_MAX = 3

/** Thrown when seen keys have been changed since this process has read them. Nothing was stored. */
export class SeenStale extends Error {
  override readonly name = 'SeenStale'
}

/** The part of the port that concerns one shard. */
export interface Shard {
  load(loads: readonly ShardLoad[]): Promise<LoadedShard[]>
  store(change: ShardChange): Promise<void>
  read(keys: readonly CounterKey[]): Promise<number[]>
  positions(sources: readonly string[]): Promise<number[]>
  isComplete(): Promise<boolean>
  markComplete(): Promise<void>
  reserve(reservations: readonly Reservation[]): Promise<number[]>
}

export interface ShardOptions {
  connection: RedisConnection<CounterScripts>
  /** The value of a key; null when it does not exist. */
  get: (key: string) => Promise<string | null>
  namespace: string
  shards: number
  shard: number
  seenCache: SeenCache
  /** Of the values of counters that all shards remember. */
  knownLimit: KnownLimit
  /** A token that no process has ever used. */
  newToken: () => string
  /** UTC epoch milliseconds. */
  now: () => number
}

/** One shard in Redis. All keys of a call are of one hash slot. */
export function openShard(options: ShardOptions): Shard {
  const { connection, get, namespace, shards, shard, seenCache, knownLimit, newToken, now } = options
  const names = shardKeys(namespace, shards, shard)
  const seenShard = new SeenShard(seenCache, shard)
  /** The known seen keys are read and changed by one call at a time. */
  const seenCalls = new PQueue({ concurrency: 1 })
  const known = new KnownValues(knownLimit, now)
  /** Resolves once the last change has been answered. The values that are known before that would be outdated when they are used. */
  let stored: Promise<unknown> = Promise.resolve()
  /** The position at which this process has last seen each source. */
  const leftAt = new Map<string, number>()
  const lasting = new Map<string, LastingBuckets>()

  function lastingOf(source: string): LastingBuckets {
    const buckets = lasting.get(source) ?? new LastingBuckets()
    lasting.set(source, buckets)
    return buckets
  }

  const reads = createReads({ connection, names, pipelined })

  const fetchBlocks = (paths: readonly string[]) =>
    pipelined<Buffer | null>((pipeline) => {
      for (const path of paths) pipeline.getBuffer(names.seenBlock(path))
    })

  /** Sends commands together. @throws when one of them fails. */
  async function pipelined<Answer>(fill: (pipeline: ChainableCommander) => void): Promise<Answer[]> {
    const answers = await connection.run((client) => {
      const pipeline = client.pipeline()
      fill(pipeline)
      return pipeline.exec()
    })
    return (answers ?? []).map(([error, answer]) => {
      if (error) throw new CountersUnavailable(`Redis: ${error.message}`)
      return answer as Answer
    })
  }

  async function loadOne(load: ShardLoad): Promise<LoadedShard> {
    const { source, after, seen } = load
    for (let attempt = 1; ; attempt++) {
      await stored
      if (attempt === KNOWN_ATTEMPTS_MAX) known.expect(null)
      const read = await readUnknown(load)
      const { position, note, seenToken, complete } = read.state
      if (position < after) {
        throw new CountersBehind(`${source} stands at ${position} in shard ${shard}, not at ${after}`)
      }
      if (read.values === null) continue
      if (seen.length > 0) seenShard.expect(seenToken ?? '')
      return {
        position,
        note,
        ...read.values,
        seen: await seenShard.look(seen, fetchBlocks),
        complete: complete !== null,
      }
    }
  }

  /** Reads the values that are not known. `values` is null when the known ones have turned out to be outdated. */
  async function readUnknown({ source, keys, tallies }: ShardLoad) {
    const before = known.token
    const counters = known.lookUp(keys)
    const several = known.lookUp(tallies)
    const plain = [names.position(source), names.note(source), names.seenToken, names.complete, names.changes]
    // If the source moves on meanwhile, the counters may be newer than the position; `store` then refuses the change.
    const [read, hashes] = await Promise.all([
      reads.tallies(plain, several),
      counters.missing.length > 0 ? reads.hashes([names.changes], counters.missing) : null,
    ])
    const [offset, note, seenToken, complete, changes] = read.plain.map((each) => each?.toString() ?? null)
    const position = Number(offset ?? -1)
    const state = { position, note: note!, seenToken: seenToken!, complete: complete! }
    const isWhereLeft = (leftAt.get(source) ?? position) === position
    leftAt.set(source, position)
    const isOfOneTime = read.isOfOneTime && (hashes === null || (hashes.plain[0] ?? null) === changes)
    const token = isOfOneTime ? (changes ?? null) : null
    const usesKnown = counters.missing.length < keys.length || several.missing.length < tallies.length
    const isKnown = isWhereLeft && token === before && token === known.token
    known.expect(isWhereLeft ? token : null)
    if (usesKnown && !isKnown) return { state, values: null }
    const { places, values } = counters
    for (let i = 0; i < places.length; i++) values[places[i]!] = hashes!.values[i]!
    known.learn(counters)
    known.learn(several)
    return { state, values: { values: listOf(values), tallies: several.values } }
  }

  async function storeSeen(change: ShardChange): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (seenShard.token === null) {
          seenShard.expect((await connection.run((client) => client.get(names.seenToken))) ?? '')
        }
        const { appends, stored } = await seenShard.append(change.seen, fetchBlocks)
        const token = newToken()
        await send(change, { expected: seenShard.token!, token, blocks: appends })
        stored(token)
        return
      } catch (error) {
        // The known seen keys include the change already, and it is unknown whether it was stored.
        seenShard.expect(null)
        if (!(error instanceof SeenStale)) throw error
        if (attempt === STALE_MAX) throw new CountersUnavailable(error.message)
      }
    }
  }

  async function send(change: ShardChange, seen: SeenChange | null): Promise<void> {
    const buckets = lastingOf(change.source)
    buckets.expect(change.after)
    const token = newToken()
    const { keys, args, written } = changeArguments(change, { names, lasting: buckets, now: now(), token }, seen)
    const sent = connection.run((client) => client.storeChange(keys.length, keys, args))
    stored = sent.catch(() => {})
    const [former] = await sent
    known.stored(change, { former: former!, token })
    leftAt.set(change.source, change.upTo)
    buckets.remember(written, change.upTo)
  }

  return {
    load: (loads) =>
      Promise.all(loads.map((load) => (load.seen.length > 0 ? seenCalls.add(() => loadOne(load)) : loadOne(load)))),
    store: (change) => (change.seen.length > 0 ? seenCalls.add(() => storeSeen(change)) : send(change, null)),
    async read(keys) {
      const { plain, values } = await reads.hashes([names.complete], keys)
      if (plain[0] === null) throw new CountersUnavailable(`Shard ${shard} of the counters is being recounted`)
      return values
    },
    async positions(sources) {
      const offsets = await Promise.all(sources.map((source) => get(names.position(source))))
      return offsets.map((offset) => Number(offset ?? -1))
    },
    isComplete: async () => (await get(names.complete)) !== null,
    async markComplete() {
      await connection.run((client) => client.set(names.complete, '1'))
    },
    async reserve(reservations) {
      const granted: number[] = []
      for (const some of chunksOf(reservations, RESERVATIONS_PER_CALL)) {
        const { keys, args } = reservationArguments(some)
        const answer = await connection.run((client) => client.reserveAmounts(keys.length, keys, args))
        granted.push(...answer.map(Number))
      }
      return granted
    },
  }

  /** The KEYS and ARGV of reserve.lua. */
  function reservationArguments(reservations: readonly Reservation[]) {
    const keys: string[] = []
    const fields: (Buffer | string)[] = []
    const tuples = reservations.map(({ holder, retained, requested, minimum, expiresAt, now, limits }) => {
      const limitTuples = limits.map(({ key, counted, max }) => {
        const holders = keys.push(names.holders(key))
        if (counted === null) return [holders, max, false]
        const { hash, field } = names.counter(counted)
        return [holders, max, keys.push(hash), FIXED_ARGUMENTS + fields.push(field)]
      })
      return [holder, retained, requested, minimum, expiresAt, now, limitTuples]
    })
    return { keys, args: [HOLDERS_MAX, RESERVATION_GRACE_MS, JSON.stringify(tuples), ...fields] }
  }
}

const FIXED_ARGUMENTS = 3

/** As `Array.from`, but without going through the numbers by an iterator. */
function listOf(numbers: Float64Array): number[] {
  const list = new Array<number>(numbers.length)
  for (let i = 0; i < numbers.length; i++) list[i] = numbers[i]!
  return list
}
